"""The repositories of one owner over one frozen value: talk and beliefs, each in a file beside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from yesteryear.core.erasure import Erasure
from yesteryear.core.owner import OwnerState, hash_person
from yesteryear.core.queries import Changes, IndexedMessage
from yesteryear.core.scope import ConversationKey, Scope
from yesteryear.core.time import EPOCH
from yesteryear.errors import InputError
from yesteryear.ports import (
    Audit,
    Conversations,
    Cycles,
    Edges,
    Episodes,
    Evidences,
    Facts,
    Forgettings,
    Keys,
    Messages,
    Overrides,
    Recalls,
    Rulings,
    Usages,
    Vectors,
    Versions,
)
from yesteryear.storage.inmemory import beliefs, talk
from yesteryear.storage.inmemory.access import AuditRepository, KeyRepository
from yesteryear.storage.inmemory.forgetting import ForgettingRepository
from yesteryear.storage.inmemory.owned import Owned, OwnedRows
from yesteryear.storage.inmemory.usage import UsageRepository


class InMemoryTransaction:
    """One owner's rows, seen through one scope; see ``ports.Transaction``."""

    def __init__(self, owned: Owned, scope: Scope, *, is_snapshot: bool = False) -> None:
        self._rows = rows = OwnedRows(owned, scope, is_snapshot=is_snapshot)
        self.messages: Messages = talk.MessageRepository(rows)
        self.conversations: Conversations = talk.ConversationRepository(rows)
        self.episodes: Episodes = talk.EpisodeRepository(rows)
        self.vectors: Vectors = talk.VectorRepository(rows)
        self.overrides: Overrides = talk.OverrideRepository(rows)
        self.recalls: Recalls = talk.RecallRepository(rows)
        self.facts: Facts = beliefs.FactRepository(rows, self.vectors)
        self.versions: Versions = beliefs.VersionRepository(rows)
        self.evidence: Evidences = beliefs.EvidenceRepository(rows)
        self.rulings: Rulings = beliefs.RulingRepository(rows)
        self.edges: Edges = beliefs.EdgeRepository(rows)
        self.cycles: Cycles = beliefs.CycleRepository(rows)
        self.usages: Usages = UsageRepository(rows)
        self.forgettings: Forgettings = ForgettingRepository(rows)
        self.keys: Keys = KeyRepository(rows)
        self.audit: Audit = AuditRepository(rows)

    @property
    def owned(self) -> Owned:
        """The rows as they are now."""
        return self._rows.owned

    @property
    def scope(self) -> Scope:
        """Through which scope this looks."""
        return self._rows.scope

    def owner(self) -> OwnerState:
        """Return counters, models and lease of the owner."""
        return self.owned.state

    def save_owner(self, state: OwnerState) -> None:
        """Write models, generation and lease."""
        self._rows.put(state=replace(state, rev=self.owned.state.rev))

    def changes(self, since: int) -> Changes:
        """Return what changed in the owner's rows after ``since``."""
        owned = self.owned
        messages = [row for row in owned.messages.values() if row.rev > since]
        episodes = [row for row in owned.episodes.values() if row.rev > since]
        facts = [row for row in owned.facts.values() if row.rev > since]
        return Changes(
            rev=owned.state.rev,
            generation=owned.state.generation,
            messages=tuple(
                IndexedMessage.of(row) for row in sorted(messages, key=lambda row: (*talk.text_key(row.key), row.seq))
            ),
            episodes=tuple(sorted(episodes, key=lambda row: row.id)),
            facts=tuple(sorted(facts, key=lambda row: row.id)),
        )

    def counts(self) -> dict[str, int]:
        """Return numbers of visible rows by kind and status."""
        owned, sees = self.owned, self._rows.sees
        messages = [row for row in owned.messages.values() if sees(row.scope)]
        counts = {
            "vectors.due": sum(row.vector_due_at is not None for row in messages),
            "vectors.failed": sum(row.error is not None for row in messages),
        }
        names = [f"messages.{row.verdict.outcome if row.verdict else 'open'}" for row in messages]
        names += [f"episodes.{row.status}" for row in owned.episodes.values() if sees(row.scope)]
        names += [f"facts.{row.status}" for row in owned.facts.values() if sees(row.scope)]
        for name in names:
            counts[name] = counts.get(name, 0) + 1
        return counts

    def withdraw(
        self,
        *,
        messages: Sequence[str] = (),
        conversations: Sequence[ConversationKey] = (),
        episodes: Sequence[str] = (),
        recalls: Sequence[str] = (),
        facts: Sequence[str] = (),
        usages: Sequence[str] = (),
    ) -> None:
        """Take rows out again, as if they had never been written."""
        self.facts.forget(facts)
        owned, rows = self.owned, self._rows
        keys = {key for key in conversations if rows.sees_key(key)}
        gone = {event.id for event in owned.recalls if event.id in recalls and rows.sees_key(event.key)}
        rows.put(
            messages={i: row for i, row in owned.messages.items() if i not in messages or not rows.sees(row.scope)},
            episodes={i: row for i, row in owned.episodes.items() if i not in episodes or not rows.sees(row.scope)},
            facts={i: row for i, row in owned.facts.items() if i not in facts or not rows.sees(row.scope)},
            conversations={key: row for key, row in owned.conversations.items() if key not in keys},
            recalls=tuple(event for event in owned.recalls if event.id not in gone),
            usage={i: call for i, call in owned.usage.items() if i not in usages},
        )
        self.vectors.forget([*messages, *episodes])
        self.save_owner(replace(self.owner(), generation=owned.state.generation + 1))

    def erase(self) -> dict[str, int]:
        """Delete every row of the owner; return how many there were, by table."""
        removed, owner = self.owned.sizes(), self.scope.owner
        generation = self.owned.state.generation + 1
        erasure = Erasure(owner.tenant, hash_person(owner), generation, EPOCH, removed)
        self._rows.clear(generation=generation, erasure=erasure)
        return removed

    def erasure(self) -> Erasure | None:
        """Return the receipt of the owner's last erasure."""
        return self.owned.erasure

    def save_erasure(self, erasure: Erasure) -> None:
        """Write the receipt of the owner's last erasure."""
        if (erasure.tenant, erasure.person) != (self.scope.tenant, hash_person(self.scope.owner)):
            raise InputError("a receipt of somebody else cannot be written here")
        known = self.owned.erasure
        if known is None or erasure.generation >= known.generation:
            self._rows.put(erasure=erasure)
