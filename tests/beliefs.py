"""Builders for tests of belief: facts, what speaks for them, and rulings, in days of one year."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from yesteryear.consolidate.belief.settle import BeliefPolicy, KnownFact, settle
from yesteryear.core.attributes import Cardinality, FactKind
from yesteryear.core.fact import Authority, Evidence, Fact, Slot, Stance
from yesteryear.core.fading.confidence import ConfidencePolicy
from yesteryear.core.relation import Edge, Relation
from yesteryear.core.ruling import Act, Judgement, PairVerdict, Ruling
from yesteryear.core.scope import Scope

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)
SCOPE = Scope(user="ana")
VERDICTS = {
    Act.DOUBT: PairVerdict.UPDATES,
    Act.FOLD: PairVerdict.DUPLICATE,
    Act.SUPERSEDE: PairVerdict.UPDATES,
    Act.ASK: PairVerdict.CONTRADICTS,
    Act.NOTHING: PairVerdict.COEXISTS,
}
"""The verdict that an act usually rests on."""


PACE = ConfidencePolicy(slow=0.1, normal=1.0, volatile=6.0)
"""Sinks within a year, so that tests need not wait for decades; the numbers that are shipped are slower."""
QUICK = BeliefPolicy(confidence=PACE)


def day(number: float) -> datetime:
    """Return the instant so many days into the year."""
    return NEW_YEAR + timedelta(days=number)


def a_fact(name: str, told: float = 0, **more: Any) -> Fact:
    """Return a fact of Ana's that was first told on a day; its name is its id and its statement."""
    fact = Fact(
        id=name,
        scope=SCOPE,
        statement=f"Ana {name}",
        kind=FactKind.PREFERENCE,
        subject="Ana",
        first_observed=day(told),
        recorded_at=day(told),
    )
    return replace(fact, **more)


def living_in(place: str, told: float = 0, **more: Any) -> Fact:
    """Return where Ana lives: she lives in one place at a time."""
    slot = Slot("residence", place, Cardinality.SINGLE)
    return a_fact(place, told, slot=slot, kind=FactKind.IDENTITY, **more)


def said(fact: str, on: float, weight: float = 0.8, *, session: str | None = None, **more: Any) -> Evidence:
    """Return that Ana said it on a day, in a session of that day unless named."""
    row = Evidence(
        id=f"{fact}@{on}",
        fact_id=fact,
        stance=Stance.SUPPORTS,
        said_at=day(on),
        recorded_at=day(on),
        session=session or f"day {on}",
        author="Ana",
        weight=weight,
        message_id=f"m-{fact}-{on}",
    )
    return replace(row, **more)


def by_hand(fact: str, on: float, stance: Stance = Stance.SUPPORTS) -> Evidence:
    """Return that Ana confirmed or refuted it by hand."""
    row = said(fact, on, 1.0, session="", stance=stance, message_id=None, authority=Authority.CONFIRMED)
    return replace(row, id=f"hand:{on}:{stance}")


def ruled(act: Act, earlier: str, later: str, *, verdict: PairVerdict | None = None, **more: Any) -> Ruling:
    """Return a ruling of New Year on two facts."""
    judged = {name: more.pop(name) for name in ("keeps_later", "scores", "rule") if name in more}
    judgement = Judgement(verdict or VERDICTS[act], act, **judged)
    return Ruling(SCOPE, earlier, later, judgement, NEW_YEAR, **more)


def rests(source: str, target: str) -> Edge:
    """Return that one fact depends on another."""
    return Edge(SCOPE, source, target, Relation.DEPENDS_ON, NEW_YEAR)


def after(known: KnownFact, on: float, policy: BeliefPolicy | None = None) -> KnownFact:
    """Return what is known once belief was settled on a day."""
    settled = settle(known, policy or QUICK, now=day(on))
    facts = {fact.id: fact for fact in known.facts} | {fact.id: fact for fact in settled.facts}
    rulings = {row.pair: row for row in known.rulings} | {row.pair: row for row in settled.rulings}
    return replace(known, facts=tuple(facts.values()), rulings=tuple(rulings.values()))


def believed(known: KnownFact, on: float, policy: BeliefPolicy | None = None) -> Mapping[str, Fact]:
    """Return the facts as they are believed on a day, by name."""
    return {fact.id: fact for fact in after(known, on, policy).facts}
