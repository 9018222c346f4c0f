"""Which facts a context may show, in which lane, and what is noted about them."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np

from tests.belief_rows import a_fact
from tests.each import each
from tests.rows import in_scope
from tests.unit.indexed import ANA, EVERYTHING, view
from yesteryear.core.attributes import FactKind
from yesteryear.core.fact import DOUBTED_BY, Fact, FactStatus, Slot
from yesteryear.core.scope import Scope
from yesteryear.recall.budget import ContextPolicy
from yesteryear.recall.candidates import FactLane, choose_facts, lane_of, note_of
from yesteryear.recall.index import RecallFilter
from yesteryear.recall.ranking import Ranking
from yesteryear.recall.signals import AskedQuestion, Signals
from yesteryear.testing.builders import NOON

DAY = timedelta(days=1)
OVERDUE = {"kind": FactKind.GOAL, "attribute": "task", "valid_to": NOON + timedelta(hours=6)}
OVER = {"status": FactStatus.SUPERSEDED, "valid_to": datetime.fromisoformat("2026-03-01T09:00:00+00:00")}


def a_sure_fact(name: str = "f1", kind: FactKind = FactKind.EVENT, **changes: object) -> Fact:
    """Return a fact that may be shown unasked."""
    return a_fact(name, kind=kind, **{"confidence": 0.9, **changes})


def ranked(*facts: Fact, scope: Scope = ANA, only: RecallFilter = EVERYTHING, is_asked: bool = True) -> Ranking:
    """Return facts as they were ranked: the first is the best, unless nothing was asked."""
    seen = view(*facts, scope=scope, only=only)
    scores = -np.arange(len(seen), dtype=float)
    best = list(range(len(seen))) if is_asked else []
    signals = Signals({}, np.arange(len(seen)))
    return Ranking(seen, AskedQuestion("", None, NOON), [], best, scores, signals, np.ones(len(seen)))


def chosen(ranking: Ranking, *, most: int = 10) -> list[FactLane]:
    """Return what may be shown."""
    return choose_facts(ranking, replace(ContextPolicy(), max_facts=most, max_open=2))


def ids(found: list[FactLane]) -> list[str]:
    """Return the ids of facts."""
    return [known.fact.id for known in found]


# --- lanes


@each(
    ("kind", "lane"),
    [
        (FactKind.IDENTITY, "facts"),
        (FactKind.RELATIONSHIP, "facts"),
        (FactKind.PREFERENCE, "preferences"),
        (FactKind.WORK_PATTERN, "preferences"),
        (FactKind.STRENGTH, "strengths"),
        (FactKind.SUCCESS_PATTERN, "strengths"),
        (FactKind.BLOCKER, "tactical"),
        (FactKind.GOAL, "tactical"),
        (FactKind.DECISION, "tactical"),
        (FactKind.BELIEF, "facts"),
        (FactKind.EVENT, "facts"),
    ],
)
def test_each_kind_has_its_lane(kind: FactKind, lane: str) -> None:
    """Over, it is among the known facts."""
    assert lane_of(a_fact(kind=kind), now=NOON) == lane
    assert lane_of(a_fact(kind=kind, **OVER), now=NOON) == "facts"
    assert lane_of(a_fact(kind=kind, valid_to=NOON), now=NOON) == "facts"


def test_what_is_settled_is_no_plan_any_more() -> None:
    """A goal that was reached is something that is known."""
    assert lane_of(a_fact(kind=FactKind.GOAL, resolved_at=NOON), now=NOON) == "facts"


# --- notes


@each(
    ("changes", "note"),
    [
        ({}, "told 2 March 2026"),
        ({"last_confirmed": NOON + 2 * DAY}, "told 4 March 2026"),
        ({"valid_from": NOON - DAY}, "since 1 March 2026"),
        ({"valid_from": NOON + 2 * DAY}, "from 4 March 2026"),
        ({"sessions": 3}, "told 3 times, last 2 March 2026"),
        ({"valid_from": NOON, "sessions": 3}, "since 2 March 2026; told 3 times"),
        ({"resolved_at": NOON}, "told 2 March 2026; done or off since 2 March 2026"),
        ({"status": FactStatus.NEEDS_REVIEW}, "told 2 March 2026; may no longer hold"),
        ({"properties": {DOUBTED_BY: "f2"}}, "told 2 March 2026; may no longer hold"),
        (OVER | {"properties": {DOUBTED_BY: "f2"}}, "until March 2026"),
        (
            {"status": FactStatus.NEEDS_REVIEW, "properties": {"review": "Ana left Porto"}},
            "told 2 March 2026; may no longer hold: Ana left Porto",
        ),
        (OVER, "until March 2026"),
        ({"status": FactStatus.SUPERSEDED}, "no longer"),
        ({"valid_to": NOON}, "until March 2026"),
        (OVERDUE, "was due 2 March 2026; not said what became of it"),
        (OVERDUE | {"sessions": 2}, "was due 2 March 2026; not said what became of it; told 2 times"),
        (OVERDUE | {"valid_to": NOON - 14 * DAY}, "until February 2026"),
        (OVERDUE | {"resolved_at": NOON}, "until March 2026; done or off since 2 March 2026"),
    ],
)
def test_it_is_noted_since_when_how_often_and_whether_it_still_holds(changes: dict[str, object], note: str) -> None:
    """In a few words."""
    assert note_of(a_fact(**changes), confidence=0.9, now=NOON + DAY, zone=None) == note  # type: ignore[arg-type]


def test_what_is_less_than_sure_says_how_sure() -> None:
    """What is over says nothing of the kind: it was sure once."""
    assert note_of(a_fact(), confidence=0.69, now=NOON, zone=None) == "told 2 March 2026; confidence 69%"
    assert note_of(a_fact(), confidence=0.7, now=NOON, zone=None) == "told 2 March 2026"
    assert note_of(a_fact(**OVER), confidence=0.4, now=NOON, zone=None) == "until March 2026"


def test_days_are_the_persons_own() -> None:
    """Noon in London is the next day in Kiritimati."""
    assert note_of(a_fact(), confidence=1, now=NOON, zone="Pacific/Kiritimati") == "told 3 March 2026"


# --- choosing


def test_the_best_are_chosen_but_those_that_are_shown_anyway() -> None:
    """What stands in the prefix is not told twice."""
    ranking = ranked(a_sure_fact("best"), a_sure_fact("name", FactKind.IDENTITY), a_sure_fact("next"))
    assert ids(chosen(ranking)) == ["best", "name", "next"]
    assert ids(choose_facts(ranking, ContextPolicy(), but={"name"})) == ["best", "next"]


def test_no_more_than_the_setting_says() -> None:
    """At 0 there are none."""
    facts = [a_sure_fact(f"f{number}") for number in range(5)]
    assert ids(chosen(ranked(*facts), most=3)) == ["f0", "f1", "f2"]
    assert chosen(ranked(*facts), most=0) == []
    assert chosen(ranked()) == []


def test_only_what_is_sure_enough_is_offered_unasked() -> None:
    """Even the profile and a project's plans."""
    rows = [a_fact("name", kind=FactKind.IDENTITY, confidence=0.5), a_fact("goal", kind=FactKind.GOAL, confidence=0.4)]
    assert chosen(ranked(*rows, is_asked=False)) == []
    assert chosen(replace(ranked(*rows), facts=[])) == []


def test_what_is_open_in_a_project_competes_even_where_it_hardly_bears_on_the_question() -> None:
    """Not what is settled, nor what belongs to the person alone."""
    here = in_scope("thesis")
    rows = [
        a_sure_fact("done", FactKind.GOAL, scope=here, resolved_at=NOON),
        a_sure_fact("general", FactKind.GOAL),
        a_sure_fact("goal", FactKind.GOAL, scope=here),
        a_sure_fact("blocker", FactKind.BLOCKER, scope=here),
        a_sure_fact("decision", FactKind.DECISION, scope=here),
    ]
    here_found = replace(ranked(*rows, scope=here), facts=[0])
    assert ids(chosen(here_found)) == ["goal", "blocker", "done"]
    assert ids(chosen(here_found, most=2)) == ["goal", "blocker"]
    assert ids(chosen(replace(ranked(*rows), facts=[0]))) == ["done"]


def test_where_nothing_was_asked_all_stand_by_themselves() -> None:
    """Pinned ones, those known well, then those told most often, the surest, the first."""
    ranking = ranked(
        a_sure_fact("late", minutes=5),
        a_sure_fact("early", FactKind.GOAL),
        a_sure_fact("surer", confidence=0.95),
        a_sure_fact("often", sessions=4),
        a_sure_fact("slot", slot=Slot("pet", "a cat")),
        a_sure_fact("pinned", FactKind.PREFERENCE, pinned=True),
        is_asked=False,
    )
    found = chosen(ranking)
    assert ids(found) == ["pinned", "slot", "often", "surer", "early", "late"]
    assert [known.lane for known in found] == ["preferences", "facts", "facts", "facts", "tactical", "facts"]
    assert all(known.is_standing for known in found)


def test_what_held_once_is_offered_where_the_past_was_asked_for() -> None:
    """Among the known facts, also what told who the person was."""
    old = a_sure_fact("old", FactKind.IDENTITY, **OVER)
    (known,) = chosen(ranked(old, only=RecallFilter(former=True)))
    assert (known.lane, known.is_standing) == ("facts", False)
    assert chosen(ranked(old)) == []
