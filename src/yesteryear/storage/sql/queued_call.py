"""One caller's work on its way through a store, the line in which it waits for a commit, and whose turn it is.

Whoever waits commits. A caller queues its call; if nobody commits that line at the moment it does so itself, for all in
it, else it sleeps until it is told that its call is done or that it is its turn. So an idle engine needs no thread
switch for a write, and a busy one gathers calls while the disk syncs. Futures are resolved by threads of their own.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, Generic, TypeVar

from yesteryear.core.rows.due_work import Attempt
from yesteryear.core.scope import Owner
from yesteryear.errors import EngineClosed
from yesteryear.storage.sql.owner_rows import StatementRunner

T = TypeVar("T")

_URGENT_IN_A_ROW = 8
"""After so many commits of urgent calls one other call gets its turn, so that the worker is not starved."""
_NAP_S = 0.05  # longest sleep of a waiting caller, in seconds: what a wake-up costs that an interrupt has swallowed
_LOOK_S = 0.0005  # pause between two looks whether urgent calls are done, in seconds


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

    def __init__(self, owner: Owner, *, users: int = 0) -> None:
        self.owner = owner
        self.users = users  # calls that somebody waits for; without any the line is given up
        self.lock = threading.Lock()
        self.is_held_up = False  # whether somebody else wants the lock first
        self.urgent: deque[Call[Any]] = deque()
        self.others: deque[Call[Any]] = deque()
        self.promised: deque[Call[Any]] = deque()  # calls with a future that is not resolved
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

    def help(self, call: Call[Any], commit: Callable[[CallLine], None]) -> None:
        """Sleep while another one commits, then commit the next batch if this call is not done by then."""
        if self.lock.locked() or self.is_held_up:
            with suppress(Empty):
                call.bell.get(timeout=_NAP_S)
        if not call.is_done:
            with self.lock:
                if not call.is_done:
                    commit(self)
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


class Turns:
    """The lines of all owners, each committed by itself.

    ``commit`` runs the next calls of a line, whose lock is held, and finishes each of them, whatever happens but an
    interrupt. The futures of so many lines as there are ``threads`` are worked on at once.
    """

    def __init__(self, commit: Callable[[CallLine], None], *, threads: int) -> None:
        self._commit = commit
        self._lines: dict[Owner, CallLine] = {}
        self._admission = threading.Lock()
        self._is_closed = False
        self._keepers: set[int] = set()
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="yesteryear-writer")
        self.commits = 0
        self.calls = 0

    def wait_for(self, call: Call[T]) -> T:
        """Queue a call, see it committed, and return its result or raise its error.

        Whoever is interrupted here takes the call back, unless it is too late.
        """
        with self._admission:
            line = self._enqueue(call)
        try:
            while not call.is_done:
                line.help(call, self._commit)
        finally:
            call.is_done = True
            with self._admission:
                self._leave(line)
        if call.error is not None:
            raise call.error
        return call.result

    def hand_over(self, call: Call[Any]) -> None:
        """Queue a call whose future is resolved later."""
        with self._admission:
            line = self._enqueue(call)
            line.promised.append(call)
            if len(line.promised) == 1:
                self._threads.submit(self._keep_promises, line)

    def yield_to_foreground(self, *, at_most_s: float) -> None:
        """Wait until no urgent call is under way, but not longer than ``at_most_s`` seconds."""
        deadline = time.monotonic() + at_most_s
        while time.monotonic() < deadline and any(
            not call.is_done for line in list(self._lines.values()) for call in tuple(line.urgent)
        ):
            time.sleep(_LOOK_S)

    def count(self, calls: int) -> None:
        """Note that so many calls were committed together."""
        with self._admission:
            self.commits += 1
            self.calls += calls

    def close(self) -> None:
        """Commit what is queued and refuse the rest. Doing it twice is harmless."""
        with self._admission:
            self._is_closed = True
            lines = list(self._lines.values())
        for line in lines:
            with line.lock:
                while line:
                    self._commit(line)
        self._threads.shutdown(wait=threading.get_ident() not in self._keepers)  # a callback may close the store

    def _line_of(self, owner: Owner, /) -> CallLine:
        return self._lines.setdefault(owner, CallLine(owner))

    def _enqueue(self, call: Call[Any]) -> CallLine:
        if self._is_closed:
            raise EngineClosed
        line = self._line_of(call.owner)
        line.users += 1
        line.add(call)
        return line

    def _leave(self, line: CallLine) -> None:
        line.users -= 1
        if line.users == 0:
            self._lines.pop(line.owner, None)

    def _keep_promises(self, line: CallLine) -> None:
        """Serve a line until all its futures are resolved; what a caller would have raised fails the call."""
        self._keepers.add(threading.get_ident())
        while True:
            call = line.promised[0]
            with Attempt() as attempt:
                while not call.is_done:
                    line.help(call, self._commit)
            if attempt.error is not None:
                with line.lock:  # so that nobody commits the call while it is given up
                    if not call.is_done:
                        call.finish(attempt.error)
            call.resolve()
            with self._admission:
                line.promised.popleft()
                self._leave(line)
                if not line.promised:
                    return
