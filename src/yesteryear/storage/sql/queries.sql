-- Every statement names one tenant and one user; "crosses owners" marks those that do not, and why.
-- {visible} stands for the filter by the scope's project and agent; what else stands in braces each database says in
-- its own way (see Dialect): {column among list}, {column holds list}, {column.path} of JSON, {by index}.

-- name: owner_get
SELECT rev, generation, model, next_model, lease_by, lease_until, night_at FROM owner
WHERE tenant = :tenant AND "user" = :user;

-- name: owner_next_rev
INSERT INTO owner (tenant, "user", rev, generation) VALUES (:tenant, :user, 1, COALESCE(
    (SELECT generation FROM erasure WHERE tenant = :tenant AND person = :person), 0))
ON CONFLICT (tenant, "user") DO UPDATE SET rev = owner.rev + 1
RETURNING rev;

-- name: owner_add
INSERT INTO owner (tenant, "user", generation) VALUES (:tenant, :user, COALESCE(
    (SELECT generation FROM erasure WHERE tenant = :tenant AND person = :person), 0))
ON CONFLICT (tenant, "user") DO NOTHING;

-- name: owner_save
INSERT INTO owner (tenant, "user", generation, model, next_model, lease_by, lease_until, night_at)
VALUES (:tenant, :user, :generation, :model, :next_model, :lease_by, :lease_until, :night_at)
ON CONFLICT (tenant, "user") DO UPDATE SET generation = excluded.generation, model = excluded.model,
    next_model = excluded.next_model, lease_by = excluded.lease_by, lease_until = excluded.lease_until,
    night_at = excluded.night_at;

-- name: owners
-- Crosses owners: the operator's list of people; '*' stands for the tenant itself (scope.EVERYBODY).
SELECT tenant, "user" FROM owner WHERE "user" <> '*' ORDER BY tenant, "user";

-- name: leases
-- Crosses owners: who holds what, so that a worker that is gone can be replaced at once.
SELECT tenant, "user", lease_by FROM owner WHERE lease_by IS NOT NULL ORDER BY tenant, "user";

-- name: message_insert
INSERT INTO message (tenant, "user", project, agent, conversation, seq, id, role, author, content, at, recorded_at,
    zone, external_id, verdict, outcome, episode_id, expires_at, numbers, vector_due_at, attempts, error, rev)
VALUES (:tenant, :user, :project, :agent, :conversation, :seq, :id, :role, :author, :content, :at, :recorded_at, :zone,
    :external_id, :verdict, :outcome, :episode_id, :expires_at, :numbers, :vector_due_at, :attempts, :error, :rev);

-- name: message_update
UPDATE message SET content = :content, verdict = :verdict, outcome = :outcome, episode_id = :episode_id,
    expires_at = :expires_at, numbers = :numbers, vector_due_at = :vector_due_at, attempts = :attempts,
    error = :error, rev = :rev
WHERE tenant = :tenant AND "user" = :user AND id = :id;

-- name: message_by_external_id
SELECT * FROM message
WHERE tenant = :tenant AND "user" = :user AND project = :in_project AND agent = :in_agent
    AND conversation = :conversation AND external_id = :external_id AND {visible};

-- name: message_span
SELECT * FROM message
WHERE tenant = :tenant AND "user" = :user AND project = :in_project AND agent = :in_agent
    AND conversation = :conversation AND seq > :after AND {visible}
ORDER BY seq LIMIT :limit;

-- name: message_get
SELECT * FROM message
WHERE tenant = :tenant AND "user" = :user AND {id among ids} AND {visible};

-- name: message_page
SELECT * FROM message
WHERE tenant = :tenant AND "user" = :user AND id > :after AND {visible}
    AND (CAST(:conversation AS TEXT) IS NULL OR conversation = :conversation)
    AND (CAST(:author AS TEXT) IS NULL OR author = :author)
    AND (NOT :has_error OR error IS NOT NULL)
    AND (CAST(:outcome AS TEXT) IS NULL OR outcome = :outcome)
    AND (CAST(:since AS BIGINT) IS NULL OR at >= :since)
    AND (CAST(:until AS BIGINT) IS NULL OR at < :until)
ORDER BY id LIMIT :limit;

-- name: message_page_back
SELECT * FROM message
WHERE tenant = :tenant AND "user" = :user AND (:after = '' OR id < :after) AND {visible}
    AND (CAST(:conversation AS TEXT) IS NULL OR conversation = :conversation)
    AND (CAST(:author AS TEXT) IS NULL OR author = :author)
    AND (NOT :has_error OR error IS NOT NULL)
    AND (CAST(:outcome AS TEXT) IS NULL OR outcome = :outcome)
    AND (CAST(:since AS BIGINT) IS NULL OR at >= :since)
    AND (CAST(:until AS BIGINT) IS NULL OR at < :until)
ORDER BY id DESC LIMIT :limit;

-- name: message_due
SELECT * FROM message
WHERE tenant = :tenant AND "user" = :user AND vector_due_at IS NOT NULL AND vector_due_at <= :now AND {visible}
ORDER BY role <> 'user', vector_due_at, at, seq, id LIMIT :limit;

-- name: message_expired
-- Told which index to use, since SQLite prefers to read all messages of the owner.
-- What asks to have something forgotten has to be obeyed first.
SELECT * FROM message {by message_expiry}
WHERE tenant = :tenant AND "user" = :user AND expires_at IS NOT NULL AND expires_at <= :now AND {visible}
    AND NOT (content <> '' AND {verdict.reason} = 'forget_request'
        AND {verdict.rule} IS NOT NULL AND {verdict.features.refused} IS NULL)
ORDER BY expires_at LIMIT :limit;

-- name: message_named
SELECT * FROM message
WHERE tenant = :tenant AND "user" = :user AND {visible} AND (
    {id among names} OR {external_id among names})
ORDER BY project, agent, conversation, seq;

-- name: message_forget_requests
SELECT * FROM message {by message_expiry}
WHERE tenant = :tenant AND "user" = :user AND expires_at IS NOT NULL AND expires_at <= :now AND {visible}
    AND content <> '' AND {verdict.reason} = 'forget_request'
    AND {verdict.rule} IS NOT NULL
    AND {verdict.features.refused} IS NULL
ORDER BY expires_at, at, seq, id LIMIT :limit;

-- name: message_measured
-- Also of those whose words are not kept; what is hidden tells nothing.
SELECT * FROM message {by message_numbers}
WHERE tenant = :tenant AND "user" = :user AND numbers <> '[]' AND {visible} AND at <= :now
    AND COALESCE({verdict.reason}, '') NOT IN ('instruction_injection', 'forget_request')
ORDER BY at, id;

-- name: message_count_verbatim
SELECT COUNT(*) AS number FROM message
WHERE tenant = :tenant AND "user" = :user AND verdict IS NOT NULL AND content <> '' AND {visible};

-- name: message_verbatim
SELECT id, episode_id, CASE WHEN at > recorded_at THEN at ELSE recorded_at END AS told_at,
    role = 'user' AS is_users, CAST({verdict.score} AS DOUBLE PRECISION) AS score, content AS text
FROM message
WHERE tenant = :tenant AND "user" = :user AND verdict IS NOT NULL AND content <> '' AND {visible}
ORDER BY told_at, id;

-- name: message_tail
SELECT id, project, agent, conversation, seq, role, author, content, at, zone, external_id,
    {verdict.reason} AS reason, {verdict.brought} AS brought
FROM message
WHERE tenant = :tenant AND "user" = :user AND project = :in_project AND agent = :in_agent
    AND conversation = :conversation AND {visible}
ORDER BY seq DESC LIMIT :limit;

-- name: message_authors
SELECT DISTINCT author FROM message
WHERE tenant = :tenant AND "user" = :user AND project = :in_project AND agent = :in_agent
    AND conversation = :conversation AND {visible}
ORDER BY author;

-- name: message_changes
SELECT id, project, agent, conversation, seq, role, author, content, at, zone, external_id,
    {verdict.reason} AS reason, {verdict.brought} AS brought
FROM message
WHERE tenant = :tenant AND "user" = :user AND rev > :since
ORDER BY project, agent, conversation, seq;

-- name: message_counts
SELECT COALESCE(outcome, 'open') AS outcome, COUNT(*) AS number FROM message
WHERE tenant = :tenant AND "user" = :user AND {visible}
GROUP BY outcome ORDER BY 1;

-- name: message_unfinished
SELECT COUNT(vector_due_at) AS due, COUNT(error) AS failed FROM message
WHERE tenant = :tenant AND "user" = :user AND (vector_due_at IS NOT NULL OR error IS NOT NULL) AND {visible};

-- name: conversation_get
SELECT * FROM conversation
WHERE tenant = :tenant AND "user" = :user AND project = :in_project AND agent = :in_agent AND name = :conversation
    AND {visible};

-- name: conversation_save
INSERT INTO conversation (tenant, "user", project, agent, name, zone, last_seq, settled_seq, closed_seq, last_at,
    last_recorded_at, due_at, attempts, error, rev)
VALUES (:tenant, :user, :project, :agent, :name, :zone, :last_seq, :settled_seq, :closed_seq, :last_at,
    :last_recorded_at, :due_at, :attempts, :error, :rev)
ON CONFLICT (tenant, "user", project, agent, name) DO UPDATE SET zone = excluded.zone, last_seq = excluded.last_seq,
    settled_seq = excluded.settled_seq, closed_seq = excluded.closed_seq, last_at = excluded.last_at,
    last_recorded_at = excluded.last_recorded_at, due_at = excluded.due_at, attempts = excluded.attempts,
    error = excluded.error, rev = excluded.rev;

-- name: conversation_due
SELECT * FROM conversation
WHERE tenant = :tenant AND "user" = :user AND due_at IS NOT NULL AND due_at <= :now AND {visible}
ORDER BY due_at, project, agent, name LIMIT :limit;

-- name: conversation_list
SELECT * FROM conversation
WHERE tenant = :tenant AND "user" = :user AND {visible}
ORDER BY project, agent, name;

-- name: episode_insert
INSERT INTO episode (tenant, "user", project, agent, id, conversation, first_seq, last_seq, message_ids, started_at,
    ended_at, recorded_at, zone, status, digest, importance, detail, closed_by, attempts, next_try, error, pinned,
    recalls, restored_at, fades_at, rev)
VALUES (:tenant, :user, :project, :agent, :id, :conversation, :first_seq, :last_seq, :message_ids, :started_at,
    :ended_at, :recorded_at, :zone, :status, :digest, :importance, :detail, :closed_by, :attempts, :next_try, :error,
    :pinned, :recalls, :restored_at, :fades_at, :rev);

-- name: episode_update
UPDATE episode SET message_ids = :message_ids, status = :status, digest = :digest, importance = :importance,
    detail = :detail, attempts = :attempts, next_try = :next_try, error = :error, pinned = :pinned,
    recalls = :recalls, restored_at = :restored_at, fades_at = :fades_at, rev = :rev
WHERE tenant = :tenant AND "user" = :user AND id = :id AND status = :expecting;

-- name: episode_get
SELECT * FROM episode
WHERE tenant = :tenant AND "user" = :user AND {id among ids} AND {visible};

-- name: episode_page
SELECT * FROM episode
WHERE tenant = :tenant AND "user" = :user AND {visible}
    AND (CAST(:conversation AS TEXT) IS NULL OR conversation = :conversation)
    AND (status = :status OR (CAST(:status AS TEXT) IS NULL AND status <> 'forgotten'))
    AND (NOT :has_error OR error IS NOT NULL)
    AND (CAST(:since AS BIGINT) IS NULL OR ended_at >= :since)
    AND (CAST(:until AS BIGINT) IS NULL OR ended_at < :until)
    AND (CAST(:after AS TEXT) IS NULL OR (ended_at, id) < (
        SELECT ended_at, id FROM episode WHERE tenant = :tenant AND "user" = :user AND id = :after))
ORDER BY ended_at DESC, id DESC LIMIT :limit;

-- name: episode_due
SELECT * FROM episode
WHERE tenant = :tenant AND "user" = :user AND next_try IS NOT NULL AND next_try <= :now AND {visible}
    AND (CAST(:next_reader AS TEXT) IS NULL OR COALESCE({digest.next_reader}, '') = :next_reader)
ORDER BY next_try, ended_at, id LIMIT :limit;

-- name: episode_readers
SELECT COALESCE({digest.reader}, '') AS reader, COUNT(*) AS number FROM episode
WHERE tenant = :tenant AND "user" = :user AND status IN ('active', 'archived') AND detail = 'vivid' AND {visible}
GROUP BY 1 ORDER BY 1;

-- name: episode_traces
SELECT id, importance, CASE WHEN ended_at > recorded_at THEN ended_at ELSE recorded_at END AS told_at, recalls,
    restored_at, fades_at, detail <> 'gist' AS is_vivid, status = 'active' AS is_active,
    CASE WHEN pinned = 1 OR CAST({digest.signals.explicit_request} AS DOUBLE PRECISION) >= 1 THEN 1 ELSE 0 END AS is_held
FROM episode
WHERE tenant = :tenant AND "user" = :user AND status IN ('active', 'archived') AND {visible}
    AND (NOT :only_active OR status = 'active')
ORDER BY fades_at IS NULL, fades_at, id LIMIT :limit;

-- name: episode_traces_due
SELECT id, importance, CASE WHEN ended_at > recorded_at THEN ended_at ELSE recorded_at END AS told_at, recalls,
    restored_at, fades_at, detail <> 'gist' AS is_vivid, status = 'active' AS is_active,
    CASE WHEN pinned = 1 OR CAST({digest.signals.explicit_request} AS DOUBLE PRECISION) >= 1 THEN 1 ELSE 0 END AS is_held
FROM episode {by episode_fading}
WHERE tenant = :tenant AND "user" = :user AND status IN ('active', 'archived') AND {visible}
    AND (NOT :only_active OR status = 'active') AND fades_at IS NOT NULL AND fades_at <= :due
ORDER BY fades_at, id LIMIT :limit;

-- name: episode_count_active
SELECT COUNT(*) AS number FROM episode
WHERE tenant = :tenant AND "user" = :user AND status = 'active' AND {visible};

-- name: episode_changes
SELECT * FROM episode WHERE tenant = :tenant AND "user" = :user AND rev > :since ORDER BY id;

-- name: episode_counts
SELECT status, COUNT(*) AS number FROM episode
WHERE tenant = :tenant AND "user" = :user AND {visible}
GROUP BY status ORDER BY 1;

-- name: vector_put
INSERT INTO vector (tenant, "user", model, ref, part, grain, vector)
VALUES (:tenant, :user, :model, :ref, :part, :grain, :vector)
ON CONFLICT (tenant, "user", model, ref, part) DO UPDATE SET grain = excluded.grain, vector = excluded.vector;

-- name: vector_sample
SELECT vector FROM vector WHERE tenant = :tenant AND "user" = :user AND model = :model LIMIT 1;

-- name: vector_all
SELECT ref, part, grain, vector FROM vector
WHERE tenant = :tenant AND "user" = :user AND model = :model ORDER BY ref, part;

-- name: vector_some
SELECT ref, part, grain, vector FROM vector
WHERE tenant = :tenant AND "user" = :user AND model = :model AND {ref among refs}
ORDER BY ref, part;

-- name: vector_models
SELECT model, COUNT(*) AS number FROM vector WHERE tenant = :tenant AND "user" = :user GROUP BY model ORDER BY model;

-- name: vector_drop
DELETE FROM vector WHERE tenant = :tenant AND "user" = :user AND model = :model;

-- name: vector_forget
-- The owner's models are few and lead the key: one look for each instead of one at every vector.
DELETE FROM vector
WHERE tenant = :tenant AND "user" = :user AND {ref among refs} AND model IN (
    WITH RECURSIVE known (model) AS (
        SELECT MIN(model) FROM vector WHERE tenant = :tenant AND "user" = :user
        UNION ALL
        SELECT (SELECT MIN(model) FROM vector WHERE tenant = :tenant AND "user" = :user AND model > known.model)
        FROM known WHERE model IS NOT NULL
    )
    SELECT model FROM known
);

-- name: overrides_get
SELECT overrides FROM memory_config WHERE tenant = :tenant AND "user" = :user AND project = :in_project;

-- name: overrides_save
INSERT INTO memory_config (tenant, "user", project, overrides) VALUES (:tenant, :user, :in_project, :overrides)
ON CONFLICT (tenant, "user", project) DO UPDATE SET overrides = excluded.overrides;

-- name: overrides_all
SELECT project, overrides FROM memory_config
WHERE tenant = :tenant AND "user" = :user AND (CAST(:project AS TEXT) IS NULL OR project IN ('', :project))
ORDER BY project;

-- name: recall_append
INSERT INTO recall_event (tenant, "user", project, agent, id, conversation, at, items, fingerprints, asked, settled)
VALUES (:tenant, :user, :project, :agent, :id, :conversation, :at, :items, :fingerprints, :asked, :settled);

-- name: recall_open
SELECT project, agent, id, conversation, at, items, fingerprints, asked, settled FROM recall_event
WHERE tenant = :tenant AND "user" = :user AND project = :in_project AND agent = :in_agent
    AND conversation = :conversation AND settled = 0 AND {visible}
ORDER BY at, id LIMIT :limit;

-- name: recall_stale
SELECT DISTINCT project, agent, conversation FROM recall_event {by recall_event_open}
WHERE tenant = :tenant AND "user" = :user AND settled = 0 AND at < :before AND conversation <> '' AND {visible}
ORDER BY project, agent, conversation LIMIT :limit;

-- name: recall_settle
UPDATE recall_event SET settled = 1
WHERE tenant = :tenant AND "user" = :user AND {id among ids} AND {visible};

-- name: recall_page
SELECT project, agent, id, conversation, at, items, fingerprints, asked, settled FROM recall_event
WHERE tenant = :tenant AND "user" = :user AND id > :after AND {visible}
ORDER BY id LIMIT :limit;

-- name: recall_prune
DELETE FROM recall_event WHERE tenant = :tenant AND "user" = :user AND at < :before AND {visible};

-- name: recall_forget
DELETE FROM recall_event
WHERE tenant = :tenant AND "user" = :user AND {visible} AND {items holds refs};

-- name: recall_latest
SELECT project, agent, id, conversation, at, items, fingerprints, asked, settled FROM recall_event
WHERE tenant = :tenant AND "user" = :user AND project = :in_project AND agent = :in_agent
    AND conversation = :conversation AND {visible}
ORDER BY at DESC, id DESC LIMIT :limit;

-- name: message_withdraw
DELETE FROM message
WHERE tenant = :tenant AND "user" = :user AND {id among ids} AND {visible};

-- name: episode_withdraw
DELETE FROM episode
WHERE tenant = :tenant AND "user" = :user AND {id among ids} AND {visible};

-- name: recall_withdraw
DELETE FROM recall_event
WHERE tenant = :tenant AND "user" = :user AND {id among ids} AND {visible};

-- name: conversation_withdraw
DELETE FROM conversation
WHERE tenant = :tenant AND "user" = :user AND project = :in_project AND agent = :in_agent AND name = :conversation
    AND {visible};

-- name: erasure_get
SELECT tenant, person, generation, erased_at, is_pending, receipt FROM erasure
WHERE tenant = :tenant AND person = :person;

-- name: erasure_save
INSERT INTO erasure (tenant, person, generation, erased_at, is_pending, receipt)
VALUES (:tenant, :person, :generation, :erased_at, :is_pending, :receipt)
ON CONFLICT (tenant, person) DO UPDATE SET generation = excluded.generation, erased_at = excluded.erased_at,
    is_pending = excluded.is_pending, receipt = excluded.receipt
WHERE excluded.generation >= erasure.generation;

-- name: erasures_pending
-- Crosses owners: who they were is not known any more; for the worker, which tries again.
SELECT tenant, person, generation, erased_at, is_pending, receipt FROM erasure WHERE is_pending = 1
ORDER BY tenant, person;
