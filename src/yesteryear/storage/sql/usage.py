"""What models have cost an owner, over one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from yesteryear.core.codec import decode, encode
from yesteryear.core.time import to_microseconds
from yesteryear.core.usage import Charge, ModelCall
from yesteryear.storage.sql.owned import OwnedRows


class UsageRows:
    """See ``ports.Usages``."""

    __slots__ = ("_rows",)

    def __init__(self, table: OwnedRows) -> None:
        self._rows = table

    def add(self, ids: Sequence[str], calls: Sequence[ModelCall]) -> None:
        """Write calls."""
        for call_id, call in zip(ids, calls, strict=True):
            self._rows.run("owner_add")
            self._rows.run("usage_add", {"id": call_id, "at": to_microseconds(call.at), "body": encode(call)})

    def between(self, since: datetime, until: datetime) -> list[ModelCall]:
        """Return the calls of a span."""
        span = {"since": to_microseconds(since), "until": to_microseconds(until)}
        return [decode(row["body"], ModelCall) for row in self._rows.all("usage_between", span)]

    def page(self, *, after: str, limit: int) -> list[Charge]:
        """Return the calls behind an id."""
        found = self._rows.all("usage_page", {"after": after, "limit": limit})
        return [Charge(row["id"], decode(row["body"], ModelCall)) for row in found]
