"""Passive confirmation: the one short question whose answer would settle the most.

A question is about two facts of which only one can hold, or about one that is no longer sure enough to be used unasked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise

from yesteryear.core.attributes import FactKind, Volatility
from yesteryear.core.fact import BROUGHT_IN, OPEN_KINDS, Fact, FactStatus, Form, Modality, said_words, words_of
from yesteryear.core.fading.confidence import ConfidencePolicy, confidence_now
from yesteryear.core.language.tokens import stems
from yesteryear.core.ruling import ASKED, ASKED_AT, ConflictState, Question, Ruling
from yesteryear.core.time import later

_LASTING = frozenset({FactKind.IDENTITY, FactKind.RELATIONSHIP, FactKind.PREFERENCE})


@dataclass(frozen=True, slots=True)
class QuestionPolicy:
    """Which question is worth asking."""

    confidence: ConfidencePolicy = field(default_factory=ConfidencePolicy)
    again_after_days: float = 7.0  # days, above 0, for which a question that was offered is not offered again
    most_offers: int = 2  # how often, at least 1, a question is offered: who did not answer it twice does not want to
    pause: timedelta = timedelta(hours=3)  # the pause that ends a sitting, in which one is offered (design, 9.6)
    longest_sitting: timedelta = timedelta(days=1)  # after which a sitting has ended without any pause: people sleep
    most_words: int = 25  # words, at least 1, of the longest statement held against another: nobody can answer a story
    lasting: float = 1.0  # weight, in [0, 1], of who somebody is, whom they know and what they like
    open: float = 0.9  # weight, in [0, 1], of goals, blockers and decisions that are not settled
    event: float = 0.3  # weight, in [0, 1], of what happened: asking again seldom helps
    other: float = 0.6  # weight, in [0, 1], of all else

    def weight(self, kind: FactKind) -> float:
        """Return how much it matters to be right about a kind, in [0, 1]."""
        if kind in _LASTING:
            return self.lasting
        if kind in OPEN_KINDS:
            return self.open
        return self.event if kind is FactKind.EVENT else self.other


def choose_question(
    rulings: Iterable[Ruling],
    facts: Sequence[Fact],
    *,
    now: datetime,
    policy: QuestionPolicy,
    brought: Mapping[str, str] | None = None,
) -> Question | None:
    """Return the question whose answer would settle the most; None where there is nothing to ask.

    worth = sum of the confidences at stake * weight of the kind. Ties go to what was told first. ``facts`` are those
    that may be asked about and those that ``rulings`` are on; ``brought`` is by a fact's id a sentence of text brought
    along that may concern it.
    """
    known = {fact.id: fact for fact in facts}
    open_rulings = [row for row in rulings if row.conflict is ConflictState.OPEN and not row.is_void]
    contested = {name for row in open_rulings for name in row.pair}
    contested |= {known[name].canonical_id or name for name in contested if name in known}
    asked = [
        *_about_brought(brought or {}, known, now=now, policy=policy),
        *_about_conflicts(open_rulings, known, now=now, policy=policy),
        *_about_facts((fact for fact in facts if fact.id not in contested), now=now, policy=policy),
    ]
    asked = [question for question in asked if offers_of(question, known) < policy.most_offers]
    told = {question.id: [known[name].first_observed for name in question.fact_ids] for question in asked}
    return min(asked, key=lambda question: (-question.worth, told[question.id], question.text), default=None)


def offers_of(question: Question, known: Mapping[str, Fact]) -> int:
    """Return how often a question was offered."""
    counts = (known[name].properties.get(ASKED + question.id, "0") for name in question.fact_ids if name in known)
    return max(map(int, counts), default=0)


def is_another_sitting(
    asked_at: datetime, said_at: Iterable[datetime], *, now: datetime, policy: QuestionPolicy
) -> bool:
    """Tell whether the sitting in which a question was offered is over, from when something was said, in any order."""
    instants = sorted([asked_at, *(at for at in said_at if asked_at < at < now), now])
    has_paused = any(one - other >= policy.pause for other, one in pairwise(instants))
    return has_paused or now - asked_at >= policy.longest_sitting


def _about_conflicts(
    rulings: Iterable[Ruling], known: Mapping[str, Fact], *, now: datetime, policy: QuestionPolicy
) -> Iterator[Question]:
    for row in rulings:
        sides = tuple(fact for name in (row.earlier, row.later) if (fact := _standing_for(name, known)) is not None)
        is_plausible = not row.judgement.scores or (len(sides) == 2 and _speak_of_one(sides))
        is_short = all(len(fact.statement.split()) <= policy.most_words for fact in sides)
        is_asked = len(sides) == 2 and is_plausible and is_short
        if is_asked and not _is_resting(row.asked_at, now, policy):
            one, other = map(_clause, sides)
            asked = f"You said {one}; later {other}. Which holds now, both or neither?"
            if sides[0].first_observed == sides[1].first_observed:
                asked = f"You said both {one} and {other}. Which holds, both or neither?"
            yield _question("|".join(row.pair), asked, sides, now=now, policy=policy)


def _about_brought(
    brought: Mapping[str, str], known: Mapping[str, Fact], *, now: datetime, policy: QuestionPolicy
) -> Iterator[Question]:
    for fact_id, sentence in brought.items():
        name = f"{fact_id}|{known[fact_id].properties[BROUGHT_IN]}"
        text = f"You brought a text that says \u201c{sentence}\u201d. Does that go for you?"
        yield _question(name, text, [known[fact_id]], now=now, policy=policy)


def _about_facts(facts: Iterable[Fact], *, now: datetime, policy: QuestionPolicy) -> Iterator[Question]:
    bands = policy.confidence
    for fact in facts:
        left = confidence_now(fact, bands, now=now)
        is_near = bands.deprecate_below <= left <= bands.passive_above or fact.status is FactStatus.NEEDS_REVIEW
        is_lasting = fact.volatility is not Volatility.VOLATILE and fact.modality is not Modality.PAST
        holds = fact.is_current(now) and fact.resolved_at is None
        asked_at = fact.properties.get(ASKED_AT)
        is_resting = _is_resting(datetime.fromisoformat(asked_at) if asked_at else None, now, policy)
        was_sure = fact.confidence > bands.passive_above or fact.slot is not None  # else it may be no statement at all
        is_plain = fact.form is Form.PLAIN
        if holds and is_near and is_lasting and was_sure and (is_plain or fact.is_safety) and not is_resting:
            held = "still so" if fact.confidence > bands.passive_above else "right"
            text = f"Is it {held} {_clause(fact)}?" if is_plain else f"You said {_clause(fact)}. Is that {held}?"
            yield _question(fact.id, text, [fact], now=now, policy=policy)


def _question(name: str, text: str, facts: Sequence[Fact], *, now: datetime, policy: QuestionPolicy) -> Question:
    stake = sum(confidence_now(fact, policy.confidence, now=now) for fact in facts)
    worth = stake * max(policy.weight(fact.kind) for fact in facts)
    return Question(name, text, tuple(fact.id for fact in facts), round(worth, 6))


def _standing_for(fact_id: str, known: Mapping[str, Fact]) -> Fact | None:
    """Return the fact that stands for one: itself, or the one it was merged into."""
    fact = known.get(fact_id)
    return fact if fact is None or fact.canonical_id is None else known.get(fact.canonical_id, fact)


def _is_resting(asked_at: datetime | None, now: datetime, policy: QuestionPolicy) -> bool:
    return asked_at is not None and asked_at <= now < later(asked_at, timedelta(days=policy.again_after_days))


def _speak_of_one(sides: Sequence[Fact]) -> bool:
    """Tell whether two facts may be about one thing: of one holder and attribute as far as known, in like words."""
    one, other = sides
    is_of_one = one.holder.casefold() == other.holder.casefold()
    has_one_attribute = not (one.attribute and other.attribute) or one.attribute == other.attribute
    first, last = (set(stems(words_of(side.statement, side.form))) for side in sides)
    return is_of_one and has_one_attribute and bool(first & last - set(stems(one.subject)))


def _clause(fact: Fact) -> str:
    """Return what was said as it stands behind "you said"."""
    if fact.form is Form.PLAIN:
        return f"that {fact.statement.strip().rstrip('.!')}"
    said = said_words(fact.statement, fact.form)
    return f"{f'of {said.of} ' if said.of else ''}\u201c{said.words}\u201d"
