-- What PostgreSQL alone is asked.

-- name: owner_lock
-- Writing transactions of one owner wait here for one another.
SELECT rev FROM owner WHERE tenant = :tenant AND "user" = :user FOR UPDATE;

-- name: owner_note_due
-- At the end of each transaction: what its rows were counted with, and since when, or from when on, somebody has to work
-- through the owner's rows.
UPDATE owner SET rev = COALESCE(:rev, rev), due_at = LEAST(
    night_at,
    (SELECT MIN(due_at) FROM conversation WHERE tenant = :tenant AND "user" = :user AND due_at IS NOT NULL),
    (SELECT MIN(next_try) FROM episode WHERE tenant = :tenant AND "user" = :user AND next_try IS NOT NULL),
    (SELECT MIN(fades_at) FROM episode WHERE tenant = :tenant AND "user" = :user AND fades_at IS NOT NULL),
    (SELECT MIN(vector_due_at) FROM message WHERE tenant = :tenant AND "user" = :user AND vector_due_at IS NOT NULL),
    (SELECT MIN(expires_at) FROM message WHERE tenant = :tenant AND "user" = :user AND expires_at IS NOT NULL),
    (SELECT MIN(until) FROM forgetting WHERE tenant = :tenant AND "user" = :user),
    (SELECT MIN(due_at) FROM fact WHERE tenant = :tenant AND "user" = :user AND due_at IS NOT NULL))
WHERE tenant = :tenant AND "user" = :user;

-- name: owners_waiting
-- Crosses owners: how many wait for a worker, and since when; it names nobody.
SELECT COUNT(*) AS owners, MIN(due_at) AS since FROM owner
WHERE due_at <= :now AND (lease_until IS NULL OR lease_until <= :now);

-- name: owners_due
-- Crosses owners: the worker's hint, most overdue first; each owner is then claimed in a transaction of its own.
SELECT tenant, "user" FROM owner
WHERE due_at <= :now AND (lease_until IS NULL OR lease_until <= :now)
ORDER BY due_at, tenant, "user" LIMIT :limit;

-- name: edge_around
-- Each step looks up the edges of one fact, by either end, so that it costs what lies near and not what there is.
WITH RECURSIVE near (id, steps) AS (
    SELECT id, 0 FROM fact
    WHERE tenant = :tenant AND "user" = :user AND {id among ids} AND {visible}
    UNION
    SELECT fact.id, near.steps + 1
    FROM near
    CROSS JOIN LATERAL (
        SELECT target AS id FROM edge
        WHERE tenant = :tenant AND "user" = :user AND source = near.id AND basis IN ('told', 'inferred')
        UNION ALL
        SELECT source AS id FROM edge
        WHERE tenant = :tenant AND "user" = :user AND target = near.id AND basis IN ('told', 'inferred')) AS other
    JOIN fact ON fact.tenant = :tenant AND fact."user" = :user AND fact.id = other.id
    WHERE near.steps < :steps AND fact.status IN ('tentative', 'stable', 'needs_review', 'merged')
)
SELECT body FROM edge
WHERE tenant = :tenant AND "user" = :user AND basis <> 'rests' AND {visible}
    AND source IN (SELECT id FROM near) AND target IN (SELECT id FROM near)
ORDER BY source, target, relation LIMIT :limit;
