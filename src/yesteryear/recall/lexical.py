"""Scoring by words: BM25 over postings that grow by appending."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class BM25Policy:
    """Robertson and Zaragoza's constants, as measured on short chat messages."""

    k1: float = 0.9
    """How soon a repeated word stops counting; above 0."""
    b: float = 0.4
    """How much long texts are held back, in [0, 1]."""


class Postings:
    """Which text holds which stem how often. Texts are numbered from 0 in the order they were added."""

    def __init__(self) -> None:
        self._rows: dict[str, tuple[array[int], array[int]]] = {}
        self._lengths = array("d")

    def __len__(self) -> int:
        return len(self._lengths)

    def add(self, stems: Sequence[str]) -> None:
        """Append a text."""
        number = len(self._lengths)
        self._lengths.append(len(stems))
        for stem, count in Counter(stems).items():
            rows = self._rows.get(stem)
            if rows is None:
                rows = self._rows[stem] = (array("L"), array("L"))
            rows[0].append(number)
            rows[1].append(count)

    def score(self, stems: Iterable[str], among: npt.NDArray[np.int64], policy: BM25Policy) -> Scores:
        """Return the BM25 score of some texts for a question; to them alone n, df and the mean length refer.

        score = sum over the question's distinct stems of idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * len / mean)),
        idf = ln(1 + (n - df + .5) / (df + .5)).

        Args:
            stems: Of the question.
            among: Numbers of the n texts, each once.
            policy: The constants.

        Returns:
            Shape (n,), at least 0, in the order of ``among``.

        Source: Robertson and Zaragoza 2009; idf as in Lucene, never negative.
        """
        scores = np.zeros(len(among))
        if not len(among):
            return scores
        lengths = np.array(self._lengths)[among]
        norms = policy.k1 * (1 - policy.b + policy.b * lengths / max(float(lengths.mean()), 1.0))
        positions = np.full(len(self), -1, dtype=np.int64)
        positions[among] = np.arange(len(among))
        for stem in dict.fromkeys(stems):
            if stem not in self._rows:
                continue
            numbers, counts = (np.array(part, dtype=np.int64) for part in self._rows[stem])
            found = positions[numbers]
            found, counts = found[found >= 0], counts[found >= 0]
            idf = np.log1p((len(among) - len(found) + 0.5) / (len(found) + 0.5))
            scores[found] += idf * counts * (policy.k1 + 1) / (counts + norms[found])
        return scores
