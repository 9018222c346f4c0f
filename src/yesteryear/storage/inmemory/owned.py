"""One owner's rows as a frozen value, and the present one of a transaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from yesteryear.core.audit import AuditEntry
from yesteryear.core.conversation import Conversation
from yesteryear.core.cycle import CycleReport
from yesteryear.core.edge import Edge
from yesteryear.core.episode import Episode
from yesteryear.core.erasure import Erasure
from yesteryear.core.events import RecallEvent
from yesteryear.core.fact import Evidence, Fact, FactVersion
from yesteryear.core.forgetting import Forgetting
from yesteryear.core.keys import ApiKey
from yesteryear.core.message import Message
from yesteryear.core.owner import OwnerState
from yesteryear.core.ruling import Ruling
from yesteryear.core.scope import ConversationKey, Scope
from yesteryear.core.usage import ModelCall
from yesteryear.core.vectors import StoredVector
from yesteryear.errors import InputError, StorageError
from yesteryear.ports import Setting


@dataclass(frozen=True, slots=True)
class Owned:
    """One owner's rows at one moment; no mapping in it is ever changed."""

    state: OwnerState = field(default_factory=OwnerState)
    messages: Mapping[str, Message] = field(default_factory=dict)
    conversations: Mapping[ConversationKey, Conversation] = field(default_factory=dict)
    episodes: Mapping[str, Episode] = field(default_factory=dict)
    vectors: Mapping[tuple[str, str, int], StoredVector] = field(default_factory=dict)
    """By model, ref and part."""
    overrides: Mapping[str | None, Mapping[str, Setting]] = field(default_factory=dict)
    recalls: tuple[RecallEvent, ...] = ()
    facts: Mapping[str, Fact] = field(default_factory=dict)
    versions: Mapping[str, tuple[FactVersion, ...]] = field(default_factory=dict)
    """By fact; oldest first."""
    evidence: Mapping[tuple[str, str], Evidence] = field(default_factory=dict)
    """By fact and own id."""
    rulings: Mapping[tuple[str, str], Ruling] = field(default_factory=dict)
    """By pair."""
    edges: Mapping[tuple[str, str, str], Edge] = field(default_factory=dict)
    """By source, target and relation."""
    cycles: Mapping[str, CycleReport] = field(default_factory=dict)
    usage: Mapping[str, ModelCall] = field(default_factory=dict)
    """By id."""
    keys: Mapping[str, ApiKey] = field(default_factory=dict)
    """By id."""
    audit: tuple[AuditEntry, ...] = ()
    """Oldest first."""
    forgettings: Mapping[tuple[str, str, str], Forgetting] = field(default_factory=dict)
    """By kind, id and the message that asked."""
    erasure: Erasure | None = None
    """Receipt of their last erasure."""
    was_written: bool = False
    """Whether they had a row since they were erased last, or ever: the owner stays when their last row goes."""

    @property
    def is_gone(self) -> bool:
        """Whether they were erased, or never there, and nothing was written since."""
        return self == Owned(OwnerState(generation=self.state.generation), erasure=self.erasure)

    def due_since(self, now: datetime) -> datetime | None:
        """Return since when work is due, or None."""
        instants = [row.due_at for row in self.conversations.values()]
        instants += [instant for row in self.episodes.values() for instant in (row.next_try, row.fades_at)]
        instants += [instant for row in self.messages.values() for instant in (row.vector_due_at, row.expires_at)]
        instants += [row.due_at for row in self.facts.values()]
        instants += [row.until for row in self.forgettings.values()]
        instants += [self.state.night_at]
        return min((instant for instant in instants if instant is not None and instant <= now), default=None)

    def sizes(self) -> dict[str, int]:
        """Return how many rows there are, by the tables of a database."""
        return {
            "message": len(self.messages),
            "conversation": len(self.conversations),
            "episode": len(self.episodes),
            "vector": len(self.vectors),
            "memory_config": len(self.overrides),
            "recall_event": len(self.recalls),
            "fact": len(self.facts),
            "fact_version": sum(map(len, self.versions.values())),
            "evidence": len(self.evidence),
            "conflict": len(self.rulings),
            "edge": len(self.edges),
            "cycle": len(self.cycles),
            "usage": len(self.usage),
            "api_key": len(self.keys),
            "audit": len(self.audit),
            "forgetting": len(self.forgettings),
            "owner": int(not self.is_gone),
        }


class OwnedRows:
    """The rows of one owner as a transaction leaves them, seen through one scope."""

    def __init__(self, owned: Owned, scope: Scope, *, is_snapshot: bool) -> None:
        self.owned = owned
        self.scope = scope
        self._is_snapshot = is_snapshot
        self._rev_before = owned.state.rev

    def sees(self, scope: Scope) -> bool:
        """Tell whether rows of a scope are visible from here."""
        return self.scope.sees(scope.project, scope.agent)

    def sees_key(self, key: ConversationKey) -> bool:
        """Tell whether a conversation is visible from here."""
        return self.scope.sees(key.project, key.agent)

    def put(self, **changes: object) -> None:
        """Take other rows in place of some."""
        self.check_writable()
        self.owned = replace(self.owned, **changes)  # type: ignore[arg-type]
        if not self.owned.was_written and not self.owned.is_gone:
            self.owned = replace(self.owned, was_written=True)

    def clear(self, *, generation: int, erasure: Erasure) -> None:
        """Take all rows away; what is left is a receipt."""
        self.check_writable()
        self.owned = Owned(OwnerState(generation=generation), erasure=erasure)
        self._rev_before = 0

    def next_rev(self) -> int:
        """Count a change of the owner, once in a transaction: all its rows share the number."""
        rev = self._rev_before + 1
        self.put(state=replace(self.owned.state, rev=rev))
        return rev

    def check_writable(self) -> None:
        """Raise StorageError for a snapshot."""
        if self._is_snapshot:
            raise StorageError("a snapshot cannot be written to; use Store.write")

    def check_owner(self, scope: Scope) -> None:
        """Raise InputError for a row of another owner."""
        if scope.owner != self.scope.owner:
            raise InputError(f"a row of {scope.user!r} cannot be written in a transaction of {self.scope.user!r}")
