"""A clock that stands still until it is told to go on."""

from __future__ import annotations

from datetime import datetime, timedelta

from yesteryear.core.time import parse_instant
from yesteryear.testing.builders import NOON


class FrozenClock:
    """Shows the instant it was set to; goes forwards and backwards as told.

    Args:
        at: The instant to begin with, aware.
    """

    def __init__(self, at: datetime = NOON) -> None:
        self.set(at)

    def now(self) -> datetime:
        """Return the instant it stands at, in UTC."""
        return self._now

    def set(self, at: datetime) -> None:
        """Stand at ``at``.

        Raises:
            InputError: ``at`` is naive.
        """
        self._now = parse_instant(at)

    def advance(self, *, days: float = 0, hours: float = 0, minutes: float = 0, seconds: float = 0) -> datetime:
        """Go on by that much, or back where negative; return the new instant."""
        self._now += timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
        return self._now
