"""Rows in an index, and what a scope sees of them, in a line."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.rows import a_vector
from yesteryear.core.episode import Episode
from yesteryear.core.fact import Evidence, Fact
from yesteryear.core.message import Message
from yesteryear.core.rows.queries import Changes, IndexedMessage
from yesteryear.core.scope import Scope
from yesteryear.core.vectors import Matrix, StoredVector
from yesteryear.recall.index import OwnerIndex, RecallFilter
from yesteryear.recall.view import View, view_of

ANA = Scope(user="ana")
EVERYTHING = RecallFilter()


def index_of(*rows: Message | Episode | Fact, rev: int = 1) -> OwnerIndex:
    """Return an index of some rows."""
    index = OwnerIndex()
    take(index, *rows, rev=rev)
    return index


def take(index: OwnerIndex, *rows: Message | Episode | Fact, rev: int = 2) -> list[str]:
    """Let an index take up rows that changed; return the ids whose vectors it asks for."""
    messages = tuple(IndexedMessage.of(row) for row in rows if isinstance(row, Message))
    episodes = tuple(row for row in rows if isinstance(row, Episode))
    facts = tuple(row for row in rows if isinstance(row, Fact))
    return index.apply(Changes(rev, 0, messages, episodes, facts))


def view(
    *rows: Message | Episode | Fact,
    scope: Scope = ANA,
    only: RecallFilter = EVERYTHING,
    vectors: Sequence[StoredVector] = (),
    evidence: Sequence[Evidence] = (),
) -> View:
    """Return what a scope sees of some rows."""
    index = index_of(*rows)
    index.set_vectors(vectors)
    index.set_sources([row.id for row in rows if isinstance(row, Fact)], evidence)
    return view_of(index, scope, only)


def texts(seen: View) -> list[str]:
    """Return the texts of a view."""
    return [seen.unit(position).text for position in range(len(seen))]


def direction(*values: float) -> Matrix:
    """Return a vector of length 1."""
    return a_vector("", *values).vector


def leaning(ref: str, cosine: float, *, part: int = 0) -> StoredVector:
    """Return the vector of a passage whose cosine with (1, 0) is the one given."""
    return a_vector(ref, cosine, float(np.sqrt(1 - cosine**2)), part=part)
