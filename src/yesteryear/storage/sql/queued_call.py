"""One caller's work on its way through a store."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractContextManager
from queue import SimpleQueue
from types import TracebackType
from typing import Generic, TypeVar

from yesteryear.core.scope import Owner
from yesteryear.storage.sql.owner_rows import StatementRunner

T = TypeVar("T")


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
