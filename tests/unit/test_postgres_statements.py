"""The statements as PostgreSQL runs them: on which tables, by which index, and behind which second wall."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeAlias

import psycopg
import pytest
from psycopg.rows import dict_row

from tests.belief_rows import fill_beliefs
from tests.conftest import ROLE, administer
from tests.each import each
from tests.rows import ANA, TALK, a_vector, add, an_episode, at
from yesteryear.core.message import Conversation
from yesteryear.core.scope import Owner, Scope
from yesteryear.errors import StorageError
from yesteryear.ports import Transaction
from yesteryear.storage.postgres.connection import STATEMENTS, Link
from yesteryear.storage.postgres.store import PostgresStore
from yesteryear.storage.sql.statements import OWNED_TABLES
from yesteryear.testing.builders import a_message
from yesteryear_lab.postgres_server import PostgresServer

BEN = Scope("ben")

HOT = {
    "owner_get": "owner_pkey",
    "owner_lock": "owner_pkey",
    "owners_due": "owner_due",
    "message_by_external_id": "message_external",
    "message_span": "message_pkey",
    "message_get": "message_id",
    "message_page": "message_id",
    "message_update": "message_id",
    "message_due": "message_vector_due",
    "message_expired": "message_expiry",
    "message_forget_requests": "message_expiry",
    "message_measured": "message_numbers",
    "message_changes": "message_rev",
    "message_tail": "message_pkey",
    "conversation_get": "conversation_pkey",
    "conversation_due": "conversation_due",
    "episode_get": "episode_pkey",
    "episode_update": "episode_pkey",
    "episode_page": "episode_ended",
    "episode_due": "episode_due",
    "episode_changes": "episode_rev",
    "episode_count_active": "episode_status",
    "episode_traces_due": "episode_fading",
    "vector_sample": "vector_pkey",
    "vector_all": "vector_pkey",
    "vector_some": "vector_pkey",
    "vector_forget": "vector_pkey",
    "recall_latest": "recall_event_conversation",
    "recall_open": "recall_event_open",
    "recall_settle": "recall_event_pkey",
    "recall_page": "recall_event_pkey",
    "erasure_get": "erasure_pkey",
    "fact_get": "fact_pkey",
    "fact_update": "fact_pkey",
    "fact_saying": "fact_words",
    "fact_due": "fact_due",
    "fact_changes": "fact_rev",
    "fact_newest": "fact_rev",
    "evidence_of": "evidence_pkey",
    "evidence_of_messages": "evidence_message",
    "ruling_of": "conflict_other",
}
"""Which index each statement of the daily work is to use."""


class Anything(dict[str, object]):
    """Gives every parameter a value as the daily work has it."""

    def __missing__(self, name: str) -> object:
        if name in ("ids", "fact_ids", "message_ids", "refs", "names", "statuses"):
            return ["7", "8"]
        if name in ("has_error", "only_active"):
            return False
        if name in ("project", "agent", "author", "outcome", "status", "until"):
            return None
        return {"conversation": "c", "model": "m", "vector": "[1]", "expecting": "failed"}.get(name, "7")


FILLING = """
CREATE TEMP TABLE person AS SELECT 'u' || number AS name FROM generate_series(1, 100) AS number;
CREATE TEMP TABLE line AS SELECT name, number, number::text AS id FROM person, generate_series(1, 200) AS number;
INSERT INTO owner (tenant, "user", due_at) SELECT 'default', name, 9 FROM person;
INSERT INTO message (tenant, "user", conversation, seq, id, role, author, content, at, recorded_at, verdict,
        external_id, expires_at, vector_due_at, numbers, rev)
    SELECT 'default', name, 'c', number, id, CASE WHEN number % 2 = 0 THEN 'user' ELSE 'assistant' END, 'a', 'b',
        number, number, '{}', id, CASE WHEN number % 3 = 0 THEN number END, CASE WHEN number % 5 = 0 THEN number END,
        CASE WHEN number % 20 = 0 THEN '[1]' ELSE '[]' END, number FROM line;
INSERT INTO conversation (tenant, "user", name, last_seq, settled_seq, closed_seq, due_at, rev)
    SELECT 'default', name, id, 1, 1, 1, number, number FROM line;
INSERT INTO episode (tenant, "user", id, conversation, first_seq, last_seq, message_ids, started_at, ended_at,
        recorded_at, status, importance, detail, closed_by, next_try, fades_at, rev)
    SELECT 'default', name, id, 'c', 1, 2, '[]', number, number, number,
        CASE WHEN number % 20 = 0 THEN 'active' ELSE 'failed' END, 0, 'vivid', 'pause', number, number, number
    FROM line;
INSERT INTO vector SELECT 'default', name, 'm', id, 0, 'excerpt', '[1]' FROM line;
INSERT INTO recall_event (tenant, "user", id, conversation, at, items, fingerprints, settled)
    SELECT 'default', name, id, 'c', number, '[]', '[]', CASE WHEN number % 20 = 0 THEN 0 ELSE 1 END FROM line;
INSERT INTO fact (tenant, "user", id, status, words, first_observed, due_at, body, rev)
    SELECT 'default', name, id, 'stable', id, number, number, '{}', number FROM line;
INSERT INTO evidence (tenant, "user", fact_id, id, message_id, said_at, body)
    SELECT 'default', name, id, id, id, number, '{}' FROM line;
INSERT INTO conflict (tenant, "user", one, other, body) SELECT 'default', name, id, id, '{}' FROM line;
INSERT INTO erasure SELECT 'default', id, 1, 1, 0, '{}' FROM line WHERE name = 'u1';
ANALYZE;
"""
"""A hundred people with two hundred rows in each of the large tables."""

Session: TypeAlias = psycopg.Connection[dict[str, Any]]


def session(url: str) -> Session:
    """Return a connection with our tables in its path."""
    return psycopg.connect(url, options="-c search_path=yesteryear,public", row_factory=dict_row)


@pytest.fixture
def connection(postgres_url: str) -> Iterator[Session]:
    """Return a connection to our tables without rows."""
    with session(postgres_url) as found:
        yield found


@pytest.fixture(scope="module")
def filled(postgres_server: PostgresServer) -> Iterator[Session]:
    """Return a connection to our tables with many people's rows."""
    administer(postgres_server, f"CREATE DATABASE filled OWNER {ROLE}")
    administer(postgres_server, "CREATE EXTENSION vector", database="filled")
    PostgresStore(postgres_server.url("filled", role=ROLE)).close()
    with session(postgres_server.url("filled")) as superuser:
        superuser.execute(FILLING)
        superuser.commit()
    with session(postgres_server.url("filled", role=ROLE)) as found:
        yield found
    administer(postgres_server, "DROP DATABASE filled WITH (FORCE)")


def plan(connection: Session, name: str) -> str:
    """Return how PostgreSQL means to run a statement."""
    operator = "on" if name == "owners_due" else "off"
    connection.execute("SELECT set_config('yesteryear.operator', %s, true)", (operator,))
    whose = Anything(tenant="default", user="u7", since="195" if name.endswith("changes") else None)
    if name.endswith("_update"):
        whose |= {"project": "", "agent": ""}
    found = connection.execute(f"EXPLAIN {STATEMENTS[name]}".encode(), whose).fetchall()
    return "\n".join(row["QUERY PLAN"] for row in found)


@each("name", STATEMENTS)
def test_every_statement_runs_on_our_tables(connection: Session, name: str) -> None:
    """Names of tables and columns are right, and every parameter has a type without being told one."""
    with connection.transaction():  # of its own, so that a statement that fails spoils no other one's
        assert plan(connection, name)


@each(("name", "index"), HOT.items())
def test_the_daily_work_reads_by_index(filled: Session, name: str, index: str) -> None:
    """No statement of it reads a whole table, and each uses the index made for it."""
    with filled.transaction():
        # Which is quicker for the small tables, such as that of owners.
        filled.execute("SET LOCAL enable_seqscan = off")
        found = plan(filled, name)
    assert "Seq Scan" not in found
    assert index in found


@each("name", ["message_page", "message_span", "message_due", "episode_due"])
def test_the_first_rows_are_found_without_sorting_the_rest(filled: Session, name: str) -> None:
    """Of a hundred thousand rows the next few are read, and nothing else."""
    assert not re.search(r"\bSort\b", plan(filled, name))


def test_every_key_is_led_by_tenant_and_user(connection: Session) -> None:
    """So that rows can be distributed by user; but for the operator's hint, and receipts, which name nobody."""
    found = connection.execute("""
        SELECT index.relname AS name, array_agg(COALESCE(attname, '')::text ORDER BY ordinality) AS columns
        FROM pg_index
        JOIN pg_class AS index ON index.oid = indexrelid
        CROSS JOIN unnest(indkey) WITH ORDINALITY AS key (number, ordinality)
        LEFT JOIN pg_attribute ON attrelid = indrelid AND attnum = key.number
        WHERE index.relnamespace = 'yesteryear'::regnamespace
        GROUP BY index.relname
    """).fetchall()
    others = {row["name"]: row["columns"] for row in found if row["columns"][:2] != ["tenant", "user"]}
    assert others == {
        "owner_due": ["due_at", "tenant", "user"],
        "erasure_pkey": ["tenant", "person"],
        "schema_migration_pkey": ["version"],
    }


def test_nothing_in_the_schema_stands_in_the_way_of_distributing_it(
    connection: Session,
) -> None:
    """No sequences, no triggers, no foreign keys, no functions."""
    counts = connection.execute("""
        SELECT (SELECT COUNT(*) FROM pg_class WHERE relkind = 'S' AND relnamespace = space) AS sequences,
            (SELECT COUNT(*) FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid WHERE relnamespace = space)
                AS triggers,
            (SELECT COUNT(*) FROM pg_constraint WHERE contype = 'f' AND connamespace = space) AS foreign_keys,
            (SELECT COUNT(*) FROM pg_proc WHERE pronamespace = space) AS functions
        FROM (SELECT 'yesteryear'::regnamespace) AS ours (space)
    """).fetchone()
    assert counts == {"sequences": 0, "triggers": 0, "foreign_keys": 0, "functions": 0}


# --- the second wall -----------------------------------------------------------------------------------------------


def fill(tx: Transaction) -> None:
    """Write a row into every table that has an owner."""
    scope = tx.scope
    tx.messages.insert(a_message(scope=scope))
    tx.conversations.save(Conversation(TALK))
    tx.episodes.insert(an_episode(scope=scope, next_try=at(0)))
    tx.vectors.put("m", [a_vector("c1-1", 1, 0)])
    tx.overrides.save(None, {"context_budget": 1})
    if scope == ANA:
        fill_beliefs(tx)


@pytest.fixture
def store(postgres_url: str) -> Iterator[PostgresStore]:
    """Return a store that holds rows of two people, of whom one was erased before."""
    store = PostgresStore(postgres_url)
    store.write(BEN, fill)
    store.write(BEN, lambda tx: tx.erase())
    store.write(BEN, fill)
    store.write(ANA, fill)
    yield store
    store.close()


def seen(link: Link) -> dict[str, int]:
    """Return how many rows of each table a statement sees that has forgotten its scope."""
    tables = (*OWNED_TABLES, "erasure")
    counts = {table: link.look(f"SELECT COUNT(*) AS number FROM {table}")[0]["number"] for table in tables}
    return {table: number for table, number in counts.items() if number}


def test_every_table_has_the_second_wall(connection: Session) -> None:
    """Also for the tables' owner, who would be above it otherwise."""
    found = connection.execute("""
        SELECT relname, relrowsecurity AND relforcerowsecurity AS is_walled FROM pg_class
        WHERE relkind = 'r' AND relnamespace = 'yesteryear'::regnamespace
    """).fetchall()
    walled = {row["relname"] for row in found if row["is_walled"]}
    assert walled == {*OWNED_TABLES, "erasure"}
    assert {row["relname"] for row in found} - walled == {"schema_migration"}


def test_a_statement_that_forgot_its_scope_sees_nothing(store: PostgresStore) -> None:
    """Where the transaction has named nobody, and on a connection that has served others before."""
    with store.read(ANA), store.read(BEN):
        pass
    with store._pool.lend() as link:
        assert seen(link) == {}


def test_a_statement_that_forgot_its_scope_sees_its_own_owner(store: PostgresStore) -> None:
    """Of two people's rows those of the transaction's owner."""
    with store._pool.lend(lambda link: link.begin_reading(BEN.owner)) as link:
        assert seen(link) == dict.fromkeys(
            ("message", "conversation", "episode", "vector", "memory_config", "owner", "erasure"), 1
        )
    with store._pool.lend(lambda link: link.begin_reading(Owner("other tenant", "ben"))) as link:
        assert seen(link) == {}


def test_a_statement_that_forgot_its_scope_changes_its_own_owner(store: PostgresStore) -> None:
    """A DELETE without its WHERE leaves other people's rows."""
    with store._pool.lend(lambda link: link.begin_writing(BEN.owner)) as link:
        for table in OWNED_TABLES:
            link._execute(f"DELETE FROM {table}")
        link.commit()
    with store.read(ANA) as tx:
        assert len(tx.changes(0).messages) == 1
    with store.read(BEN) as tx:
        assert tx.changes(0).messages == ()


def test_a_row_of_somebody_else_cannot_be_written(store: PostgresStore) -> None:
    """Whatever the statement says."""
    lent = store._pool.lend(lambda link: link.begin_writing(BEN.owner))
    with lent as link, pytest.raises(StorageError, match="row-level security"):
        link._execute("INSERT INTO cycle VALUES ('default', 'ana', 'n9', '{}')")


def test_questions_that_cross_owners_see_names_and_receipts_only(store: PostgresStore) -> None:
    """The operator's transaction sees no row of what was said, and cannot write."""
    with store._pool.lend(Link.begin_operating) as link:
        assert seen(link) == {"owner": 2, "erasure": 1}
        with pytest.raises(StorageError, match="snapshot"):
            link._execute("DELETE FROM owner")
    assert store.owners() == [ANA.owner, BEN.owner]


def test_a_superuser_is_told_to_be_above_the_wall(postgres_server: PostgresServer, store: PostgresStore) -> None:
    """``describe`` tells the two apart; each statement names its owner all the same."""
    with_rights = PostgresStore(postgres_server.url("shared"))
    try:
        assert (store.describe()["bypasses_row_security"], with_rights.describe()["bypasses_row_security"]) == (
            False,
            True,
        )
        with with_rights.read(BEN) as tx:
            assert len(tx.changes(0).messages) == 1
    finally:
        with_rights.close()


def test_the_order_of_texts_does_not_depend_on_the_database(store: PostgresStore) -> None:
    """Every column with text compares by code point, as the other stores do."""
    with store._pool.lend() as link:
        found = link.look("""
            SELECT table_name || '.' || column_name AS name FROM information_schema.columns
            WHERE table_schema = 'yesteryear' AND data_type IN ('text', 'character varying')
                AND table_name <> 'schema_migration' AND collation_name IS DISTINCT FROM 'C'
        """)
    assert found == []
    for name in ("b", "B", "ä", "a", "_"):
        add(store, a_message(conversation=name))
    with store.read(ANA) as tx:
        assert [row.key.name for row in tx.changes(0).messages] == ["B", "_", "a", "b", "c1", "ä"]


def test_administering_is_what_the_tests_do_not(postgres_server: PostgresServer, postgres_url: str) -> None:
    """The role of the tests is no superuser, or none of the above would mean anything."""
    administer(postgres_server, "SELECT 1")
    with psycopg.connect(postgres_url) as connection:
        row = connection.execute("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user")
        assert row.fetchone() == (False,)
