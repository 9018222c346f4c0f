"""What models have cost an owner, over one frozen value."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from yesteryear.core.usage import Charge, ModelCall
from yesteryear.storage.bodies import stored
from yesteryear.storage.inmemory.owned import OwnedRows


class UsageRepository:
    """See ``ports.Usages``."""

    def __init__(self, rows: OwnedRows) -> None:
        self._rows = rows

    def add(self, ids: Sequence[str], calls: Sequence[ModelCall]) -> None:
        """Write calls."""
        new = {call_id: stored(call) for call_id, call in zip(ids, calls, strict=True)}
        self._rows.put(usage={**new, **self._rows.owned.usage})

    def between(self, since: datetime, until: datetime) -> list[ModelCall]:
        """Return the calls of a span."""
        usage = self._rows.owned.usage
        found = [(call.at, call_id) for call_id, call in usage.items() if since <= call.at < until]
        return [usage[call_id] for _, call_id in sorted(found)]

    def page(self, *, after: str, limit: int) -> list[Charge]:
        """Return the calls behind an id."""
        return [Charge(*item) for item in sorted(self._rows.owned.usage.items()) if item[0] > after][:limit]
