"""How many connections are held at a time, and which of them goes when there are too many."""

from __future__ import annotations

import resource
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class ConnectionPolicy:
    """How many connections there may be."""

    most: int = 4000
    """Connections at a time, at least 1. A choice: each takes some 30 kB."""
    reserve: int = 256
    """Files left to stores, models and servers behind us, at most half of those that the process may have open."""
    share: float = 0.75
    """Part of them that one address may hold, above 0 and at most 1. A choice: a proxy has most callers behind one
    address, and a stranger must not hold all there are."""

    def room(self, files: int) -> int:
        """Return how many connections there may be in a process that may have so many files open."""
        return max(1, min(self.most, max(files - self.reserve, files // 2)))


class Connection(Protocol):
    """One connection, as far as it can be given up."""

    def give_up(self) -> None:
        """Close it; ``Connections.leave`` is called for it."""
        ...


class Connections:
    """All connections of a server. For one event loop.

    Where there is no room for another one, the one goes that has waited longest without a whole request, of the address
    that has most of these: whoever only holds connections loses them to whoever uses theirs.

    Args:
        room: How many there may be.
        of_one: How many of them one address may hold.
    """

    def __init__(self, room: int, of_one: int) -> None:
        self._room = room
        self._of_one = of_one
        self._held: dict[Connection, str] = {}
        self._counts: dict[str, int] = {}
        self._idle: dict[str, dict[Connection, None]] = {}

    @classmethod
    def of_process(cls, policy: ConnectionPolicy) -> Connections:
        """Return room for as many as this process can have."""
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        room = policy.room(policy.most * 2 if files == resource.RLIM_INFINITY else files)
        return cls(room, max(1, int(room * policy.share)))

    def __len__(self) -> int:
        return len(self._held)

    def enter(self, connection: Connection, address: str) -> bool:
        """Take a connection up, idle as yet; tell whether there is room for it."""
        if self._counts.get(address, 0) >= self._of_one and not self._make_room(address):
            return False
        if len(self._held) >= self._room and not self._make_room():
            return False
        self._held[connection] = address
        self._counts[address] = self._counts.get(address, 0) + 1
        self.rest(connection)
        return True

    def rest(self, connection: Connection) -> None:
        """Note that a connection waits for a request from now on."""
        if connection in self._held:
            self._idle.setdefault(self._held[connection], {})[connection] = None

    def work(self, connection: Connection) -> None:
        """Note that a connection holds a request."""
        address = self._held.get(connection)
        if address is not None and address in self._idle:
            self._idle[address].pop(connection, None)
            if not self._idle[address]:
                del self._idle[address]

    def leave(self, connection: Connection) -> None:
        """Let go of a connection. Twice is harmless."""
        self.work(connection)
        address = self._held.pop(connection, None)
        if address is not None:
            self._counts[address] -= 1
            if not self._counts[address]:
                del self._counts[address]

    def _make_room(self, address: str | None = None) -> bool:
        """Give up one that is idle, of an address or of the one that has most of them; tell whether there was one."""
        if address is None and self._idle:
            address = max(self._idle, key=lambda each: len(self._idle[each]))
        waiting = self._idle.get(address or "")
        if not waiting:
            return False
        longest = next(iter(waiting))
        self.leave(longest)
        longest.give_up()
        return True
