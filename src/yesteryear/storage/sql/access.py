"""Who may come in, and what they did, over one transaction."""

from __future__ import annotations

from yesteryear.core.audit import AuditEntry, Deed, follow
from yesteryear.core.codec import decode, encode
from yesteryear.core.keys import ApiKey
from yesteryear.storage.sql.owned import OwnedRows


class KeyRows:
    """See ``ports.Keys``."""

    __slots__ = ("_rows",)

    def __init__(self, table: OwnedRows) -> None:
        self._rows = table

    def save(self, key: ApiKey) -> None:
        """Write a key."""
        self._rows.next_rev()
        self._rows.run("key_save", {"id": key.id, "body": encode(key)})

    def get(self, id: str) -> ApiKey | None:  # noqa: A002 - the field's word
        """Return a key."""
        row = self._rows.one("key_get", {"id": id})
        return None if row is None else decode(row["body"], ApiKey)

    def all(self) -> list[ApiKey]:
        """Return all keys by (created_at, id)."""
        keys = (decode(row["body"], ApiKey) for row in self._rows.all("key_all"))
        return sorted(keys, key=lambda key: (key.created_at, key.id))


class AuditRows:
    """See ``ports.Audit``."""

    __slots__ = ("_rows",)

    def __init__(self, table: OwnedRows) -> None:
        self._rows = table

    def append(self, deed: Deed) -> AuditEntry:
        """Write a deed as the next row of the chain."""
        self._rows.run("owner_add")
        last = self._rows.one("audit_last")
        entry = follow(deed, None if last is None else decode(last["body"], AuditEntry))
        self._rows.run("audit_append", {"seq": entry.seq, "body": encode(entry)})
        return entry

    def page(self, *, after: int = 0, limit: int) -> list[AuditEntry]:
        """Return rows whose number is above ``after``."""
        found = self._rows.all("audit_page", {"after": after, "limit": limit})
        return [decode(row["body"], AuditEntry) for row in found]
