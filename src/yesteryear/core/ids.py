"""Ids made by the application: UUID version 7, so that rows made later sort later."""

from __future__ import annotations

import secrets
import threading
from uuid import UUID

_RANDOM_BITS = 62
_COUNTER_BITS = 12
_COUNTER_MAX = (1 << _COUNTER_BITS) - 1


def format_uuid7(milliseconds: int, counter: int, random: int) -> str:
    """Return the text form of a UUIDv7 (RFC 9562): 48 bits of Unix time, 12 that count within one, 62 random."""
    value = (milliseconds & ((1 << 48) - 1)) << 80
    value |= 0x7 << 76 | (counter & _COUNTER_MAX) << 64
    value |= 0b10 << 62 | random & ((1 << _RANDOM_BITS) - 1)
    return str(UUID(int=value))


class UuidSource:
    """Makes ids that rise within this process, also when the clock stands still or goes back. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last_ms = 0
        self._counter = 0

    def new(self, milliseconds: int) -> str:
        """Return a fresh id for an event at ``milliseconds`` of Unix time."""
        with self._lock:
            if milliseconds > self._last_ms:
                self._last_ms, self._counter = milliseconds, 0
            else:
                self._counter += 1
                if self._counter > _COUNTER_MAX:
                    self._last_ms, self._counter = self._last_ms + 1, 0
            return format_uuid7(self._last_ms, self._counter, secrets.randbits(_RANDOM_BITS))
