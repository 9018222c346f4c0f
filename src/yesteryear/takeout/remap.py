"""How rows look when they come to an owner: with the vectors that serve there, and in a conversation that grows.

Pure; ``takeout.load`` writes what is decided here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Generic, NamedTuple, TypeVar

from yesteryear.core.conversation import Conversation
from yesteryear.core.edge import Edge
from yesteryear.core.episode import Episode, EpisodeStatus
from yesteryear.core.fact import Evidence, Fact, FactStatus, FactVersion
from yesteryear.core.message import Message
from yesteryear.core.ruling import Ruling
from yesteryear.takeout import kinds
from yesteryear.takeout.kinds import Dump, Models, ModelVector

Row = TypeVar("Row", Message, Episode, Fact)
T = TypeVar("T")

ROWS_A_WRITE = 64
"""Most rows of one transaction, vectors counted, unless a single message or fact has more of them."""


@dataclass(frozen=True, slots=True)
class Loaded(Generic[Row]):
    """A row and its vectors."""

    row: Row
    vectors: tuple[ModelVector, ...]
    about: About | None = None
    """What comes with a fact."""

    @property
    def weight(self) -> int:
        """How many rows these are."""
        return 1 + len(self.vectors) + (0 if self.about is None else sum(map(len, self.about)))


class About(NamedTuple):
    """What is kept about a fact."""

    versions: tuple[FactVersion, ...]
    evidence: tuple[Evidence, ...]
    rulings: tuple[Ruling, ...]
    """On it and facts that come before it."""
    edges: tuple[Edge, ...]
    """Between it and facts that come before it."""


class _Queue(Generic[T]):
    """Rows of one kind that are handed out in their order."""

    def __init__(self, rows: Iterator[T]) -> None:
        self._rest = rows
        self._next = next(rows, None)

    def take(self, belongs: Callable[[T], bool]) -> tuple[T, ...]:
        """Return the next rows, as long as they belong."""
        taken = []
        while self._next is not None and belongs(self._next):
            taken.append(self._next)
            self._next = next(self._rest, None)
        return tuple(taken)


class VectorsByRow:
    """Hands each row its vectors, which come in the order of the rows."""

    def __init__(self, vectors: Iterator[ModelVector]) -> None:
        self._vectors = _Queue(vectors)

    def load(self, rows: Iterable[Row]) -> Iterator[Loaded[Row]]:
        """Walk through rows with their vectors."""
        for row in rows:
            yield Loaded(row, self._take(row.id))

    def load_facts(self, dump: Dump) -> Iterator[Loaded[Fact]]:
        """Walk through the facts of a dump, each with all that is kept about it and facts before it."""
        about = _AboutFacts(dump)
        for loaded in self.load(dump.rows(kinds.FACTS)):
            yield replace(loaded, about=about.take(loaded.row.id))

    def _take(self, ref: str) -> tuple[ModelVector, ...]:
        return self._vectors.take(lambda vector: vector.stored.ref == ref)


class _AboutFacts:
    """Hands each fact what is kept about it, which comes in the order of the facts."""

    def __init__(self, dump: Dump) -> None:
        self._versions, self._evidence = _Queue(dump.rows(kinds.VERSIONS)), _Queue(dump.rows(kinds.EVIDENCE))
        self._rulings, self._edges = _Queue(dump.rows(kinds.RULINGS)), _Queue(dump.rows(kinds.EDGES))
        self._seen: set[str] = set()

    def take(self, fact_id: str) -> About:
        self._seen.add(fact_id)
        return About(
            self._versions.take(lambda row: row.fact.id == fact_id),
            self._evidence.take(lambda row: row.fact_id == fact_id),
            self._rulings.take(lambda row: self._seen.issuperset(row.pair)),
            self._edges.take(lambda row: self._seen.issuperset((row.source, row.target))),
        )


def batches(loaded: Iterable[Loaded[Row]]) -> Iterator[tuple[list[Loaded[Row]], Row | None]]:
    """Cut rows into what is written at once, each with the row that follows it."""
    batch: list[Loaded[Row]] = []
    size = 0
    for one in loaded:
        if batch and size + one.weight > ROWS_A_WRITE:
            yield batch, one.row
            batch, size = [], 0
        batch.append(one)
        size += one.weight
    if batch:
        yield batch, None


def fit(loaded: Loaded[Row], *, here: Models, theirs: Models, now: datetime) -> Loaded[Row]:
    """Return a row as an owner can use it.

    Where other models serve than those it comes with, their vectors are left out, and what then lacks one of the
    owner's own is due to get it.

    Args:
        loaded: The row.
        here: The owner's models.
        theirs: The models of where the row comes from.
        now: When it becomes due.
    """
    if here == theirs:
        return loaded
    kept = tuple(vector for vector in loaded.vectors if vector.model in here)
    wanted = here.next_model or here.model
    if any(vector.model == wanted for vector in kept):
        return replace(loaded, vectors=kept)
    return replace(loaded, row=made_due(loaded.row, now), vectors=kept)


def made_due(row: Row, now: datetime) -> Row:
    """Return a row that gets a vector of the owner's own model, where it is one that has vectors."""
    if isinstance(row, Fact):
        return row if row.status is FactStatus.FORGOTTEN else replace(row, due_at=now)
    if isinstance(row, Episode):
        return replace(row, next_try=now) if row.status is EpisodeStatus.ACTIVE else row
    return replace(row, vector_due_at=now) if row.content and row.verdict is not None else row


def grow(here: Conversation | None, final: Conversation, upto: Message | None) -> Conversation:
    """Return a conversation after some of its messages have come.

    Until the last has come, its counters cover what is there and nothing is due. So whoever works on it beside sees
    talk that has just not gone on.

    Args:
        here: The conversation as it is here.
        final: As it is where the messages come from.
        upto: The newest message that is here; None once all are.
    """
    there = final if upto is None else _cut(final, upto)
    if here is None:
        return there
    if here.last_seq >= there.last_seq:
        return here  # all of it is here, and perhaps it has gone on
    if here.settled_seq <= there.settled_seq:
        return there
    due_at = there.due_at or here.due_at  # somebody has worked on its open end meanwhile
    return replace(there, settled_seq=here.settled_seq, due_at=due_at)


def _cut(final: Conversation, upto: Message) -> Conversation:
    return Conversation(
        key=final.key,
        zone=final.zone,
        last_seq=upto.seq,
        settled_seq=min(final.settled_seq, upto.seq),
        closed_seq=min(final.closed_seq, upto.seq),
        last_at=upto.at,
        last_recorded_at=upto.recorded_at,
    )
