"""What was asked in talk to be forgotten, over one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from yesteryear.core.codec import Row, decode, encode
from yesteryear.core.forgetting import Forgetting, Withheld
from yesteryear.core.time import to_microseconds
from yesteryear.storage.sql.owned import OwnedRows


class ForgettingRows:
    """See ``ports.Forgettings``."""

    __slots__ = ("_rows",)

    def __init__(self, table: OwnedRows) -> None:
        self._rows = table

    def save(self, rows: Sequence[Forgetting]) -> None:
        """Write rows."""
        if rows:
            self._rows.run("owner_add")
        self._rows.run_each(
            "forgetting_save",
            [
                {
                    "in_project": row.scope.project or "",
                    "in_agent": row.scope.agent or "",
                    **_key(row),
                    "until": to_microseconds(row.until),
                    "body": encode(row),
                }
                for row in rows
            ],
        )

    def all(self, kind: Withheld | None = None) -> list[Forgetting]:
        """Return visible rows of one kind or of all."""
        return _read(self._rows.all("forgetting_all", {"kind": kind and kind.value}))

    def of(self, ids: Sequence[str]) -> list[Forgetting]:
        """Return rows about things with these ids."""
        return _read(self._rows.all("forgetting_of", self._rows.among(ids)))

    def asked_by(self, message_id: str) -> list[Forgetting]:
        """Return rows that one message asked for."""
        return _read(self._rows.all("forgetting_asked_by", {"asked_by": message_id}))

    def due(self, now: datetime, *, limit: int) -> list[Forgetting]:
        """Return rows whose time is over."""
        return _read(self._rows.all("forgetting_due", {"now": to_microseconds(now), "limit": limit}))

    def remove(self, rows: Sequence[Forgetting]) -> None:
        """Delete rows."""
        self._rows.run_each("forgetting_remove", [_key(row) for row in rows])


def _key(row: Forgetting) -> dict[str, str]:
    return {"kind": row.kind.value, "id": row.id, "asked_by": row.asked_by}


def _read(found: Sequence[Row]) -> list[Forgetting]:
    return [decode(row["body"], Forgetting) for row in found]
