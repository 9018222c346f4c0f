"""Scoring by words: BM25 over a window of neighbours, with postings that grow by appending."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.float64]
Positions = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class BM25Policy:
    """Robertson and Zaragoza's constants, and how far a word reaches in talk; as measured on short chat messages."""

    k1: float = 0.9  # how soon a repeated word stops counting; above 0
    b: float = 0.4  # how much long texts are held back, in [0, 1]
    window: tuple[float, ...] = (0.5, 0.25, 0.12)
    """What a word counts 1, 2, 3 … units away on either side, in [0, 1]: an answer rarely repeats the question's."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Who stands next to whom among m units of talk; no pause lies between neighbours."""

    before: tuple[Positions, ...]  # shape (m,) for each distance from 1: position of the unit that many before, or -1
    after: tuple[Positions, ...]  # the same for the units that follow

    @classmethod
    def of(cls, before: Positions, *, distance: int) -> Neighbours:
        """Return the neighbours up to a distance of at least 1.

        ``before`` has shape (m,): the position of the unit directly before each, or -1; no position twice.
        """
        after = np.full(len(before), -1, dtype=np.int64)
        has_one = np.flatnonzero(before >= 0)
        after[before[has_one]] = has_one
        return cls(_chain(before, distance), _chain(after, distance))

    def spread(self, values: Scores, weights: Sequence[float]) -> Scores:
        """Return each unit's value, shape (m,), plus those of its neighbours, weighted; see ``add``."""
        total = np.zeros(len(values))
        self.add(total, np.arange(len(values)), values, weights)
        return total

    def add(self, total: Scores, positions: Positions, values: Scores, weights: Sequence[float]) -> None:
        """Add the values of some units to them and, weighted by distance, to their neighbours; in place, to ``total``.

        ``total`` has shape (m,), ``positions``, none twice, and ``values`` shape (k,). ``weights`` are by distance from
        1, not more than there are neighbours.
        """
        total[positions] += values
        for weight, before, after in zip(weights, self.before[: len(weights)], self.after[: len(weights)], strict=True):
            weighted = weight * values
            for step in (before[positions], after[positions]):
                has_one = step >= 0
                total[step[has_one]] += weighted[has_one]  # no neighbour twice, since no unit has two on one side


def _chain(step: Positions, distance: int) -> tuple[Positions, ...]:
    steps = [step]
    while len(steps) < distance:
        steps.append(np.where(steps[-1] >= 0, step[steps[-1]], -1))
    return tuple(steps)


def _no_rows() -> tuple[array[int], array[int]]:
    return array("q"), array("q")


class Postings:
    """Which text holds which stem how often. Texts are numbered from 0 in the order they were added."""

    def __init__(self) -> None:
        self._rows: defaultdict[str, tuple[array[int], array[int]]] = defaultdict(_no_rows)
        self._lengths = array("q")
        self._entries = 0

    def __len__(self) -> int:
        return len(self._lengths)

    @property
    def nbytes(self) -> int:
        """About how much memory this takes, in bytes."""
        return 16 * self._entries + 250 * len(self._rows) + 8 * len(self._lengths)

    def add(self, stems: Sequence[str]) -> None:
        """Append a text."""
        number = len(self._lengths)
        self._lengths.append(len(stems))
        for stem in stems:
            numbers, counts = self._rows[stem]
            if numbers and numbers[-1] == number:
                counts[-1] += 1
            else:
                numbers.append(number)
                counts.append(1)
                self._entries += 1

    def remove(self, number: int, stems: Iterable[str]) -> None:
        """Forget the words of a text, which are given once more; its number is not used again."""
        self._lengths[number] = 0
        for stem in frozenset(stems):
            numbers, counts = self._rows[stem]
            place = bisect_left(numbers, number)
            del numbers[place], counts[place]
            self._entries -= 1
            if not numbers:
                del self._rows[stem]

    def lengths(self, numbers: Positions) -> Positions:
        """Return how many stems some texts have."""
        return np.array(self._lengths, dtype=np.int64)[numbers]

    def score(
        self,
        stems: Iterable[str],
        places: Positions,
        lengths: Scores,
        neighbours: Neighbours,
        policy: BM25Policy,
        *,
        among: Mask | None = None,
    ) -> Scores:
        """Return the BM25 score of m texts for a question.

        A text's window is the text and its neighbours, each counting by its distance: tf and length are weighted sums.
        score = sum over the question's distinct stems of idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * len / mean)),
        idf = ln(1 + (n - df + .5) / (df + .5)). It has shape (m,) and is at least 0.

        Args:
            stems: Of the question.
            places: Shape (n,) over all texts: position among the m, or -1 for a text that takes no part.
            lengths: Shape (m,); stems of each window.
            neighbours: Of the m texts.
            policy: The constants.
            among: Shape (m,); those to which n, df and the mean length refer; all where not given.

        Source: Robertson and Zaragoza 2009; idf as in Lucene, never negative.
        """
        known = [self._rows[stem] for stem in dict.fromkeys(stems) if stem in self._rows]
        if not known or not len(lengths):
            return np.zeros(len(lengths))
        among = np.ones(len(lengths), dtype=bool) if among is None else among
        number = np.count_nonzero(among)
        mean: float = lengths[among].sum() / max(number, 1)
        norms = policy.k1 * (1 - policy.b + policy.b * lengths / max(mean, 1.0))
        scores = np.zeros(len(lengths))
        for postings in known:
            numbers, counts = (np.array(part, dtype=np.int64) for part in postings)
            found = places[numbers]
            is_here = found >= 0
            frequencies = np.zeros(len(lengths))
            neighbours.add(frequencies, found[is_here], counts[is_here].astype(np.float64), policy.window)
            holding = np.flatnonzero(frequencies)
            df = np.count_nonzero(among[holding])
            idf = np.log1p((number - df + 0.5) / (df + 0.5))
            tf = frequencies[holding]
            scores[holding] += idf * tf * (policy.k1 + 1) / (tf + norms[holding])
        return scores
