-- What is believed. A row's columns are what it is found by; the rest is its body, as JSON.

CREATE TABLE fact (
    tenant         TEXT NOT NULL,
    user           TEXT NOT NULL,
    project        TEXT NOT NULL DEFAULT '',
    agent          TEXT NOT NULL DEFAULT '',
    id             TEXT NOT NULL,
    status         TEXT NOT NULL,
    words          TEXT NOT NULL,
    first_observed INTEGER NOT NULL,
    due_at         INTEGER,
    body           TEXT NOT NULL,
    rev            INTEGER NOT NULL,
    PRIMARY KEY (tenant, user, id)
);
CREATE INDEX fact_rev ON fact (tenant, user, rev);
CREATE INDEX fact_status ON fact (tenant, user, status);
CREATE INDEX fact_words ON fact (tenant, user, words);
CREATE INDEX fact_due ON fact (tenant, user, due_at) WHERE due_at IS NOT NULL;

CREATE TABLE fact_version (
    tenant  TEXT NOT NULL,
    user    TEXT NOT NULL,
    project TEXT NOT NULL DEFAULT '',
    agent   TEXT NOT NULL DEFAULT '',
    fact_id TEXT NOT NULL,
    number  INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    body    TEXT NOT NULL,
    PRIMARY KEY (tenant, user, fact_id, number)
);

CREATE TABLE evidence (
    tenant     TEXT NOT NULL,
    user       TEXT NOT NULL,
    project    TEXT NOT NULL DEFAULT '',
    agent      TEXT NOT NULL DEFAULT '',
    fact_id    TEXT NOT NULL,
    id         TEXT NOT NULL,
    message_id TEXT,
    said_at    INTEGER NOT NULL,
    body       TEXT NOT NULL,
    PRIMARY KEY (tenant, user, fact_id, id)
);
CREATE INDEX evidence_message ON evidence (tenant, user, message_id) WHERE message_id IS NOT NULL;

-- Two facts, the verdict on them, and whether it is a question. The ids stand in alphabetical order.
CREATE TABLE conflict (
    tenant  TEXT NOT NULL,
    user    TEXT NOT NULL,
    project TEXT NOT NULL DEFAULT '',
    agent   TEXT NOT NULL DEFAULT '',
    one     TEXT NOT NULL,
    other   TEXT NOT NULL,
    body    TEXT NOT NULL,
    PRIMARY KEY (tenant, user, one, other)
);
CREATE INDEX conflict_other ON conflict (tenant, user, other);

CREATE TABLE edge (
    tenant   TEXT NOT NULL,
    user     TEXT NOT NULL,
    project  TEXT NOT NULL DEFAULT '',
    agent    TEXT NOT NULL DEFAULT '',
    source   TEXT NOT NULL,
    target   TEXT NOT NULL,
    relation TEXT NOT NULL,
    body     TEXT NOT NULL,
    PRIMARY KEY (tenant, user, source, target, relation)
);

CREATE TABLE cycle (
    tenant TEXT NOT NULL,
    user   TEXT NOT NULL,
    id     TEXT NOT NULL,
    body   TEXT NOT NULL,
    PRIMARY KEY (tenant, user, id)
);

-- When an owner's next night is due.
ALTER TABLE owner ADD COLUMN night_at INTEGER;
CREATE INDEX owner_night ON owner (night_at) WHERE night_at IS NOT NULL;
UPDATE owner SET rev = rev + 1;
