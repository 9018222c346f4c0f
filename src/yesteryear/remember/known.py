"""Decide what a reader of talk is told of what was known before: somebody's people, what is open, what was said last.

A few lines, so that "she" and "the move" can be told apart. They are no source: nothing that is read may rest on them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from yesteryear.core.attributes import FactKind
from yesteryear.core.episode import Episode
from yesteryear.core.fact import Fact, Form
from yesteryear.core.time import local

_OPEN = frozenset({FactKind.GOAL, FactKind.BLOCKER})
"""Kinds that are told of while they are open; a decision seldom ends."""


@dataclass(frozen=True, slots=True)
class KnownPolicy:
    """How much is told."""

    people: int = 10  # most people, pets and other holders that are named, at least 0
    plans: int = 6  # most open goals and blockers, at least 0
    line_chars: int = 160  # longest statement that is told, in characters; a longer one is left out
    summary_chars: int = 500  # most characters of the last summary, from its beginning


def render_known(facts: Iterable[Fact], last: Episode | None, policy: KnownPolicy, *, at: datetime) -> tuple[str, ...]:
    """Return what was known before a talk that began at ``at``, a line each.

    First everybody who is known, each once, by what says who they are, those of whom most sessions tell before others;
    then what is open, the newest first; then what was said last. What was told later, is no plain statement or does not
    hold any more is left out. Ties break by (told first, statement).
    """
    plain = (fact for fact in facts if fact.form is Form.PLAIN and len(fact.statement) <= policy.line_chars)
    told = sorted(
        (fact for fact in plain if fact.first_observed < at and fact.is_current(at)),
        key=lambda fact: (fact.first_observed, fact.statement),
    )
    people: dict[str, str] = {}
    for fact in sorted(told, key=lambda fact: (fact.kind is not FactKind.RELATIONSHIP, -fact.sessions)):
        if whom := _whom(fact):
            people.setdefault(whom.casefold(), fact.statement)
    open_now = [fact for fact in reversed(told) if fact.is_open and fact.kind in _OPEN][: policy.plans]
    plans = [f"{fact.statement} (open since {fact.first_observed.date().isoformat()})" for fact in open_now]
    lines = [*list(people.values())[: policy.people], *plans]
    if last is not None and last.digest is not None and last.digest.summary:
        day = local(last.ended_at, last.zone).date().isoformat()
        lines.append(f"What was said last, on {day}: {last.digest.summary[: policy.summary_chars]}")
    return tuple(lines)


def _whom(fact: Fact) -> str:
    """Return whom else than the subject a fact tells of; empty for nobody."""
    if fact.holder or fact.kind is not FactKind.RELATIONSHIP:
        return fact.holder
    return fact.slot.value if fact.slot else fact.statement
