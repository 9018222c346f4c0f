"""The connections of one process: a few, kept open, lent to one thread at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TypeAlias

from yesteryear.errors import StorageError, StorageUnavailable
from yesteryear.storage.postgres.connect import PostgresPolicy
from yesteryear.storage.postgres.link import Link

Begin: TypeAlias = Callable[[Link], None]


class Pool:
    """Lends connections with a transaction begun on them.

    Args:
        connect: Opens another connection.
        policy: How many, and how long to wait for one.
    """

    def __init__(self, connect: Callable[[], Link], policy: PostgresPolicy) -> None:
        self._connect = connect
        self._policy = policy
        self._free = threading.Semaphore(policy.connections)
        self._idle: list[Link] = []
        self._is_closed = False

    @property
    def idle(self) -> int:
        """How many connections are open and not lent."""
        return len(self._idle)

    @contextmanager
    def lend(self, begin: Begin | None = None, *, wait_s: float | None = None) -> Iterator[Link]:
        """Lend a connection; what is not committed when it comes back is rolled back.

        Args:
            begin: Begins a transaction. A connection that turns out to be lost by it, since the server was started
                anew, say, is replaced.
            wait_s: How long to wait for one, in seconds; as the policy says where not given.

        Raises:
            StorageUnavailable: all are in use for too long, or the server cannot be reached.
        """
        wait_s = self._policy.wait_s if wait_s is None else wait_s
        if not self._free.acquire(timeout=wait_s):
            raise StorageUnavailable(
                f"all {self._policy.connections} connections of this process were in use for {wait_s:g} seconds; do "
                "less at once, or raise the setting connections"
            )
        try:
            link = self._begun(begin)
            try:
                yield link
            finally:
                self._take_back(link)
        finally:
            self._free.release()

    def close(self) -> None:
        """Close all connections, those that are lent when they come back."""
        self._is_closed = True
        while self._idle:
            self._idle.pop().close()

    def _begun(self, begin: Begin | None) -> Link:
        while True:
            link, is_new = self._take()
            with ExitStack() as unfinished:
                unfinished.callback(link.close)  # also where it is interrupted, for nobody knows how far it came
                try:
                    if begin is not None:
                        begin(link)
                except StorageError:
                    if link.is_lost and not is_new:
                        continue
                    if not link.is_lost:
                        unfinished.pop_all()
                        self._take_back(link)
                    raise
                unfinished.pop_all()
                return link

    def _take(self) -> tuple[Link, bool]:
        try:
            return self._idle.pop(), False
        except IndexError:
            return self._connect(), True

    def _take_back(self, link: Link) -> None:
        link.roll_back()
        if self._is_closed or not link.is_idle:
            link.close()
        else:
            self._idle.append(link)
