-- What was asked in talk to be forgotten. See queries.sql for how statements are written.

-- name: forgetting_save
INSERT INTO forgetting (tenant, "user", project, agent, kind, id, asked_by, until, body)
VALUES (:tenant, :user, :in_project, :in_agent, :kind, :id, :asked_by, :until, :body)
ON CONFLICT (tenant, "user", kind, id, asked_by) DO UPDATE SET until = excluded.until, body = excluded.body;

-- name: forgetting_all
SELECT body FROM forgetting
WHERE tenant = :tenant AND "user" = :user AND (CAST(:kind AS TEXT) IS NULL OR kind = :kind) AND {visible}
ORDER BY until, kind, id, asked_by;

-- name: forgetting_of
SELECT body FROM forgetting
WHERE tenant = :tenant AND "user" = :user AND {id among ids} AND {visible}
ORDER BY until, kind, id, asked_by;

-- name: forgetting_asked_by
SELECT body FROM forgetting
WHERE tenant = :tenant AND "user" = :user AND asked_by = :asked_by AND {visible}
ORDER BY until, kind, id, asked_by;

-- name: forgetting_due
SELECT body FROM forgetting
WHERE tenant = :tenant AND "user" = :user AND until <= :now AND {visible}
ORDER BY until, kind, id, asked_by LIMIT :limit;

-- name: forgetting_remove
DELETE FROM forgetting
WHERE tenant = :tenant AND "user" = :user AND kind = :kind AND id = :id AND asked_by = :asked_by;

-- name: erase_forgetting
DELETE FROM forgetting WHERE tenant = :tenant AND "user" = :user;
