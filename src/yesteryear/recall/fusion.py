"""One score out of several signals: each standardised or plain, weighted, and summed.

The weights are one set for all kinds of chat: two people, a group, a person with an assistant. They are rounded by
hand; on other data they may move by a third without harm.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from yesteryear.recall.lexical import Mask, Positions, Scores

_NO_DEVIATION = 1e-12  # deviations below this are rounding


@dataclass(frozen=True, slots=True)
class FusionPolicy:
    """What each signal adds to a score, in standard deviations of a mixed score; chosen on development data."""

    words: float = 0.4  # for each deviation of the BM25 score; at least 0
    vector: float = 0.7  # for each deviation of the cosine; at least 0
    contextual: float = 0.7  # for each deviation of how the message was read in its place, where it was; at least 0
    vector_before: float = 0.25  # for each deviation of the cosine of the unit before, less where long; at least 0
    short_words: float = 20.0  # content words up to which a unit is short, and the unit before counts whole; above 0
    author: float = 2.7  # when the question names who said it; at least 0
    user: float = 2.5  # when the person said it rather than their assistant; at least 0
    in_period: float = 6.0  # when it was said in a period that the question names; at least 0
    open_period: float = 3.0  # when said since or before a day that the question names, at least 0: it says less
    after_period: float = 3.0  # when said soon after such a period, at least 0: people tell of what is over
    after_period_days: float = 10.0  # what counts as soon, in days
    session: float = 0.6  # for each deviation of the best score in its session; at least 0
    sessions: int = 6  # number of sessions from which a session's best score says something
    retold: float = -3.0  # when it is a fact, and the words in which it was told can be found themselves; at most 0
    strength: float = 0.1  # for importance that is left, in [0, 1]
    recency: float = 0.1  # for how lately it was said, in [0, 1]
    recency_days: float = 30.0  # days after which recency is one half (document B)


def standardise(scores: Scores, among: Mask | None = None) -> Scores:
    """Return (score - mean) / deviation of those ``among``; 0 where there is no score (nan) or no deviation."""
    known = np.isfinite(scores)
    measured = known if among is None else known & among
    number = np.count_nonzero(measured)
    if not number:
        return np.zeros_like(scores)
    away = np.where(known, scores - np.sum(scores, where=measured) / number, 0.0)
    deviation = np.sqrt(np.sum(away * away, where=measured) / number)  # not dot: BLAS would start threads for it
    return away / deviation if deviation > _NO_DEVIATION else np.zeros_like(scores)


def best_of_session(scores: Scores, sessions: Positions) -> Scores:
    """Return for each unit the best score in its session; shape (m,) all. Sessions are numbered from 0."""
    best = np.full(int(sessions.max(initial=-1)) + 1, -np.inf)
    np.maximum.at(best, sessions, scores)
    return best[sessions]
