"""Which slot a statement fills in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from yesteryear.core.attributes import Cardinality, FactKind
from yesteryear.core.fact import Slot
from yesteryear.providers.local.facts.meaning import find_aim, find_slot

ONE, MANY = Cardinality.SINGLE, Cardinality.MULTI


def slot(statement: str, kind: FactKind = FactKind.IDENTITY) -> Slot | None:
    """Return the slot of a statement about Ana."""
    return find_slot(statement, subject="Ana", kind=kind)


@each(
    ("statement", "attribute", "value", "cardinality"),
    [
        ("Ana lives in Lisbon", "residence", "Lisbon", ONE),
        ("Ana lives in Lisbon with two cats", "residence", "Lisbon", ONE),
        ("Ana moved to Porto in May 2025", "residence", "Porto", ONE),
        ("Ana has moved back to Rio de Janeiro", "residence", "Rio de Janeiro", ONE),
        ("Ana has lived in Berlin since 2019", "residence", "Berlin", ONE),
        ("Ana lives on a boat in Amsterdam", "residence", "boat in Amsterdam", ONE),
        ("Ana works as a nurse at the hospital", "job", "nurse", ONE),
        ("Ana is a nurse at Kenyatta hospital", "job", "nurse", ONE),
        ("Ana has been a software engineer for 12 years", "job", "software engineer", ONE),
        ("Ana works at Google as an engineer", "employer", "Google", ONE),
        ("Ana started at IKEA in March 2025", "employer", "IKEA", ONE),
        ("Ana works for a small bank", "employer", "small bank", ONE),
        ("Ana is 34 and they work at a bank", "age", "34", ONE),
        ("Ana turned 40 on 7 May 2025", "age", "40", ONE),
        ("Ana's birthday is on 3 June", "birthday", "3 June", ONE),
        ("Ana was born in Chile", "birthplace", "Chile", ONE),
        ("Ana is originally from Kyiv", "hometown", "Kyiv", ONE),
        ("Ana's maiden name is Silva", "maiden name", "Silva", ONE),
        ("Ana got married in 2019", "marital status", "married", ONE),
        ("Ana's wife is called Clara", "partner", "Clara", ONE),
        ("Ana has two kids, Mia and Leo", "number of children", "two", ONE),
        ("Ana has a teenage son", "children", "teenage son", MANY),
        ("Ana has a dog called Rex", "pet", "dog called Rex", MANY),
        ("Ana is a vegetarian", "diet", "vegetarian", ONE),
        ("Ana is allergic to peanuts", "allergy", "peanuts", MANY),
        ("Ana's favorite colour is green", "favourite colour", "green", ONE),
        ("Ana speaks French and German", "languages", "French and German", MANY),
        ("Ana weighs 74 kg", "weight", "74 kg", ONE),
        ("Ana is 1.80 m tall", "height", "1.80 m", ONE),
        ("Ana gets up at 6", "wake-up time", "6", ONE),
        ("Ana runs in the mornings", "running time", "morning", ONE),
        ("Ana moved their runs to the evening", "running time", "evening", ONE),
        ("Ana's wedding has been moved to 12 June 2026", "wedding", "12 June 2026", ONE),
        ("Ana's phone number is 555-1234", "phone number", "555-1234", ONE),
        ("Ana drives an old Volvo", "car", "old Volvo", ONE),
    ],
)
def test_what_holds_now_fills_in_a_slot(statement: str, attribute: str, value: str, cardinality: Cardinality) -> None:
    """One word for one thing, so that two statements about it meet."""
    assert slot(statement) == Slot(attribute, value, cardinality)


@each(
    "statement",
    "Ana lived in Lyon until 2020|Ana used to live in Rome|Ana was a nurse|Ana wants to live in Rome"
    "|Ana is moving to Oslo in 2026|Ana does not live in Rome|Ana no longer works at Google|Ana might move to Rome"
    "|Ana lives in fear|Ana moved to tears|Ana moved to day shift|Ana is a morning person|Ana turns 40 in May"
    "|Ana works at night|Ana works for free|Ana joined the choir|Ana drives a hard bargain|Ana has a hot dog stand"
    "|Ana speaks at conferences|Ana is engaged in politics|Ana is single-minded|Anabel lives in Rome|Rome|"
    "|Ana thinks they live in a simulation|Ana lives in Lyon until June 2026|Tom says that Ana lives in Rome".split(
        "|"
    ),
)
def test_what_is_past_planned_denied_or_unclear_fills_in_nothing(statement: str) -> None:
    """Better no slot than a wrong one."""
    assert slot(statement) is None


@each("kind", [FactKind.GOAL, FactKind.BELIEF, FactKind.SUCCESS_PATTERN])
def test_goals_beliefs_and_what_works_fill_in_nothing(kind: FactKind) -> None:
    """They do not say what is."""
    assert slot("Ana lives in Rome", kind) is None


@each(
    ("statement", "attribute", "cardinality"),
    [
        ("Ana's mum lives in Rome", "mother residence", ONE),
        ("Ana's sister lives in Rome", "sister residence", MANY),
        ("Ana's sister Rosa lives in Rome", "sister rosa residence", ONE),
        ("Ana's older brother works at Google", "brother employer", MANY),
        ("Ana's husband Tom is 41", "husband age", ONE),
    ],
)
def test_what_is_told_of_a_relative_is_theirs(statement: str, attribute: str, cardinality: Cardinality) -> None:
    """One of several sisters is not the only one to live somewhere."""
    found = slot(statement)
    assert found is not None
    assert (found.attribute, found.cardinality) == (attribute, cardinality)


@given(statement=st.text(), subject=st.text(max_size=8), kind=st.sampled_from(FactKind))
def test_any_statement_can_be_read(statement: str, subject: str, kind: FactKind) -> None:
    """A slot has an attribute and a value that was said."""
    found = find_slot(f"{subject} lives in {statement}", subject=subject, kind=kind)
    assert found is None or (found.attribute and found.value and found.value in f"{subject} lives in {statement}")


@each(
    ("said", "attribute", "value"),
    [
        ("I want to spend under $30 per week on coffee", "aim coffe a week", "30"),
        ("my goal is to keep my lunch expenses under 1,150 a month", "aim lunch a month", "1,150"),
        ("I'm tracking my breakfast spending; my goal is to keep it under $95 per week", "aim breakfast a week", "95"),
        ("I want to walk 8,000 steps every single day", "aim step a day", "8,000"),
    ],
)
def test_an_aim_in_numbers_fills_a_slot_of_its_own(said: str, attribute: str, value: str) -> None:
    """By what it is of, and in what time."""
    assert find_aim(said) == Slot(attribute, value, ONE)


@pytest.mark.parametrize(
    "said", ["I want to save money", "I spent $30 on coffee this week", "I ran 5 km", "", "a" * 5_000]
)
def test_what_is_no_aim_in_numbers(said: str) -> None:
    """No number, or what was done."""
    assert find_aim(said) is None
