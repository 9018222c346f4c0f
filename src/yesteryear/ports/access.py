"""Who may come in, and what they did: rows beside an owner's memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from yesteryear.core.audit import AuditEntry, Deed
    from yesteryear.core.keys import ApiKey


class Keys(Protocol):
    """The API keys of an owner, whatever the scope: of a person, or of a tenant (``Scope.everybody``)."""

    def save(self, key: ApiKey) -> None:
        """Write a key, new or changed."""
        ...

    def get(self, id: str) -> ApiKey | None:  # noqa: A002 - the field's word
        """Return a key, valid or not."""
        ...

    def all(self) -> list[ApiKey]:
        """Return all keys by (created_at, id)."""
        ...


class Audit(Protocol):
    """What was done to an owner's memory, whatever the scope; rows are only ever added."""

    def append(self, deed: Deed) -> AuditEntry:
        """Write a deed as the next row of the chain. Does not count as a change of memory."""
        ...

    def page(self, *, after: int = 0, limit: int) -> list[AuditEntry]:
        """Return rows whose number is above ``after``, oldest first."""
        ...
