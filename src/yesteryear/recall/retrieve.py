"""STEP: from a question to scored hits.

Brings the owner's index up to date, asks it by words and by vector, and sums what both say. This is the plain recipe;
its parts are policies of their own so that more signals can join.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import numpy as np

from yesteryear.core.episode import Episode
from yesteryear.core.message import Message
from yesteryear.core.plain import Plain
from yesteryear.core.scope import Scope
from yesteryear.core.scored import Hit
from yesteryear.core.vectors import Grain, Matrix, Purpose
from yesteryear.errors import ProviderError
from yesteryear.ports import Ports
from yesteryear.recall.fusion import FusionPolicy, add_neighbours, standardise
from yesteryear.recall.index import OwnerIndex, Unit, visible_units
from yesteryear.recall.lexical import BM25Policy
from yesteryear.recall.shelf import IndexShelf

MAX_QUESTION_CHARS = 4000
"""Characters of a question that are read; models read less anyway."""
_SCORE_DIGITS = 9
"""Digits of a score after the point; fewer than it has, so that the order in which texts came does not show."""


@dataclass(frozen=True, slots=True)
class RecallPolicy:
    """How hits are scored."""

    bm25: BM25Policy = field(default_factory=BM25Policy)
    fusion: FusionPolicy = field(default_factory=FusionPolicy)
    pause_minutes: float = 30.0
    """Messages further apart than this are no neighbours, in minutes."""


@dataclass(frozen=True, slots=True)
class RecallFilter:
    """Which memories may be found; None lets all pass."""

    grains: Collection[Grain] | None = None
    since: datetime | None = None
    """Said at or after this instant."""
    until: datetime | None = None
    """Said before this instant."""
    author: str | None = None
    conversation: str | None = None

    def allows(self, unit: Unit) -> bool:
        """Tell whether a unit may be found."""
        source = unit.source
        at, author = (source.at, source.author) if isinstance(source, Message) else (source.ended_at, None)
        return (
            (self.grains is None or unit.grain in self.grains)
            and (self.since is None or at >= self.since)
            and (self.until is None or at < self.until)
            and (self.author is None or author == self.author)
            and (self.conversation is None or source.conversation == self.conversation)
        )


@dataclass(frozen=True, slots=True)
class Recalled(Plain):
    """What was found, best first, and what could not be done."""

    hits: tuple[Hit, ...]
    notes: tuple[str, ...] = ()
    """In which way the result is less than it could be."""

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, position: int) -> Hit:
        return self.hits[position]


def retrieve(
    ports: Ports,
    shelf: IndexShelf,
    scope: Scope,
    question: str,
    *,
    policy: RecallPolicy,
    only: RecallFilter,
    limit: int,
) -> Recalled:
    """Return the best hits for a question, best first; ties by (at, seq, part)."""
    question = question[:MAX_QUESTION_CHARS]
    with shelf.borrow(ports.store, scope) as index:
        model = index.model
    notes: list[str] = []
    vector = _embed_question(ports, model, question, notes)  # nobody waits for the index while a model works
    with shelf.borrow(ports.store, scope) as index:
        is_comparable = index.model == model
        hits = _rank(index, scope, question, vector if is_comparable else None, policy=policy, only=only, limit=limit)
    return Recalled(tuple(hits), tuple(notes))


def _rank(
    index: OwnerIndex,
    scope: Scope,
    question: str,
    vector: Matrix | None,
    *,
    policy: RecallPolicy,
    only: RecallFilter,
    limit: int,
) -> list[Hit]:
    numbers = visible_units(index, scope, only.allows)
    units = [index.units[number] for number in numbers]
    words = index.score_words(question, numbers, policy.bm25)
    cosines = np.full(len(units), np.nan) if vector is None else index.score_vectors(vector, numbers)
    signals = {
        "words": policy.fusion.words * standardise(words),
        "vector": policy.fusion.vector * standardise(cosines),
    }
    alone = signals["words"] + signals["vector"]
    scores = np.round(add_neighbours(alone, _befores(index, numbers, policy), policy.fusion), _SCORE_DIGITS)
    signals["neighbours"] = scores - alone
    found = np.flatnonzero((words > 0) | np.isfinite(cosines))  # neighbours lift what was found, they find nothing
    if len(found) > limit:
        lowest = np.partition(scores[found], -limit)[-limit]
        found = found[scores[found] >= lowest]  # the few that are worth sorting, ties included
    best = sorted(found, key=lambda i: (-scores[i], *_place(units[i])))[:limit]
    return [
        _hit(units[i], float(scores[i]), {name: float(values[i]) for name, values in signals.items()}, index)
        for i in best
    ]


def _embed_question(ports: Ports, model: str | None, question: str, notes: list[str]) -> Matrix | None:
    """Embed a question for the vectors at hand, or say why words must do."""
    if model is None or not question.strip():
        return None
    is_current = model == ports.embedder.profile.model
    embedder = ports.embedder if is_current else ports.other_embedder(model)
    if embedder is None:
        notes.append(f"recall by words only: the vectors here are of {model!r}, which is not installed")
        return None
    try:
        vector: Matrix = embedder.embed([question], purpose=Purpose.QUERY)[0]
    except ProviderError as exc:
        notes.append(f"recall by words only: {exc}")
        return None
    return vector


def _befores(index: OwnerIndex, numbers: np.ndarray, policy: RecallPolicy) -> np.ndarray:
    """Return for each chosen unit the position of its neighbour before among the chosen, or -1."""
    positions = {int(number): position for position, number in enumerate(numbers)}
    pause = timedelta(minutes=policy.pause_minutes)
    befores = np.full(len(numbers), -1, dtype=np.int64)
    for position, number in enumerate(numbers):
        before = index.before(number)
        if before in positions and _gap(index.units[before], index.units[number]) < pause:
            befores[position] = positions[before]
    return befores


def _gap(earlier: Unit, later: Unit) -> timedelta:
    if isinstance(earlier.source, Message) and isinstance(later.source, Message):
        return later.source.at - earlier.source.at
    return timedelta(0)


def _place(unit: Unit) -> tuple[datetime, int, int, str, str, str]:
    """Return what orders units of equal score; nothing of it depends on when they were recorded."""
    source = unit.source
    at, seq = (source.ended_at, source.last_seq) if isinstance(source, Episode) else (source.at, source.seq)
    return at, seq, unit.part, source.conversation, source.scope.project or "", source.scope.agent or ""


def _hit(unit: Unit, score: float, signals: dict[str, float], index: OwnerIndex) -> Hit:
    source = unit.source
    if isinstance(source, Message):
        return Hit(
            id=source.id,
            grain=Grain.EXCERPT,
            text=unit.text,
            score=score,
            signals=signals,
            messages=(source.name,),
            conversation=source.conversation,
            at=source.at,
            author=source.author,
            zone=source.zone,
            part=unit.part,
            seq=source.seq,
        )
    return Hit(
        id=source.id,
        grain=Grain.EPISODE,
        text=unit.text,
        score=score,
        signals=signals | {"importance": source.importance},
        messages=index.names(source.message_ids),
        conversation=source.conversation,
        at=source.ended_at,
        zone=source.zone,
        seq=source.last_seq,
    )
