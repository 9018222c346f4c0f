-- What SQLite alone is asked.

-- name: owners_due
-- Crosses owners: the worker's hint, most overdue first; each owner is then claimed in a transaction of its own.
WITH due (tenant, "user", since) AS (
    SELECT tenant, "user", MIN(due_at) FROM conversation WHERE due_at IS NOT NULL AND due_at <= :now
    GROUP BY tenant, "user"
    UNION ALL
    SELECT tenant, "user", MIN(next_try) FROM episode WHERE next_try IS NOT NULL AND next_try <= :now
    GROUP BY tenant, "user"
    UNION ALL
    SELECT tenant, "user", MIN(vector_due_at) FROM message WHERE vector_due_at IS NOT NULL AND vector_due_at <= :now
    GROUP BY tenant, "user"
    UNION ALL
    SELECT tenant, "user", MIN(fades_at) FROM episode WHERE fades_at IS NOT NULL AND fades_at <= :now
    GROUP BY tenant, "user"
    UNION ALL
    SELECT tenant, "user", MIN(due_at) FROM fact WHERE due_at IS NOT NULL AND due_at <= :now
    GROUP BY tenant, "user"
    UNION ALL
    SELECT tenant, "user", MIN(until) FROM forgetting WHERE until <= :now GROUP BY tenant, "user"
    UNION ALL
    SELECT tenant, "user", night_at FROM owner WHERE night_at IS NOT NULL AND night_at <= :now
    UNION ALL
    SELECT tenant, "user", MIN(expires_at) FROM message WHERE expires_at IS NOT NULL AND expires_at <= :now
    GROUP BY tenant, "user"
)
SELECT due.tenant, due."user", MIN(due.since) AS since, COUNT(*) OVER () AS owners FROM due
JOIN owner ON owner.tenant = due.tenant AND owner."user" = due."user"
WHERE owner.lease_until IS NULL OR owner.lease_until <= :now
GROUP BY due.tenant, due."user" ORDER BY MIN(due.since), due.tenant, due."user" LIMIT :limit;

-- name: edge_around
-- Each step looks up the edges of one fact, by either end, so that it costs what lies near and not what there is.
WITH RECURSIVE near (id, steps) AS (
    SELECT id, 0 FROM fact
    WHERE tenant = :tenant AND "user" = :user AND {id among ids} AND {visible}
    UNION
    SELECT fact.id, near.steps + 1
    FROM near
    CROSS JOIN edge ON edge.tenant = :tenant AND edge."user" = :user AND edge.source = near.id
    CROSS JOIN fact ON fact.tenant = :tenant AND fact."user" = :user AND fact.id = edge.target
    WHERE near.steps < :steps AND edge.basis IN ('told', 'inferred')
        AND fact.status IN ('tentative', 'stable', 'needs_review', 'merged')
    UNION
    SELECT fact.id, near.steps + 1
    FROM near
    CROSS JOIN edge ON edge.tenant = :tenant AND edge."user" = :user AND edge.target = near.id
    CROSS JOIN fact ON fact.tenant = :tenant AND fact."user" = :user AND fact.id = edge.source
    WHERE near.steps < :steps AND edge.basis IN ('told', 'inferred')
        AND fact.status IN ('tentative', 'stable', 'needs_review', 'merged')
)
SELECT body FROM edge
WHERE tenant = :tenant AND "user" = :user AND basis <> 'rests' AND {visible}
    AND source IN (SELECT id FROM near) AND target IN (SELECT id FROM near)
ORDER BY source, target, relation LIMIT :limit;
