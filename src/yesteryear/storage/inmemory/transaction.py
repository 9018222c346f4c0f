"""One owner's rows as a frozen value, and the repositories over it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeVar

from yesteryear.core.conversation import Conversation
from yesteryear.core.episode import Episode, EpisodeStatus
from yesteryear.core.erasure import Erasure
from yesteryear.core.events import RecallEvent
from yesteryear.core.message import Message, Role
from yesteryear.core.owner import OwnerState, hash_person
from yesteryear.core.queries import Changes, EpisodeQuery, IndexedMessage, MessageQuery, Verbatim
from yesteryear.core.scope import ConversationKey, Scope
from yesteryear.core.strength import Trace
from yesteryear.core.time import EPOCH
from yesteryear.core.vectors import StoredVector, pack_vector, unpack_vector
from yesteryear.errors import Conflict, EmbeddingMismatch, InputError, Stale, StorageError
from yesteryear.ports import Conversations, Episodes, Messages, Overrides, Recalls, Setting, Vectors
from yesteryear.storage import rows

Row = TypeVar("Row", Message, Episode)


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
    erasure: Erasure | None = None
    """Receipt of their last erasure."""

    @property
    def is_gone(self) -> bool:
        """Whether they were erased and nothing was written since."""
        return self == Owned(OwnerState(generation=self.state.generation), erasure=self.erasure)

    def due_since(self, now: datetime) -> datetime | None:
        """Return since when work is due, or None."""
        instants = [row.due_at for row in self.conversations.values()]
        instants += [instant for row in self.episodes.values() for instant in (row.next_try, row.fades_at)]
        instants += [instant for row in self.messages.values() for instant in (row.vector_due_at, row.expires_at)]
        return min((instant for instant in instants if instant is not None and instant <= now), default=None)


class InMemoryTransaction:
    """One owner's rows, seen through one scope; see ``ports.Transaction``."""

    def __init__(self, owned: Owned, scope: Scope, *, is_snapshot: bool = False) -> None:
        self.owned = owned
        self._scope = scope
        self._is_snapshot = is_snapshot
        self._rev_before = owned.state.rev
        self.messages: Messages = _Messages(self)
        self.conversations: Conversations = _Conversations(self)
        self.episodes: Episodes = _Episodes(self)
        self.vectors: Vectors = _Vectors(self)
        self.overrides: Overrides = _Overrides(self)
        self.recalls: Recalls = _Recalls(self)

    @property
    def scope(self) -> Scope:
        """Through which scope this looks."""
        return self._scope

    def owner(self) -> OwnerState:
        """Return counters, models and lease of the owner."""
        return self.owned.state

    def save_owner(self, state: OwnerState) -> None:
        """Write models, generation and lease."""
        self.put(state=replace(state, rev=self.owned.state.rev))

    def changes(self, since: int) -> Changes:
        """Return what changed in the owner's rows after ``since``."""
        messages = [row for row in self.owned.messages.values() if row.rev > since]
        episodes = [row for row in self.owned.episodes.values() if row.rev > since]
        return Changes(
            rev=self.owned.state.rev,
            generation=self.owned.state.generation,
            messages=tuple(
                IndexedMessage.of(row) for row in sorted(messages, key=lambda row: (*_text_key(row.key), row.seq))
            ),
            episodes=tuple(sorted(episodes, key=lambda row: row.id)),
        )

    def counts(self) -> dict[str, int]:
        """Return numbers of visible rows by kind and status."""
        messages = [row for row in self.owned.messages.values() if self.sees(row)]
        counts = {
            "vectors.due": sum(row.vector_due_at is not None for row in messages),
            "vectors.failed": sum(row.error is not None for row in messages),
        }
        names = [f"messages.{row.verdict.outcome if row.verdict else 'open'}" for row in messages]
        names += [f"episodes.{row.status}" for row in self.owned.episodes.values() if self.sees(row)]
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
    ) -> None:
        """Take rows out again, as if they had never been written."""
        owned, keys = self.owned, {key for key in conversations if self._scope.sees(key.project, key.agent)}
        self.put(
            messages={i: row for i, row in owned.messages.items() if i not in messages or not self.sees(row)},
            episodes={i: row for i, row in owned.episodes.items() if i not in episodes or not self.sees(row)},
            conversations={key: row for key, row in owned.conversations.items() if key not in keys},
            recalls=tuple(
                event
                for event in owned.recalls
                if event.id not in recalls or not self._scope.sees(event.key.project, event.key.agent)
            ),
        )
        self.vectors.forget([*messages, *episodes])
        self.save_owner(replace(self.owned.state, generation=owned.state.generation + 1))

    def erase(self) -> dict[str, int]:
        """Delete every row of the owner; return how many there were, by table."""
        owned, owner = self.owned, self._scope.owner
        tables: dict[str, Sized] = {
            "message": owned.messages,
            "conversation": owned.conversations,
            "episode": owned.episodes,
            "vector": owned.vectors,
            "memory_config": owned.overrides,
            "recall_event": owned.recalls,
        }
        removed = {table: len(held) for table, held in tables.items()} | {"owner": int(not owned.is_gone)}
        generation = owned.state.generation + 1
        erasure = Erasure(owner.tenant, hash_person(owner), generation, EPOCH, removed)
        self.check_writable()
        self.owned = Owned(OwnerState(generation=generation), erasure=erasure)
        self._rev_before = 0
        return removed

    def erasure(self) -> Erasure | None:
        """Return the receipt of the owner's last erasure."""
        return self.owned.erasure

    def save_erasure(self, erasure: Erasure) -> None:
        """Write the receipt of the owner's last erasure."""
        if (erasure.tenant, erasure.person) != (self._scope.tenant, hash_person(self._scope.owner)):
            raise InputError("a receipt of somebody else cannot be written here")
        known = self.owned.erasure
        if known is None or erasure.generation >= known.generation:
            self.put(erasure=erasure)

    def sees(self, row: Message | Episode) -> bool:
        """Tell whether a row is visible from here."""
        return self._scope.sees(row.scope.project, row.scope.agent)

    def put(self, **changes: object) -> None:
        """Take other rows in place of some."""
        self.check_writable()
        self.owned = replace(self.owned, **changes)  # type: ignore[arg-type]

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
        if scope.owner != self._scope.owner:
            raise InputError(f"a row of {scope.user!r} cannot be written in a transaction of {self._scope.user!r}")


class _Repository:
    def __init__(self, tx: InMemoryTransaction) -> None:
        self._tx = tx


class _Messages(_Repository):
    def insert(self, message: Message) -> None:
        self._tx.check_owner(message.scope)
        for row in self._tx.owned.messages.values():
            has_place = row.seq == message.seq or (
                row.external_id is not None and row.external_id == message.external_id
            )
            if row.id == message.id or (has_place and row.key == message.key):
                raise Conflict(f"a row with the same key exists already ({row.id})")
        self._write([message])

    def update(self, messages: Sequence[Message]) -> None:
        for message in messages:
            self._tx.check_owner(message.scope)
        known = self._tx.owned.messages
        if messages:
            self._write([_updated(known[row.id], row, rows.MESSAGE_CHANGES) for row in messages if row.id in known])

    def by_external_id(self, key: ConversationKey, external_id: str) -> Message | None:
        return next((row for row in self._of(key) if row.external_id == external_id), None)

    def tail(self, key: ConversationKey, *, limit: int) -> list[IndexedMessage]:
        last = sorted(self._of(key), key=lambda row: -row.seq)[:limit]
        return [IndexedMessage.of(row) for row in reversed(last)]

    def authors(self, key: ConversationKey) -> list[str]:
        return sorted({row.author for row in self._of(key)})

    def span(self, key: ConversationKey, *, after: int, limit: int) -> list[Message]:
        return sorted((row for row in self._of(key) if row.seq > after), key=lambda row: row.seq)[:limit]

    def get(self, ids: Sequence[str]) -> list[Message]:
        found = {row.id: row for row in self._visible()}
        return [found[message_id] for message_id in ids if message_id in found]

    def page(self, query: MessageQuery) -> list[Message]:
        found = [
            row
            for row in self._visible()
            if row.id > query.after
            and query.conversation in (None, row.conversation)
            and query.author in (None, row.author)
            and (row.error is not None or not query.has_error)
            and (query.outcome is None or (row.verdict is not None and row.verdict.outcome is query.outcome))
            and (query.since is None or row.at >= query.since)
            and (query.until is None or row.at < query.until)
        ]
        return sorted(found, key=lambda row: row.id)[: query.limit]

    def due(self, now: datetime, *, limit: int) -> list[Message]:
        found = [row for row in self._visible() if row.vector_due_at is not None and row.vector_due_at <= now]
        found.sort(key=lambda row: (row.role is not Role.USER, row.vector_due_at or now, row.at, row.seq, row.id))
        return found[:limit]

    def expired(self, now: datetime, *, limit: int) -> list[Message]:
        due = [row for row in self._visible() if row.expires_at is not None and row.expires_at <= now]
        found = [row for row in due if not row.asks_to_forget]
        return sorted(found, key=lambda row: row.expires_at or now)[:limit]

    def named(self, names: Sequence[str]) -> list[Message]:
        found = [row for row in self._visible() if row.id in names or row.external_id in names]
        return sorted(found, key=lambda row: (*_text_key(row.key), row.seq))

    def forget_requests(self, now: datetime, *, limit: int) -> list[Message]:
        found = [row for row in self._visible() if row.asks_to_forget and row.expires_at and row.expires_at <= now]
        return sorted(found, key=lambda row: (row.expires_at or now, row.at, row.seq, row.id))[:limit]

    def count_verbatim(self) -> int:
        return len(self.verbatim())

    def verbatim(self) -> list[Verbatim]:
        found = [
            Verbatim(
                row.id,
                row.episode_id,
                max(row.at, row.recorded_at),
                row.role is Role.USER,
                row.verdict.score,
                row.content,
            )
            for row in self._visible()
            if row.verdict is not None and row.content
        ]
        return sorted(found, key=lambda row: (row.told_at, row.id))

    def _visible(self) -> list[Message]:
        return [row for row in self._tx.owned.messages.values() if self._tx.sees(row)]

    def _of(self, key: ConversationKey) -> list[Message]:
        return [row for row in self._visible() if row.conversation == key.name and row.key == key]

    def _write(self, messages: Sequence[Message]) -> None:
        rev = self._tx.next_rev()
        written = {row.id: replace(row, verdict=rows.stored_verdict(row.verdict), rev=rev) for row in messages}
        self._tx.put(messages={**self._tx.owned.messages, **written})


class _Conversations(_Repository):
    def get(self, key: ConversationKey) -> Conversation | None:
        return self._tx.owned.conversations.get(key) if self._tx.scope.sees(key.project, key.agent) else None

    def save(self, conversation: Conversation) -> None:
        self._tx.next_rev()
        self._tx.put(conversations={**self._tx.owned.conversations, conversation.key: conversation})

    def due(self, now: datetime, *, limit: int) -> list[Conversation]:
        found = [row for row in self.list() if row.due_at is not None and row.due_at <= now]
        return sorted(found, key=lambda row: (row.due_at or now, *_text_key(row.key)))[:limit]

    def list(self) -> list[Conversation]:
        found = self._tx.owned.conversations.values()
        visible = (row for row in found if self._tx.scope.sees(row.key.project, row.key.agent))
        return sorted(visible, key=lambda row: _text_key(row.key))


class _Episodes(_Repository):
    def insert(self, episode: Episode) -> None:
        self._tx.check_owner(episode.scope)
        if episode.id in self._tx.owned.episodes:
            raise Conflict(f"a row with the same key exists already ({episode.id})")
        self._write(episode)

    def update(self, episode: Episode, *, expecting: EpisodeStatus) -> None:
        self._tx.check_owner(episode.scope)
        known = self._tx.owned.episodes.get(episode.id)
        if known is None or known.status is not expecting:
            raise Stale(f"episode {episode.id!r} is no longer {expecting}")
        self._write(_updated(known, episode, rows.EPISODE_CHANGES))

    def get(self, ids: Sequence[str]) -> list[Episode]:
        found = {row.id: row for row in self._visible()}
        return [found[episode_id] for episode_id in ids if episode_id in found]

    def page(self, query: EpisodeQuery) -> list[Episode]:
        last = None if query.after is None else self._tx.owned.episodes.get(query.after)
        if query.after is not None and last is None:
            return []
        found = [
            row
            for row in self._visible()
            if (last is None or (row.ended_at, row.id) < (last.ended_at, last.id))
            and query.conversation in (None, row.conversation)
            and (row.status is query.status or (query.status is None and row.status is not EpisodeStatus.FORGOTTEN))
            and (row.error is not None or not query.has_error)
            and (query.since is None or row.ended_at >= query.since)
            and (query.until is None or row.ended_at < query.until)
        ]
        return sorted(found, key=lambda row: (row.ended_at, row.id), reverse=True)[: query.limit]

    def due(self, now: datetime, *, limit: int) -> list[Episode]:
        found = [row for row in self._visible() if row.next_try is not None and row.next_try <= now]
        return sorted(found, key=lambda row: (row.next_try or now, row.ended_at, row.id))[:limit]

    def traces(
        self, *, due: datetime | None = None, only_active: bool = False, limit: int | None = None
    ) -> list[Trace]:
        wanted = {EpisodeStatus.ACTIVE} if only_active else {EpisodeStatus.ACTIVE, EpisodeStatus.ARCHIVED}
        found = [row for row in self._visible() if row.status in wanted]
        if due is not None:
            found = [row for row in found if row.fades_at is not None and row.fades_at <= due]
        found.sort(key=lambda row: (row.fades_at is None, row.fades_at or EPOCH, row.id))
        return [row.trace for row in found[:limit]]

    def count_active(self) -> int:
        return sum(row.status is EpisodeStatus.ACTIVE for row in self._visible())

    def _visible(self) -> list[Episode]:
        return [row for row in self._tx.owned.episodes.values() if self._tx.sees(row)]

    def _write(self, episode: Episode) -> None:
        written = replace(episode, digest=rows.stored_digest(episode.digest), rev=self._tx.next_rev())
        self._tx.put(episodes={**self._tx.owned.episodes, episode.id: written})


class _Vectors(_Repository):
    def put(self, model: str, vectors: Sequence[StoredVector]) -> None:
        known = [stored for (name, _, _), stored in self._tx.owned.vectors.items() if name == model]
        for stored in vectors:
            dimension = len((*known, *vectors)[0].vector)
            if len(stored.vector) != dimension:
                raise EmbeddingMismatch(
                    f"{model!r} has vectors of {dimension} values here, this one has {len(stored.vector)}; "
                    "embed the texts again under another model name"
                )
        if vectors:
            self._tx.next_rev()
            written = {(model, stored.ref, stored.part): _rounded(stored) for stored in vectors}
            self._tx.put(vectors={**self._tx.owned.vectors, **written})

    def load(self, model: str, *, refs: Sequence[str] | None = None) -> list[StoredVector]:
        keys = [key for key in self._tx.owned.vectors if key[0] == model and (refs is None or key[1] in refs)]
        return [self._tx.owned.vectors[key] for key in sorted(keys)]

    def models(self) -> dict[str, int]:
        names = [model for model, _, _ in self._tx.owned.vectors]
        return {model: names.count(model) for model in sorted(set(names))}

    def drop(self, model: str) -> int:
        return self._keep({key: stored for key, stored in self._tx.owned.vectors.items() if key[0] != model})

    def forget(self, refs: Sequence[str]) -> None:
        self._keep({key: stored for key, stored in self._tx.owned.vectors.items() if key[1] not in refs})

    def _keep(self, left: Mapping[tuple[str, str, int], StoredVector]) -> int:
        self._tx.check_writable()
        deleted = len(self._tx.owned.vectors) - len(left)
        if deleted:
            self._tx.next_rev()
            self._tx.put(vectors=left)
        return deleted


class _Overrides(_Repository):
    def get(self, project: str | None) -> Mapping[str, Setting]:
        return self._tx.owned.overrides.get(project, {})

    def save(self, project: str | None, overrides: Mapping[str, Setting]) -> None:
        self._tx.next_rev()
        self._tx.put(overrides={**self._tx.owned.overrides, project: dict(overrides)})

    def all(self) -> dict[str | None, Mapping[str, Setting]]:
        seen = self._tx.scope.project
        found = {project: held for project, held in self._tx.owned.overrides.items() if seen in (None, project)}
        if None in self._tx.owned.overrides:
            found[None] = self._tx.owned.overrides[None]
        return dict(sorted(found.items(), key=lambda item: item[0] or ""))


class _Recalls(_Repository):
    def append(self, event: RecallEvent) -> None:
        if any(known.id == event.id for known in self._tx.owned.recalls):
            raise Conflict(f"a row with the same key exists already ({event.id})")
        self._tx.put(recalls=(*self._tx.owned.recalls, event))

    def latest(self, key: ConversationKey, *, limit: int) -> list[RecallEvent]:
        found = [event for event in self._tx.owned.recalls if event.key == key and self._sees(event)]
        return sorted(found, key=lambda event: (event.at, event.id), reverse=True)[:limit]

    def open(self, key: ConversationKey, *, limit: int) -> list[RecallEvent]:
        return [event for event in reversed(self.latest(key, limit=sys.maxsize)) if not event.settled][:limit]

    def stale(self, before: datetime, *, limit: int) -> list[ConversationKey]:
        waiting = (event for event in self._tx.owned.recalls if not event.settled and event.at < before)
        keys = {event.key for event in waiting if event.key.name and self._sees(event)}
        return sorted(keys, key=_text_key)[:limit]

    def settle(self, ids: Sequence[str]) -> None:
        self._tx.put(
            recalls=tuple(
                replace(event, settled=True) if event.id in ids and self._sees(event) else event
                for event in self._tx.owned.recalls
            )
        )

    def page(self, *, after: str = "", limit: int = 100) -> list[RecallEvent]:
        found = (event for event in self._tx.owned.recalls if event.id > after and self._sees(event))
        return sorted(found, key=lambda event: event.id)[:limit]

    def prune(self, before: datetime) -> int:
        return self._keep(lambda event: event.at >= before)

    def forget(self, refs: Sequence[str]) -> None:
        gone = set(refs)
        self._keep(lambda event: gone.isdisjoint(event.items))

    def _keep(self, is_kept: Callable[[RecallEvent], bool]) -> int:
        recalls = self._tx.owned.recalls
        kept = tuple(event for event in recalls if is_kept(event) or not self._sees(event))
        if len(kept) < len(recalls):
            self._tx.put(recalls=kept)
        return len(recalls) - len(kept)

    def _sees(self, event: RecallEvent) -> bool:
        return self._tx.scope.sees(event.key.project, event.key.agent)


def _updated(known: Row, row: Row, fields: Sequence[str]) -> Row:
    return replace(known, **{name: getattr(row, name) for name in fields})


def _text_key(key: ConversationKey) -> tuple[str, str, str]:
    return key.project or "", key.agent or "", key.name


def _rounded(stored: StoredVector) -> StoredVector:
    return replace(stored, vector=unpack_vector(pack_vector(stored.vector), dimension=len(stored.vector)))
