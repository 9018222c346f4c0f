"""Whose turn it is: calls of one owner, one transaction after another, those that wait together in one.

Each owner has a line of their own, other than with a file (``sqlite/commit.py``): a thousand callers of one owner need
one connection and a few commits, and callers of different owners do not wait for each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from yesteryear.core.scope import Owner
from yesteryear.storage.sql.queued_call import Call, CallLine, CallQueues


class Batch:
    """Up to ``limit`` calls that share a commit: those that are ``waiting``, and those that come while these are run.

    Nobody leaves the line meanwhile.
    """

    def __init__(self, waiting: Sequence[Call[Any]], limit: int) -> None:
        self._waiting = waiting
        self._limit = limit
        self.begun: list[Call[Any]] = []
        """The calls that were given out, and not taken back by their callers."""

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
    """The lines of all owners.

    ``commit`` runs calls of one owner in one transaction and finishes each of them, whatever happens but an interrupt.
    The futures of so many owners as there are ``threads`` are worked on at once.
    """

    def __init__(self, commit: Callable[[Owner, Batch], None], *, calls_per_commit: int, threads: int) -> None:
        super().__init__(calls_per_commit=calls_per_commit, threads=threads)
        self._commit = commit

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
