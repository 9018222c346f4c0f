"""Rows of what was asked in talk to be forgotten: proposals, and what is hidden until it is erased."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from yesteryear.core.forgetting import Forgetting, Withheld


class Forgettings(Protocol):
    """What is to be forgotten. To write here does not count as a change of memory."""

    def save(self, rows: Sequence[Forgetting]) -> None:
        """Write rows; one of the same kind and id, asked by the same message, is replaced."""
        ...

    def all(self, kind: Withheld | None = None) -> list[Forgetting]:
        """Return visible rows of one kind or of all, by (until, kind, id, asked_by)."""
        ...

    def of(self, ids: Sequence[str]) -> list[Forgetting]:
        """Return visible rows about things with these ids, in the same order."""
        ...

    def asked_by(self, message_id: str) -> list[Forgetting]:
        """Return visible rows that one message asked for, in the same order."""
        ...

    def due(self, now: datetime, *, limit: int) -> list[Forgetting]:
        """Return visible rows whose time is over, in the same order."""
        ...

    def remove(self, rows: Sequence[Forgetting]) -> None:
        """Delete rows."""
        ...
