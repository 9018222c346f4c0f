"""One caller's work on its way through a store, and the line in which it waits for a commit."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractContextManager, suppress
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, Generic, TypeVar

from yesteryear.core.scope import Owner
from yesteryear.storage.sql.owner_rows import StatementRunner

T = TypeVar("T")

_URGENT_IN_A_ROW = 8
"""After so many commits of urgent calls one other call gets its turn, so that the worker is not starved."""
_NAP_S = 0.05  # longest sleep of a waiting caller, in seconds: what a wake-up costs that an interrupt has swallowed


class Call(AbstractContextManager["Call[T]"], Generic[T]):
    """One caller's work on an owner's rows, and what became of it. As a context it takes up the error that ends it."""

    __slots__ = ("bell", "error", "future", "is_done", "is_urgent", "owner", "result", "run")

    def __init__(
        self,
        owner: Owner,
        run: Callable[[StatementRunner], T],
        *,
        urgent: bool = False,
        future: Future[T] | None = None,
    ) -> None:
        self.owner = owner
        self.run = run
        self.is_urgent = urgent
        self.future = future
        self.result: T
        self.error: BaseException | None = None
        self.is_done = False
        self.bell: SimpleQueue[None] = SimpleQueue()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if error is None:
            return False
        if not isinstance(error, Exception) and threading.current_thread() is threading.main_thread():
            return False  # ctrl-C: it concerns whoever commits, not the call that happens to run
        self.error = error
        return True

    def attempt(self, runner: StatementRunner) -> bool:
        """Run the work and keep what becomes of it; tell whether it went well."""
        self.error = None
        with self:
            self.result = self.run(runner)
        return self.error is None

    def finish(self, error: BaseException | None) -> None:
        """Tell whoever waits. Doing it twice is harmless."""
        self.error = error
        self.is_done = True
        self.bell.put(None)

    def resolve(self) -> None:
        """Hand the result to the future."""
        if self.future is None:
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)


class CallLine:
    """Calls that wait for a commit, urgent ones before others; whoever has the ``lock`` commits for all of them."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.urgent: deque[Call[Any]] = deque()
        self.others: deque[Call[Any]] = deque()
        self._urgent_in_a_row = 0

    def __bool__(self) -> bool:
        return bool(self.urgent or self.others)

    def add(self, call: Call[Any]) -> None:
        """Put a call behind those of its urgency."""
        (self.urgent if call.is_urgent else self.others).append(call)

    def next(self, limit: int) -> tuple[deque[Call[Any]], int]:
        """Return the calls that go next, which stay until they are done, and how many of them may share a commit."""
        if self.urgent and not (self.others and self._urgent_in_a_row >= _URGENT_IN_A_ROW):
            self._urgent_in_a_row += 1
            return self.urgent, limit
        self._urgent_in_a_row = 0
        return self.others, 1

    def help(self, call: Call[Any], commit: Callable[[], None], *, is_held_up: bool = False) -> None:
        """Sleep while another one commits, then commit the next batch if this call is not done by then."""
        if self.lock.locked() or is_held_up:
            with suppress(Empty):
                call.bell.get(timeout=_NAP_S)
        if not call.is_done:
            with self.lock:
                if not call.is_done:
                    commit()
            self.wake_next()

    def wake_next(self) -> None:
        """Tell the first that it is its turn; with the lock free already, so that nobody is missed."""
        if calls := self.urgent or self.others:
            with suppress(IndexError):  # another one has emptied it meanwhile
                calls[0].bell.put(None)

    def drop_done(self) -> None:
        """Forget the calls that are done."""
        for calls in (self.urgent, self.others):
            while calls and calls[0].is_done:
                calls.popleft()
