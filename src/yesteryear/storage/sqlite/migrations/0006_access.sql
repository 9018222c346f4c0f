-- API keys, as hashes, and the audit: who did what, without content, each row sealing the one before.

CREATE TABLE api_key (
    tenant TEXT NOT NULL,
    user   TEXT NOT NULL,
    id     TEXT NOT NULL,
    body   TEXT NOT NULL,
    PRIMARY KEY (tenant, user, id)
);

CREATE TABLE audit (
    tenant TEXT NOT NULL,
    user   TEXT NOT NULL,
    seq    INTEGER NOT NULL,
    body   TEXT NOT NULL,
    PRIMARY KEY (tenant, user, seq)
);
