"""Who may come in, and what they did, over one frozen value."""

from __future__ import annotations

from yesteryear.core.audit import AuditEntry, Deed, follow
from yesteryear.core.keys import ApiKey
from yesteryear.storage.bodies import stored
from yesteryear.storage.inmemory.owned import OwnedRows


class KeyRepository:
    """See ``ports.Keys``."""

    def __init__(self, rows: OwnedRows) -> None:
        self._rows = rows

    def save(self, key: ApiKey) -> None:
        """Write a key."""
        self._rows.next_rev()
        self._rows.put(keys={**self._rows.owned.keys, key.id: stored(key)})

    def get(self, id: str) -> ApiKey | None:  # noqa: A002 - the field's word
        """Return a key."""
        return self._rows.owned.keys.get(id)

    def all(self) -> list[ApiKey]:
        """Return all keys by (created_at, id)."""
        return sorted(self._rows.owned.keys.values(), key=lambda key: (key.created_at, key.id))


class AuditRepository:
    """See ``ports.Audit``."""

    def __init__(self, rows: OwnedRows) -> None:
        self._rows = rows

    def append(self, deed: Deed) -> AuditEntry:
        """Write a deed as the next row of the chain."""
        audit = self._rows.owned.audit
        entry = stored(follow(deed, audit[-1] if audit else None))
        self._rows.put(audit=(*audit, entry))
        return entry

    def page(self, *, after: int = 0, limit: int) -> list[AuditEntry]:
        """Return rows whose number is above ``after``."""
        return [entry for entry in self._rows.owned.audit if entry.seq > after][:limit]
