-- What models have cost an owner. See queries.sql for how statements are written.

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

-- name: erase_usage
DELETE FROM usage WHERE tenant = :tenant AND "user" = :user;
