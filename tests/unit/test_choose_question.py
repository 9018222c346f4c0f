"""The one question whose answer would settle the most."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from tests.beliefs import PACE, a_fact, day, ruled
from tests.each import each
from yesteryear.consolidate.belief.questions import ASKED_AT, QuestionPolicy, choose_question
from yesteryear.core.attributes import FactKind, Volatility
from yesteryear.core.fact import Fact, FactStatus, Form, Modality, Slot
from yesteryear.core.ruling import Act, ConflictState, Question, Ruling

POLICY = QuestionPolicy(PACE)
LATER = day(60)
"""When what was told at New Year is near the line."""


def a_doubt(name: str, told: float = 0, **more: Any) -> Fact:
    """Return a fact near the line, last heard of so long ago."""
    return a_fact(name, told, **{"confidence": 0.8, "last_confirmed": day(told), **more})


def a_conflict(one: str, other: str, **more: Any) -> Ruling:
    """Return an open question between two facts."""
    return replace(ruled(Act.ASK, one, other), conflict=ConflictState.OPEN, **more)


def ask(*facts: Fact, rulings: tuple[Ruling, ...] = (), now: datetime = LATER) -> Question | None:
    """Return the question that is chosen."""
    return choose_question(rulings, facts, now=now, policy=POLICY)


def test_a_conflict_asks_which_of_the_two_holds() -> None:
    """In plain words, and names both."""
    sides = a_doubt("lives in Porto."), a_doubt("lives in Lisbon.", 9)
    question = ask(*sides, rulings=(a_conflict(sides[0].id, sides[1].id),), now=day(10))
    assert question is not None
    assert question.text == (
        "You said that Ana lives in Porto; later that Ana lives in Lisbon. Which holds now, both or neither?"
    )
    assert question.id == "lives in Lisbon.|lives in Porto."
    assert question.fact_ids == ("lives in Porto.", "lives in Lisbon.")


def test_what_was_said_in_one_breath_has_no_earlier_and_later() -> None:
    """So it is asked otherwise."""
    question = ask(a_doubt("a"), a_doubt("b"), rulings=(a_conflict("a", "b"),), now=day(1))
    assert question is not None
    assert question.text == "You said both that Ana a and that Ana b. Which holds, both or neither?"


def test_a_conflict_of_merged_facts_is_asked_in_the_words_that_stand() -> None:
    """Not in those that nobody sees any more."""
    merged = replace(a_doubt("a"), status=FactStatus.MERGED, canonical_id="whole")
    question = ask(merged, a_doubt("whole"), a_doubt("b", 1), rulings=(a_conflict("a", "b"),), now=day(2))
    assert question is not None
    assert question.fact_ids == ("whole", "b")
    assert question.id == "a|b"


def test_a_fact_near_the_line_is_asked_about() -> None:
    """Whether it is still so or, where it can be told what it is about, whether it was ever right."""
    slot = Slot("drink", "tea")
    faded, never_sure = ask(a_doubt("likes tea")), ask(a_doubt("likes tea", 59, confidence=0.45, slot=slot))
    assert ask(a_doubt("likes tea", 59, confidence=0.45)) is None
    assert faded is not None
    assert never_sure is not None
    assert (faded.id, faded.text) == ("likes tea", "Is it still so that Ana likes tea?")
    assert never_sure.text == "Is it right that Ana likes tea?"


def test_what_is_sure_gone_settled_or_never_lasts_is_not_asked_about() -> None:
    """There is nothing to gain."""
    assert ask(a_doubt("sure", 59)) is None
    assert ask(a_doubt("sunk", -200)) is None
    assert ask(a_doubt("out", status=FactStatus.SUPERSEDED)) is None
    assert ask(a_doubt("mood", 57, volatility=Volatility.VOLATILE)) is None
    assert ask(a_doubt("was", modality=Modality.PAST)) is None
    assert ask(a_doubt("done", kind=FactKind.GOAL, resolved_at=day(5))) is None
    assert ask(a_doubt("over", valid_to=day(50))) is None


def test_what_rests_on_something_that_ended_is_asked_about_though_it_is_sure() -> None:
    """It needs review."""
    question = ask(a_doubt("runs in Porto", 59, status=FactStatus.NEEDS_REVIEW))
    assert question is not None
    assert question.fact_ids == ("runs in Porto",)


def test_what_is_no_statement_is_asked_about_only_for_safety() -> None:
    """An amount alone is nothing to be confirmed; of an illness the very words are asked about."""
    words = {"statement": 'Ana said: "My knee is bad."', "form": Form.QUOTE}
    assert ask(a_doubt("knee", **words)) is None
    question = ask(a_doubt("knee", attribute="injury", **words))
    assert question is not None
    assert question.text == "You said \u201cMy knee is bad.\u201d. Is that still so?"


@each(
    "changes",
    [{"holder": "Ben"}, {"attribute": "pet"}, {"statement": "Ana drives an old van"}],
)
def test_a_guess_about_two_things_is_no_question(changes: dict[str, Any]) -> None:
    """Of another holder or attribute, or in words that share nothing; what a rule found is asked all the same."""
    one, other = a_doubt("likes tea", attribute="drink"), a_doubt("likes green tea", 9, attribute="drink")
    guess = a_conflict(one.id, other.id)
    guess = replace(guess, judgement=replace(guess.judgement, scores={guess.judgement.verdict: 0.9}))
    assert _id(ask(one, other, rulings=(guess,), now=day(10))) == "likes green tea|likes tea"
    apart = replace(other, **changes)
    assert ask(one, apart, rulings=(guess,), now=day(10)) is None
    assert ask(one, apart, rulings=(a_conflict(one.id, other.id),), now=day(10)) is not None
    sides = a_doubt("eats fish now", attribute="job"), a_doubt("works on it", 9, attribute="job")
    unlike = replace(guess, earlier=sides[0].id, later=sides[1].id)
    assert ask(*sides, rulings=(unlike,), now=day(10)) is None


def test_the_question_with_the_most_at_stake_comes_first() -> None:
    """A conflict before a doubt, who somebody is before what happened; among equals what was told first."""
    lasting, event = a_doubt("b", kind=FactKind.IDENTITY), a_doubt("a", kind=FactKind.EVENT)
    sides = a_doubt("c", 55, confidence=0.4), a_doubt("d", 56, confidence=0.4)
    assert _id(ask(event, lasting, *sides, rulings=(a_conflict("c", "d"),))) == "c|d"
    assert _id(ask(event, lasting)) == "b"
    assert _id(ask(a_doubt("z", 0), replace(a_doubt("y", 0), first_observed=day(1)))) == "z"


def test_a_question_rests_for_days_after_it_was_offered() -> None:
    """Another may be asked meanwhile; for a moment before the offer it does not rest."""
    rulings = (a_conflict("a", "b", asked_at=day(58)),)
    sides = a_doubt("a", 55), a_doubt("b", 56)
    assert ask(*sides, rulings=rulings) is None
    assert _id(ask(*sides, rulings=rulings, now=day(65))) == "a|b"
    asked = a_doubt("c", properties={ASKED_AT: day(58).isoformat()})
    assert ask(asked) is None
    assert _id(ask(asked, now=day(65))) == "c"
    assert _id(ask(replace(asked, properties={ASKED_AT: day(61).isoformat()}))) == "c"
    assert _id(ask(*sides, a_doubt("d"), rulings=rulings)) == "d"


def test_settled_and_undone_conflicts_and_those_about_nothing_known_are_not_asked() -> None:
    """The facts may have been forgotten."""
    sides = a_doubt("a", 59), a_doubt("b", 59)
    settled = replace(a_conflict("a", "b"), conflict=ConflictState.RESOLVED)
    assert ask(*sides, rulings=(settled, a_conflict("a", "b", is_void=True))) is None
    assert ask(sides[0], rulings=(a_conflict("a", "b"),)) is None


def _id(question: Question | None) -> str | None:
    return None if question is None else question.id
