-- What was asked in talk to be forgotten: proposals that wait for a yes, and what is hidden until it is erased.

CREATE TABLE forgetting (
    tenant   TEXT NOT NULL,
    user     TEXT NOT NULL,
    project  TEXT NOT NULL,
    agent    TEXT NOT NULL,
    kind     TEXT NOT NULL,
    id       TEXT NOT NULL,
    asked_by TEXT NOT NULL,
    until    INTEGER NOT NULL,
    body     TEXT NOT NULL,
    PRIMARY KEY (tenant, user, kind, id, asked_by)
);
CREATE INDEX forgetting_due ON forgetting (until, tenant, user);
