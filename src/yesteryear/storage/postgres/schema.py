"""Bringing a database to the present schema: the extension first, then our scripts, one process at a time.

The big tables may be divided by a hash of their owner, so that vacuum and indexes work on parts that fit into memory;
``owner`` stays whole, since the one question that crosses owners reads one index of it, and so does what is small.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import psycopg
from psycopg import errors

from yesteryear.errors import InputError, SetUpNeeded
from yesteryear.storage.migrate import HISTORY, Migration, SchemaState, pending, read_migrations, schema_state
from yesteryear.storage.postgres.connect import (
    SCHEMA,
    SERVER,
    Connection,
    PostgresPolicy,
    check_url,
    describe_place,
    open_connection,
    translate,
)

SHIPPED = read_migrations(files("yesteryear.storage.postgres") / "migrations")  # the migrations of this version
OLDEST_PGVECTOR = (0, 8)  # the first version of pgvector that filters while it searches an index; 0.7 brought halfvec

_LOCK = 0x59455354  # number of the lock under which the schema is changed ("YEST")
PARTITIONED = (
    *("conversation", "message", "episode", "vector", "recall_event"),
    *("fact", "fact_version", "evidence", "conflict", "edge"),
)
"""The tables that grow with what is said."""
MOST_PARTITIONS = 1024  # more would make planning slower than the work

_TABLE = re.compile(r"^CREATE TABLE (\w+) \($(.*?)^\);$", flags=re.MULTILINE | re.DOTALL)
_ASK_AN_ADMINISTRATOR = "have an administrator of the database run: CREATE EXTENSION vector"


def look_at_database(url: str, policy: PostgresPolicy) -> SchemaState:
    """Return which migrations a database has, and which it lacks."""
    with open_connection(check_url(url), policy) as connection:
        try:
            applied, parts = applied_versions(connection), count_partitions(connection)
        except psycopg.Error as exc:
            raise translate(exc, describe_place(url)) from exc
    return schema_state(SHIPPED, applied, partitions=parts)


def migrate_database(url: str, policy: PostgresPolicy, partitions: int = 0) -> None:
    """Bring a database up to date; see ``prepare_schema``."""
    with open_connection(check_url(url), policy) as connection:
        prepare_schema(connection, describe_place(url), SHIPPED, partitions=partitions)


def prepare_schema(connection: Connection, place: str, known: Sequence[Migration], *, partitions: int = 0) -> None:
    """Bring the database to the newest of the ``known`` migrations, each in a transaction of its own.

    Several processes may do this at once. A database that is up to date is not written to, so a replica can be opened.
    Big tables are made in so many ``partitions``; a database that has them keeps its own number.
    """
    try:
        _check_partitions(connection, partitions)
        if pending(known, applied_versions(connection)):
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_lock(%s)", (_LOCK,))
                try:
                    _add_extension(connection)
                    _run(connection, known, partitions)
                finally:
                    if not connection.closed:
                        cursor.execute("SELECT pg_advisory_unlock(%s)", (_LOCK,))
        _check_extension(connection)
    except psycopg.Error as exc:
        raise translate(exc, place) from exc


def applied_versions(connection: Connection) -> dict[int, str]:
    """Return the checksum of each migration that has run."""
    if _value(connection, "SELECT to_regclass(%s)", f"{SCHEMA}.schema_migration") is None:
        return {}
    rows = connection.execute(f"SELECT version, checksum FROM {SCHEMA}.schema_migration").fetchall()
    return {row["version"]: row["checksum"] for row in rows}


def find_halfvec(connection: Connection) -> int:
    """Return the number of the type halfvec in this database."""
    return int(_value(connection, "SELECT 'halfvec'::regtype::oid"))


def pgvector_version(connection: Connection) -> str | None:
    """Return the version of pgvector that the database has, or None."""
    found: str | None = _value(connection, "SELECT extversion FROM pg_extension WHERE extname = 'vector'")
    return found


def partition_tables(script: str, parts: int) -> str:
    """Return a migration that makes each of its big tables in so many parts.

    The parts are behind the second wall too, where no policy lets anybody in: rows are reached through the whole table.
    """
    return _TABLE.sub(lambda found: _in_parts(found, parts), script)


def count_partitions(connection: Connection) -> int:
    """Return how many parts the big tables have; 0 where they are whole or missing."""
    return int(
        _value(connection, "SELECT COUNT(*) FROM pg_inherits WHERE inhparent = to_regclass(%s)", f"{SCHEMA}.message")
    )


def _value(connection: Connection, question: str, *parameters: str) -> Any:  # noqa: ANN401 - what a column holds
    """Return the first value of the first row, None where there is none."""
    return next(iter((connection.execute(question, parameters).fetchone() or {}).values()), None)


def _in_parts(found: re.Match[str], parts: int) -> str:
    table = found[1]
    if table not in PARTITIONED:
        return found[0]
    statements = [f'CREATE TABLE {table} ({found[2]}) PARTITION BY HASH (tenant, "user");']
    for number in range(parts):
        part = f"{table}_{number}"
        statements += [
            f"CREATE TABLE {part} PARTITION OF {table} FOR VALUES WITH (MODULUS {parts}, REMAINDER {number});",
            f"ALTER TABLE {part} ENABLE ROW LEVEL SECURITY;",
            f"ALTER TABLE {part} FORCE ROW LEVEL SECURITY;",
        ]
    return "\n".join(statements)


def _check_partitions(connection: Connection, asked: int) -> None:
    """Refuse a number of parts that is out of range, or another one than the tables have."""
    if not 0 <= asked <= MOST_PARTITIONS:
        raise InputError(f"partitions are 1 to {MOST_PARTITIONS}, not {asked}")
    found = count_partitions(connection)
    if asked not in (0, found) and applied_versions(connection):
        has = f"in {found} parts" if found else "whole"
        raise InputError(
            f"the tables are there already, {has}; make an empty database with --partitions {asked}, then "
            "`yesteryear copy` into it"
        )


def _run(connection: Connection, known: Sequence[Migration], partitions: int) -> None:
    with connection.transaction():
        if _value(connection, "SELECT 1 FROM pg_namespace WHERE nspname = %s", SCHEMA) is None:
            connection.execute(f"CREATE SCHEMA {SCHEMA}")
        connection.execute(HISTORY)
    for migration in pending(known, applied_versions(connection)):
        parts = count_partitions(connection) or partitions
        script = partition_tables(migration.sql, parts) if parts else migration.sql
        with connection.transaction():
            connection.execute(script.encode())
            connection.execute(
                "INSERT INTO schema_migration (version, name, checksum) VALUES (%s, %s, %s)",
                (migration.version, migration.name, migration.checksum),
            )


def _add_extension(connection: Connection) -> None:
    if pgvector_version(connection) is None:
        try:
            connection.execute("CREATE EXTENSION vector WITH SCHEMA public")
        except errors.InsufficientPrivilege as exc:
            raise SetUpNeeded(f"this role may not add pgvector; {_ASK_AN_ADMINISTRATOR}") from exc
        except (errors.FeatureNotSupported, errors.UndefinedFile) as exc:
            raise SetUpNeeded(
                f"pgvector is not installed on the server; install it there (the package postgresql-NN-pgvector, or "
                f"github.com/pgvector/pgvector), then {_ASK_AN_ADMINISTRATOR}"
            ) from exc
    _check_extension(connection)
    connection.execute(SERVER["reach_pgvector"])


def _check_extension(connection: Connection) -> None:
    version = pgvector_version(connection)
    if version is None:
        raise SetUpNeeded(f"the database has lost pgvector; {_ASK_AN_ADMINISTRATOR}")
    numbers = tuple(int(part) for part in version.split(".")[:2])
    if numbers < OLDEST_PGVECTOR:
        oldest = ".".join(map(str, OLDEST_PGVECTOR))
        raise SetUpNeeded(
            f"the database has pgvector {version}, this needs {oldest} or newer; install a newer one on the server, "
            "then have an administrator of the database run: ALTER EXTENSION vector UPDATE"
        )
