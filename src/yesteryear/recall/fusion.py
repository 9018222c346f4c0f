"""One score out of several: standardise, sum, let neighbours count."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from yesteryear.recall.lexical import Scores


@dataclass(frozen=True, slots=True)
class FusionPolicy:
    """How much each signal counts. Score fusion beat rank fusion on both data sets that were measured."""

    words: float = 0.5
    """Weight of the standardised BM25 score; at least 0."""
    vector: float = 1.0
    """Weight of the standardised cosine; at least 0."""
    neighbours: float = 0.3
    """Share of the mean score of the units before and after that is added, in [0, 1]."""


def standardise(scores: Scores) -> Scores:
    """Return (score - mean) / deviation over the finite scores; 0 where there is no score or no deviation.

    Args:
        scores: Shape (n,); nan stands for "not known".
    """
    known = np.isfinite(scores)
    if not known.any():
        return np.zeros_like(scores)
    deviation = scores[known].std()
    if deviation == 0:
        return np.zeros_like(scores)
    return np.where(known, (scores - scores[known].mean()) / deviation, 0.0)


def add_neighbours(scores: Scores, before: np.ndarray, policy: FusionPolicy) -> Scores:
    """Return the scores with a share of what stands directly before and after.

    Args:
        scores: Shape (n,).
        before: Shape (n,); position of the unit before each, or -1.
        policy: The share.
    """
    total, count = np.zeros_like(scores), np.zeros_like(scores)
    has_one = before >= 0
    total[has_one] += scores[before[has_one]]
    count[has_one] += 1
    np.add.at(total, before[has_one], scores[has_one])
    np.add.at(count, before[has_one], 1)
    return scores + policy.neighbours * total / np.maximum(count, 1)
