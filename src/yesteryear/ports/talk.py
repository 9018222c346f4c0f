"""Rows of what was said: the journal, conversations, episodes, their vectors, and what contexts have shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from yesteryear.core.conversation import Conversation
    from yesteryear.core.episode import Episode, EpisodeStatus
    from yesteryear.core.events import RecallEvent
    from yesteryear.core.message import Message
    from yesteryear.core.queries import EpisodeQuery, IndexedMessage, MessageQuery, Verbatim
    from yesteryear.core.scope import ConversationKey
    from yesteryear.core.strength import Trace
    from yesteryear.core.vectors import Matrix, StoredVector

Setting: TypeAlias = int | float | bool | str
"""A value of a setting."""


class Messages(Protocol):
    """The journal."""

    def insert(self, message: Message) -> None:
        """Add a message whose ``seq`` follows its conversation's last one.

        A taken id or place is a ``Conflict``, raised here, by the next question, or where the transaction ends.
        """
        ...

    def update(self, messages: Sequence[Message]) -> None:
        """Write what changed in messages that exist: content, verdict, episode, due times, errors."""
        ...

    def by_external_id(self, key: ConversationKey, external_id: str) -> Message | None:
        """Return the message that the caller gave this id to."""
        ...

    def span(self, key: ConversationKey, *, after: int, limit: int) -> list[Message]:
        """Return up to ``limit`` messages with ``seq > after``, in order."""
        ...

    def tail(self, key: ConversationKey, *, limit: int) -> list[IndexedMessage]:
        """Return the last messages of a conversation, in order."""
        ...

    def authors(self, key: ConversationKey) -> list[str]:
        """Return who has spoken in a conversation, in order of their names."""
        ...

    def get(self, ids: Sequence[str]) -> list[Message]:
        """Return the visible messages with these ids, in the order asked; unknown ids are left out."""
        ...

    def page(self, query: MessageQuery) -> list[Message]:
        """Return the visible messages that match, ordered by id."""
        ...

    def due(self, now: datetime, *, limit: int) -> list[Message]:
        """Return messages whose passages are due to be embedded: user's before others', then oldest first."""
        ...

    def expired(self, now: datetime, *, limit: int) -> list[Message]:
        """Return skipped messages whose text the journal may erase."""
        ...

    def named(self, names: Sequence[str]) -> list[Message]:
        """Return the visible messages with one of these ids, ours or the caller's, in order of conversation and seq."""
        ...

    def forget_requests(self, now: datetime, *, limit: int) -> list[Message]:
        """Return messages that asked, up to ``now``, to have something forgotten and were not dealt with yet."""
        ...

    def verbatim(self) -> list[Verbatim]:
        """Return the visible messages that the gate has seen and whose words are kept, in order of (told_at, id)."""
        ...

    def count_verbatim(self) -> int:
        """Return how many messages ``verbatim`` would return."""
        ...


class Conversations(Protocol):
    """How far each conversation goes and has been worked through."""

    def get(self, key: ConversationKey) -> Conversation | None:
        """Return what is known of a conversation, or None."""
        ...

    def save(self, conversation: Conversation) -> None:
        """Write a conversation, new or known."""
        ...

    def due(self, now: datetime, *, limit: int) -> list[Conversation]:
        """Return conversations whose open tail is due, most overdue first."""
        ...

    def list(self) -> list[Conversation]:
        """Return the visible conversations, ordered by key."""
        ...


class Episodes(Protocol):
    """Remembered stretches of talk."""

    def insert(self, episode: Episode) -> None:
        """Add an episode."""
        ...

    def update(self, episode: Episode, *, expecting: EpisodeStatus) -> None:
        """Write an episode that was ``expecting`` when it was read.

        Raises:
            Stale: its status is another one by now, or it is gone.
        """
        ...

    def get(self, ids: Sequence[str]) -> list[Episode]:
        """Return the visible episodes with these ids, in the order asked; unknown ids are left out."""
        ...

    def page(self, query: EpisodeQuery) -> list[Episode]:
        """Return the visible episodes that match, newest first by (ended_at, id)."""
        ...

    def due(self, now: datetime, *, limit: int) -> list[Episode]:
        """Return episodes due for work (``next_try`` reached), oldest first."""
        ...

    def traces(
        self, *, due: datetime | None = None, only_active: bool = False, limit: int | None = None
    ) -> list[Trace]:
        """Return ACTIVE and ARCHIVED episodes, or those ``due``, as forgetting sees them; first to fade first."""
        ...

    def count_active(self) -> int:
        """Return how many visible episodes are ACTIVE."""
        ...


class Vectors(Protocol):
    """Unit vectors, float16 on disk, keyed by the model that made them."""

    def put(self, model: str, rows: Sequence[StoredVector]) -> None:
        """Write vectors; the same key again replaces.

        Raises:
            EmbeddingMismatch: rows of another dimension than this model's earlier ones.
        """
        ...

    def load(self, model: str, *, refs: Sequence[str] | None = None) -> list[StoredVector]:
        """Return the vectors of one model, all or those of some episodes and messages, ordered by key."""
        ...

    def has_index(self, model: str) -> bool:
        """Tell whether the store has an index of the owner's vectors of one model; see ``Store.index_vectors``."""
        ...

    def nearest(self, model: str, vector: Matrix, *, limit: int) -> list[StoredVector] | None:
        """Return the vectors of one model nearest to a unit vector, by the owner's own index; None where there is none.

        A few of them may be missing, and they come in no order: an index of this kind finds nearly all.
        """
        ...

    def models(self) -> dict[str, int]:
        """Return how many vectors each model has."""
        ...

    def drop(self, model: str) -> int:
        """Delete the vectors of one model; return how many there were."""
        ...

    def forget(self, refs: Sequence[str]) -> None:
        """Delete the vectors of some episodes or messages, of every model."""
        ...


class Overrides(Protocol):
    """Document A's ``memory_config``: settings of one user, and of one user's project."""

    def get(self, project: str | None) -> Mapping[str, Setting]:
        """Return what was set at exactly this level."""
        ...

    def save(self, project: str | None, overrides: Mapping[str, Setting]) -> None:
        """Replace what is set at this level."""
        ...

    def all(self) -> dict[str | None, Mapping[str, Setting]]:
        """Return what is set at each visible level; None stands for the user's own."""
        ...


class Recalls(Protocol):
    """What contexts have shown."""

    def append(self, event: RecallEvent) -> None:
        """Add an event."""
        ...

    def latest(self, key: ConversationKey, *, limit: int) -> list[RecallEvent]:
        """Return the newest events of a conversation, newest first."""
        ...

    def open(self, key: ConversationKey, *, limit: int) -> list[RecallEvent]:
        """Return events of a conversation of which it is not decided yet what was useful, oldest first."""
        ...

    def stale(self, before: datetime, *, limit: int) -> list[ConversationKey]:
        """Return conversations with such events of before an instant, in order of their keys."""
        ...

    def settle(self, ids: Sequence[str]) -> None:
        """Note that it was decided what of these events was useful."""
        ...

    def page(self, *, after: str = "", limit: int = 100) -> list[RecallEvent]:
        """Return visible events ordered by id, those behind ``after``."""
        ...

    def prune(self, before: datetime) -> int:
        """Delete visible events of before an instant; return how many."""
        ...

    def forget(self, refs: Sequence[str]) -> None:
        """Delete visible events that showed one of these messages or episodes."""
        ...
