"""Whose turn it is: calls of one owner, one transaction after another, those that wait together in one.

Whoever waits commits, as with a file (``sqlite/commit.py``), but for each owner apart: a thousand callers of one owner
need one connection and a few commits, and callers of different owners do not wait for each other.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from yesteryear.core.rows.due_work import Attempt
from yesteryear.core.scope import Owner
from yesteryear.errors import EngineClosed
from yesteryear.storage.sql.queued_call import Call, CallLine

T = TypeVar("T")

_NAP_S = 0.0005  # pause between two looks whether urgent calls are done, in seconds


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


class _Queue(CallLine):
    """The calls of one owner."""

    def __init__(self, owner: Owner) -> None:
        super().__init__()
        self.owner = owner
        self.promised: deque[Call[Any]] = deque()
        """Calls with a future that is not resolved."""
        self.users = 0


class Turns:
    """The queues of all owners; see ``storage.sql.store.CallQueue``.

    ``commit`` runs calls of one owner in one transaction and finishes each of them, whatever happens but an interrupt.
    The futures of so many owners as there are ``threads`` are worked on at once.
    """

    def __init__(self, commit: Callable[[Owner, Batch], None], *, calls_per_commit: int, threads: int) -> None:
        self._commit = commit
        self._limit = calls_per_commit
        self._queues: dict[Owner, _Queue] = {}
        self._admission = threading.Lock()
        self._is_closed = False
        self._keepers: set[int] = set()
        self.commits = 0
        self.calls = 0
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="yesteryear-writer")

    def wait_for(self, call: Call[T]) -> T:
        with self._admission:
            queue = self._enqueue(call)
            queue.users += 1
        try:
            while not call.is_done:
                queue.help(call, partial(self._serve_batch, queue))
        finally:
            call.is_done = True
            self._leave(queue)
        if call.error is not None:
            raise call.error
        return call.result

    def hand_over(self, call: Call[T]) -> None:
        with self._admission:
            queue = self._enqueue(call)
            queue.promised.append(call)
            if len(queue.promised) == 1:
                queue.users += 1
                self._threads.submit(self._keep_promises, queue)

    def yield_to_foreground(self, *, at_most_s: float) -> None:
        deadline = time.monotonic() + at_most_s
        while any(queue.urgent for queue in list(self._queues.values())) and time.monotonic() < deadline:
            time.sleep(_NAP_S)

    def close(self) -> None:
        """Commit what is queued and refuse the rest. Doing it twice is harmless."""
        with self._admission:
            self._is_closed = True
            queues = list(self._queues.values())
        for queue in queues:
            with queue.lock:
                while queue:
                    self._serve_batch(queue)
        self._threads.shutdown(wait=threading.get_ident() not in self._keepers)  # a callback may close the store

    def _enqueue(self, call: Call[Any]) -> _Queue:
        if self._is_closed:
            raise EngineClosed
        queue = self._queues.get(call.owner)
        if queue is None:
            queue = self._queues[call.owner] = _Queue(call.owner)
        queue.add(call)
        return queue

    def _leave(self, queue: _Queue) -> None:
        with self._admission:
            queue.users -= 1
            if queue.users == 0:
                self._queues.pop(queue.owner, None)

    def _serve_batch(self, queue: _Queue) -> None:
        queue.drop_done()
        try:
            batch = Batch(*queue.next(self._limit))
            self._commit(queue.owner, batch)
            with self._admission:
                self.commits += 1
                self.calls += len(batch.begun)
        finally:
            queue.drop_done()

    def _keep_promises(self, queue: _Queue) -> None:
        """Serve an owner until all futures of theirs are resolved."""
        self._keepers.add(threading.get_ident())
        while True:
            call = queue.promised[0]
            with Attempt() as attempt:
                while not call.is_done:
                    queue.help(call, partial(self._serve_batch, queue))
            if attempt.error is not None:
                call.finish(attempt.error)
            call.resolve()
            with self._admission:
                queue.promised.popleft()
                if not queue.promised:
                    break
        self._leave(queue)
