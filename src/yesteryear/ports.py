"""Everything the engine needs from the world, on one page.

A step reads and writes through these protocols and through nothing else. Adapters live in ``storage`` and
``providers``; the conformance suites in ``yesteryear.testing`` say in tests what is said here in words.

Every transaction belongs to one owner and is seen through one scope; no repository takes a user id.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    from yesteryear.core.conversation import Conversation
    from yesteryear.core.episode import Digest, Episode, EpisodeStatus, Talk
    from yesteryear.core.erasure import Erasure, Scrubbed
    from yesteryear.core.events import RecallEvent
    from yesteryear.core.message import Message
    from yesteryear.core.owner import OwnerState
    from yesteryear.core.queries import Changes, EpisodeQuery, IndexedMessage, MessageQuery, Verbatim
    from yesteryear.core.scope import ConversationKey, Owner, Scope
    from yesteryear.core.strength import Trace
    from yesteryear.core.vectors import EmbedderProfile, Matrix, Purpose, StoredVector

T = TypeVar("T")

Setting: TypeAlias = int | float | bool | str
"""A value of a setting."""


class Clock(Protocol):
    """Tells the time. Nothing else in yesteryear does."""

    def now(self) -> datetime:
        """Return the present instant, aware and in UTC."""
        ...


class IdSource(Protocol):
    """Makes ids that sort by time."""

    def new(self, milliseconds: int) -> str:
        """Return a fresh UUIDv7 for an event at ``milliseconds`` of Unix time."""
        ...


class TokenCounter(Protocol):
    """Counts tokens the way a model would, or errs on the high side."""

    def count(self, text: str) -> int:
        """Return how many tokens ``text`` costs; never fewer than the model counts."""
        ...


class Embedder(Protocol):
    """Turns texts into unit vectors. Safe to call from several threads."""

    @property
    def profile(self) -> EmbedderProfile:
        """The model's name, dimension and thresholds."""
        ...

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Matrix:
        """Return shape (len(texts), dimension), float32, rows of unit length.

        Raises:
            ProviderError: the model could not answer; ``retryable`` says whether to try again.
        """
        ...

    def close(self) -> None:
        """Release what the model holds."""
        ...


class Analyst(Protocol):
    """Reads a stretch of talk and says what it was about."""

    def digest(self, talk: Talk, *, give_way: Callable[[], None]) -> Digest:
        """Return topic, summary, points, decisions, emotions, state and answers to unsure verdicts.

        ``give_way`` is called between pieces of work of a few milliseconds, so that a caller who waits goes first.

        Raises:
            ProviderError: the analyst could not answer.
        """
        ...


class Workers(Protocol):
    """Names this process as a worker, and tells whether another is still there."""

    def name(self) -> str:
        """Return a name that no other worker has, here or elsewhere, and that ``is_gone`` understands."""
        ...

    def is_gone(self, worker: str) -> bool:
        """Tell whether that worker is known to have ended; False when in doubt."""
        ...


class Bell(Protocol):
    """A hint that something became due. Rows are the queue; a lost ring costs time, never work."""

    def ring(self) -> None:
        """Wake whoever waits."""
        ...

    def wait(self, timeout_s: float) -> bool:
        """Wait until somebody rings, at most ``timeout_s`` seconds; tell whether somebody did."""
        ...


class Messages(Protocol):
    """The journal."""

    def insert(self, message: Message) -> None:
        """Add a message whose ``seq`` follows its conversation's last one."""
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


class Transaction(Protocol):
    """One owner's rows at one moment, seen through one scope.

    Reads are filtered by the scope's project and agent; writes carry the scope of the row. Writing transactions of one
    owner happen one after another, so that what was read in one still holds when it writes.
    """

    @property
    def scope(self) -> Scope:
        """Through which scope this looks."""
        ...

    @property
    def messages(self) -> Messages:
        """The journal."""
        ...

    @property
    def conversations(self) -> Conversations:
        """How far each conversation goes."""
        ...

    @property
    def episodes(self) -> Episodes:
        """Remembered stretches of talk."""
        ...

    @property
    def vectors(self) -> Vectors:
        """Unit vectors by model."""
        ...

    @property
    def overrides(self) -> Overrides:
        """Settings of the user and of projects."""
        ...

    @property
    def recalls(self) -> Recalls:
        """What contexts have shown."""
        ...

    def owner(self) -> OwnerState:
        """Return counters, model and lease of the owner; zeros for an owner without rows."""
        ...

    def save_owner(self, state: OwnerState) -> None:
        """Write models, generation and lease; ``rev`` is counted by the store."""
        ...

    def changes(self, since: int) -> Changes:
        """Return the owner's messages and episodes with ``rev > since`` and the present ``rev``, whatever the scope."""
        ...

    def counts(self) -> dict[str, int]:
        """Return numbers of visible rows by kind and status, such as ``episodes.active``."""
        ...

    def withdraw(
        self,
        *,
        messages: Sequence[str] = (),
        conversations: Sequence[ConversationKey] = (),
        episodes: Sequence[str] = (),
        recalls: Sequence[str] = (),
    ) -> None:
        """Take rows out again, as if they had never been written; the generation rises, so indexes are built anew."""
        ...

    def erase(self) -> dict[str, int]:
        """Delete every row of the owner, whatever the scope; return how many, by table. Their generation rises."""
        ...

    def erasure(self) -> Erasure | None:
        """Return the receipt of the owner's last erasure."""
        ...

    def save_erasure(self, erasure: Erasure) -> None:
        """Write the receipt of the owner's last erasure."""
        ...


class Store(Protocol):
    """Where the rows live. Safe to use from several threads; one process more is another Store on the same place."""

    def write(self, scope: Scope, work: Callable[[Transaction], T], *, urgent: bool = False) -> T:
        """Run ``work`` in a writing transaction and return its result once the commit is on disk.

        Calls that wait together share a commit; each fails alone.

        Args:
            scope: Whose rows, and seen through what.
            work: Called with the transaction, perhaps on another thread; holds no model call.
            urgent: Goes before calls that are not.

        Raises:
            StorageUnavailable: locked for too long, read-only or full; nothing of this call was written.
        """
        ...

    def submit(self, scope: Scope, work: Callable[[Transaction], T], *, urgent: bool = False) -> Future[T]:
        """Queue ``work`` as ``write`` does and return at once; the future resolves after the commit.

        Giving up on the future does not undo the row.
        """
        ...

    def read(self, scope: Scope) -> AbstractContextManager[Transaction]:
        """Open a snapshot for reading. Writing through it raises StorageError."""
        ...

    def due(self, now: datetime, *, limit: int) -> list[Owner]:
        """Return owners with due work and no live lease; the one question that crosses owners."""
        ...

    def leases(self) -> list[tuple[Owner, str]]:
        """Return who holds a lease on which owner, expired or not; for taking over from workers that are gone."""
        ...

    def owners(self) -> list[Owner]:
        """Return all owners in the store, in order; for operators."""
        ...

    def scrub(self, removed: Collection[bytes]) -> Scrubbed:
        """Make the files hold nothing that was deleted, and look whether they do.

        ``removed`` are texts (UTF-8) and packed vectors to look for; with none, all is written anew at once.

        Raises:
            StorageUnavailable: the disk is full or the file cannot be written; what was deleted stays deleted.
        """
        ...

    def erasures(self) -> list[Erasure]:
        """Return receipts, and notes of what was forgotten, where the files may still hold it."""
        ...

    def note_erasure(self, erasure: Erasure) -> None:
        """Write such a receipt or note by its ``person``, unless there is a later one."""
        ...

    def give_way(self) -> None:
        """Step aside for a moment while urgent calls are under way; returns at once when there are none."""
        ...

    def describe(self, *, check: bool = False) -> dict[str, object]:
        """Return what an operator wants to know; with ``check`` also whether all that is stored is whole (slow)."""
        ...

    def close(self) -> None:
        """Finish what was submitted and release the files."""
        ...


class Background(Protocol):
    """Work that goes on beside the callers."""

    def start(self) -> None:
        """Begin."""
        ...

    def stop(self) -> None:
        """Stop at the next row boundary, and return when stopped."""
        ...


@dataclass(frozen=True, slots=True)
class Ports:
    """The adapters that one engine works with."""

    store: Store
    embedder: Embedder
    analyst: Analyst
    tokens: TokenCounter
    clock: Clock
    ids: IdSource
    bell: Bell
    workers: Workers
    other_embedder: Callable[[str], Embedder | None]
    """Finds the embedder of a model that older vectors were made with, or None."""
    receipt_key: bytes = b""
    """Signs receipts; none where empty."""
    is_fallback_embedder: bool = False
    """Whether ``embedder`` only stands in for one whose weights are missing."""
