"""Looking at the tables of a database, and bringing them up to date, before anything works on them.

Opening a store does the latter too. Doing it by hand is for a role that may make tables, where the one that works on
them may not, and for the choices that can be made only while there are none.
"""

from __future__ import annotations

import psycopg

from yesteryear.storage.migrate import SchemaState, schema_state
from yesteryear.storage.postgres.connect import PostgresPolicy, check_url, describe_place, open_connection, translate
from yesteryear.storage.postgres.partitions import count_partitions
from yesteryear.storage.postgres.schema import applied_versions, prepare_schema, shipped_migrations


def look_at_database(url: str, policy: PostgresPolicy) -> SchemaState:
    """Return which migrations a database has, and which it lacks.

    Raises:
        SchemaTooNew, StorageCorrupt: see ``pending``.
        ConfigError, StorageError: it cannot be reached or read.
    """
    with open_connection(check_url(url), policy) as connection:
        try:
            applied, parts = applied_versions(connection), count_partitions(connection)
        except psycopg.Error as exc:
            raise translate(exc, describe_place(url)) from exc
    return schema_state(shipped_migrations(), applied, partitions=parts)


def migrate_database(url: str, policy: PostgresPolicy, partitions: int = 0) -> None:
    """Bring a database up to date; see ``prepare_schema``."""
    with open_connection(check_url(url), policy) as connection:
        prepare_schema(connection, describe_place(url), shipped_migrations(), partitions=partitions)
