"""What was asked in talk to be forgotten, over one frozen value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from yesteryear.core.forgetting import Forgetting, Withheld
from yesteryear.storage.bodies import stored
from yesteryear.storage.inmemory.owned import OwnedRows


class ForgettingRepository:
    """See ``ports.Forgettings``."""

    def __init__(self, rows: OwnedRows) -> None:
        self._rows = rows

    def save(self, rows: Sequence[Forgetting]) -> None:
        """Write rows."""
        self._rows.put(forgettings={**self._rows.owned.forgettings, **{_key(row): stored(row) for row in rows}})

    def all(self, kind: Withheld | None = None) -> list[Forgetting]:
        """Return visible rows of one kind or of all."""
        return self._visible(lambda row: kind is None or row.kind is kind)

    def of(self, ids: Sequence[str]) -> list[Forgetting]:
        """Return rows about things with these ids."""
        wanted = set(ids)
        return self._visible(lambda row: row.id in wanted)

    def asked_by(self, message_id: str) -> list[Forgetting]:
        """Return rows that one message asked for."""
        return self._visible(lambda row: row.asked_by == message_id)

    def due(self, now: datetime, *, limit: int) -> list[Forgetting]:
        """Return rows whose time is over."""
        return self._visible(lambda row: row.until <= now)[:limit]

    def remove(self, rows: Sequence[Forgetting]) -> None:
        """Delete rows."""
        gone = {_key(row) for row in rows}
        self._rows.put(forgettings={key: row for key, row in self._rows.owned.forgettings.items() if key not in gone})

    def _visible(self, is_wanted: Callable[[Forgetting], bool]) -> list[Forgetting]:
        rows = self._rows.owned.forgettings.values()
        found = [row for row in rows if self._rows.sees(row.scope) and is_wanted(row)]
        return sorted(found, key=lambda row: (row.until, *_key(row)))


def _key(row: Forgetting) -> tuple[str, str, str]:
    return row.kind.value, row.id, row.asked_by
