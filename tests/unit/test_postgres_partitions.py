"""Big tables in parts: one owner's statement touches one part of each, and nobody gets in by the back door."""

from __future__ import annotations

import re
from collections.abc import Iterator

import psycopg
import pytest
from psycopg.rows import dict_row

from tests.conftest import PARTS, ROLE, administer
from tests.each import each
from tests.unit.test_postgres_statements import Anything, Session
from yesteryear.core.scope import Scope
from yesteryear.storage.migrate import Migration
from yesteryear.storage.postgres.connection import STATEMENTS
from yesteryear.storage.postgres.schema import PARTITIONED, partition_tables, prepare_schema
from yesteryear.storage.postgres.store import PostgresStore
from yesteryear.testing.builders import a_message
from yesteryear_lab.postgres_server import PostgresServer

OWNED = sorted(name for name, sql in STATEMENTS.items() if "%(user)s" in sql)
PEOPLE = [Scope(f"person {number}") for number in range(40)]


@pytest.fixture
def connection(partitioned_url: str) -> Iterator[Session]:
    """Return a connection that has named an owner, as our transactions do."""
    with psycopg.connect(partitioned_url, row_factory=dict_row) as connection:
        connection.execute("SET search_path TO yesteryear, public")
        connection.execute("SET enable_seqscan = off")
        for name, value in {"tenant": "default", "user": "u7"}.items():
            connection.execute("SELECT set_config(%s, %s, false)", (f"yesteryear.{name}", value))
        yield connection
        connection.rollback()


def relations(plan: object) -> Iterator[str]:
    """Return the tables that a plan touches, those of its parts too."""
    if isinstance(plan, list):
        for part in plan:
            yield from relations(part)
    elif isinstance(plan, dict):
        if "Relation Name" in plan:
            yield plan["Relation Name"]
        yield from relations(list(plan.values()))


@pytest.mark.heavy
@each("name", OWNED)
def test_a_statement_of_one_owner_touches_one_part(connection: Session, name: str) -> None:
    """Of each big table that it names, and the same one of all; which one is known before it runs."""
    explain = f"EXPLAIN (FORMAT JSON) {STATEMENTS[name]}".encode()
    own = {"project": "", "agent": ""} if name.endswith("_update") else {}
    whose = Anything(tenant="default", user="u7", **own)
    with connection.transaction():  # one that fails leaves the others to be tried
        [found] = connection.execute(explain, whose).fetchall()
    touched = (re.fullmatch(r"(\w+)_(\d+)", relation) for relation in relations(found["QUERY PLAN"]))
    parts = {match.groups() for match in touched if match}
    read = {table for table in PARTITIONED if re.search(rf"\b(FROM|JOIN|UPDATE) {table}\b", STATEMENTS[name])}
    assert {table for table, _ in parts} == read
    assert len(parts) == len(read)
    assert len({number for _, number in parts}) <= 1


def test_all_big_tables_are_in_parts(connection: Session) -> None:
    """And the others are whole."""
    found = connection.execute("""
        SELECT relname AS name, (SELECT COUNT(*) FROM pg_inherits WHERE inhparent = oid) AS parts
        FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'yesteryear'::regnamespace
    """).fetchall()
    assert {row["name"]: row["parts"] for row in found if row["parts"]} == dict.fromkeys(PARTITIONED, PARTS)


def test_the_second_wall_stands_around_each_part(partitioned_url: str, connection: Session) -> None:
    """Rows are reached through the whole table; a part by itself shows nothing, not even to the tables' owner."""
    store = PostgresStore(partitioned_url)
    try:
        for scope in PEOPLE:
            store.write(scope, lambda tx, scope=scope: tx.messages.insert(a_message(scope=scope)))  # type: ignore[misc]
        with store.read(PEOPLE[0]) as tx:
            assert len(tx.changes(0).messages) == 1
    finally:
        store.close()
    connection.execute("SELECT set_config('yesteryear.user', %s, false)", (PEOPLE[0].user,))
    counts = [
        connection.execute(f"SELECT COUNT(*) AS rows FROM message{part}".encode()).fetchall()[0]["rows"]
        for part in ("", *(f"_{number}" for number in range(PARTS)))
    ]
    assert counts == [1] + [0] * PARTS


def test_people_are_spread_over_the_parts(postgres_server: PostgresServer, partitioned_url: str) -> None:
    """Forty people lie in more than half of sixteen parts, as a hash lets them."""
    store = PostgresStore(partitioned_url)
    try:
        for scope in PEOPLE:
            store.write(scope, lambda tx, scope=scope: tx.messages.insert(a_message(scope=scope)))  # type: ignore[misc]
    finally:
        store.close()
    with psycopg.connect(postgres_server.url("partitioned")) as connection:
        found = connection.execute("SELECT DISTINCT tableoid FROM yesteryear.message").fetchall()
    assert PARTS / 2 < len(found) <= PARTS


def test_a_later_migration_keeps_the_number_of_parts(postgres_server: PostgresServer, new_database: str) -> None:
    """A big table that comes with it is made in as many, without anybody asking again."""
    administer(postgres_server, "CREATE EXTENSION vector", database=new_database)
    url = postgres_server.url(new_database, role=ROLE)
    early, late = (Migration(1, "talk", making("message")), Migration(2, "beliefs", making("fact")))
    with psycopg.connect(url, autocommit=True, row_factory=dict_row) as connection:
        connection.execute("SET search_path TO yesteryear")
        prepare_schema(connection, "here", [early], partitions=3)
        prepare_schema(connection, "here", [early, late])
        rows = connection.execute("SELECT COUNT(*) AS parts FROM pg_inherits WHERE inhparent = 'fact'::regclass")
        assert rows.fetchall() == [{"parts": 3}]


def making(table: str) -> str:
    """Return a script that makes a table."""
    return f'CREATE TABLE {table} (\n    tenant TEXT,\n    "user" TEXT\n);\n'


def test_a_script_for_whole_tables_is_left_as_it_is() -> None:
    """What it makes beside big tables: small ones, indexes, comments."""
    script = f"-- Who.\n{making('owner')}CREATE INDEX a ON message (tenant);\n"
    assert partition_tables(script, 4) == script


def test_each_part_has_its_remainder() -> None:
    """Every row has one part to go to."""
    made = partition_tables(making("message"), 3)
    assert re.findall(r"MODULUS (\d+), REMAINDER (\d+)", made) == [("3", "0"), ("3", "1"), ("3", "2")]
