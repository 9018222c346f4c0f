"""The few vectors held of an owner who has too many: a sample that tells what is usual, and the nearest to a question.

A cosine counts by how far it stands out from all others, for which the sample speaks; one that is not known is worth
nothing either way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from yesteryear.core.vectors import Matrix
from yesteryear.recall.lexical import Mask, Positions, Scores

SAMPLED = 2000  # memories whose vectors are a sample: the deviation of all cosines is then known to two hundredths


@dataclass(frozen=True, slots=True)
class CandidateCachePolicy:
    """How many vectors are fetched for a question where not all are held."""

    nearest: int = 400  # the nearest to the question, at least 1, if all units are seen; more where fewer are
    nearest_at_most: int = 2000  # however few are seen, at least ``nearest``
    rescored: int = 200
    """The best by all signals whose vectors are fetched next, with those of the units before them, at least 0. Measured
    on 25,000 memories: of the best twenty .87 are found with 20, .98 with 200 and with 1000."""
    seen_whole: int = 2000  # units seen up to which the vectors of all are fetched, so that none is missed; at least 0

    def count(self, *, seen: int, among: int) -> int:
        """Return how many of the nearest to fetch where some units are seen ``among`` all."""
        return max(1, min(self.nearest * among // max(1, seen), self.nearest_at_most))


class CandidateCache:
    """Vectors of some units, by their numbers."""

    def __init__(self) -> None:
        self._numbers: Positions = np.zeros(0, dtype=np.int64)  # those of the sample first, then what was fetched
        self._matrix: Matrix = np.zeros((0, 0), dtype=np.float32)
        self._sampled = 0
        self.is_whole = False  # whether all vectors that the present question may meet are held

    @property
    def nbytes(self) -> int:
        """How much memory this takes, in bytes."""
        return self._numbers.nbytes + self._matrix.nbytes

    def set_sample(self, vectors: Mapping[int, Matrix]) -> None:
        """Take up the vectors of units that stand for all, in place of everything held."""
        self._keep(slice(0), vectors)
        self._sampled = len(vectors)

    def fetch(self, vectors: Mapping[int, Matrix], *, is_whole: bool) -> None:
        """Take up what was fetched for a question, in place of what was for the last; whether it may meet no others."""
        self._keep(slice(self._sampled), vectors)
        self.is_whole = is_whole

    def add(self, vectors: Mapping[int, Matrix]) -> None:
        """Take up what was fetched for the same question later."""
        self._keep(slice(None), vectors)

    def drop(self, numbers: Iterable[int]) -> None:
        """Let go the vectors of units whose text is gone."""
        stays = ~np.isin(self._numbers, list(numbers))
        self._sampled = int(np.count_nonzero(stays[: self._sampled]))
        self._keep(stays, {})

    def is_held(self, numbers: Positions) -> Mask:
        """Return which units have a vector here; shape (m,)."""
        return np.isin(numbers, self._numbers)

    def is_sample(self, numbers: Positions) -> Mask:
        """Return which units stand for all; shape (m,)."""
        return np.isin(numbers, self._numbers[: self._sampled])

    def cosines(self, question: Matrix, count: int) -> Scores:
        """Return the cosines of ``count`` units with a unit vector, by their numbers; nan where one is not known."""
        cosines = np.full(count, np.nan)
        if self._matrix.shape[1] == len(question):
            cosines[self._numbers] = np.einsum("ij,j->i", self._matrix, question)
        return cosines

    def _keep(self, rows: slice | Mask, vectors: Mapping[int, Matrix]) -> None:
        """Keep some rows, and add others."""
        self._numbers, self._matrix = self._numbers[rows], self._matrix[rows]
        if vectors:
            added = np.stack(list(vectors.values()))
            self._matrix = np.concatenate([self._matrix, added]) if len(self._matrix) else added
            self._numbers = np.concatenate([self._numbers, list(vectors)])
