"""What goes wrong with a server, said so that somebody can do something about it, and nothing half-written."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import psycopg
import pytest

from tests.conftest import ROLE, administer
from tests.each import each
from tests.rows import ANA, SKIPPED, add, at
from yesteryear.core.message import UNDATED
from yesteryear.core.rows.queries import MessageQuery
from yesteryear.core.scope import Scope
from yesteryear.errors import (
    ConfigError,
    Conflict,
    InputError,
    SchemaTooNew,
    SetUpNeeded,
    StorageCorrupt,
    StorageError,
    StorageUnavailable,
)
from yesteryear.ports import Transaction
from yesteryear.storage.migrate import Migration
from yesteryear.storage.postgres.connect import PostgresPolicy
from yesteryear.storage.postgres.schema import SHIPPED
from yesteryear.storage.postgres.store import PostgresStore
from yesteryear.testing.builders import a_message
from yesteryear_lab.postgres_server import PostgresServer

IMPATIENT = PostgresPolicy(wait_s=0.1, connect_s=0.1, lock_s=0.1)
"""Waits no longer than a test should."""
BEN = Scope("ben")


def inserting(seq: int) -> Callable[[Transaction], None]:
    """Return work that inserts one message."""
    return lambda tx: tx.messages.insert(a_message(seq=seq))


def rows_in(store: PostgresStore) -> list[int]:
    """Return which messages are there."""
    with store.read(ANA) as tx:
        return sorted(row.seq for row in tx.messages.page(MessageQuery(limit=10_000)))


@contextmanager
def opened(url: str, policy: PostgresPolicy | None = None) -> Iterator[PostgresStore]:
    """Open a store and close it again."""
    with closing(PostgresStore(url, policy)) as store:
        yield store


@pytest.fixture
def store(postgres_url: str) -> Iterator[PostgresStore]:
    """Return a store without rows."""
    with opened(postgres_url) as store:
        yield store


@pytest.fixture
def vectored(postgres_server: PostgresServer, new_database: str) -> str:
    """Return the name of a database that has pgvector and nothing else."""
    administer(postgres_server, "CREATE EXTENSION vector", database=new_database)
    return new_database


# --- addresses -----------------------------------------------------------------------------------------------------


def test_a_wrong_password_is_said_and_not_shown(postgres_server: PostgresServer) -> None:
    """So is a password that is missing; the right one opens the door."""
    administer(postgres_server, "CREATE ROLE guarded LOGIN PASSWORD 'open sesame'")
    postgres_server.guard("guarded")
    with pytest.raises(ConfigError, match="password") as wrong:
        PostgresStore(postgres_server.url("shared", role="guarded", password="abracadabra"))
    with pytest.raises(ConfigError, match="password"):
        PostgresStore(postgres_server.url("shared", role="guarded"))
    assert "abracadabra" not in str(wrong.value)
    with pytest.raises(SetUpNeeded, match="right"):  # it is let in, and may do nothing
        PostgresStore(postgres_server.url("shared", role="guarded", password="open sesame"))


def test_a_database_that_is_not_there_is_said(postgres_server: PostgresServer) -> None:
    """And so is a role."""
    with pytest.raises(ConfigError, match="no such database"):
        PostgresStore(postgres_server.url("nowhere", role=ROLE))
    with pytest.raises(ConfigError, match="role"):
        PostgresStore(postgres_server.url("shared", role="nobody"))


@each("url", ["postgresql://app:secret@[::1/memory", "postgresql://app:secret@host/db?colour=red"])
def test_an_address_that_cannot_be_read_is_not_repeated(url: str) -> None:
    """It may hold a password."""
    with pytest.raises(ConfigError, match=r"postgresql://role:password@host") as told:
        PostgresStore(url)
    assert "secret" not in str(told.value)


@each("host", ["%2Fnowhere", "127.0.0.1&port=1"])
def test_a_server_that_does_not_answer_is_said(host: str) -> None:
    """With a path or a port where nobody listens; the caller may try again."""
    with pytest.raises(StorageUnavailable, match="cannot be reached") as told:
        PostgresStore(f"postgresql://app:secret@/memory?host={host}", IMPATIENT)
    assert told.value.retryable
    assert "secret" not in str(told.value)


def test_a_place_is_described_without_its_password(postgres_server: PostgresServer, store: PostgresStore) -> None:
    """Who sees what a doctor says need not know it."""
    with opened(postgres_server.url("shared", role=ROLE, password="open sesame")) as other:
        assert other.describe()["place"] == store.describe()["place"]
    assert str(store.describe()["place"]).startswith(f"postgresql://{ROLE}@")


@each("changes", [{"durability": "off"}, {"connections": 1}])
def test_a_policy_that_does_not_work_is_refused(changes: dict[str, object]) -> None:
    """Before anybody is asked."""
    with pytest.raises(ConfigError, match=next(iter(changes))):
        PostgresStore("postgresql:///nowhere", replace(PostgresPolicy(), **changes))  # type: ignore[arg-type]


# --- what an administrator has to do -------------------------------------------------------------------------------


def test_who_may_not_add_pgvector_is_told_what_an_administrator_runs(
    postgres_server: PostgresServer, new_database: str
) -> None:
    """Nothing of ours is there then; once it has been run the store opens."""
    url = postgres_server.url(new_database, role=ROLE)
    with pytest.raises(SetUpNeeded, match="CREATE EXTENSION vector") as told:
        PostgresStore(url)
    assert not told.value.retryable
    administer(postgres_server, "CREATE EXTENSION vector", database=new_database)
    with opened(url) as store:
        assert store.owners() == []


def test_a_server_without_pgvector_is_told_apart(postgres_server: PostgresServer, new_database: str) -> None:
    """It has to be installed before anybody can add it."""
    administer(postgres_server, f"ALTER DATABASE {new_database} SET extension_control_path = '/nowhere'")
    with pytest.raises(SetUpNeeded, match="not installed on the server"):
        PostgresStore(postgres_server.url(new_database))


def test_a_pgvector_that_is_too_old_is_told(postgres_server: PostgresServer, vectored: str) -> None:
    """Whether our tables are there already or not."""
    old = "UPDATE pg_extension SET extversion = '0.7.4' WHERE extname = 'vector'"
    administer(postgres_server, old, database=vectored)
    url = postgres_server.url(vectored, role=ROLE)
    with pytest.raises(SetUpNeeded, match=r"0\.7\.4.*ALTER EXTENSION vector UPDATE"):
        PostgresStore(url)
    administer(postgres_server, old.replace("0.7.4", "0.10.0"), database=vectored)
    PostgresStore(url).close()
    administer(postgres_server, old, database=vectored)
    with pytest.raises(SetUpNeeded, match=r"0\.7\.4"):
        PostgresStore(url)


def test_pgvector_may_lie_in_any_schema(postgres_server: PostgresServer, new_database: str) -> None:
    """Some hosts keep extensions in one of their own."""
    commands = ('CREATE SCHEMA "of the host"', 'CREATE EXTENSION vector SCHEMA "of the host"')
    administer(postgres_server, *commands, f'GRANT USAGE ON SCHEMA "of the host" TO {ROLE}', database=new_database)
    with opened(postgres_server.url(new_database, role=ROLE)) as store:
        store.write(ANA, inserting(1))
        assert rows_in(store) == [1]


def test_a_role_that_may_not_make_tables_is_told(postgres_server: PostgresServer, vectored: str) -> None:
    """It can use them once somebody else has made them and granted it to."""
    administer(postgres_server, "CREATE ROLE guest LOGIN")
    with pytest.raises(SetUpNeeded, match="lacks a right"):
        PostgresStore(postgres_server.url(vectored, role="guest"))
    PostgresStore(postgres_server.url(vectored, role=ROLE)).close()
    administer(
        postgres_server,
        "GRANT USAGE ON SCHEMA yesteryear TO guest",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA yesteryear TO guest",
        database=vectored,
    )
    with opened(postgres_server.url(vectored, role="guest")) as store:
        store.write(ANA, inserting(1))
        assert rows_in(store) == [1]
        assert "VACUUM was refused" in store.scrub([]).limits


# --- schemas -------------------------------------------------------------------------------------------------------


def test_a_newer_database_is_refused(postgres_server: PostgresServer, vectored: str) -> None:
    """An older version might write what the newer cannot read."""
    url = postgres_server.url(vectored, role=ROLE)
    newer = [*SHIPPED, Migration(len(SHIPPED) + 1, "more", "CREATE TABLE more (id TEXT)")]
    PostgresStore(url, migrations=newer).close()
    with pytest.raises(SchemaTooNew, match="upgrade"):
        PostgresStore(url)


def test_a_database_of_another_build_is_refused(postgres_server: PostgresServer, vectored: str) -> None:
    """Its scripts were not ours."""
    url = postgres_server.url(vectored, role=ROLE)
    PostgresStore(url).close()
    administer(postgres_server, "UPDATE yesteryear.schema_migration SET checksum = 'x'", database=vectored)
    with pytest.raises(StorageCorrupt, match="another build"):
        PostgresStore(url)


def test_a_migration_that_fails_leaves_nothing(postgres_server: PostgresServer, vectored: str) -> None:
    """Each is whole or not there; those before it stay, and the next attempt goes on behind them."""
    url = postgres_server.url(vectored, role=ROLE)
    number = len(SHIPPED) + 1
    broken = Migration(number, "broken", "CREATE TABLE half (id TEXT); SELECT nonsense")
    with pytest.raises(StorageError, match="nonsense"):
        PostgresStore(url, migrations=[*SHIPPED, broken])
    with opened(url) as store:
        assert store.describe()["schema"] == number - 1
        with store._pool.lend() as link:
            assert link.look("SELECT to_regclass('half') AS half") == [{"half": None}]


def test_processes_that_open_a_new_database_together_all_find_it_made(
    postgres_server: PostgresServer, vectored: str
) -> None:
    """One makes the tables, the others wait for it."""
    url = postgres_server.url(vectored, role=ROLE)
    with ThreadPoolExecutor(6) as pool:
        stores = list(pool.map(lambda _: PostgresStore(url), range(6)))
    for number, store in enumerate(stores):
        store.write(ANA, inserting(number + 1))
    assert rows_in(stores[0]) == [1, 2, 3, 4, 5, 6]
    for store in stores:
        store.close()


# --- reading only --------------------------------------------------------------------------------------------------


def test_a_database_that_is_read_only_can_be_read(postgres_server: PostgresServer, vectored: str) -> None:
    """As a replica can; writing says what to do and changes nothing."""
    url = postgres_server.url(vectored, role=ROLE)
    with opened(url) as store:
        store.write(ANA, inserting(1))
    read_only = url + "&options=" + quote("-c default_transaction_read_only=on")
    with opened(read_only) as store:
        with pytest.raises(StorageUnavailable, match=r"read-only.*primary"):
            store.write(ANA, inserting(2))
        assert rows_in(store) == [1]
        assert store.owners() == [ANA.owner]


def test_an_empty_database_that_is_read_only_is_said(postgres_server: PostgresServer, vectored: str) -> None:
    """There is nothing to read in it, and nothing can be made."""
    url = postgres_server.url(vectored, role=ROLE) + "&options=" + quote("-c default_transaction_read_only=on")
    with pytest.raises(StorageUnavailable, match="read-only"):
        PostgresStore(url)


# --- connections that break, transactions that meet ----------------------------------------------------------------


def cut_off(server: PostgresServer, tx: Transaction) -> None:
    """End the connection of a transaction, as an administrator or a network does."""
    pid = tx._rows.runner.look("SELECT pg_backend_pid() AS pid")[0]["pid"]  # type: ignore[attr-defined]
    administer(server, f"SELECT pg_terminate_backend({pid}, 1000)")


def test_a_connection_that_breaks_in_a_transaction_is_replaced(
    postgres_server: PostgresServer, store: PostgresStore
) -> None:
    """The work is done again from its beginning, and once."""
    tries: list[int] = []

    def work(tx: Transaction) -> int:
        tries.append(len(tries))
        tx.messages.insert(a_message(seq=1))
        if len(tries) == 1:
            cut_off(postgres_server, tx)
        tx.messages.insert(a_message(seq=2))
        return len(tries)

    assert store.write(ANA, work) == 2
    assert rows_in(store) == [1, 2]


def test_a_connection_that_breaks_again_and_again_is_said(
    postgres_server: PostgresServer, store: PostgresStore
) -> None:
    """Nothing is written, and others are not concerned."""

    def work(tx: Transaction) -> None:
        tx.messages.insert(a_message(seq=1))
        cut_off(postgres_server, tx)
        tx.messages.insert(a_message(seq=2))

    with pytest.raises(StorageUnavailable, match="try again") as told:
        store.write(ANA, work)
    assert told.value.retryable
    assert rows_in(store) == []
    store.write(ANA, inserting(3))
    assert rows_in(store) == [3]


def test_a_snapshot_whose_connection_breaks_is_said(postgres_server: PostgresServer, store: PostgresStore) -> None:
    """Its reader begins anew; what it has read stays what it was."""
    store.write(ANA, inserting(1))
    with store.read(ANA) as tx:
        cut_off(postgres_server, tx)
        with pytest.raises(StorageUnavailable):
            tx.messages.page(MessageQuery())
    assert rows_in(store) == [1]


def test_calls_that_share_a_broken_commit_are_all_done_again(
    postgres_server: PostgresServer, store: PostgresStore
) -> None:
    """None is lost and none is written twice."""
    cuts = iter([True])

    def work(tx: Transaction, seq: int) -> None:
        tx.messages.insert(a_message(seq=seq))
        if seq == 5 and next(cuts, False):
            cut_off(postgres_server, tx)

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda seq: store.write(ANA, lambda tx: work(tx, seq), urgent=True), range(1, 17)))
    assert rows_in(store) == list(range(1, 17))


def test_connections_of_before_a_restart_are_replaced() -> None:
    """A server that was killed and is back serves the next caller; meanwhile it is said that it is gone."""
    with PostgresServer() as server, opened(server.url(), IMPATIENT) as store:
        with store.read(ANA), store.read(ANA):
            store.write(ANA, inserting(1))
        server.kill()
        with pytest.raises(StorageUnavailable, match="cannot be reached") as told:
            store.write(ANA, inserting(2))
        assert told.value.retryable
        with pytest.raises(StorageUnavailable):
            rows_in(store)
        server.start()
        store.write(ANA, inserting(3))
        assert rows_in(store) == [1, 3]


def test_a_deadlock_is_resolved_by_trying_again(postgres_url: str, postgres_server: PostgresServer) -> None:
    """Somebody who locks rows by hand, in another order than we do, ends our transaction; it is run once more."""
    with opened(postgres_url) as store, psycopg.connect(postgres_server.url("shared")) as other:
        store.write(ANA, inserting(1))
        other.execute("SET deadlock_timeout = '1min'")
        other.execute("SET search_path = yesteryear")
        other.execute("SELECT 1 FROM message WHERE seq = 1 FOR UPDATE")
        waiting = threading.Thread(target=lambda: (other.execute("SELECT 1 FROM owner FOR UPDATE"), other.rollback()))
        tries: list[int] = []

        def work(tx: Transaction) -> int:
            tries.append(len(tries))
            if len(tries) == 1:
                waiting.start()
            tx.messages.update([replace(a_message(seq=1), attempts=len(tries))])
            return len(tries)

        assert store.write(ANA, work) == 2
        waiting.join()
        with store.read(ANA) as tx:
            assert [row.attempts for row in tx.messages.page(MessageQuery())] == [2]


def test_an_owner_held_by_another_process_for_too_long_is_said(store: PostgresStore, postgres_url: str) -> None:
    """Other owners do not wait; the caller may try again, with success once the other is done."""
    with opened(postgres_url, IMPATIENT) as other:

        def hold(tx: Transaction) -> None:
            tx.messages.insert(a_message(seq=1))
            other.write(BEN, lambda tx: tx.messages.insert(a_message(scope=BEN)))
            with pytest.raises(StorageUnavailable, match="held these rows") as told:
                other.write(ANA, inserting(2))
            assert told.value.retryable

        store.write(ANA, hold)
        other.write(ANA, inserting(3))
    assert rows_in(store) == [1, 3]


def test_two_processes_that_begin_with_an_owner_together_do_not_mix(store: PostgresStore, postgres_url: str) -> None:
    """The first rows of somebody nobody knows yet: each writer sees what the one before has written."""

    def append(tx: Transaction) -> None:
        tx.messages.insert(a_message(seq=1 + len(tx.messages.page(MessageQuery(limit=100)))))

    with opened(postgres_url) as other, ThreadPoolExecutor(8) as pool:
        for future in [pool.submit(which.write, ANA, append) for which in (store, other) * 20]:
            future.result()
    assert rows_in(store) == list(range(1, 41))


def test_a_caller_that_finds_no_connection_is_told_which_setting_to_raise(postgres_url: str) -> None:
    """After a while; and goes on when one is free."""
    policy = replace(IMPATIENT, connections=2)
    with opened(postgres_url, policy) as store:
        with store.read(ANA), store.read(BEN), pytest.raises(StorageUnavailable, match="setting connections"):
            store.write(ANA, inserting(1))
        store.write(ANA, inserting(1))
        assert rows_in(store) == [1]


def test_many_callers_of_one_owner_need_one_connection(store: PostgresStore, postgres_url: str) -> None:
    """They share transactions, and are acknowledged each for itself."""
    together = threading.Barrier(64)

    def call(seq: int) -> None:
        together.wait()
        store.write(ANA, inserting(seq), urgent=True)

    with ThreadPoolExecutor(64) as pool:
        list(pool.map(call, range(1, 65)))
    assert rows_in(store) == list(range(1, 65))
    assert store._pool.idle <= 2
    described = store.describe()
    assert described["calls"] == 64
    assert int(str(described["commits"])) < 32


def test_a_key_that_is_taken_is_a_conflict_that_ends_its_call_only(store: PostgresStore) -> None:
    """PostgreSQL ends the whole transaction over it; those who share it lose nothing."""
    store.write(ANA, inserting(1))
    futures = [store.submit(ANA, inserting(seq), urgent=True) for seq in (2, 1, 3)]
    errors = [future.exception(timeout=30) for future in futures]
    assert [type(error) for error in errors] == [type(None), Conflict, type(None)]
    assert rows_in(store) == [1, 2, 3]


def test_a_text_that_cannot_be_written_ends_its_call_only(store: PostgresStore) -> None:
    """Nobody waits for a message to be inserted, so it fails later, among the calls of others; they lose nothing."""
    broken = a_message(seq=2, content="\ud800")
    together = threading.Barrier(8)

    def call(seq: int) -> type:
        together.wait()
        work = (lambda tx: tx.messages.insert(broken)) if seq == 2 else inserting(seq)
        return type(store.submit(ANA, work, urgent=True).exception(timeout=30))

    with ThreadPoolExecutor(8) as pool:
        errors = list(pool.map(call, range(1, 9)))
    assert errors == [InputError if seq == 2 else type(None) for seq in range(1, 9)]
    assert rows_in(store) == [1, *range(3, 9)]


def test_what_nobody_waits_for_is_seen_by_the_next_question(store: PostgresStore) -> None:
    """A transaction reads what it has written, counted with the number that it commits with."""

    def work(tx: Transaction) -> tuple[list[int], int]:
        before = tx.owner().rev
        tx.messages.insert(a_message(seq=1))
        seen = [row.seq for row in tx.messages.page(MessageQuery())]
        tx.messages.insert(a_message(seq=2))
        return [*seen, tx.owner().rev - before], tx.owner().rev

    seen, rev = store.write(ANA, work)
    assert seen == [1, 1]
    with store.read(ANA) as tx:
        assert tx.owner().rev == rev
        assert len(tx.changes(rev - 1).messages) == 2


def test_nothing_can_be_written_later_in_a_snapshot(store: PostgresStore) -> None:
    """It is refused at once, and not forgotten."""
    with store.read(ANA) as tx, pytest.raises(StorageError, match="snapshot"):
        tx.messages.insert(a_message(seq=1))


def test_work_that_overlooks_a_failed_statement_is_not_half_written(store: PostgresStore) -> None:
    """Whoever catches the error of a statement must not be told that all is well."""
    store.write(ANA, inserting(1))

    def work(tx: Transaction) -> None:
        tx.messages.insert(a_message(seq=2))
        tx.messages.insert(a_message(seq=1))
        with pytest.raises(Conflict):
            tx.messages.page(MessageQuery())

    with pytest.raises(StorageError, match="ignored"):
        store.write(ANA, work)
    assert rows_in(store) == [1]


@pytest.mark.parametrize("others", [0, 3])
def test_an_interrupt_writes_nothing_and_stops_nobody_else(store: PostgresStore, others: int) -> None:
    """Ctrl-C in the midst of a caller's work, alone and with calls that wait behind it."""
    store.write(ANA, inserting(1))

    def interrupted(tx: Transaction) -> None:
        tx.messages.insert(a_message(seq=2))
        raise KeyboardInterrupt

    futures = [store.submit(ANA, inserting(10 + number), urgent=True) for number in range(others)]
    with pytest.raises(KeyboardInterrupt):
        store.write(ANA, interrupted, urgent=True)
    for future in futures:
        future.result(timeout=30)
    assert rows_in(store) == [1, *range(10, 10 + others)]
    assert add(store, a_message(seq=3)) is None


def test_an_interrupt_while_answers_are_under_way_is_not_told_as_a_lost_server(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pipeline that was interrupted cannot be left in order; who pressed ctrl-C sees that and no other error."""
    wait = psycopg.Connection.wait
    struck: list[str] = []

    def interrupted(connection: psycopg.Connection, answers: Any, interval: float = 0.1) -> Any:
        if answers.__name__ == "_exit_gen" and not struck:
            struck.append(answers.__name__)
            raise KeyboardInterrupt
        return wait(connection, answers, interval)

    store.write(ANA, inserting(6))
    monkeypatch.setattr(psycopg.Connection, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        store.write(ANA, inserting(7))
    assert struck
    store.write(ANA, inserting(8))
    assert rows_in(store) == [6, 8]


# --- erasing -------------------------------------------------------------------------------------------------------


def test_deleted_rows_leave_the_tables(postgres_server: PostgresServer, store: PostgresStore) -> None:
    """After a scrub no page holds them, and the receipt says what nobody could look at."""
    add(store, *(a_message("so many words " * 40, seq=seq) for seq in range(1, 200)))
    store.write(ANA, lambda tx: tx.erase())
    scrubbed = store.scrub([b"so many words"])
    assert scrubbed.waits_for == ""
    assert "backups" in scrubbed.limits
    assert "refused" not in scrubbed.limits
    with store._pool.lend() as link:
        size = "SELECT pg_relation_size('message') + pg_relation_size('conversation') AS bytes"
        assert link.look(size) == [{"bytes": 0}]


def test_a_reader_of_before_makes_an_erasure_wait(store: PostgresStore, postgres_url: str) -> None:
    """It still sees the rows, so nobody can free their room; afterwards it is done."""
    add(store, a_message())
    with opened(postgres_url, IMPATIENT) as other, store.read(ANA) as tx:
        other.write(ANA, lambda tx: tx.erase())
        assert "reads" in other.scrub([]).waits_for
        assert len(tx.messages.page(MessageQuery())) == 1
    assert store.scrub([]).waits_for == ""


def test_skipped_text_of_before_is_due_to_be_dated_anew(postgres_server: PostgresServer, vectored: str) -> None:
    """For every person, behind the second wall too; a worker finds who it is."""
    url = postgres_server.url(vectored, role=ROLE)
    with opened(url) as store:
        row = a_message(verdict=SKIPPED, expires_at=at(60))
        store.write(ANA, lambda tx: tx.messages.insert(row))
    administer(postgres_server, "DELETE FROM yesteryear.schema_migration WHERE version = 2", database=vectored)
    with opened(url) as store:
        assert store.due(at(0), limit=9) == [ANA.owner]
        with store.read(ANA) as tx:
            assert tx.messages.get([row.id])[0].expires_at == UNDATED
        with store._pool.lend() as link:
            forced = link.look("SELECT COUNT(*) AS n FROM pg_class WHERE relname = 'message' AND relforcerowsecurity")
            assert forced == [{"n": 1}]
