"""Calls that wait together share a commit, fail alone, and survive ctrl-C at any point."""

from __future__ import annotations

import dis
import resource
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any, Self

import pytest

from tests.rows import ANA
from yesteryear.core.rows.queries import MessageQuery
from yesteryear.errors import StorageError, StorageUnavailable
from yesteryear.ports import Transaction
from yesteryear.storage.sql import queued_call
from yesteryear.storage.sql.queued_call import Call
from yesteryear.storage.sql.store import bind
from yesteryear.storage.sqlite import commit
from yesteryear.storage.sqlite.connect import SQLitePolicy
from yesteryear.storage.sqlite.store import SQLiteStore
from yesteryear.testing.builders import a_message

Work = Callable[[Transaction], None]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SQLiteStore]:
    """Return a store in a new file."""
    store = SQLiteStore(tmp_path / "memory.db")
    yield store
    store.close()


def inserting(seq: int) -> Work:
    """Return work that inserts one message."""
    return lambda tx: tx.messages.insert(a_message(seq=seq))


def failing(seq: int, error: BaseException) -> Work:
    """Return work that fails after inserting a message."""

    def work(tx: Transaction) -> None:
        tx.messages.insert(a_message(seq=seq))
        raise error

    return work


def rows_in(store: SQLiteStore) -> list[int]:
    """Return which messages are in the file."""
    with store.read(ANA) as tx:
        return sorted(row.seq for row in tx.messages.page(MessageQuery(limit=10_000)))


def queue(store: SQLiteStore, work: Work, *, urgent: bool = True) -> Call[None]:
    """Put a call into the queue as if a thread waited for it that has not got its turn."""
    call = Call(ANA.owner, bind(ANA, work), urgent=urgent)
    store._commits._enqueue(call)
    return call


def tally(store: SQLiteStore) -> tuple[int, int]:
    """Return the numbers of commits and calls so far."""
    return store._commits.commits, store._commits.calls


def wait_until(is_so: Callable[[], bool]) -> None:
    """Wait until something has happened in another thread, for at most half a minute."""
    deadline = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_acknowledged_means_committed_with_full_sync(store: SQLiteStore) -> None:
    """The connection that acknowledges has synchronous=FULL, and its COMMIT comes before the caller goes on."""
    assert store._connection.execute("PRAGMA synchronous").fetchone()[0] == 2
    assert store.describe()["synchronous"] == 2
    events: list[str] = []
    store._connection.set_trace_callback(events.append)
    store.write(ANA, inserting(1), urgent=True)
    events.append("acknowledged")
    future = store.submit(ANA, inserting(2))
    future.add_done_callback(lambda _: events.append("resolved"))
    wait_until(lambda: "resolved" in events)
    told = [event for event in events if event in ("COMMIT", "acknowledged", "resolved")]
    assert told == ["COMMIT", "acknowledged", "COMMIT", "resolved"]


def test_a_lone_call_needs_no_savepoint_and_no_thread(store: SQLiteStore) -> None:
    """The common case is one transaction on the caller's own thread."""
    statements: list[str] = []
    threads: list[threading.Thread] = []
    store._connection.set_trace_callback(statements.append)
    store.write(ANA, lambda _: threads.append(threading.current_thread()), urgent=True)
    assert statements == ["BEGIN IMMEDIATE", "COMMIT"]
    assert threads == [threading.current_thread()]


def test_calls_that_wait_together_share_a_commit(store: SQLiteStore) -> None:
    """Sixty-four threads that queue while nothing can be committed are acknowledged by one fsync."""
    with ThreadPoolExecutor(64) as pool:
        with store._commits.paused():
            ends = [pool.submit(store.write, ANA, inserting(seq), urgent=True) for seq in range(1, 65)]
            wait_until(lambda: len(store._commits._line.urgent) == 64)
            before = tally(store)
        assert [end.result(timeout=30) for end in ends] == [None] * 64
    assert tally(store) == (before[0] + 1, before[1] + 64)
    assert rows_in(store) == list(range(1, 65))


def test_calls_that_come_while_others_run_share_their_commit(store: SQLiteStore) -> None:
    """A caller who comes before the COMMIT does not wait for the next one."""
    late: list[Call[None]] = []

    def work(tx: Transaction) -> None:
        inserting(1)(tx)
        late.append(queue(store, inserting(2)))

    store.write(ANA, work, urgent=True)
    assert late[0].is_done
    assert tally(store) == (1, 2)


def test_one_commit_takes_no_more_calls_than_the_policy_allows(tmp_path: Path) -> None:
    """The rest goes with the next."""
    store = SQLiteStore(tmp_path / "memory.db", SQLitePolicy(calls_per_commit=4))
    calls = [queue(store, inserting(seq)) for seq in range(1, 10)]
    store.write(ANA, inserting(10), urgent=True)
    assert all(call.is_done for call in calls)
    assert tally(store) == (3, 10)
    store.close()


@pytest.mark.parametrize("bad", [0, 1, 2, 4])
def test_a_call_that_fails_leaves_the_others_of_its_commit(store: SQLiteStore, bad: int) -> None:
    """First, last or between: its rows are undone, those before and after it stay."""
    error = LookupError("no")
    calls = [queue(store, failing(seq, error) if seq == bad else inserting(seq)) for seq in range(5)]
    store.write(ANA, inserting(5), urgent=True)
    assert [call.error for call in calls] == [error if seq == bad else None for seq in range(5)]
    assert rows_in(store) == [seq for seq in range(6) if seq != bad]


@pytest.mark.parametrize("bad", [0, 2])
def test_a_call_that_ends_the_whole_transaction_fails_alone(store: SQLiteStore, bad: int) -> None:
    """On a full disk SQLite rolls everything back: the others are run again, the culprit is told."""

    def lose_everything(tx: Transaction) -> None:
        inserting(bad)(tx)
        store._connection.execute("ROLLBACK")
        raise sqlite3.OperationalError("database or disk is full")

    calls = [queue(store, lose_everything if seq == bad else inserting(seq)) for seq in range(4)]
    store.write(ANA, inserting(4), urgent=True)
    assert [type(call.error) for call in calls] == [StorageError if seq == bad else type(None) for seq in range(4)]
    assert rows_in(store) == [seq for seq in range(5) if seq != bad]


def test_a_commit_that_fails_is_told_to_everyone_in_it(tmp_path: Path) -> None:
    """Each gets an error of its own to raise, nothing of theirs is in the file, and the next commit is fine."""
    store = SQLiteStore(tmp_path / "memory.db", SQLitePolicy(log_bytes=0))
    calls = [queue(store, inserting(seq)) for seq in range(3)]
    log = store.path.with_name("memory.db-wal")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (log.stat().st_size, hard))
    try:
        with pytest.raises(StorageUnavailable) as told:
            store.write(ANA, inserting(3), urgent=True)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    errors = [*(call.error for call in calls), told.value]
    assert [type(error) for error in errors] == [StorageUnavailable] * 4
    assert len({id(error) for error in errors}) == 4
    store.write(ANA, inserting(4), urgent=True)
    assert rows_in(store) == [4]
    store.close()


def test_urgent_calls_go_first_and_others_are_not_starved(tmp_path: Path) -> None:
    """Observing overtakes the worker, but after eight commits in a row one of the worker's has its turn."""
    store = SQLiteStore(tmp_path / "memory.db", SQLitePolicy(calls_per_commit=1))
    order: list[str] = []
    for _ in range(2):
        queue(store, lambda _: order.append("other"), urgent=False)
        for _ in range(6):
            queue(store, lambda _: order.append("urgent"))
    store.write(ANA, lambda _: order.append("last"), urgent=False)
    assert order == ["urgent"] * 8 + ["other"] + ["urgent"] * 4 + ["other", "last"]
    store.close()


def test_giving_way_lasts_while_an_urgent_call_is_under_way(store: SQLiteStore) -> None:
    """The worker goes on when the caller is done, and after its time in any case."""
    store._commits.yield_to_foreground(at_most_s=30)
    queue(store, lambda _: None, urgent=False)
    store._commits.yield_to_foreground(at_most_s=30)
    queue(store, inserting(1))
    store._commits.yield_to_foreground(at_most_s=0.02)
    gave_way = threading.Thread(target=store._commits.yield_to_foreground, kwargs={"at_most_s": 30})
    gave_way.start()
    store.write(ANA, inserting(2), urgent=True)
    gave_way.join(timeout=30)
    assert not gave_way.is_alive()


def test_an_exit_raised_by_work_ends_only_its_own_call(store: SQLiteStore) -> None:
    """On a thread of its own even SystemExit belongs to the call: the future hears it, the store goes on."""
    futures: list[Future[None]] = [
        store.submit(ANA, failing(1, SystemExit(3))),
        store.submit(ANA, inserting(2)),
    ]
    assert isinstance(futures[0].exception(timeout=30), SystemExit)
    assert futures[1].exception(timeout=30) is None
    assert rows_in(store) == [2]


def test_a_rollback_that_fails_is_told_and_the_thread_goes_on(store: SQLiteStore) -> None:
    """The future hears it, what it wrote is rolled back by the next, and later futures resolve."""
    refusals = [sqlite3.SQLITE_DENY]

    def refuse_a_rollback(action: int, what: str | None, *_: str | None) -> int:
        is_rollback = action == sqlite3.SQLITE_TRANSACTION and what == "ROLLBACK"
        return refusals.pop() if is_rollback and refusals else sqlite3.SQLITE_OK

    store._connection.set_authorizer(refuse_a_rollback)
    told = store.submit(ANA, failing(1, LookupError("no"))).exception(timeout=30)
    assert isinstance(told, StorageError)
    assert "not authorized" in str(told)
    assert refusals == []
    assert store.submit(ANA, inserting(2)).exception(timeout=30) is None
    assert rows_in(store) == [2]


def test_an_interrupted_call_is_taken_back(store: SQLiteStore) -> None:
    """Nobody waits for it any more, so it does not surface later; calls queued with it are done by the next."""
    calls = [queue(store, inserting(1))]
    with pytest.raises(KeyboardInterrupt):
        store.write(ANA, failing(2, KeyboardInterrupt()), urgent=True)
    calls.append(queue(store, inserting(3)))
    assert not store._connection.in_transaction
    store.write(ANA, inserting(4), urgent=True)
    assert [call.error for call in calls] == [None, None]
    assert rows_in(store) == [1, 3, 4]


def test_waiting_threads_go_on_when_the_committing_one_is_interrupted(store: SQLiteStore) -> None:
    """Nobody wakes them then, and still they finish."""
    with ThreadPoolExecutor(4) as pool:
        ends: list[Future[None]] = []

        def interrupted(_: Transaction) -> None:
            ends.extend(pool.submit(store.write, ANA, inserting(seq), urgent=True) for seq in range(1, 5))
            wait_until(lambda: len(store._commits._line.urgent) == 5)
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            store.write(ANA, interrupted, urgent=True)
        assert [end.result(timeout=30) for end in ends] == [None] * 4
    assert rows_in(store) == [1, 2, 3, 4]


class Interrupter:
    """Raises KeyboardInterrupt at the nth point in ``commit.py`` or its line at which a real ctrl-C could strike.

    Python looks for signals when a function begins, after a call and when it jumps back.
    """

    POINTS = ("RESUME", "CALL", "JUMP_BACKWARD")

    def __init__(self, nth: int) -> None:
        self.left = nth
        self._before: dict[FrameType, str] = {}

    def __enter__(self) -> Self:
        self._outer = sys.gettrace()
        sys._getframe().f_trace_opcodes = True  # Python 3.12 traces opcodes only where this was set before
        sys.settrace(self._trace)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(self._outer)

    def _trace(self, frame: FrameType, event: str, _: object) -> Any:
        if frame.f_code.co_filename not in (commit.__file__, queued_call.__file__):
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            before = self._before.get(frame, "")
            self._before[frame] = dis.opname[frame.f_code.co_code[frame.f_lasti]]
            if before.startswith(self.POINTS):
                self.left -= 1
                if self.left == 0:
                    raise KeyboardInterrupt
        return self._trace


@pytest.mark.parametrize("others", [0, 3])
def test_an_interrupt_at_any_point_loses_and_doubles_nothing(store: SQLiteStore, others: int) -> None:
    """Calls of others are done exactly once; the interrupted one at most once, and for certain when it returned."""
    for nth in count(1):
        first = nth * 10
        calls = [queue(store, inserting(first + number)) for number in range(others)]
        is_written, interrupter = False, Interrupter(nth)
        with suppress(KeyboardInterrupt), interrupter:
            store.write(ANA, inserting(first + 8), urgent=True)
            is_written = True
        store.write(ANA, inserting(first + 9), urgent=True)
        assert [(call.is_done, call.error) for call in calls] == [(True, None)] * others
        found = [row - first for row in rows_in(store) if row >= first]
        assert found in ([*range(others), 8, 9], None if is_written else [*range(others), 9])
        if interrupter.left > 0:
            break
    assert is_written
    assert nth > 40
