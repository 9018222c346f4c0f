-- Instants are microseconds since 1970 (UTC). An empty project or agent means none: NULL would not be unique in a key.
-- Every key is led by tenant and user; every row of the owner that changes takes the owner's next rev.

CREATE TABLE owner (
    tenant      TEXT NOT NULL,
    user        TEXT NOT NULL,
    rev         INTEGER NOT NULL DEFAULT 0,
    generation  INTEGER NOT NULL DEFAULT 0,
    model       TEXT,
    next_model  TEXT,
    lease_by    TEXT,
    lease_until INTEGER,
    PRIMARY KEY (tenant, user)
) WITHOUT ROWID;

CREATE TABLE conversation (
    tenant           TEXT NOT NULL,
    user             TEXT NOT NULL,
    project          TEXT NOT NULL DEFAULT '',
    agent            TEXT NOT NULL DEFAULT '',
    name             TEXT NOT NULL,
    zone             TEXT,
    last_seq         INTEGER NOT NULL,
    settled_seq      INTEGER NOT NULL,
    closed_seq       INTEGER NOT NULL,
    last_at          INTEGER,
    last_recorded_at INTEGER,
    due_at           INTEGER,
    attempts         INTEGER NOT NULL DEFAULT 0,
    error            TEXT,
    rev              INTEGER NOT NULL,
    PRIMARY KEY (tenant, user, project, agent, name)
) WITHOUT ROWID;
CREATE INDEX conversation_due ON conversation (tenant, user, due_at) WHERE due_at IS NOT NULL;

-- Texts and vectors are long, so these tables keep rowids: without them long rows spill into overflow pages early.
CREATE TABLE message (
    tenant        TEXT NOT NULL,
    user          TEXT NOT NULL,
    project       TEXT NOT NULL DEFAULT '',
    agent         TEXT NOT NULL DEFAULT '',
    conversation  TEXT NOT NULL,
    seq           INTEGER NOT NULL,
    id            TEXT NOT NULL,
    role          TEXT NOT NULL,
    author        TEXT NOT NULL,
    content       TEXT NOT NULL,
    at            INTEGER NOT NULL,
    recorded_at   INTEGER NOT NULL,
    zone          TEXT,
    external_id   TEXT,
    verdict       TEXT,
    outcome       TEXT,
    episode_id    TEXT,
    expires_at    INTEGER,
    vector_due_at INTEGER,
    attempts      INTEGER NOT NULL DEFAULT 0,
    error         TEXT,
    rev           INTEGER NOT NULL,
    PRIMARY KEY (tenant, user, project, agent, conversation, seq)
);
CREATE UNIQUE INDEX message_id ON message (tenant, user, id);
CREATE INDEX message_rev ON message (tenant, user, rev);
CREATE UNIQUE INDEX message_external ON message (tenant, user, project, agent, conversation, external_id)
    WHERE external_id IS NOT NULL;
-- In the order of work to the last column: after a change of model all rows are due at the same instant.
CREATE INDEX message_vector_due ON message (tenant, user, role <> 'user', vector_due_at, at, seq, id)
    WHERE vector_due_at IS NOT NULL;
CREATE INDEX message_expiry ON message (expires_at, tenant, user) WHERE expires_at IS NOT NULL;

CREATE TABLE episode (
    tenant       TEXT NOT NULL,
    user         TEXT NOT NULL,
    project      TEXT NOT NULL DEFAULT '',
    agent        TEXT NOT NULL DEFAULT '',
    id           TEXT NOT NULL,
    conversation TEXT NOT NULL,
    first_seq    INTEGER NOT NULL,
    last_seq     INTEGER NOT NULL,
    message_ids  TEXT NOT NULL,
    started_at   INTEGER NOT NULL,
    ended_at     INTEGER NOT NULL,
    recorded_at  INTEGER NOT NULL,
    zone         TEXT,
    status       TEXT NOT NULL,
    digest       TEXT,
    importance   REAL NOT NULL,
    detail       TEXT NOT NULL,
    closed_by    TEXT NOT NULL,
    attempts     INTEGER NOT NULL DEFAULT 0,
    next_try     INTEGER,
    error        TEXT,
    rev          INTEGER NOT NULL,
    PRIMARY KEY (tenant, user, id)
);
CREATE INDEX episode_rev ON episode (tenant, user, rev);
CREATE INDEX episode_ended ON episode (tenant, user, ended_at);
CREATE INDEX episode_due ON episode (tenant, user, next_try, ended_at, id) WHERE next_try IS NOT NULL;

CREATE TABLE vector (
    tenant TEXT NOT NULL,
    user   TEXT NOT NULL,
    model  TEXT NOT NULL,
    ref    TEXT NOT NULL,
    part   INTEGER NOT NULL,
    grain  TEXT NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (tenant, user, model, ref, part)
);

CREATE TABLE memory_config (
    tenant    TEXT NOT NULL,
    user      TEXT NOT NULL,
    project   TEXT NOT NULL DEFAULT '',
    overrides TEXT NOT NULL,
    PRIMARY KEY (tenant, user, project)
) WITHOUT ROWID;

CREATE TABLE recall_event (
    tenant       TEXT NOT NULL,
    user         TEXT NOT NULL,
    project      TEXT NOT NULL DEFAULT '',
    agent        TEXT NOT NULL DEFAULT '',
    id           TEXT NOT NULL,
    conversation TEXT NOT NULL,
    at           INTEGER NOT NULL,
    items        TEXT NOT NULL,
    fingerprints TEXT NOT NULL,
    PRIMARY KEY (tenant, user, id)
) WITHOUT ROWID;
CREATE INDEX recall_event_conversation ON recall_event (tenant, user, project, agent, conversation, at);
