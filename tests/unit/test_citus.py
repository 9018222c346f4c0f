"""The script for a Citus cluster, against the catalogue of a real database. Citus itself is not run."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from tests.cli.stage import invoke
from tests.conftest import ROLE, administer
from yesteryear.bootstrap.stores import citus_script
from yesteryear.storage.postgres.store import PostgresStore
from yesteryear.storage.sql.statements import OWNED_TABLES
from yesteryear_lab.postgres_server import PostgresServer

STAND_IN = """
CREATE TABLE distributed (number SERIAL, name REGCLASS, by TEXT, beside TEXT);
CREATE TABLE referenced (name REGCLASS);
CREATE FUNCTION create_distributed_table(name REGCLASS, by TEXT, colocate_with TEXT) RETURNS VOID LANGUAGE SQL AS
    'INSERT INTO distributed (name, by, beside) VALUES ($1, $2, $3)';
CREATE FUNCTION create_reference_table(name REGCLASS) RETURNS VOID LANGUAGE SQL AS
    'INSERT INTO referenced VALUES ($1)';
"""
"""Notes what Citus would be told."""


@pytest.fixture
def told(postgres_server: PostgresServer, new_database: str) -> Iterator[psycopg.Connection[tuple[str, ...]]]:
    """Return a connection to a database with our tables, after the script was run on it."""
    administer(postgres_server, "CREATE EXTENSION vector", STAND_IN, database=new_database)
    PostgresStore(postgres_server.url(new_database, role=ROLE)).close()
    administer(postgres_server, citus_script(), database=new_database)
    with psycopg.connect(postgres_server.url(new_database)) as connection:
        connection.execute("SET search_path TO yesteryear, public")
        yield connection


def test_every_table_of_a_person_is_distributed_by_them(told: psycopg.Connection[tuple[str, ...]]) -> None:
    """All beside the first one, so that a person's rows lie on one node."""
    found = told.execute("SELECT name::text, by, beside FROM distributed ORDER BY number").fetchall()
    assert sorted(name for name, _, _ in found) == sorted(OWNED_TABLES)
    assert {by for _, by, _ in found} == {"user"}
    assert [beside for _, _, beside in found] == ["none"] + ["yesteryear.owner"] * (len(found) - 1)
    assert found[0][0] == "owner"


def test_every_other_table_is_on_every_node(told: psycopg.Connection[tuple[str, ...]]) -> None:
    """No table is left out."""
    ours = told.execute("""
        SELECT oid::regclass::text FROM pg_class
        WHERE relkind IN ('r', 'p') AND relnamespace = 'yesteryear'::regnamespace
    """)
    assert {name for (name,) in ours.fetchall()} - set(OWNED_TABLES) == {"erasure", "schema_migration"}
    referenced = told.execute("SELECT name::text FROM referenced").fetchall()
    assert {name for (name,) in referenced} == {"erasure", "schema_migration"}


def test_every_key_holds_the_column_of_distribution(told: psycopg.Connection[tuple[str, ...]]) -> None:
    """Citus refuses a unique index without it; it is of one type and order everywhere, and never NULL."""
    keys = told.execute("""
        SELECT indexrelid::regclass::text, bool_or(attname = 'user')
        FROM pg_index JOIN distributed ON indrelid = name
        JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY(indkey)
        WHERE indisunique GROUP BY indexrelid
    """).fetchall()
    assert len(keys) > len(OWNED_TABLES)
    assert all(holds for _, holds in keys), keys
    columns = told.execute("""
        SELECT DISTINCT atttypid::regtype::text, collname, attnotnull FROM pg_attribute
        JOIN distributed ON attrelid = name JOIN pg_collation ON pg_collation.oid = attcollation WHERE attname = 'user'
    """).fetchall()
    assert columns == [("text", "C", True)]


def test_nodes_are_told_whose_rows_a_transaction_may_see(told: psycopg.Connection[tuple[str, ...]]) -> None:
    """In every session from then on."""
    with psycopg.connect(told.info.dsn) as later:
        assert later.execute("SHOW citus.propagate_set_commands").fetchone() == ("local",)


def test_the_command_prints_the_script() -> None:
    """As psql takes it; with JSON as a text."""
    assert invoke("migrate", "--citus").stdout == citus_script()
    assert invoke("migrate", "--citus", "--json").json == {"script": citus_script()}
