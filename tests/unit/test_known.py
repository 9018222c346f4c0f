"""What a reader is told of what was known before: little, of the right things, and nothing that does not hold."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.belief_rows import a_fact
from tests.rows import an_episode, at
from yesteryear.core.attributes import FactKind
from yesteryear.core.episode import Digest
from yesteryear.core.fact import Fact, FactStatus, Form, Slot
from yesteryear.remember.known import KnownPolicy, render_known

NOW = at(1000)
POLICY = KnownPolicy(people=2, plans=1, line_chars=60, summary_chars=20)


def known(*facts: Fact) -> list[str]:
    """Return what is told of facts."""
    return list(render_known(facts, None, POLICY, at=NOW))


def told(statement: str, minutes: int = 0, kind: FactKind = FactKind.RELATIONSHIP, **changes: object) -> Fact:
    """Return a fact."""
    row = replace(a_fact(), statement=statement, kind=kind, slot=None, first_observed=at(minutes))
    return replace(row, **changes)  # type: ignore[arg-type]


def test_each_person_is_told_of_once_by_what_says_who_they_are() -> None:
    """Those of whom most is told come first; what is only Ana's own is nobody else's."""
    facts = [
        told("Priya is a nurse.", kind=FactKind.IDENTITY, holder="priya", sessions=9),
        told("Ana's partner is Priya.", 5, slot=Slot("partner", "Priya")),
        told("Biscuit, Ana's dog, is old.", kind=FactKind.IDENTITY, holder="Biscuit"),
        told("Ana has a brother.", sessions=3),
        told("Ana likes tea.", kind=FactKind.PREFERENCE, sessions=9),
    ]
    assert known(*facts) == ["Ana has a brother.", "Ana's partner is Priya."]


def test_what_is_open_is_told_of_with_its_day_and_the_newest_first() -> None:
    """What is reached or gone is no plan."""
    facts = [
        told("Ana wants to run.", 1, FactKind.GOAL),
        told("Ana wants to swim.", 2, FactKind.GOAL),
        told("Ana wants to ski.", 3, FactKind.GOAL, resolved_at=at(4)),
    ]
    assert known(*facts) == [f"Ana wants to swim. (open since {at(2).date().isoformat()})"]


def test_what_came_later_ended_or_is_no_plain_statement_is_not_told() -> None:
    """Nor what is too long to be one."""
    facts = [
        told("Ana has a brother.", 2000),
        told("Ana's partner is Ben.", valid_to=at(9)),
        told("Ana's boss is Raj.", status=FactStatus.SUPERSEDED),
        told('Ana said: "he is my brother"', form=Form.QUOTE),
        told("Ana's friend is " + "x" * 60),
    ]
    assert known(*facts) == []


def test_what_was_said_last_is_told_in_short() -> None:
    """An episode that nobody has read says nothing."""
    last = replace(an_episode(), digest=Digest("A run", "Ana ran to the sea and back again."), ended_at=at(0))
    assert render_known([], last, POLICY, at=NOW) == (
        f"What was said last, on {at(0).date().isoformat()}: Ana ran to the sea a",
    )
    assert render_known([], replace(last, digest=None), POLICY, at=NOW) == ()


@given(st.permutations([told(f"Ana has friend {number}.", number % 3, sessions=number % 2) for number in range(6)]))
def test_the_order_in_which_facts_are_read_makes_no_difference(facts: list[Fact]) -> None:
    """And there are never more lines than the policy has room for."""
    assert known(*facts) == known(*sorted(facts, key=lambda fact: fact.statement))
    assert len(known(*facts)) == POLICY.people
