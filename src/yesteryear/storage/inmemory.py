"""The reference adapter of the Store port: what every store has to do, said as plainly as possible.

Each owner's rows are one frozen value. A writing transaction makes new values out of it and puts the last one in its
place, so a call that fails leaves nothing behind and a reader keeps what it has seen. Nothing is on disk.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeVar

from yesteryear.core.attempt import Attempt
from yesteryear.core.conversation import Conversation
from yesteryear.core.episode import Episode, EpisodeStatus
from yesteryear.core.events import RecallEvent
from yesteryear.core.message import Message, Role
from yesteryear.core.owner import OwnerState
from yesteryear.core.queries import Changes, EpisodeQuery, IndexedMessage, MessageQuery
from yesteryear.core.scope import ConversationKey, Owner, Scope
from yesteryear.core.vectors import StoredVector, pack_vector, unpack_vector
from yesteryear.errors import Conflict, EmbeddingMismatch, EngineClosed, InputError, Stale, StorageError
from yesteryear.ports import Conversations, Episodes, Messages, Overrides, Recalls, Setting, Transaction, Vectors
from yesteryear.storage import rows

T = TypeVar("T")
Row = TypeVar("Row", Message, Episode)


@dataclass(frozen=True, slots=True)
class _Owned:
    """One owner's rows at one moment; no mapping in it is ever changed."""

    state: OwnerState = field(default_factory=OwnerState)
    messages: Mapping[str, Message] = field(default_factory=dict)
    conversations: Mapping[ConversationKey, Conversation] = field(default_factory=dict)
    episodes: Mapping[str, Episode] = field(default_factory=dict)
    vectors: Mapping[tuple[str, str, int], StoredVector] = field(default_factory=dict)
    """By model, ref and part."""
    overrides: Mapping[str | None, Mapping[str, Setting]] = field(default_factory=dict)
    recalls: tuple[RecallEvent, ...] = ()

    def due_since(self, now: datetime) -> datetime | None:
        """Return since when work is due, or None."""
        instants = [row.due_at for row in self.conversations.values()]
        instants += [row.next_try for row in self.episodes.values()]
        instants += [instant for row in self.messages.values() for instant in (row.vector_due_at, row.expires_at)]
        return min((instant for instant in instants if instant is not None and instant <= now), default=None)


class InMemoryStore:
    """Rows in this process's memory, gone when it ends. Thread-safe; see ``ports.Store``."""

    def __init__(self) -> None:
        self._owners: dict[Owner, _Owned] = {}
        self._lock = threading.Lock()
        self._is_closed = False

    def write(self, scope: Scope, work: Callable[[Transaction], T], *, urgent: bool = False) -> T:  # noqa: ARG002
        """Run ``work`` and keep what it has written, unless it fails."""
        with self._lock:
            self._check_open()
            before = self._owners.get(scope.owner, _Owned())
            tx = InMemoryTransaction(before, scope)
            result = work(tx)
            if tx.owned is not before:
                self._owners[scope.owner] = tx.owned
            return result

    def submit(self, scope: Scope, work: Callable[[Transaction], T], *, urgent: bool = False) -> Future[T]:
        """Do the same and return a future that is done."""
        self._check_open()
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()
        with Attempt() as attempt:
            future.set_result(self.write(scope, work, urgent=urgent))
        if attempt.error is not None:
            future.set_exception(attempt.error)
        return future

    @contextmanager
    def read(self, scope: Scope) -> Iterator[Transaction]:
        """Open a snapshot for reading."""
        self._check_open()
        yield InMemoryTransaction(self._owners.get(scope.owner, _Owned()), scope, is_snapshot=True)

    def due(self, now: datetime, *, limit: int) -> list[Owner]:
        """Return owners with due work and no live lease, most overdue first."""
        self._check_open()
        found = [
            (since, owner)
            for owner, owned in self._owners.copy().items()
            if (since := owned.due_since(now)) is not None
            and (owned.state.lease_until is None or owned.state.lease_until <= now)
        ]
        return [owner for _, owner in sorted(found)[:limit]]

    def leases(self) -> list[tuple[Owner, str]]:
        """Return who holds a lease on which owner, expired or not."""
        self._check_open()
        owners = self._owners.copy()
        held = ((owner, owners[owner].state.lease_by) for owner in sorted(owners))
        return [(owner, worker) for owner, worker in held if worker is not None]

    def owners(self) -> list[Owner]:
        """Return all owners in the store, in order."""
        self._check_open()
        return sorted(self._owners.copy())

    def give_way(self) -> None:
        """Return at once: calls do not wait here."""

    def describe(self, *, check: bool = False) -> dict[str, object]:  # noqa: ARG002 - memory is whole
        """Return where the rows are and how many owners there are."""
        return {"place": "memory", "durability": "none", "owners": len(self.owners())}

    def close(self) -> None:
        """Refuse further use. Closing twice is harmless."""
        with self._lock:
            self._is_closed = True

    def _check_open(self) -> None:
        if self._is_closed:
            raise EngineClosed


class InMemoryTransaction:
    """One owner's rows, seen through one scope; see ``ports.Transaction``."""

    def __init__(self, owned: _Owned, scope: Scope, *, is_snapshot: bool = False) -> None:
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
        found = [row for row in self._visible() if row.expires_at is not None and row.expires_at <= now]
        return sorted(found, key=lambda row: row.expires_at or now)[:limit]

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
            and query.status in (None, row.status)
            and (row.error is not None or not query.has_error)
            and (query.since is None or row.ended_at >= query.since)
            and (query.until is None or row.ended_at < query.until)
        ]
        return sorted(found, key=lambda row: (row.ended_at, row.id), reverse=True)[: query.limit]

    def due(self, now: datetime, *, limit: int) -> list[Episode]:
        found = [row for row in self._visible() if row.next_try is not None and row.next_try <= now]
        return sorted(found, key=lambda row: (row.next_try or now, row.ended_at, row.id))[:limit]

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


class _Recalls(_Repository):
    def append(self, event: RecallEvent) -> None:
        if any(known.id == event.id for known in self._tx.owned.recalls):
            raise Conflict(f"a row with the same key exists already ({event.id})")
        self._tx.put(recalls=(*self._tx.owned.recalls, event))

    def latest(self, key: ConversationKey, *, limit: int) -> list[RecallEvent]:
        is_visible = self._tx.scope.sees(key.project, key.agent)
        found = [event for event in self._tx.owned.recalls if is_visible and event.key == key]
        return sorted(found, key=lambda event: (event.at, event.id), reverse=True)[:limit]


def _updated(known: Row, row: Row, fields: Sequence[str]) -> Row:
    return replace(known, **{name: getattr(row, name) for name in fields})


def _text_key(key: ConversationKey) -> tuple[str, str, str]:
    return key.project or "", key.agent or "", key.name


def _rounded(stored: StoredVector) -> StoredVector:
    return replace(stored, vector=unpack_vector(pack_vector(stored.vector), dimension=len(stored.vector)))
