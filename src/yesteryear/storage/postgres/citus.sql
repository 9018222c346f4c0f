-- Distributes the tables over the nodes of a Citus cluster, by person. Run it once as the tables' owner, on the
-- coordinator, after `yesteryear migrate` and before the first row; then `yesteryear copy` brings the rows:
--
--     yesteryear migrate --citus | psql --set ON_ERROR_STOP=1 postgresql://…
--
-- By "user" and not by tenant: one customer may be larger than a node, and most installations have one tenant only.
-- Every key holds both columns, so all rows of a person lie in one shard of each table, and the shards of one person on
-- one node (colocate_with): each of our transactions names one person and runs on that node alone. People of the same
-- name in two tenants share shards, which does no harm.

-- A transaction says whose rows it may see with SET LOCAL. Without this the nodes are not told, and show nothing.
DO $$ BEGIN
    EXECUTE format('ALTER DATABASE %I SET citus.propagate_set_commands = ''local''', current_database());
END $$;
SET citus.propagate_set_commands = 'local';

SELECT create_distributed_table('yesteryear.owner', 'user', colocate_with => 'none');
SELECT create_distributed_table('yesteryear.conversation', 'user', colocate_with => 'yesteryear.owner');
SELECT create_distributed_table('yesteryear.message', 'user', colocate_with => 'yesteryear.owner');
SELECT create_distributed_table('yesteryear.episode', 'user', colocate_with => 'yesteryear.owner');
SELECT create_distributed_table('yesteryear.vector', 'user', colocate_with => 'yesteryear.owner');
SELECT create_distributed_table('yesteryear.memory_config', 'user', colocate_with => 'yesteryear.owner');
SELECT create_distributed_table('yesteryear.recall_event', 'user', colocate_with => 'yesteryear.owner');
SELECT create_distributed_table('yesteryear.forgetting', 'user', colocate_with => 'yesteryear.owner');
SELECT create_distributed_table('yesteryear.fact', 'user', colocate_with => 'yesteryear.owner');
SELECT create_distributed_table('yesteryear.fact_version', 'user', colocate_with => 'yesteryear.owner');
SELECT create_distributed_table('yesteryear.evidence', 'user', colocate_with => 'yesteryear.owner');
SELECT create_distributed_table('yesteryear.conflict', 'user', colocate_with => 'yesteryear.owner');
SELECT create_distributed_table('yesteryear.edge', 'user', colocate_with => 'yesteryear.owner');
SELECT create_distributed_table('yesteryear.cycle', 'user', colocate_with => 'yesteryear.owner');
SELECT create_distributed_table('yesteryear.usage', 'user', colocate_with => 'yesteryear.owner');
SELECT create_distributed_table('yesteryear.api_key', 'user', colocate_with => 'yesteryear.owner');
SELECT create_distributed_table('yesteryear.audit', 'user', colocate_with => 'yesteryear.owner');

-- Receipts name nobody, so they cannot lie with the person; they are few, and each node has them all.
SELECT create_reference_table('yesteryear.erasure');
SELECT create_reference_table('yesteryear.schema_migration');
