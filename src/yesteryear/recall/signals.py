"""What speaks for each unit: the named signals that a score is the sum of: words, meaning, speaker, time, session.

The weights are one set for all kinds of chat: two people, a group, a person with an assistant. They are rounded by
hand; on other data they may move by a third without harm.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import reduce

import numpy as np

from yesteryear.core.attributes import Volatility
from yesteryear.core.fading.confidence import ConfidencePolicy
from yesteryear.core.fading.half_life import StrengthPolicy
from yesteryear.core.language.dates import Period
from yesteryear.core.language.tokens import stems
from yesteryear.core.message import Role
from yesteryear.core.time import to_microseconds
from yesteryear.core.vectors import Matrix
from yesteryear.recall.lexical import BM25Policy, Mask, Positions, Scores
from yesteryear.recall.units import ROLE_CODES
from yesteryear.recall.view import View

_DAY_MICROSECONDS = timedelta(days=1) // timedelta(microseconds=1)
_NO_DEVIATION = 1e-12  # deviations below this are rounding
_NOBODY = -2  # code of an author who never spoke here


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question, read."""

    text: str  # without the names of those who speak in the memory
    vector: Matrix | None  # shape (dimension,), or None where there is none to compare with
    now: datetime
    sought: Matrix | None = None
    """What messages as they were read are compared with, shape (dimension,); None where nothing does."""
    authors: frozenset[str] = frozenset()  # whom it names
    periods: tuple[Period, ...] = ()  # which days it names
    speaker: Role | None = None  # whose words are wanted; None for anybody's


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


@dataclass(frozen=True, slots=True)
class SignalPolicy:
    """How signals are found and weighed."""

    bm25: BM25Policy = field(default_factory=BM25Policy)
    fusion: FusionPolicy = field(default_factory=FusionPolicy)
    strength: StrengthPolicy = field(default_factory=StrengthPolicy)
    sharpness: float = 0.87
    """By how much a unit of score raises the logarithm of how likely it is what is needed, at least 0. Source: fitted
    to .873 on 2,345 asks of 42 talks of 60 messages, to .878 on five of 550 and .855 on three that are held out."""
    classic_candidates: int = 20
    """Hits of the classic formula: the nearest by vector, of talk and of facts (document B, section 5.1)."""
    classic_similarity: float = 0.5  # weight of the cosine in the classic formula, in [0, 1] (document B, section 5.1)
    classic_importance: float = 0.3  # weight of importance in the classic formula, in [0, 1] (document B, section 5.1)
    classic_recency: float = 0.2  # weight of recency in the classic formula, in [0, 1] (document B, section 5.1)


@dataclass(frozen=True, slots=True)
class Signals:
    """What speaks for the m units of a view, and which of them have anything to do with the question."""

    by_name: dict[str, Scores]  # shape (m,) by name, weighted: their sum is the score
    found: Positions  # positions of units that hold a word of the question, have a vector, or fit a name or day in it

    def total(self) -> Scores:
        """Return the scores; shape (m,)."""
        return sum_of(self.by_name)


def sum_of(signals: Mapping[str, Scores]) -> Scores:
    """Return the sum of all signals, in the order of their names' coming."""
    return reduce(np.add, signals.values())


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


def find_signals(view: View, asked: AskedQuestion, policy: SignalPolicy) -> Signals:
    """Return the signals that make a score: of words, meaning, speaker, time and session."""
    weights = policy.fusion
    words = view.score_words(stems(asked.text), policy.bm25)
    cosines = _cosines(view, asked.vector)
    closeness = standardise(cosines, _measures(view))
    signals = {
        "words": weights.words * standardise(words, view.talk),
        "vector": weights.vector * closeness,
        "vector_before": weights.vector_before * _lent_by_the_one_before(view, closeness, weights),
    }
    if asked.sought is not None:
        read = standardise(view.index.score_readings(asked.sought, view.numbers), view.talk)
        signals["contextual"] = weights.contextual * read
    if view.session_count >= weights.sessions:
        best = best_of_session(sum_of(signals), view.rows["session"])
        signals["session"] = weights.session * standardise(best, view.talk)
    signals |= _by_speaker(view, asked, weights)
    ages = _ages(view, asked.now)
    signals["strength"] = weights.strength * strengths(view.rows["importance"], ages, policy.strength)
    signals["recency"] = weights.recency * np.exp2(-ages / weights.recency_days)
    if asked.periods:
        signals["period"] = _in_periods(view.rows["at"], asked.periods, weights)
    if len(view.facts):
        signals["retold"] = weights.retold * view.is_retold.astype(np.float64)
    fits = (words > 0) | np.isfinite(cosines)
    for name in ("author", "period"):
        if name in signals:
            fits |= signals[name] > 0
    return Signals(signals, np.flatnonzero(fits))


def relevance_of(view: View, signals: Signals, sharpness: float) -> Scores:
    """Return how likely each unit is what the question needs, in [0, 1]; shape (m,).

    relevance = exp(sharpness · score) / Σ exp(sharpness · score of each unit of talk): those of talk make 1 together,
    so the more there is that fits as well, the less likely is each. A fact counts for itself, whether or not the words
    in which it was told can be found.
    """
    scores = signals.total()
    if "retold" in signals.by_name:
        scores = scores - signals.by_name["retold"]
    powers = np.exp(sharpness * (scores - scores.max(initial=0.0)))
    among = np.sum(powers, where=view.talk)
    return np.minimum(1.0, powers / among) if among else np.ones_like(powers)


def classic_signals(view: View, asked: AskedQuestion, policy: SignalPolicy) -> Signals:
    """Return the signals of the Human-Like Memory System document, section 5.1.

    Relevance = 0.5 * similarity + 0.3 * importance + 0.2 * recency, of the units nearest by vector.
    """
    cosines = _cosines(view, asked.vector)
    signals = {
        "similarity": policy.classic_similarity * np.nan_to_num(cosines),
        "importance": policy.classic_importance * view.rows["importance"],
        "recency": policy.classic_recency * np.exp2(-_ages(view, asked.now) / policy.fusion.recency_days),
    }
    is_near = _nearest(np.where(view.is_fact, np.nan, cosines), policy.classic_candidates)
    is_near |= _nearest(np.where(view.is_fact, cosines, np.nan), policy.classic_candidates)
    return Signals(signals, np.flatnonzero(is_near))


def _nearest(cosines: Scores, number: int) -> Mask:
    """Return which are among the nearest, with all that are as near as the last of them; shape (m,)."""
    nearest = np.sort(cosines[np.isfinite(cosines)])[::-1][:number]
    is_near: Mask = cosines >= nearest.min(initial=np.inf)
    return is_near


def _cosines(view: View, vector: Matrix | None) -> Scores:
    return np.full(len(view), np.nan) if vector is None else view.index.score_vectors(vector, view.numbers)


def _measures(view: View) -> Mask:
    """Return which units' cosines the others are measured by: all that was said, or a sample where not all are held."""
    held = view.index.candidate_cache
    return view.talk if held is None or held.is_whole else view.talk & held.is_sample(view.numbers)


def _lent_by_the_one_before(view: View, closeness: Scores, weights: FusionPolicy) -> Scores:
    """Return the standardised cosine of the unit before; long units, which speak for themselves, get less of it."""
    share = np.minimum(1.0, weights.short_words / np.maximum(view.lengths, 1.0))
    return np.where(view.before >= 0, share * closeness[view.before], 0.0)


def _by_speaker(view: View, asked: AskedQuestion, weights: FusionPolicy) -> dict[str, Scores]:
    signals: dict[str, Scores] = {}
    for author in asked.authors:
        is_theirs = view.rows["author"] == view.index.authors.get(author, _NOBODY)
        signals["author"] = signals.get("author", 0.0) + weights.author * is_theirs
    if asked.speaker is not None and view.has_assistant:
        signals["speaker"] = weights.user * (view.rows["role"] == ROLE_CODES[asked.speaker])
    return signals


def sure_enough(
    view: View, positions: Positions, policy: ConfidencePolicy, *, now: datetime, is_passive: bool
) -> Positions:
    """Return the positions without those of facts that are too unsure, or hold no more where only what holds counts.

    What is pinned is always sure enough, and so is what does not count any more where that is asked for.
    ``is_passive``: what is left is put before a model unasked, and not found by somebody who searches.
    """
    if not len(view.facts):
        return positions
    facts = view.facts
    rows = {name: view.rows[name][facts] for name in ("confidence", "volatility", "evidence_at")}
    days = np.maximum(0, to_microseconds(now) - rows["evidence_at"]) / _DAY_MICROSECONDS
    rates = np.array([policy.rate(volatility) for volatility in Volatility])
    confidence = rows["confidence"] * np.exp(-rates[rows["volatility"]] * days)
    is_sure = confidence > policy.passive_above if is_passive else confidence >= policy.deprecate_below
    is_sure |= view.rows["is_pinned"][facts] | view.rows["is_archived"][facts]
    if not (view.only.former or view.only.archived):
        is_sure &= view.rows["ends_at"][facts] > to_microseconds(now)
    may_be_found = np.ones(len(view), dtype=bool)
    may_be_found[facts] = is_sure
    return positions[may_be_found[positions]]


def _in_periods(said_at: np.ndarray, periods: Sequence[Period], weights: FusionPolicy) -> Scores:
    """Return what it is worth to have been said in a period that was asked for, or soon after one."""
    worth = np.zeros(len(said_at))
    soon = round(weights.after_period_days * _DAY_MICROSECONDS)
    for period in periods:
        start, end = to_microseconds(period.start), to_microseconds(period.end)
        within = weights.open_period if period.is_open else weights.in_period
        worth = np.maximum(worth, weights.after_period * ((said_at >= end) & (said_at < end + soon)))
        worth = np.maximum(worth, within * ((said_at >= start) & (said_at < end)))
    return worth


def strengths(importance: Scores, age_days: Scores, policy: StrengthPolicy) -> Scores:
    """Return what is left of some importances that were never recalled.

    strength = importance * 2 ** (-age / half-life), half-life = half_life_days * stretch ** importance. Importances in
    [0, 1] and ages in days, at least 0, have shape (n,), as has what is left, each in [0, importance]. Source:
    Human-Like Memory System document, section 4.3.
    """
    half_lives = policy.half_life_days * np.power(policy.stretch, importance)
    return importance * np.exp2(-age_days / half_lives)


def _ages(view: View, now: datetime) -> Scores:
    """Return how long ago each unit was said, in days; 0 for what lies in the future."""
    ages: Scores = np.maximum(0, to_microseconds(now) - view.rows["at"]) / _DAY_MICROSECONDS
    return ages
