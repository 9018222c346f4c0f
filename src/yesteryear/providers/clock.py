"""Clocks."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

from yesteryear.core.time import parse_instant


class SystemClock:
    """The computer's clock."""

    def now(self) -> datetime:
        """Return the present instant in UTC."""
        return datetime.now(UTC)


class ReplayClock:
    """A clock that is set by hand, to live through a year in seconds. Thread-safe."""

    def __init__(self, start: datetime) -> None:
        self._lock = threading.Lock()
        self._now = parse_instant(start)

    def now(self) -> datetime:
        """Return the instant it was set to."""
        with self._lock:
            return self._now

    def set(self, instant: datetime) -> None:
        """Set it; backwards too."""
        with self._lock:
            self._now = parse_instant(instant)

    def advance(self, by: timedelta) -> None:
        """Move it by some time."""
        with self._lock:
            self._now += by
