-- Instants are microseconds since 1970 (UTC). An empty project or agent means none: NULL would not be unique in a key.
-- Every key is led by tenant and user, and ids are made by the application, so that rows can be distributed by user.
-- Texts compare by code point whatever the database's own order is, so that every store lists rows in the same order.
-- VARCHAR marks columns of free text, which may hold what PostgreSQL cannot (NUL): they are read by a loader of ours.

CREATE TABLE owner (
    tenant      TEXT COLLATE "C" NOT NULL,
    "user"      TEXT COLLATE "C" NOT NULL,
    rev         BIGINT NOT NULL DEFAULT 0,
    generation  BIGINT NOT NULL DEFAULT 0,
    model       TEXT COLLATE "C",
    next_model  TEXT COLLATE "C",
    lease_by    TEXT COLLATE "C",
    lease_until BIGINT,
    night_at    BIGINT,
    due_at      BIGINT,
    PRIMARY KEY (tenant, "user")
);
-- The one question that crosses owners and is asked all the time: whose work is due. See owner_note_due.
CREATE INDEX owner_due ON owner (due_at, tenant, "user") WHERE due_at IS NOT NULL;

CREATE TABLE conversation (
    tenant           TEXT COLLATE "C" NOT NULL,
    "user"           TEXT COLLATE "C" NOT NULL,
    project          TEXT COLLATE "C" NOT NULL DEFAULT '',
    agent            TEXT COLLATE "C" NOT NULL DEFAULT '',
    name             TEXT COLLATE "C" NOT NULL,
    zone             TEXT COLLATE "C",
    last_seq         BIGINT NOT NULL,
    settled_seq      BIGINT NOT NULL,
    closed_seq       BIGINT NOT NULL,
    last_at          BIGINT,
    last_recorded_at BIGINT,
    due_at           BIGINT,
    attempts         INTEGER NOT NULL DEFAULT 0,
    error            VARCHAR COLLATE "C",
    rev              BIGINT NOT NULL,
    PRIMARY KEY (tenant, "user", project, agent, name)
);
CREATE INDEX conversation_due ON conversation (tenant, "user", due_at) WHERE due_at IS NOT NULL;

CREATE TABLE message (
    tenant        TEXT COLLATE "C" NOT NULL,
    "user"        TEXT COLLATE "C" NOT NULL,
    project       TEXT COLLATE "C" NOT NULL DEFAULT '',
    agent         TEXT COLLATE "C" NOT NULL DEFAULT '',
    conversation  TEXT COLLATE "C" NOT NULL,
    seq           BIGINT NOT NULL,
    id            TEXT COLLATE "C" NOT NULL,
    role          TEXT COLLATE "C" NOT NULL,
    author        TEXT COLLATE "C" NOT NULL,
    content       VARCHAR COLLATE "C" NOT NULL,
    at            BIGINT NOT NULL,
    recorded_at   BIGINT NOT NULL,
    zone          TEXT COLLATE "C",
    external_id   VARCHAR COLLATE "C",
    verdict       TEXT COLLATE "C",
    outcome       TEXT COLLATE "C",
    episode_id    TEXT COLLATE "C",
    expires_at    BIGINT,
    vector_due_at BIGINT,
    attempts      INTEGER NOT NULL DEFAULT 0,
    error         VARCHAR COLLATE "C",
    rev           BIGINT NOT NULL,
    PRIMARY KEY (tenant, "user", project, agent, conversation, seq)
);
CREATE UNIQUE INDEX message_id ON message (tenant, "user", id);
CREATE INDEX message_rev ON message (tenant, "user", rev);
CREATE UNIQUE INDEX message_external ON message (tenant, "user", project, agent, conversation, external_id)
    WHERE external_id IS NOT NULL;
-- In the order of work to the last column: after a change of model all rows are due at the same instant.
CREATE INDEX message_vector_due ON message (tenant, "user", (role <> 'user'), vector_due_at, at, seq, id)
    WHERE vector_due_at IS NOT NULL;
CREATE INDEX message_expiry ON message (tenant, "user", expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE episode (
    tenant       TEXT COLLATE "C" NOT NULL,
    "user"       TEXT COLLATE "C" NOT NULL,
    project      TEXT COLLATE "C" NOT NULL DEFAULT '',
    agent        TEXT COLLATE "C" NOT NULL DEFAULT '',
    id           TEXT COLLATE "C" NOT NULL,
    conversation TEXT COLLATE "C" NOT NULL,
    first_seq    BIGINT NOT NULL,
    last_seq     BIGINT NOT NULL,
    message_ids  TEXT COLLATE "C" NOT NULL,
    started_at   BIGINT NOT NULL,
    ended_at     BIGINT NOT NULL,
    recorded_at  BIGINT NOT NULL,
    zone         TEXT COLLATE "C",
    status       TEXT COLLATE "C" NOT NULL,
    digest       TEXT COLLATE "C",
    importance   DOUBLE PRECISION NOT NULL,
    detail       TEXT COLLATE "C" NOT NULL,
    closed_by    TEXT COLLATE "C" NOT NULL,
    attempts     INTEGER NOT NULL DEFAULT 0,
    next_try     BIGINT,
    error        VARCHAR COLLATE "C",
    pinned       INTEGER NOT NULL DEFAULT 0,
    recalls      TEXT COLLATE "C" NOT NULL DEFAULT '[]',
    restored_at  BIGINT,
    fades_at     BIGINT,
    rev          BIGINT NOT NULL,
    PRIMARY KEY (tenant, "user", id)
);
CREATE INDEX episode_rev ON episode (tenant, "user", rev);
CREATE INDEX episode_ended ON episode (tenant, "user", ended_at, id);
CREATE INDEX episode_due ON episode (tenant, "user", next_try, ended_at, id) WHERE next_try IS NOT NULL;
CREATE INDEX episode_fading ON episode (tenant, "user", fades_at) WHERE fades_at IS NOT NULL;
CREATE INDEX episode_status ON episode (tenant, "user", status);

CREATE TABLE vector (
    tenant TEXT COLLATE "C" NOT NULL,
    "user" TEXT COLLATE "C" NOT NULL,
    model  TEXT COLLATE "C" NOT NULL,
    ref    TEXT COLLATE "C" NOT NULL,
    part   INTEGER NOT NULL,
    grain  TEXT COLLATE "C" NOT NULL,
    vector HALFVEC NOT NULL,
    PRIMARY KEY (tenant, "user", model, ref, part)
);

CREATE TABLE memory_config (
    tenant    TEXT COLLATE "C" NOT NULL,
    "user"    TEXT COLLATE "C" NOT NULL,
    project   TEXT COLLATE "C" NOT NULL DEFAULT '',
    overrides TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, "user", project)
);

CREATE TABLE recall_event (
    tenant       TEXT COLLATE "C" NOT NULL,
    "user"       TEXT COLLATE "C" NOT NULL,
    project      TEXT COLLATE "C" NOT NULL DEFAULT '',
    agent        TEXT COLLATE "C" NOT NULL DEFAULT '',
    id           TEXT COLLATE "C" NOT NULL,
    conversation TEXT COLLATE "C" NOT NULL,
    at           BIGINT NOT NULL,
    items        TEXT COLLATE "C" NOT NULL,
    fingerprints TEXT COLLATE "C" NOT NULL,
    asked        TEXT COLLATE "C" NOT NULL DEFAULT '[]',
    settled      INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant, "user", id)
);
CREATE INDEX recall_event_conversation ON recall_event (tenant, "user", project, agent, conversation, at);
CREATE INDEX recall_event_open ON recall_event (tenant, "user", project, agent, conversation, at) WHERE settled = 0;

-- A fact's columns, and those of rows about it, are what it is found by; the rest is its body, as JSON.
CREATE TABLE fact (
    tenant         TEXT COLLATE "C" NOT NULL,
    "user"         TEXT COLLATE "C" NOT NULL,
    project        TEXT COLLATE "C" NOT NULL DEFAULT '',
    agent          TEXT COLLATE "C" NOT NULL DEFAULT '',
    id             TEXT COLLATE "C" NOT NULL,
    status         TEXT COLLATE "C" NOT NULL,
    words          TEXT COLLATE "C" NOT NULL,
    first_observed BIGINT NOT NULL,
    due_at         BIGINT,
    body           TEXT COLLATE "C" NOT NULL,
    rev            BIGINT NOT NULL,
    PRIMARY KEY (tenant, "user", id)
);
CREATE INDEX fact_rev ON fact (tenant, "user", rev);
CREATE INDEX fact_status ON fact (tenant, "user", status);
CREATE INDEX fact_words ON fact (tenant, "user", words);
CREATE INDEX fact_due ON fact (tenant, "user", due_at) WHERE due_at IS NOT NULL;

CREATE TABLE fact_version (
    tenant  TEXT COLLATE "C" NOT NULL,
    "user"  TEXT COLLATE "C" NOT NULL,
    project TEXT COLLATE "C" NOT NULL DEFAULT '',
    agent   TEXT COLLATE "C" NOT NULL DEFAULT '',
    fact_id TEXT COLLATE "C" NOT NULL,
    number  BIGINT NOT NULL,
    at      BIGINT NOT NULL,
    body    TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, "user", fact_id, number)
);

CREATE TABLE evidence (
    tenant     TEXT COLLATE "C" NOT NULL,
    "user"     TEXT COLLATE "C" NOT NULL,
    project    TEXT COLLATE "C" NOT NULL DEFAULT '',
    agent      TEXT COLLATE "C" NOT NULL DEFAULT '',
    fact_id    TEXT COLLATE "C" NOT NULL,
    id         TEXT COLLATE "C" NOT NULL,
    message_id TEXT COLLATE "C",
    said_at    BIGINT NOT NULL,
    body       TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, "user", fact_id, id)
);
CREATE INDEX evidence_message ON evidence (tenant, "user", message_id) WHERE message_id IS NOT NULL;

-- Two facts, the verdict on them, and whether it is a question. The ids stand in alphabetical order.
CREATE TABLE conflict (
    tenant  TEXT COLLATE "C" NOT NULL,
    "user"  TEXT COLLATE "C" NOT NULL,
    project TEXT COLLATE "C" NOT NULL DEFAULT '',
    agent   TEXT COLLATE "C" NOT NULL DEFAULT '',
    one     TEXT COLLATE "C" NOT NULL,
    other   TEXT COLLATE "C" NOT NULL,
    body    TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, "user", one, other)
);
CREATE INDEX conflict_other ON conflict (tenant, "user", other);

CREATE TABLE edge (
    tenant   TEXT COLLATE "C" NOT NULL,
    "user"   TEXT COLLATE "C" NOT NULL,
    project  TEXT COLLATE "C" NOT NULL DEFAULT '',
    agent    TEXT COLLATE "C" NOT NULL DEFAULT '',
    source   TEXT COLLATE "C" NOT NULL,
    target   TEXT COLLATE "C" NOT NULL,
    relation TEXT COLLATE "C" NOT NULL,
    body     TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, "user", source, target, relation)
);

CREATE TABLE cycle (
    tenant TEXT COLLATE "C" NOT NULL,
    "user" TEXT COLLATE "C" NOT NULL,
    id     TEXT COLLATE "C" NOT NULL,
    body   TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, "user", id)
);

-- What calls of models cost. Holds no content.
CREATE TABLE usage (
    tenant TEXT COLLATE "C" NOT NULL,
    "user" TEXT COLLATE "C" NOT NULL,
    id     TEXT COLLATE "C" NOT NULL,
    at     BIGINT NOT NULL,
    body   TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, "user", id)
);
CREATE INDEX usage_at ON usage (tenant, "user", at);

-- API keys, as hashes.
CREATE TABLE api_key (
    tenant TEXT COLLATE "C" NOT NULL,
    "user" TEXT COLLATE "C" NOT NULL,
    id     TEXT COLLATE "C" NOT NULL,
    body   TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, "user", id)
);

-- Who did what, without content; each row seals the one before.
CREATE TABLE audit (
    tenant TEXT COLLATE "C" NOT NULL,
    "user" TEXT COLLATE "C" NOT NULL,
    seq    BIGINT NOT NULL,
    body   TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, "user", seq)
);

-- Who was erased, without a name: a hash keeps the generation, so that work in flight cannot bring rows back.
CREATE TABLE erasure (
    tenant     TEXT COLLATE "C" NOT NULL,
    person     TEXT COLLATE "C" NOT NULL,
    generation BIGINT NOT NULL,
    erased_at  BIGINT NOT NULL,
    is_pending INTEGER NOT NULL,
    receipt    TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, person)
);

-- The second wall: a transaction sees the rows of the owner it has named, and none where it has named nobody. It holds
-- for the tables' owner too, but not for superusers and roles with BYPASSRLS. A later migration that changes rows of
-- all owners has to lift it for its own transaction (NO FORCE, then FORCE again).
DO $$
DECLARE
    name TEXT;
BEGIN
    FOREACH name IN ARRAY ARRAY['owner', 'conversation', 'message', 'episode', 'vector', 'memory_config',
        'recall_event', 'fact', 'fact_version', 'evidence', 'conflict', 'edge', 'cycle', 'usage',
        'api_key', 'audit']
    LOOP
        EXECUTE format('CREATE POLICY of_one_owner ON %I USING (tenant = current_setting(''yesteryear.tenant'', true) '
            'AND "user" = current_setting(''yesteryear.user'', true))', name);
    END LOOP;
    CREATE POLICY of_one_person ON erasure USING (tenant = current_setting('yesteryear.tenant', true)
        AND person = current_setting('yesteryear.person', true));
    FOREACH name IN ARRAY ARRAY['owner', 'conversation', 'message', 'episode', 'vector', 'memory_config',
        'recall_event', 'fact', 'fact_version', 'evidence', 'conflict', 'edge', 'cycle', 'usage',
        'api_key', 'audit', 'erasure']
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    END LOOP;
END $$;

-- The questions that cross owners (owners, leases, what is due, receipts) read these two and nothing else.
CREATE POLICY of_the_operator ON owner FOR SELECT USING (current_setting('yesteryear.operator', true) = 'on');
CREATE POLICY of_the_operator ON erasure FOR SELECT USING (current_setting('yesteryear.operator', true) = 'on');
