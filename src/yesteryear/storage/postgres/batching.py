"""Whose turn it is: calls of one owner, one transaction after another, those that wait together in one.

Each owner has a line of their own, other than with a file (``sqlite/commit.py``): a thousand callers of one owner need
one connection and a few commits, and callers of different owners do not wait for each other.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

from yesteryear.core.rows.due_work import Attempt
from yesteryear.core.scope import Owner
from yesteryear.errors import ConfigError, StorageError, StorageUnavailable
from yesteryear.storage.postgres.connect import PostgresPolicy
from yesteryear.storage.postgres.connection import Link, Pool
from yesteryear.storage.sql.queued_call import Call, CallLine, CallQueues


class Batch:
    """Up to ``limit`` calls that share a commit: those that are ``waiting``, and those that come while these are run.

    Nobody leaves the line meanwhile.
    """

    def __init__(self, waiting: Sequence[Call[Any]], limit: int) -> None:
        self._waiting = waiting
        self._limit = limit
        self.begun: list[Call[Any]] = []  # the calls that were given out, and not taken back by their callers

    def __iter__(self) -> Iterator[Call[Any]]:
        """Give out the calls, from the first one on each time."""
        self.begun = []
        number = 0
        while number < min(self._limit, len(self._waiting)):
            call = self._waiting[number]
            number += 1
            if not call.is_done:
                self.begun.append(call)
                yield call


class Turns(CallQueues):
    """The lines of all owners. The futures of so many owners as there are connections are worked on at once."""

    def __init__(self, pool: Pool, policy: PostgresPolicy) -> None:
        super().__init__(calls_per_commit=policy.calls_per_commit, threads=policy.connections)
        self._pool = pool
        self._policy = policy

    def _commit_next(self, line: CallLine) -> None:
        line.drop_done()
        try:
            batch = Batch(*line.next(self._limit))
            self._commit(line.owner, batch)
            with self._admission:
                self.commits += 1
                self.calls += len(batch.begun)
        finally:
            line.drop_done()

    def _commit(self, owner: Owner, batch: Batch) -> None:
        """Run calls of one owner in a transaction, again where it met another one, and tell them what became of it."""
        for tries_left in reversed(range(self._policy.tries)):
            if tries_left < self._policy.tries - 1:
                time.sleep(self._policy.try_again_s)
            with Attempt() as attempt:
                if self._is_settled(owner, batch, is_last=tries_left == 0):
                    return
            if attempt.error is not None:
                for call in batch.begun or batch:
                    if not call.is_done:
                        call.finish(_told(attempt.error))
                return

    def _is_settled(self, owner: Owner, batch: Batch, *, is_last: bool) -> bool:
        """Run calls in one transaction, or where one spoils it each in its own; False where it is worth another try."""
        with self._pool.lend(lambda link: link.begin_writing(owner)) as link:
            is_good = _run(link, owner, batch)
            if link.is_worth_another_try:
                if is_last:
                    raise link.error
                return False
            if is_good or len(batch.begun) == 1:
                _end(link, batch.begun, is_good=is_good)
                return True
        for call in batch.begun:
            self._commit(owner, Batch([call], 1))
        return True


def _run(link: Link, owner: Owner, batch: Batch) -> bool:
    """Run calls so far that nothing but the commit is left; tell whether it may be done.

    It may where a call has failed before it changed anything; what one has changed is undone with the transaction only.
    """
    for call in batch:
        changes = link.changes
        call.attempt(link)
        if link.is_failed and call.error is None:
            call.error = StorageError(f"a statement failed, and its error was ignored: {link.error}")
        if link.is_failed or (call.error is not None and link.changes > changes):
            return False
    with Attempt() as attempt:
        if link.changes:
            link.settle(owner)
    if attempt.error is not None:
        for call in batch.begun:
            call.error = attempt.error
    return attempt.error is None


def _end(link: Link, calls: Sequence[Call[Any]], *, is_good: bool) -> None:
    """Commit what was changed and tell the calls, also when it is interrupted, for then nobody must run them again."""
    unknown: Exception | None = StorageUnavailable(
        "the commit was interrupted: whether it was written is not known; look before trying again"
    )
    try:
        if is_good and link.changes:
            link.commit()
        unknown = None
    except StorageError as exc:
        unknown = exc
    finally:
        for call in calls:
            call.finish(call.error if unknown is None else _told(unknown))


def _told(error: Exception) -> Exception:
    """Return an error as one of several callers is told it: an exception of its own."""
    if not isinstance(error, StorageError | ConfigError):
        return error
    told = type(error)(str(error))
    told.__cause__ = error
    return told
