"""The few vectors held of an owner who has too many: a sample that tells what is usual, and the nearest to a question.

The store finds the nearest by an index of its own (``yesteryear index``). A cosine counts by how far it stands out from
all others, and for those a sample speaks: units without a vector here have a cosine that is not known, which is worth
nothing either way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from yesteryear.core.vectors import Matrix
from yesteryear.recall.lexical import Mask, Positions, Scores

SAMPLED = 2000
"""Memories whose vectors are held as a sample: the deviation of all cosines is then known to within two hundredths."""


@dataclass(frozen=True, slots=True)
class NearPolicy:
    """How many vectors are fetched for a question where not all are held."""

    nearest: int = 400
    """The nearest to the question, at least 1, if all units are seen; more where fewer are."""
    nearest_at_most: int = 2000
    """However few are seen, at least ``nearest``."""
    seen_whole: int = 2000
    """Units seen up to which the vectors of all are fetched, so that none is missed; at least 0."""

    def count(self, *, seen: int, among: int) -> int:
        """Return how many of the nearest to fetch where some units are seen ``among`` all."""
        return max(1, min(self.nearest * among // max(1, seen), self.nearest_at_most))


class FewVectors:
    """Vectors of some units, by their numbers."""

    def __init__(self) -> None:
        self._sample: dict[int, Matrix] = {}
        self._fetched: dict[int, Matrix] = {}

    @property
    def nbytes(self) -> int:
        """About how much memory this takes, in bytes."""
        return sum(vector.nbytes for held in (self._sample, self._fetched) for vector in held.values())

    def set_sample(self, vectors: Mapping[int, Matrix]) -> None:
        """Take up the vectors of units that stand for all."""
        self._sample = dict(vectors)

    def fetch(self, vectors: Mapping[int, Matrix], *, is_new: bool) -> None:
        """Take up what was fetched for a question, beside or in place of what was fetched before."""
        self._fetched = {**({} if is_new else self._fetched), **vectors}

    def drop(self, numbers: Iterable[int]) -> None:
        """Let go the vectors of units whose text is gone."""
        for number in numbers:
            self._sample.pop(number, None)
            self._fetched.pop(number, None)

    def is_held(self, numbers: Positions) -> Mask:
        """Return which units have a vector here; shape (m,)."""
        return np.isin(numbers, [*self._sample, *self._fetched])

    def is_sample(self, numbers: Positions) -> Mask:
        """Return which units stand for all; shape (m,)."""
        return np.isin(numbers, list(self._sample))

    def of(self, numbers: Positions) -> Matrix:
        """Return the vectors of some units that are held; shape (m, dimension)."""
        held = {**self._sample, **self._fetched}
        return np.stack([held[number] for number in numbers.tolist()])

    def cosines(self, question: Matrix, count: int) -> Scores:
        """Return the cosines of ``count`` units with a unit vector, by their numbers; nan where one is not known."""
        cosines = np.full(count, np.nan)
        held = {**self._sample, **self._fetched}
        if held and len(next(iter(held.values()))) == len(question):
            cosines[list(held)] = np.einsum("ij,j->i", np.stack(list(held.values())), question)
        return cosines
