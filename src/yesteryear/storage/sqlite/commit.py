"""Group commit: calls that wait together share one transaction and one fsync.

Whoever waits commits. A caller queues its call; if nobody commits at the moment it does so itself, for everybody in the
queue, else it sleeps until it is told that its call is done or that it is its turn. So an idle engine needs no thread
switch for a write, and a busy one gathers calls while the disk syncs. Futures are resolved by a thread of their own.

Calls stay in their queue until they are done. Whatever interrupts a committing caller, ctrl-C above all, nobody else
loses anything: the next one rolls back or acknowledges what it finds and goes on with the queue.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any, TypeVar

from yesteryear.core.rows.due_work import Attempt
from yesteryear.errors import EngineClosed, YesteryearError
from yesteryear.storage.sql.owner_rows import StatementRunner
from yesteryear.storage.sql.queued_call import Call, CallLine
from yesteryear.storage.sqlite.connect import SQLitePolicy, execute_when_free

T = TypeVar("T")


class GroupCommit:
    """The one writing connection of this process, and the queues before it; see ``storage.sql.store.CallQueue``."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        runner: StatementRunner,
        policy: SQLitePolicy,
        *,
        translate_error: Callable[[Exception], YesteryearError],
        after_commit: Callable[[int], None],
    ) -> None:
        """Take over ``connection``, on which ``runner`` runs; ``after_commit`` is told how many rows it has changed."""
        self._connection = connection
        self._runner = runner
        self._policy = policy
        self._translate = translate_error
        self._after_commit = after_commit
        self._line = CallLine()
        self._admission = threading.Lock()
        self._is_closed = False
        self._is_pausing = False
        self._running: list[Call[Any]] = []
        self._outcome: list[object] = []
        self._inbox: SimpleQueue[Call[Any] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._serve_futures, name="yesteryear-writer", daemon=True)
        self.commits = 0
        self.calls = 0

    def wait_for(self, call: Call[T]) -> T:
        with self._admission:
            self._enqueue(call)
        try:
            while not call.is_done:
                self._help(call)
        finally:
            call.is_done = True
        if call.error is not None:
            raise call.error
        return call.result

    def hand_over(self, call: Call[T]) -> None:
        with self._admission:
            if not self._is_closed and self._thread.ident is None:
                self._thread.start()
            self._enqueue(call)
            self._inbox.put(call)

    def yield_to_foreground(self, *, at_most_s: float) -> None:
        deadline = time.monotonic() + at_most_s
        while any(not call.is_done for call in tuple(self._line.urgent)) and time.monotonic() < deadline:
            time.sleep(self._policy.poll_low_s)

    @contextmanager
    def paused(self) -> Iterator[sqlite3.Connection]:
        """Lend the connection while nothing is committed. Goes before callers who wait, or it would wait for ever."""
        self._is_pausing = True
        try:
            with self._line.lock:
                yield self._connection
        finally:
            self._is_pausing = False
            self._line.wake_next()

    def close(self) -> None:
        """Commit what is queued and refuse the rest. Doing it twice is harmless."""
        with self._admission:
            self._is_closed = True
        with self._line.lock:
            while self._line:
                self._commit_batch()
        self._inbox.put(None)
        if self._thread.ident is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def _enqueue(self, call: Call[Any]) -> None:
        if self._is_closed:
            raise EngineClosed
        self._line.add(call)

    def _help(self, call: Call[Any]) -> None:
        self._line.help(call, self._commit_batch, is_held_up=self._is_pausing)

    def _serve_futures(self) -> None:
        for call in iter(self._inbox.get, None):
            if not call.is_done:
                self._help_or_fail(call)
            if call.is_done:
                call.resolve()
            else:  # urgent calls went first
                self._inbox.put(call)
        while not self._inbox.empty():
            left = self._inbox.get()
            if left is not None:
                left.resolve()

    def _help_or_fail(self, call: Call[Any]) -> None:
        """Help as a waiting caller does; what a caller would have raised fails the call, and its thread goes on."""
        with Attempt() as attempt:
            self._help(call)
        if attempt.error is not None:
            with self._line.lock:  # so that nobody commits the call while it is given up
                if not call.is_done:
                    call.finish(self._told(attempt.error))

    def _commit_batch(self) -> None:
        """Commit what waits. Called with the lock held; an interrupt at any point leaves it to the next one."""
        self._finish_batch()
        queue, limit = self._line.next(self._policy.calls_per_commit)
        waiting = min(limit, len(queue))
        try:
            execute_when_free(self._connection, "BEGIN IMMEDIATE", self._policy)
            if self._run_calls(queue, limit):
                # One call into C: an interrupt falls before the commit or after it was noted, never between.
                self._outcome.extend(map(self._connection.execute, ("COMMIT",)))
        except self._connection.Error as exc:
            if not self._running:
                self._running.extend(queue[i] for i in range(waiting))
            self._outcome.append(exc)
        finally:
            self._finish_batch()
        self._after_commit(self._connection.total_changes)

    def _run_calls(self, queue: deque[Call[Any]], limit: int) -> bool:
        """Run the calls of a queue, also those that come meanwhile; tell whether there is something to commit."""
        while len(self._running) < min(limit, len(queue)):
            call = queue[len(self._running)]
            self._running.append(call)
            if call.is_done:  # taken back
                continue
            is_first = len(self._running) == 1
            if not is_first:
                self._connection.execute("SAVEPOINT call")
            is_good = call.attempt(self._runner)
            if not is_good and (is_first or not self._connection.in_transaction):
                # It stands alone, or took the transaction with it, as on a full disk: the others go with the next.
                self._running[:] = [call]
                self._outcome.append(call.error)
                return False
            if not is_good:
                self._connection.execute("ROLLBACK TO call")
            if not is_first:
                self._connection.execute("RELEASE call")
        return True

    def _finish_batch(self) -> None:
        """Roll back what is not committed, and tell those whose calls are done. Can be repeated at any point."""
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")
        if self._outcome:
            ending = self._outcome[0]
            failure = ending if isinstance(ending, BaseException) else None
            for call in self._running:
                call.finish(self._told(call.error if failure is None else failure))
            self.calls += len(self._running)
            self.commits += failure is None
        self._running.clear()
        self._outcome.clear()
        self._line.drop_done()

    def _told(self, error: BaseException | None) -> BaseException | None:
        """Return the error as a caller is told it: ours, and a new one for each caller."""
        if not isinstance(error, self._connection.Error):
            return error
        told = self._translate(error)
        told.__cause__ = error
        return told
