-- What calls of models cost. Holds no content.

CREATE TABLE usage (
    tenant TEXT NOT NULL,
    user   TEXT NOT NULL,
    id     TEXT NOT NULL,
    at     INTEGER NOT NULL,
    body   TEXT NOT NULL,
    PRIMARY KEY (tenant, user, id)
);
CREATE INDEX usage_at ON usage (tenant, user, at);
