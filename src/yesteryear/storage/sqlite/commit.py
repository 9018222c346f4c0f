"""Group commit: calls that wait together share one transaction and one fsync.

Calls stay in their queue until they are done. Whatever interrupts a committing caller, ctrl-C above all, nobody else
loses anything: the next one rolls back or acknowledges what it finds and goes on with the queue.
"""

from __future__ import annotations

import sqlite3
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from yesteryear.core.scope import Owner
from yesteryear.storage.sql.owner_rows import StatementRunner
from yesteryear.storage.sql.queued_call import Call, CallLine, Turns
from yesteryear.storage.sqlite.connect import BEGIN, SQLitePolicy, execute_when_free, translate, translated


class GroupCommit(Turns):
    """The one writing connection of this process, and the line of everybody before it."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: Path,
        runner: StatementRunner,
        policy: SQLitePolicy,
        *,
        after_commit: Callable[[int], None],
    ) -> None:
        """Take over ``connection``, on which ``runner`` runs; ``after_commit`` is told how many rows it has changed."""
        super().__init__(self._commit_next, threads=1)
        self._connection = connection
        self._path = path
        self._runner = runner
        self._policy = policy
        self._after_commit = after_commit
        nobody = Owner("", "")
        self._line = self._lines[nobody] = CallLine(nobody, users=1)  # one for everybody, which is never given up
        self._running: list[Call[Any]] = []
        self._outcome: list[object] = []

    @contextmanager
    def paused(self) -> Iterator[sqlite3.Connection]:
        """Lend the connection while nothing is committed. Goes before callers who wait, or it would wait for ever."""
        self._line.is_held_up = True
        try:
            with self._line.lock:
                yield self._connection
        finally:
            self._line.is_held_up = False
            self._line.wake_next()

    def _line_of(self, _: Owner, /) -> CallLine:
        return self._line

    def _commit_next(self, _: CallLine) -> None:
        with translated(self._path, self._connection.Error):
            self._commit_batch()

    def _commit_batch(self) -> None:
        """Commit what waits. Called with the lock held; an interrupt at any point leaves it to the next one."""
        self._finish_batch()
        queue, limit = self._line.next(self._policy.calls_per_commit)
        waiting = min(limit, len(queue))
        try:
            execute_when_free(self._connection, BEGIN, self._policy)
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
        told = translate(error, self._path)
        told.__cause__ = error
        return told
