-- See queries.sql for how statements are written.

-- Facts, and all rows about them. A row about a fact that is gone or forgotten is not written.

-- name: fact_insert
INSERT INTO fact (tenant, "user", project, agent, id, status, words, attribute, holder, first_observed, due_at, body,
    rev)
VALUES (:tenant, :user, :project, :agent, :id, :status, :words, :attribute, :holder, :first_observed, :due_at, :body,
    :rev);

-- name: fact_update
UPDATE fact SET status = :status, words = :words, attribute = :attribute, holder = :holder,
    first_observed = :first_observed, due_at = :due_at, body = :body, rev = :rev
WHERE tenant = :tenant AND "user" = :user AND project = :project AND agent = :agent AND id = :id
    AND status <> 'forgotten';

-- name: fact_get
SELECT rev, body FROM fact
WHERE tenant = :tenant AND "user" = :user AND {id among ids} AND status <> 'forgotten'
    AND {visible};

-- name: fact_all
SELECT rev, body FROM fact
WHERE tenant = :tenant AND "user" = :user AND {status among statuses}
    AND (CAST(:attribute AS TEXT) IS NULL OR attribute = :attribute) AND {visible}
ORDER BY first_observed, id;

-- name: fact_saying
SELECT rev, body FROM fact
WHERE tenant = :tenant AND "user" = :user AND words = :words AND project = :in_project AND status <> 'forgotten'
    AND {visible}
ORDER BY first_observed, id LIMIT 1;

-- name: fact_merged_into
SELECT rev, body FROM (
    SELECT id, rev, body, {body.canonical_id} AS canonical FROM fact
    WHERE tenant = :tenant AND "user" = :user AND status = 'merged' AND {visible}) AS merged
WHERE {canonical among ids}
ORDER BY id;

-- name: fact_due
SELECT rev, body FROM fact
WHERE tenant = :tenant AND "user" = :user AND due_at IS NOT NULL AND due_at <= :now AND status <> 'forgotten'
    AND {visible}
ORDER BY due_at, first_observed, id LIMIT :limit;

-- name: fact_changes
SELECT rev, body FROM fact WHERE tenant = :tenant AND "user" = :user AND rev > :since ORDER BY id;

-- name: fact_newest
SELECT COALESCE(MAX(rev), 0) AS rev FROM fact WHERE tenant = :tenant AND "user" = :user;

-- name: fact_counts
SELECT status, COUNT(*) AS number FROM fact
WHERE tenant = :tenant AND "user" = :user AND {visible}
GROUP BY status ORDER BY 1;

-- name: fact_withdraw
DELETE FROM fact
WHERE tenant = :tenant AND "user" = :user AND {id among ids} AND {visible};

-- name: version_add
INSERT INTO fact_version (tenant, "user", project, agent, fact_id, number, at, body)
SELECT tenant, "user", project, agent, id, 1 + COALESCE((
    SELECT MAX(number) FROM fact_version WHERE tenant = :tenant AND "user" = :user AND fact_id = :id), 0), :at, :body
FROM fact
WHERE tenant = :tenant AND "user" = :user AND id = :id AND status <> 'forgotten';

-- name: version_of
SELECT number, body FROM fact_version
WHERE tenant = :tenant AND "user" = :user AND fact_id = :fact_id AND {visible} ORDER BY number;

-- name: version_all
SELECT number, body FROM fact_version WHERE tenant = :tenant AND "user" = :user AND {visible} ORDER BY fact_id, number;

-- name: version_known_at
SELECT number, body FROM fact_version
WHERE tenant = :tenant AND "user" = :user AND {visible} AND (fact_id, number) IN (
    SELECT fact_id, MAX(number) FROM fact_version
    WHERE tenant = :tenant AND "user" = :user AND at <= :instant AND {visible} GROUP BY fact_id)
ORDER BY fact_id;

-- name: version_some_known_at
SELECT number, body FROM fact_version
WHERE tenant = :tenant AND "user" = :user AND {visible} AND (fact_id, number) IN (
    SELECT fact_id, MAX(number) FROM fact_version
    WHERE tenant = :tenant AND "user" = :user AND at <= :instant AND {fact_id among ids} AND {visible}
    GROUP BY fact_id)
ORDER BY fact_id;

-- name: version_since
SELECT number, body FROM fact_version
WHERE tenant = :tenant AND "user" = :user AND at >= :instant AND {visible} ORDER BY fact_id, number;

-- name: version_forget
DELETE FROM fact_version
WHERE tenant = :tenant AND "user" = :user AND {fact_id among ids};

-- name: evidence_add
INSERT INTO evidence (tenant, "user", project, agent, fact_id, id, message_id, said_at, body)
SELECT tenant, "user", project, agent, id, :evidence, :message_id, :said_at, :body FROM fact
WHERE tenant = :tenant AND "user" = :user AND id = :id AND status <> 'forgotten'
ON CONFLICT (tenant, "user", fact_id, id) DO UPDATE SET message_id = excluded.message_id, said_at = excluded.said_at,
    body = excluded.body;

-- name: evidence_of
SELECT body FROM evidence
WHERE tenant = :tenant AND "user" = :user AND {fact_id among fact_ids} AND {visible}
ORDER BY said_at, id, fact_id;

-- name: evidence_of_messages
SELECT body FROM evidence
WHERE tenant = :tenant AND "user" = :user AND {message_id among message_ids} AND {visible}
ORDER BY said_at, id, fact_id;

-- name: evidence_all
SELECT body FROM evidence WHERE tenant = :tenant AND "user" = :user AND {visible} ORDER BY said_at, id, fact_id;

-- name: evidence_remove
DELETE FROM evidence WHERE tenant = :tenant AND "user" = :user AND fact_id = :id AND id = :evidence;

-- name: evidence_forget
DELETE FROM evidence
WHERE tenant = :tenant AND "user" = :user AND {fact_id among ids};

-- name: ruling_save
INSERT INTO conflict (tenant, "user", project, agent, one, other, body)
SELECT :tenant, :user, :project, :agent, :one, :other, :body
WHERE 2 = (
    SELECT COUNT(*) FROM fact
    WHERE tenant = :tenant AND "user" = :user AND id IN (:one, :other) AND status <> 'forgotten')
ON CONFLICT (tenant, "user", one, other) DO UPDATE SET project = excluded.project, agent = excluded.agent,
    body = excluded.body;

-- name: ruling_of
SELECT body FROM conflict
WHERE tenant = :tenant AND "user" = :user AND {one among ids} AND {visible}
UNION
SELECT body FROM conflict
WHERE tenant = :tenant AND "user" = :user AND {other among ids} AND {visible};

-- name: ruling_all
SELECT body FROM conflict WHERE tenant = :tenant AND "user" = :user AND {visible} ORDER BY one, other;

-- name: ruling_forget
DELETE FROM conflict
WHERE tenant = :tenant AND "user" = :user
    AND ({one among ids} OR {other among ids});

-- name: edge_put
INSERT INTO edge (tenant, "user", project, agent, source, target, relation, basis, body)
SELECT :tenant, :user, :project, :agent, :source, :target, :relation, :basis, :body
WHERE EXISTS (
        SELECT 1 FROM fact WHERE tenant = :tenant AND "user" = :user AND id = :source AND status <> 'forgotten')
    AND EXISTS (
        SELECT 1 FROM fact WHERE tenant = :tenant AND "user" = :user AND id = :target AND status <> 'forgotten')
ON CONFLICT (tenant, "user", source, target, relation) DO UPDATE SET project = excluded.project,
    agent = excluded.agent, basis = excluded.basis, body = excluded.body
WHERE :is_by_hand = 1 OR edge.basis IN ('rests', 'inferred') OR (edge.basis = 'told' AND excluded.basis = 'told');

-- name: edge_all
SELECT body FROM edge WHERE tenant = :tenant AND "user" = :user AND {visible} ORDER BY source, target, relation;

-- name: edge_standing
SELECT body FROM edge
WHERE tenant = :tenant AND "user" = :user AND basis <> 'rests' AND {visible}
ORDER BY source, target, relation LIMIT :limit;

-- name: edge_remove
DELETE FROM edge
WHERE tenant = :tenant AND "user" = :user AND source = :source AND target = :target AND relation = :relation;

-- name: edge_forget
DELETE FROM edge
WHERE tenant = :tenant AND "user" = :user
    AND ({source among ids} OR {target among ids});

-- name: cycle_save
INSERT INTO cycle (tenant, "user", id, body) VALUES (:tenant, :user, :id, :body)
ON CONFLICT (tenant, "user", id) DO UPDATE SET body = excluded.body;

-- name: cycle_get
SELECT body FROM cycle WHERE tenant = :tenant AND "user" = :user AND id = :cycle_id;

-- name: cycle_latest
SELECT body FROM cycle WHERE tenant = :tenant AND "user" = :user ORDER BY id DESC LIMIT :limit;


-- What was asked in talk to be forgotten.

-- name: forgetting_save
INSERT INTO forgetting (tenant, "user", project, agent, kind, id, asked_by, until, body)
VALUES (:tenant, :user, :in_project, :in_agent, :kind, :id, :asked_by, :until, :body)
ON CONFLICT (tenant, "user", kind, id, asked_by) DO UPDATE SET until = excluded.until, body = excluded.body;

-- name: forgetting_all
SELECT body FROM forgetting
WHERE tenant = :tenant AND "user" = :user AND (CAST(:kind AS TEXT) IS NULL OR kind = :kind) AND {visible}
ORDER BY until, kind, id, asked_by;

-- name: forgetting_of
SELECT body FROM forgetting
WHERE tenant = :tenant AND "user" = :user AND {id among ids} AND {visible}
ORDER BY until, kind, id, asked_by;

-- name: forgetting_asked_by
SELECT body FROM forgetting
WHERE tenant = :tenant AND "user" = :user AND asked_by = :message_id AND {visible}
ORDER BY until, kind, id, asked_by;

-- name: forgetting_due
SELECT body FROM forgetting
WHERE tenant = :tenant AND "user" = :user AND until <= :now AND {visible}
ORDER BY until, kind, id, asked_by LIMIT :limit;

-- name: forgetting_remove
DELETE FROM forgetting
WHERE tenant = :tenant AND "user" = :user AND kind = :kind AND id = :id AND asked_by = :asked_by;


-- What models have cost an owner.

-- name: usage_add
INSERT INTO usage (tenant, "user", id, at, body) VALUES (:tenant, :user, :id, :at, :body)
ON CONFLICT (tenant, "user", id) DO NOTHING;

-- name: usage_between
SELECT body FROM usage
WHERE tenant = :tenant AND "user" = :user AND at >= :since AND at < :until
ORDER BY at, id;

-- name: usage_page
SELECT id, body FROM usage
WHERE tenant = :tenant AND "user" = :user AND id > :after
ORDER BY id LIMIT :limit;

-- name: usage_withdraw
DELETE FROM usage WHERE tenant = :tenant AND "user" = :user AND {id among ids};


-- Who may come in, and what they did.

-- name: key_save
INSERT INTO api_key (tenant, "user", id, body) VALUES (:tenant, :user, :id, :body)
ON CONFLICT (tenant, "user", id) DO UPDATE SET body = excluded.body;

-- name: key_get
SELECT body FROM api_key WHERE tenant = :tenant AND "user" = :user AND id = :id;

-- name: key_all
SELECT body FROM api_key WHERE tenant = :tenant AND "user" = :user;

-- name: audit_append
INSERT INTO audit (tenant, "user", seq, body) VALUES (:tenant, :user, :seq, :body);

-- name: audit_last
SELECT body FROM audit WHERE tenant = :tenant AND "user" = :user ORDER BY seq DESC LIMIT 1;

-- name: audit_page
SELECT body FROM audit WHERE tenant = :tenant AND "user" = :user AND seq > :after ORDER BY seq LIMIT :limit;
