"""The statements as SQLite runs them: on which tables, and by which index."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator

import pytest

from tests.each import each
from yesteryear.storage.sqlite.schema import SHIPPED, split_statements
from yesteryear.storage.sqlite.store import STATEMENTS

HOT = {
    "owner_get": "PRIMARY KEY",
    "message_by_external_id": "message_external",
    "message_span": "sqlite_autoindex_message_1",
    "message_get": "message_id",
    "message_page": "message_id",
    "message_update": "message_id",
    "message_due": "message_vector_due",
    "message_expired": "message_expiry",
    "message_changes": "message_rev",
    "conversation_get": "PRIMARY KEY",
    "conversation_due": "conversation_due",
    "episode_get": "sqlite_autoindex_episode_1",
    "episode_update": "sqlite_autoindex_episode_1",
    "episode_page": "episode_ended",
    "episode_due": "episode_due",
    "episode_changes": "episode_rev",
    "vector_sample": "sqlite_autoindex_vector_1",
    "vector_all": "sqlite_autoindex_vector_1",
    "vector_some": "sqlite_autoindex_vector_1",
    "vector_forget": "sqlite_autoindex_vector_1",
    "recall_latest": "recall_event_conversation",
    "recall_open": "recall_event_open",
    "recall_settle": "PRIMARY KEY",
    "recall_page": "PRIMARY KEY",
    "message_forget_requests": "message_expiry",
    "message_measured": "message_numbers",
    "message_tail": "sqlite_autoindex_message_1",
    "episode_count_active": "episode_status",
    "episode_traces": "episode_status",
    "erasure_get": "PRIMARY KEY",
    "fact_get": "sqlite_autoindex_fact_1",
    "fact_update": "sqlite_autoindex_fact_1",
    "fact_saying": "fact_words",
    "fact_due": "fact_due",
    "fact_changes": "fact_rev",
    "fact_newest": "fact_rev",
    "evidence_of": "sqlite_autoindex_evidence_1",
    "evidence_of_messages": "evidence_message",
    "ruling_of": "conflict_other",
}
"""Which index each statement of the daily work is to use."""


class Anything(dict[str, object]):
    """Gives every parameter some value; plans do not depend on them."""

    def __missing__(self, name: str) -> object:
        return "[]" if name in ("ids", "fact_ids", "message_ids", "refs", "names") else 1


@pytest.fixture(scope="module")
def empty() -> Iterator[sqlite3.Connection]:
    """Return a connection to our tables without rows."""
    connection = sqlite3.connect(":memory:")
    for migration in SHIPPED:
        for statement in split_statements(migration.sql):
            connection.execute(statement)
    yield connection
    connection.close()


def plan(connection: sqlite3.Connection, name: str) -> str:
    """Return how SQLite means to run a statement."""
    return "\n".join(row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {STATEMENTS[name]}", Anything()))


@each("name", STATEMENTS)
def test_every_statement_runs_on_our_tables(empty: sqlite3.Connection, name: str) -> None:
    """Names of tables, columns and indexes are right."""
    empty.execute(f"EXPLAIN {STATEMENTS[name]}", Anything())


@each(("name", "index"), HOT.items())
def test_the_daily_work_reads_by_index(empty: sqlite3.Connection, name: str, index: str) -> None:
    """No statement of it reads a whole table, and each uses the index made for it."""
    found = plan(empty, name)
    assert not re.search(r"SCAN (message|vector|episode|conversation|recall_event|fact|evidence|conflict)\b", found)
    assert index in found


def test_the_hint_about_due_owners_reads_only_what_waits(empty: sqlite3.Connection) -> None:
    """It goes through the partial indexes of waiting rows, and straight to those that fade or expire by now."""
    found = plan(empty, "owners_due")
    scans = re.findall(r"SCAN (?:message|episode|conversation) USING COVERING INDEX (\w+)", found)
    assert sorted(scans) == ["conversation_due", "episode_due", "message_vector_due"]
    assert "SEARCH message USING COVERING INDEX message_expiry (expires_at>? AND expires_at<?)" in found
    assert "SEARCH episode USING COVERING INDEX episode_fading (fades_at>? AND fades_at<?)" in found


@pytest.mark.parametrize(
    "name",
    ["message_due", "message_expired", "episode_due", "message_page", "message_span", "message_measured", "vector_all"],
)
def test_the_first_rows_are_found_without_sorting_the_rest(empty: sqlite3.Connection, name: str) -> None:
    """Of a hundred thousand rows due at the same instant the next sixteen are read, and nothing else."""
    assert "TEMP B-TREE" not in plan(empty, name)
