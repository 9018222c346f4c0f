"""Ids that can be foretold."""

from __future__ import annotations

from itertools import count

from yesteryear.core.ids import format_uuid7


class CountedIds:
    """Counts up, so that any two runs that ask for ids in the same order share them."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def new(self, milliseconds: int) -> str:
        """Return the next id."""
        return format_uuid7(milliseconds, 0, next(self._numbers))
