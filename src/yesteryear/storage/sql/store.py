"""What both stores do that keep their rows in tables: take calls, answer what crosses owners, refuse when closed."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from datetime import datetime
from typing import Protocol, TypeVar

from yesteryear.core.erasure import Erasure
from yesteryear.core.rows.codec import Row
from yesteryear.core.scope import Owner, Scope
from yesteryear.core.time import to_microseconds
from yesteryear.errors import ConfigError, EngineClosed
from yesteryear.ports import Transaction
from yesteryear.storage.rows import read_erasure
from yesteryear.storage.sql.queued_call import Call
from yesteryear.storage.sql.transaction import bind

T = TypeVar("T")

_GIVE_WAY_S = 0.05  # longest pause of a worker for callers who wait, in seconds


class CallQueue(Protocol):
    """Where calls wait for the commit that they share."""

    def wait_for(self, call: Call[T]) -> T:
        """Queue a call and return its result, or raise its error; an interrupt takes it back while it can."""

    def hand_over(self, call: Call[T]) -> None:
        """Queue a call whose future is resolved later."""

    def yield_to_foreground(self, *, at_most_s: float) -> None:
        """Wait until no urgent call is under way, but not longer than ``at_most_s`` seconds."""


class SQLStore(ABC):
    """A store of one process; a process that is forked off needs another one. See ``ports.Store``."""

    _commits: CallQueue

    def __init__(self, durability: str) -> None:
        if durability not in ("full", "normal"):
            raise ConfigError(f"durability is 'full' or 'normal', not {durability!r}")
        self._pid = os.getpid()
        self._is_closed = False

    def write(self, scope: Scope, work: Callable[[Transaction], T], *, urgent: bool = False) -> T:
        self._check_usable()
        return self._commits.wait_for(Call(scope.owner, bind(scope, work), urgent=urgent))

    def submit(self, scope: Scope, work: Callable[[Transaction], T], *, urgent: bool = False) -> Future[T]:
        self._check_usable()
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()  # a caller that gives up cannot cancel a row any more
        self._commits.hand_over(Call(scope.owner, bind(scope, work), urgent=urgent, future=future))
        return future

    def due(self, now: datetime, *, limit: int) -> list[Owner]:
        return list(map(_owner, self._ask("owners_due", {"now": to_microseconds(now), "limit": limit})))

    def leases(self) -> list[tuple[Owner, str]]:
        return [(_owner(row), row["lease_by"]) for row in self._ask("leases", {})]

    def owners(self) -> list[Owner]:
        return list(map(_owner, self._ask("owners", {})))

    def erasures(self) -> list[Erasure]:
        return list(map(read_erasure, self._ask("erasures_pending", {})))

    def yield_to_foreground(self) -> None:
        self._commits.yield_to_foreground(at_most_s=_GIVE_WAY_S)

    @abstractmethod
    def _ask(self, name: str, parameters: Mapping[str, object]) -> Sequence[Row]:
        """Return what a statement finds that crosses owners."""

    def _check_usable(self) -> None:
        if not self._is_ours():
            raise EngineClosed("this engine was opened before a fork; open another one in the new process")
        if self._is_closed:
            raise EngineClosed

    def _is_ours(self) -> bool:
        return os.getpid() == self._pid


def _owner(row: Row) -> Owner:
    return Owner(row["tenant"], row["user"])
