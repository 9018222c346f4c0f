-- What was asked in talk to be forgotten: proposals that wait for a yes, and what is hidden until it is erased.

CREATE TABLE forgetting (
    tenant   TEXT COLLATE "C" NOT NULL,
    "user"   TEXT COLLATE "C" NOT NULL,
    project  TEXT COLLATE "C" NOT NULL,
    agent    TEXT COLLATE "C" NOT NULL,
    kind     TEXT COLLATE "C" NOT NULL,
    id       TEXT COLLATE "C" NOT NULL,
    asked_by TEXT COLLATE "C" NOT NULL,
    until    BIGINT NOT NULL,
    body     TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, "user", kind, id, asked_by)
);
CREATE INDEX forgetting_due ON forgetting (tenant, "user", until);
CREATE POLICY of_one_owner ON forgetting USING (tenant = current_setting('yesteryear.tenant', true)
    AND "user" = current_setting('yesteryear.user', true));
ALTER TABLE forgetting ENABLE ROW LEVEL SECURITY;
ALTER TABLE forgetting FORCE ROW LEVEL SECURITY;
