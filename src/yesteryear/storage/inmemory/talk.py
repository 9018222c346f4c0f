"""The rows of what was said, over one owner's frozen value."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from yesteryear.core.conversation import Conversation
from yesteryear.core.episode import Episode, EpisodeStatus
from yesteryear.core.events import RecallEvent
from yesteryear.core.message import Message, Role
from yesteryear.core.queries import EpisodeQuery, IndexedMessage, MessageQuery, Verbatim
from yesteryear.core.scope import ConversationKey
from yesteryear.core.strength import Trace
from yesteryear.core.time import EPOCH
from yesteryear.core.vectors import Matrix, StoredVector, pack_vector, unpack_vector
from yesteryear.errors import Conflict, EmbeddingMismatch, Stale
from yesteryear.ports import Setting
from yesteryear.storage.inmemory.owned import OwnedRows
from yesteryear.storage.rows import EPISODE_CHANGES, MESSAGE_CHANGES, stored_digest, stored_verdict

Row = TypeVar("Row", Message, Episode)


class Repository:
    """Rows of one kind."""

    def __init__(self, rows: OwnedRows) -> None:
        self._rows = rows


class MessageRepository(Repository):
    """See ``ports.Messages``."""

    def insert(self, message: Message) -> None:
        """Add a message."""
        self._rows.check_owner(message.scope)
        for row in self._rows.owned.messages.values():
            has_place = row.seq == message.seq or (
                row.external_id is not None and row.external_id == message.external_id
            )
            if row.id == message.id or (has_place and row.key == message.key):
                raise Conflict(f"a row with the same key exists already ({row.id})")
        self._write([message])

    def update(self, messages: Sequence[Message]) -> None:
        """Write what changed in messages that exist."""
        for message in messages:
            self._rows.check_owner(message.scope)
        known = self._rows.owned.messages
        if messages:
            self._write([_updated(known[row.id], row, MESSAGE_CHANGES) for row in messages if row.id in known])

    def by_external_id(self, key: ConversationKey, external_id: str) -> Message | None:
        """Return the message that the caller gave this id to."""
        return next((row for row in self._of(key) if row.external_id == external_id), None)

    def tail(self, key: ConversationKey, *, limit: int) -> list[IndexedMessage]:
        """Return the last messages of a conversation."""
        last = sorted(self._of(key), key=lambda row: -row.seq)[:limit]
        return [IndexedMessage.of(row) for row in reversed(last)]

    def authors(self, key: ConversationKey) -> list[str]:
        """Return who has spoken in a conversation."""
        return sorted({row.author for row in self._of(key)})

    def span(self, key: ConversationKey, *, after: int, limit: int) -> list[Message]:
        """Return messages after a place in a conversation."""
        return sorted((row for row in self._of(key) if row.seq > after), key=lambda row: row.seq)[:limit]

    def get(self, ids: Sequence[str]) -> list[Message]:
        """Return messages in the order asked."""
        found = {row.id: row for row in self._visible()}
        return [found[message_id] for message_id in ids if message_id in found]

    def page(self, query: MessageQuery) -> list[Message]:
        """Return a page of messages by id."""
        found = [
            row
            for row in self._visible()
            if (not query.after or row.id < query.after if query.newest_first else row.id > query.after)
            and query.conversation in (None, row.conversation)
            and query.author in (None, row.author)
            and (row.error is not None or not query.has_error)
            and (query.outcome is None or (row.verdict is not None and row.verdict.outcome is query.outcome))
            and (query.since is None or row.at >= query.since)
            and (query.until is None or row.at < query.until)
        ]
        return sorted(found, key=lambda row: row.id, reverse=query.newest_first)[: query.limit]

    def due(self, now: datetime, *, limit: int) -> list[Message]:
        """Return messages due for a vector, users' first."""
        found = [row for row in self._visible() if row.vector_due_at is not None and row.vector_due_at <= now]
        found.sort(key=lambda row: (row.role is not Role.USER, row.vector_due_at or now, row.at, row.seq, row.id))
        return found[:limit]

    def expired(self, now: datetime, *, limit: int) -> list[Message]:
        """Return skipped messages whose days are over."""
        due = [row for row in self._visible() if row.expires_at is not None and row.expires_at <= now]
        found = [row for row in due if not row.asks_to_forget]
        return sorted(found, key=lambda row: row.expires_at or now)[:limit]

    def named(self, names: Sequence[str]) -> list[Message]:
        """Return messages by our ids or the callers'."""
        found = [row for row in self._visible() if row.id in names or row.external_id in names]
        return sorted(found, key=lambda row: (*text_key(row.key), row.seq))

    def forget_requests(self, now: datetime, *, limit: int) -> list[Message]:
        """Return requests to forget that are due."""
        found = [row for row in self._visible() if row.asks_to_forget and row.expires_at and row.expires_at <= now]
        return sorted(found, key=lambda row: (row.expires_at or now, row.at, row.seq, row.id))[:limit]

    def count_verbatim(self) -> int:
        """Return how many judged messages have their words."""
        return len(self.verbatim())

    def verbatim(self) -> list[Verbatim]:
        """Return judged messages that have their words, by age."""
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
        return [row for row in self._rows.owned.messages.values() if self._rows.sees(row.scope)]

    def _of(self, key: ConversationKey) -> list[Message]:
        return [row for row in self._visible() if row.conversation == key.name and row.key == key]

    def _write(self, messages: Sequence[Message]) -> None:
        rev = self._rows.next_rev()
        written = {row.id: replace(row, verdict=stored_verdict(row.verdict), rev=rev) for row in messages}
        self._rows.put(messages={**self._rows.owned.messages, **written})


class ConversationRepository(Repository):
    """See ``ports.Conversations``."""

    def get(self, key: ConversationKey) -> Conversation | None:
        """Return how far a conversation goes, or None."""
        return self._rows.owned.conversations.get(key) if self._rows.sees_key(key) else None

    def save(self, conversation: Conversation) -> None:
        """Write a conversation."""
        self._rows.next_rev()
        self._rows.put(conversations={**self._rows.owned.conversations, conversation.key: conversation})

    def due(self, now: datetime, *, limit: int) -> list[Conversation]:
        """Return conversations due to be worked through."""
        found = [row for row in self.list() if row.due_at is not None and row.due_at <= now]
        return sorted(found, key=lambda row: (row.due_at or now, *text_key(row.key)))[:limit]

    def list(self) -> list[Conversation]:
        """Return all conversations."""
        found = self._rows.owned.conversations.values()
        visible = (row for row in found if self._rows.sees_key(row.key))
        return sorted(visible, key=lambda row: text_key(row.key))


class EpisodeRepository(Repository):
    """See ``ports.Episodes``."""

    def insert(self, episode: Episode) -> None:
        """Add an episode."""
        self._rows.check_owner(episode.scope)
        if episode.id in self._rows.owned.episodes:
            raise Conflict(f"a row with the same key exists already ({episode.id})")
        self._write(episode)

    def update(self, episode: Episode, *, expecting: EpisodeStatus) -> None:
        """Write an episode that still has the status it had."""
        self._rows.check_owner(episode.scope)
        known = self._rows.owned.episodes.get(episode.id)
        if known is None or known.status is not expecting:
            raise Stale(f"episode {episode.id!r} is no longer {expecting}")
        self._write(_updated(known, episode, EPISODE_CHANGES))

    def get(self, ids: Sequence[str]) -> list[Episode]:
        """Return episodes in the order asked."""
        found = {row.id: row for row in self._visible()}
        return [found[episode_id] for episode_id in ids if episode_id in found]

    def page(self, query: EpisodeQuery) -> list[Episode]:
        """Return a page of episodes, newest first."""
        last = None if query.after is None else self._rows.owned.episodes.get(query.after)
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
        """Return episodes due for a vector."""
        found = [row for row in self._visible() if row.next_try is not None and row.next_try <= now]
        return sorted(found, key=lambda row: (row.next_try or now, row.ended_at, row.id))[:limit]

    def traces(
        self, *, due: datetime | None = None, only_active: bool = False, limit: int | None = None
    ) -> list[Trace]:
        """Return episodes as fading sees them."""
        wanted = {EpisodeStatus.ACTIVE} if only_active else {EpisodeStatus.ACTIVE, EpisodeStatus.ARCHIVED}
        found = [row for row in self._visible() if row.status in wanted]
        if due is not None:
            found = [row for row in found if row.fades_at is not None and row.fades_at <= due]
        found.sort(key=lambda row: (row.fades_at is None, row.fades_at or EPOCH, row.id))
        return [row.trace for row in found[:limit]]

    def count_active(self) -> int:
        """Return how many episodes are found."""
        return sum(row.status is EpisodeStatus.ACTIVE for row in self._visible())

    def _visible(self) -> list[Episode]:
        return [row for row in self._rows.owned.episodes.values() if self._rows.sees(row.scope)]

    def _write(self, episode: Episode) -> None:
        written = replace(episode, digest=stored_digest(episode.digest), rev=self._rows.next_rev())
        self._rows.put(episodes={**self._rows.owned.episodes, episode.id: written})


class VectorRepository(Repository):
    """See ``ports.Vectors``."""

    def put(self, model: str, vectors: Sequence[StoredVector]) -> None:
        """Write vectors of one model."""
        known = [stored for (name, _, _), stored in self._rows.owned.vectors.items() if name == model]
        for stored in vectors:
            dimension = len((*known, *vectors)[0].vector)
            if len(stored.vector) != dimension:
                raise EmbeddingMismatch(
                    f"{model!r} has vectors of {dimension} values here, this one has {len(stored.vector)}; "
                    "embed the texts again under another model name"
                )
        if vectors:
            self._rows.next_rev()
            written = {(model, stored.ref, stored.part): _rounded(stored) for stored in vectors}
            self._rows.put(vectors={**self._rows.owned.vectors, **written})

    def load(self, model: str, *, refs: Sequence[str] | None = None) -> list[StoredVector]:
        """Return the vectors of a model."""
        wanted = None if refs is None else set(refs)
        keys = [key for key in self._rows.owned.vectors if key[0] == model and (wanted is None or key[1] in wanted)]
        return [self._rows.owned.vectors[key] for key in sorted(keys)]

    def has_index(self, model: str) -> bool:  # noqa: ARG002 - see ports.Vectors
        """Tell that there is none."""
        return False

    def nearest(self, model: str, vector: Matrix, *, limit: int) -> list[StoredVector] | None:  # noqa: ARG002 - likewise
        """Return None, since there is no index."""
        return None

    def models(self) -> dict[str, int]:
        """Return how many vectors each model has."""
        names = [model for model, _, _ in self._rows.owned.vectors]
        return {model: names.count(model) for model in sorted(set(names))}

    def drop(self, model: str) -> int:
        """Delete all vectors of a model; return how many."""
        return self._keep({key: stored for key, stored in self._rows.owned.vectors.items() if key[0] != model})

    def forget(self, refs: Sequence[str]) -> None:
        """Delete the vectors of some rows, of every model."""
        gone = set(refs)
        self._keep({key: stored for key, stored in self._rows.owned.vectors.items() if key[1] not in gone})

    def _keep(self, left: Mapping[tuple[str, str, int], StoredVector]) -> int:
        self._rows.check_writable()
        deleted = len(self._rows.owned.vectors) - len(left)
        if deleted:
            self._rows.next_rev()
            self._rows.put(vectors=left)
        return deleted


class OverrideRepository(Repository):
    """See ``ports.Overrides``."""

    def get(self, project: str | None) -> Mapping[str, Setting]:
        """Return what is set at a level."""
        return self._rows.owned.overrides.get(project, {})

    def save(self, project: str | None, overrides: Mapping[str, Setting]) -> None:
        """Set a level."""
        self._rows.next_rev()
        self._rows.put(overrides={**self._rows.owned.overrides, project: dict(overrides)})

    def all(self) -> dict[str | None, Mapping[str, Setting]]:
        """Return what is set at every visible level."""
        seen = self._rows.scope.project
        found = {project: held for project, held in self._rows.owned.overrides.items() if seen in (None, project)}
        if None in self._rows.owned.overrides:
            found[None] = self._rows.owned.overrides[None]
        return dict(sorted(found.items(), key=lambda item: item[0] or ""))


class RecallRepository(Repository):
    """See ``ports.Recalls``."""

    def append(self, event: RecallEvent) -> None:
        """Note what a context has shown."""
        if any(known.id == event.id for known in self._rows.owned.recalls):
            raise Conflict(f"a row with the same key exists already ({event.id})")
        self._rows.put(recalls=(*self._rows.owned.recalls, event))

    def latest(self, key: ConversationKey, *, limit: int) -> list[RecallEvent]:
        """Return the last events of a conversation, newest first."""
        found = [event for event in self._rows.owned.recalls if event.key == key and self._sees(event)]
        return sorted(found, key=lambda event: (event.at, event.id), reverse=True)[:limit]

    def open(self, key: ConversationKey, *, limit: int) -> list[RecallEvent]:
        """Return events that are not settled, oldest first."""
        return [event for event in reversed(self.latest(key, limit=sys.maxsize)) if not event.settled][:limit]

    def stale(self, before: datetime, *, limit: int) -> list[ConversationKey]:
        """Return conversations with old events that are not settled."""
        waiting = (event for event in self._rows.owned.recalls if not event.settled and event.at < before)
        keys = {event.key for event in waiting if event.key.name and self._sees(event)}
        return sorted(keys, key=text_key)[:limit]

    def settle(self, ids: Sequence[str]) -> None:
        """Mark events as settled."""
        self._rows.put(
            recalls=tuple(
                replace(event, settled=True) if event.id in ids and self._sees(event) else event
                for event in self._rows.owned.recalls
            )
        )

    def page(self, *, after: str = "", limit: int = 100) -> list[RecallEvent]:
        """Return a page of events by id."""
        found = (event for event in self._rows.owned.recalls if event.id > after and self._sees(event))
        return sorted(found, key=lambda event: event.id)[:limit]

    def prune(self, before: datetime) -> int:
        """Delete events from before an instant; return how many."""
        return self._keep(lambda event: event.at >= before)

    def forget(self, refs: Sequence[str]) -> None:
        """Delete events that have shown some rows."""
        gone = set(refs)
        self._keep(lambda event: gone.isdisjoint(event.items))

    def _keep(self, is_kept: Callable[[RecallEvent], bool]) -> int:
        recalls = self._rows.owned.recalls
        kept = tuple(event for event in recalls if is_kept(event) or not self._sees(event))
        if len(kept) < len(recalls):
            self._rows.put(recalls=kept)
        return len(recalls) - len(kept)

    def _sees(self, event: RecallEvent) -> bool:
        return self._rows.sees_key(event.key)


def _updated(known: Row, row: Row, fields: Sequence[str]) -> Row:
    return replace(known, **{name: getattr(row, name) for name in fields})


def text_key(key: ConversationKey) -> tuple[str, str, str]:
    """Return what orders conversations: project, agent and name, those without first."""
    return key.project or "", key.agent or "", key.name


def _rounded(stored: StoredVector) -> StoredVector:
    return replace(stored, vector=unpack_vector(pack_vector(stored.vector), dimension=len(stored.vector)))
