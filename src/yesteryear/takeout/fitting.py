"""How rows look when they come to an owner: with the vectors that serve there, and in a conversation that grows.

Pure; ``takeout.arrival`` writes what is decided here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Generic, TypeVar

from yesteryear.core.conversation import Conversation
from yesteryear.core.episode import Episode, EpisodeStatus
from yesteryear.core.message import Message
from yesteryear.takeout.life import Models, ModelVector

Row = TypeVar("Row", Message, Episode)

ROWS_A_WRITE = 64
"""Most rows of one transaction, vectors counted, unless a single message has more of them."""


@dataclass(frozen=True, slots=True)
class Loaded(Generic[Row]):
    """A row and its vectors."""

    row: Row
    vectors: tuple[ModelVector, ...]


class VectorsByRow:
    """Hands each row its vectors, which come in the order of the rows."""

    def __init__(self, vectors: Iterator[ModelVector]) -> None:
        self._rest = vectors
        self._next = next(vectors, None)

    def load(self, rows: Iterable[Row]) -> Iterator[Loaded[Row]]:
        """Walk through rows with their vectors."""
        for row in rows:
            yield Loaded(row, tuple(self._take(row.id)))

    def _take(self, ref: str) -> Iterator[ModelVector]:
        while self._next is not None and self._next.stored.ref == ref:
            yield self._next
            self._next = next(self._rest, None)


def batches(loaded: Iterable[Loaded[Row]]) -> Iterator[tuple[list[Loaded[Row]], Row | None]]:
    """Cut rows into what is written at once, each with the row that follows it."""
    batch: list[Loaded[Row]] = []
    size = 0
    for one in loaded:
        weight = 1 + len(one.vectors)
        if batch and size + weight > ROWS_A_WRITE:
            yield batch, one.row
            batch, size = [], 0
        batch.append(one)
        size += weight
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
        return Loaded(loaded.row, kept)
    return Loaded(_made_due(loaded.row, now), kept)


def _made_due(row: Row, now: datetime) -> Row:
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
