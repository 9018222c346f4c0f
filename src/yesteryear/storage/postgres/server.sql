-- What the server is asked of itself, and told about one connection; nothing that owners have said.

-- name: settle
-- What holds for all transactions of a connection, in one go.
SELECT set_config('search_path', concat_ws(', ', quote_ident(:schema), quote_ident(extension.schema)), false),
    set_config('lock_timeout', :lock, false),
    set_config('idle_in_transaction_session_timeout', :stall, false),
    set_config('synchronous_commit', CASE WHEN :durability = 'normal' THEN 'off'
        WHEN current_setting('synchronous_commit') = 'off' THEN 'on'
        ELSE current_setting('synchronous_commit') END, false)
FROM (SELECT (SELECT nspname FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
    WHERE extname = 'vector')) AS extension (schema);

-- name: reach_pgvector
SELECT set_config('search_path', concat_ws(', ', current_setting('search_path'), quote_ident(nspname)), false)
FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'vector';

-- name: pulse
-- Under Citus commits happen on other servers, of whose transactions this one tells nothing.
SELECT CASE
    WHEN EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN clock_timestamp()::text
    ELSE pg_current_snapshot()::text
END AS pulse;

-- name: describe
SELECT current_setting('server_version') AS server,
    (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS pgvector,
    (SELECT MAX(version) FROM yesteryear.schema_migration) AS schema,
    current_setting('synchronous_commit') AS synchronous_commit,
    current_setting('fsync') AS fsync,
    pg_is_in_recovery() AS is_replica,
    current_user::text AS role,
    (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user) AS bypasses_row_security,
    (SELECT SUM(pg_total_relation_size(oid))::bigint FROM pg_class
        WHERE relnamespace = 'yesteryear'::regnamespace AND relkind IN ('r', 'p')) AS bytes;

-- name: newest_transaction
SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS xid;

-- name: count_readers
-- Sessions that still see rows deleted before a transaction began.
SELECT COUNT(*) AS readers FROM pg_stat_activity
WHERE pid <> pg_backend_pid() AND datname = current_database() AND backend_xmin IS NOT NULL
    AND age(backend_xmin) > age(:newest::text::xid);

-- name: near_prepare
-- Sets, for one transaction, how an index is searched; finds nothing where there is none. Without sorting the planner
-- has only the index to read by, however few rows it thinks there are.
SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', :searched_among, true),
    set_config('hnsw.max_scan_tuples', :scanned, true), set_config('plan_cache_mode', 'force_custom_plan', true),
    set_config('enable_sort', 'off', true)
FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
WHERE relname = :name AND relnamespace = 'yesteryear'::regnamespace AND indisvalid;

-- name: near_list
-- All indexes of this kind, those whose making was interrupted too.
SELECT relname AS name, indisvalid AS is_valid, pg_relation_size(pg_class.oid) AS nbytes
FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
WHERE relnamespace = 'yesteryear'::regnamespace AND starts_with(relname, 'near_')
ORDER BY relname;

-- name: near_place
-- Where an owner's vectors of a model are, and how many values they have.
SELECT tableoid::regclass::text AS name, vector_dims(vector) AS dimension FROM vector
WHERE tenant = :tenant AND "user" = :user AND model = :model LIMIT 1;
