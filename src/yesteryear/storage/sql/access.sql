-- Who may come in, and what they did. See queries.sql for how statements are written.

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

-- name: erase_api_key
DELETE FROM api_key WHERE tenant = :tenant AND "user" = :user;

-- name: erase_audit
DELETE FROM audit WHERE tenant = :tenant AND "user" = :user;
