"""Which units are best for a question: those with the largest sum of all signals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from yesteryear.core.fact import Fact
from yesteryear.core.fading.confidence import ConfidencePolicy, confidence_now
from yesteryear.core.hits import Hit
from yesteryear.recall.budget import ContextPolicy
from yesteryear.recall.candidate_cache import CandidateCachePolicy
from yesteryear.recall.lexical import Positions, Scores
from yesteryear.recall.signals import (
    AskedQuestion,
    SignalPolicy,
    Signals,
    classic_signals,
    find_signals,
    relevance_of,
    sure_enough,
)
from yesteryear.recall.view import Outdated, View

_SCORE_DIGITS = 9  # after the point; fewer than a score has, so that the order in which texts came does not show


class Preset(StrEnum):
    """Which formula ranks."""

    STANDARD = "standard"  # the sum of all signals
    CLASSIC = "classic"  # the Human-Like Memory System document's: of the nearest, similarity, importance, recency


@dataclass(frozen=True, slots=True)
class RecallPolicy:
    """How hits are scored."""

    preset: Preset = Preset.STANDARD  # by what formula
    signals: SignalPolicy = field(default_factory=SignalPolicy)
    confidence: ConfidencePolicy = field(default_factory=ConfidencePolicy)
    near: CandidateCachePolicy = field(default_factory=CandidateCachePolicy)
    """What is fetched for a question where an owner has too many vectors to hold them all."""
    index_bytes: int = 512 * 1024 * 1024  # bytes of all indexes of a process; one of 15,000 messages takes about 50 MB


@dataclass(frozen=True, slots=True)
class Ranking:
    """The best units of a view for a question. Holds for as long as the index is borrowed."""

    view: View
    asked: AskedQuestion
    best: list[int]  # positions in the view of the best excerpts and episodes, best first; ties by (at, seq, part)
    facts: list[int]  # positions of the best facts, likewise
    scores: Scores  # of all units; shape (m,)
    signals: Signals
    relevance: Scores
    """How likely each unit is what the question needs, in [0, 1]; shape (m,). See ``relevance_of``."""
    outdated: Outdated = field(default_factory=Outdated)  # what was told of facts that hold no more
    confidence: ConfidencePolicy = field(default_factory=ConfidencePolicy)  # what is sure enough for what

    @property
    def is_asked(self) -> bool:
        """Whether anything bears on the question."""
        return bool(self.best or self.facts)

    def likely(self, positions: Iterable[int], policy: ContextPolicy, *, need: float) -> Iterator[int]:
        """Yield those of some units that bear on the message, by how likely that needs anything."""
        least = policy.least_relevance(need, best=float(self.relevance.max(initial=0.0)))
        return (position for position in positions if self.relevance[position] >= least)

    def signals_at(self, positions: Sequence[int]) -> dict[int, dict[str, float]]:
        """Return by position what the scores of some units are made of, by name; what adds nothing is left out."""
        names = list(self.signals.by_name)
        values = np.array(list(self.signals.by_name.values()))[:, list(positions)].T.tolist()
        made_of = ({name: value for name, value in zip(names, row, strict=True) if value} for row in values)
        return dict(zip(positions, made_of, strict=True))

    def hits(self, limit: int) -> tuple[Hit, ...]:
        """Return the best units of all grains as they are handed to callers.

        A fact is left out where a better hit is what it was told in.
        """
        ranked = best_units(self.view, np.array([*self.best, *self.facts], dtype=np.int64), self.scores, 2 * limit)
        best: list[int] = []
        heard: set[str] = set()
        for position in ranked:
            told_in = {message.id for message in self.view.told_in(position)}
            if not (self.view.is_fact[position] and told_in & heard):
                best.append(position)
                heard |= told_in
        return tuple(self._hit(position, made_of) for position, made_of in self.signals_at(best[:limit]).items())

    def _hit(self, position: int, signals: dict[str, float]) -> Hit:
        unit, now = self.view.unit(position), self.asked.now
        key, fact = unit.key, unit.source if isinstance(unit.source, Fact) else None
        return Hit.of(
            unit,
            id=unit.source.id,
            score=float(self.scores[position]),
            signals=signals,
            messages=self.view.names(position),
            conversation=key.name,
            project=key.project,
            agent=key.agent,
            author=unit.author or None,
            is_earlier=position in self.outdated.whole or (fact is not None and not fact.is_current(now)),
            kind=None if fact is None else fact.kind,
            confidence=None if fact is None else confidence_now(fact, self.confidence, now=now),
        )


def rank(view: View, asked: AskedQuestion, *, policy: RecallPolicy, limit: int, is_passive: bool = False) -> Ranking:
    """Return the best units of a view for a question: most excerpts and episodes, and most facts, by ``limit``.

    ``is_passive``: facts must be sure enough to be put before a model unasked.
    """
    is_classic = policy.preset is Preset.CLASSIC
    signals = (classic_signals if is_classic else find_signals)(view, asked, policy.signals)
    scores = np.round(signals.total(), _SCORE_DIGITS)
    found = sure_enough(view, signals.found, policy.confidence, now=asked.now, is_passive=is_passive)
    facts, talk = found[view.is_fact[found]], found[~view.is_fact[found]]
    best, best_facts = (best_units(view, some, scores, limit) for some in (talk, facts))
    outdated = view.outdated(asked.now)
    relevance = np.ones_like(scores) if is_classic else relevance_of(view, signals, policy.signals.sharpness)
    return Ranking(view, asked, best, best_facts, scores, signals, relevance, outdated, policy.confidence)


def best_units(view: View, found: Positions, scores: Scores, limit: int) -> list[int]:
    """Return the positions of the best, best first; ties by what was said first."""
    if len(found) > limit > 0:
        lowest = np.partition(scores[found], -limit)[-limit]
        found = found[scores[found] >= lowest]  # the few that are worth sorting, ties included
    said_at = view.rows["at"]
    ranked = found[np.lexsort((said_at[found], -scores[found]))]
    best: list[int] = ranked.tolist()
    if ((np.diff(scores[ranked]) == 0) & (np.diff(said_at[ranked]) == 0)).any():
        best.sort(key=lambda position: (-scores[position], view.unit(position).place))
    return best[:limit]
