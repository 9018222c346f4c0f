"""Everything the engine needs from the world, on one shelf: the world, the store, and its rows.

A step reads and writes through these protocols and through nothing else; the suites in ``tests/contract`` say in tests
what is said here in words. A transaction belongs to one owner and one scope; no repository takes a user id. What asks a
model raises ProviderError where it gets no answer; ``retryable`` says whether to try again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, Self, TypeVar, runtime_checkable

from yesteryear.ports.rows import Setting as Setting
from yesteryear.ports.rows import Transaction as Transaction

if TYPE_CHECKING:
    from yesteryear.core.episode import Digest, Distillate, EpisodeWords, Talk
    from yesteryear.core.erasure import Erasure, Scrubbed
    from yesteryear.core.reading import Before, Effect, MessageReading
    from yesteryear.core.ruling import ClaimPair, Judgement
    from yesteryear.core.scope import Owner, Scope, Waiting
    from yesteryear.core.usage import Account
    from yesteryear.core.vectors import EmbedderProfile, Matrix, Purpose, VectorIndex

T = TypeVar("T")


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

    def submit(self, scope: Scope, work: Callable[[Transaction], T], *, urgent: bool = False) -> Future[T]:
        """Queue ``work`` as ``write`` does and return at once; the future resolves after the commit.

        Giving up on the future does not undo the row.
        """

    def read(self, scope: Scope) -> AbstractContextManager[Transaction]:
        """Open a snapshot for reading. Writing through it raises StorageError."""

    def due(self, now: datetime, *, limit: int) -> list[Owner]:
        """Return owners with due work and no live lease; the one question that crosses owners."""

    def waiting(self, now: datetime) -> Waiting:
        """Return how many owners ``due`` would return without a limit, and since when the first of them is due."""

    def leases(self) -> list[tuple[Owner, str]]:
        """Return who holds a lease on which owner, expired or not; for taking over from workers that are gone."""

    def pulse(self) -> str:
        """Return a text that is another one after every commit of any process; a look at it costs next to nothing."""

    def owners(self) -> list[Owner]:
        """Return all people in the store, in order, without what belongs to a tenant itself; for operators."""

    def scrub(self, removed: Collection[bytes]) -> Scrubbed:
        """Make the files hold nothing that was deleted, and look whether they do.

        ``removed`` are texts (UTF-8) and packed vectors to look for; with none, all is written anew at once.

        Raises:
            StorageUnavailable: the disk is full or the file cannot be written; what was deleted stays deleted.
        """

    def erasures(self) -> list[Erasure]:
        """Return receipts, and notes of what was forgotten, where the files may still hold it."""

    def note_erasure(self, erasure: Erasure) -> None:
        """Write such a receipt or note by its ``person``, unless there is a later one."""

    def index_vectors(
        self, owner: Owner | None = None, *, is_dry: bool = False, drops: bool = False
    ) -> list[VectorIndex]:
        """Give owners with too many vectors to compare them all an index, take it from others, and return all of them.

        For operators. It may take minutes; owners are read and written meanwhile. A store without such indexes does
        nothing.

        Args:
            owner: Of whom alone; of everybody where not given.
            is_dry: Only tell what would be done.
            drops: Take all of them away.

        Raises:
            SetUpNeeded: the role may not change the schema.
        """

    def yield_to_foreground(self) -> None:
        """Step aside for a moment while urgent calls are under way; returns at once when there are none."""

    def describe(self, *, check: bool = False) -> dict[str, object]:
        """Return what an operator wants to know; with ``check`` also whether all that is stored is whole (slow)."""

    def close(self) -> None:
        """Finish what was submitted and release the files. Closing twice is harmless."""


@runtime_checkable
class ReachesOthers(Protocol):
    """A store through which a bell can ring in other processes too."""

    def share(self, bell: Bell) -> Bell:
        """Return a bell that rings in this process, as ``bell`` does, and in all others on the same store."""


class Clock(Protocol):
    """Tells the time. Nothing else in yesteryear does."""

    def now(self) -> datetime:
        """Return the present instant, aware and in UTC."""


class IdSource(Protocol):
    """Makes ids that sort by time."""

    def new(self, milliseconds: int) -> str:
        """Return a fresh UUIDv7 for an event at ``milliseconds`` of Unix time."""


class TokenCounter(Protocol):
    """Counts tokens the way a model would, or errs on the high side."""

    def count(self, text: str) -> int:
        """Return how many tokens ``text`` costs; never fewer than the model counts."""


class Embedder(Protocol):
    """Turns texts into unit vectors. Safe to call from several threads."""

    @property
    def profile(self) -> EmbedderProfile:
        """The model's name, dimension and thresholds."""

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Matrix:
        """Return shape (len(texts), dimension), float32, rows of unit length."""

    def close(self) -> None:
        """Release what the model holds."""


class Reader(Protocol):
    """Reads a message in its place. Safe to call from several threads."""

    @property
    def version(self) -> str:
        """Its name and version; stored with what it has read."""

    def read(self, text: str, *, before: Sequence[Before] = ()) -> MessageReading:
        """Return what was meant, sentence by sentence; ``before`` is what was said before, the latest last."""

    def effects(self, fact: str, text: str, *, before: Sequence[Before] = ()) -> Mapping[Effect, float]:
        """Return how likely a message does what to a known fact, in [0, 1], together 1; empty where it cannot tell."""

    def close(self) -> None:
        """Release what it holds."""


class ContextualModel(Protocol):
    """Compares what is asked with messages as they were read in their place. Safe to call from several threads."""

    @property
    def name(self) -> str:
        """Its name and version, which begins with ``CONTEXTUAL``; stored with every vector."""

    @property
    def asked_by(self) -> str:
        """Name of the embedding model whose vectors of questions it takes."""

    def of_message(self, reading: MessageReading) -> Matrix | None:
        """Return the vector of a message, shape (dimension,), of any length; None where it was read by words alone."""

    def of_question(self, vector: Matrix) -> Matrix:
        """Return what vectors of messages are compared with, of their shape, for what ``asked_by`` made of a text."""


class Analyst(Protocol):
    """Reads a stretch of talk and says what it was about."""

    def digest(self, talk: Talk, *, yield_to_foreground: Callable[[], None]) -> Digest:
        """Return topic, summary, points, decisions, emotions, state and answers to unsure verdicts.

        ``yield_to_foreground`` is called between pieces of work of a few milliseconds: a caller who waits goes first.
        """

    def judge(self, pairs: Sequence[ClaimPair], *, yield_to_foreground: Callable[[], None]) -> list[Judgement]:
        """Return what the later statement of each pair does to the earlier, and what that is sure enough for."""


@runtime_checkable
class ReadsItself(Protocol):
    """An analyst that tells facts by its own reading, not by that of the reader."""

    @property
    def reader(self) -> str:
        """Its name and version; stored with what it has read."""


@runtime_checkable
class Distiller(Protocol):
    """An analyst who can also say what holds over several episodes; the keyless one cannot."""

    def distil(self, episodes: Sequence[EpisodeWords], *, yield_to_foreground: Callable[[], None]) -> Distillate:
        """Return what people show in two or more of some related episodes, in order, or why they could not be read."""


class Workers(Protocol):
    """Names this process as a worker, and tells whether another is still there."""

    def name(self) -> str:
        """Return a name that no other worker has, here or elsewhere, and that ``is_gone`` understands."""

    def is_gone(self, worker: str) -> bool:
        """Tell whether that worker is known to have ended; False when in doubt."""


class Bell(Protocol):
    """A hint that something became due. Rows are the queue; a lost ring costs time, never work."""

    def ring(self) -> None:
        """Wake whoever waits."""

    def wait(self, timeout_s: float) -> bool:
        """Wait until somebody rings, at most ``timeout_s`` seconds; tell whether somebody did."""


class Background(Protocol):
    """Work that goes on beside the callers."""

    @property
    def is_alive(self) -> bool:
        """Whether it goes on."""

    def start(self) -> None:
        """Begin."""

    def stop(self) -> None:
        """Stop at the next row boundary, and return when stopped."""


@runtime_checkable
class Paid(Protocol):
    """A model whose calls cost something: an analyst or embedder that can be put on somebody's account."""

    def on(self, account: Account) -> Self:
        """Return the same model with an account on which its calls are put."""


@dataclass(frozen=True, slots=True)
class Ports:
    """The adapters that one engine works with."""

    store: Store
    embedder: Embedder
    reader: Reader
    analyst: Analyst
    tokens: TokenCounter
    clock: Clock
    ids: IdSource
    bell: Bell
    workers: Workers
    other_embedder: Callable[[str], Embedder | None]
    """Finds the embedder of a model that older vectors were made with, or None."""
    contextual: ContextualModel | None = None
    """Compares questions with what ``reader`` makes of messages; None where it was taught for another."""
    receipt_key: bytes = b""  # signs receipts; none where empty
    grouping: Callable[[Matrix], Sequence[Sequence[int]]] | None = None
    """Groups rows of unit length, shape (n, dimension), into groups of row numbers; None for average linkage."""
    release: Callable[[], None] = lambda: None
    """Lets go of what models hold beside the embedder; called once, when the engine closes."""
    is_fallback_embedder: bool = False  # whether ``embedder`` only stands in for one whose weights are missing
    is_fallback_reader: bool = False  # whether ``reader`` only stands in for one whose weights are missing

    @property
    def reads_by(self) -> str:
        """What tells the facts of a talk here, with its version."""
        return self.analyst.reader if isinstance(self.analyst, ReadsItself) else self.reader.version
