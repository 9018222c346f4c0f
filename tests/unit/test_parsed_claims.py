"""What one statement says, as it is read for comparison."""

from __future__ import annotations

import pytest

from tests.each import each
from yesteryear.providers.local.verdicts.amounts import Quantity
from yesteryear.providers.local.verdicts.parsed_claim import SCALE_ENDS, parse_claim


@each(
    ("text", "owner", "relative"),
    [
        ("Ana lives in Lisbon", "ana", ""),
        ("Ana's sister lives in Lisbon", "ana", "sister"),
        ("Ana's mum lives in Lisbon", "ana", "mother"),
        ("The flat of User's younger brother is damp", "user", "brother"),
        ("In winter Ana takes the tram", "ana", ""),
        ("it rains", "", ""),
    ],
)
def test_the_owner_is_named_first_and_may_have_a_relative(text: str, owner: str, relative: str) -> None:
    """What is said of Ana's sister is not said of Ana."""
    frame = parse_claim(text)
    assert (frame.owner, frame.relative) == (owner, relative)


def test_a_name_is_left_out_of_what_is_embedded() -> None:
    """Two people's statements differ in vectors by their names alone."""
    assert parse_claim("Ana's flat is Ana's pride").nameless == "her flat is her pride"
    assert parse_claim("It rains").nameless == "It rains"


@each(
    ("text", "quantities"),
    [
        ("Ana weighs 61.5 kg", [Quantity("mass", 61.5)]),
        ("Ana earns 48,000 euros", [Quantity("money", 48_000)]),
        ("Ana earns €3.100", [Quantity("money", 3_100)]),
        ("Ana is twenty-five years old", [Quantity("years", 25)]),
        ("Ana swims three times a month", [Quantity("often", 0.75)]),
        ("Ana swims twice a week", [Quantity("often", 2)]),
        ("Ana has two cats", [Quantity("cat", 2)]),
        ("Ana saw a hundred geese", [Quantity("gees", 100)]),
        ("Ana was born on 3 March", []),
        ("Ana never counts", []),
    ],
)
def test_numbers_come_with_what_they_count(text: str, quantities: list[Quantity]) -> None:
    """Digits and words are the same, and units of one kind are one unit."""
    found = parse_claim(text).values.quantities
    assert [each.kind for each in found] == [each.kind for each in quantities]
    assert [each.amount for each in found] == pytest.approx([each.amount for each in quantities])


def test_dates_are_read_by_their_parts() -> None:
    """So that statements which name different parts of one date do not clash."""
    values = parse_claim("Ana flew on Monday, 14 August 2023, and came back on the 21st").values
    assert [set(part) for part in (values.years, values.months, values.days, values.weekdays)] == [
        {2023},
        {8},
        {14, 21},
        {0},
    ]
    assert parse_claim("Ana may march on").values.months <= {3, 5}


@each(
    ("text", "hours"),
    [
        ("Ana goes to bed at 11 pm", (23,)),
        ("Ana goes to bed at 23:00", (23,)),
        ("Ana gets up at 12 am", (0,)),
        ("Ana gets up at six.", (6,)),
        ("Ana has six sisters", ()),
    ],
)
def test_times_of_day_are_hours(text: str, hours: tuple[float, ...]) -> None:
    """However they are written."""
    assert parse_claim(text).values.clock == hours


def test_a_negator_reaches_a_few_words_and_turns_a_pole_round() -> None:
    """What is not allowed is forbidden."""
    plain, negated = parse_claim("it is permitted"), parse_claim("it is not permitted")
    assert negated.negated == {"permit"}
    assert {(pole.scale, -pole.end) for pole in plain.scale_ends} == {
        (pole.scale, pole.end) for pole in negated.scale_ends
    }
    assert not parse_claim("no dogs but cats permitted").negated & {"permit"}


def test_words_that_mean_the_same_are_one() -> None:
    """A mum is a mother, and a bike a bicycle."""
    assert parse_claim("Ana's mum bought a bike").content == parse_claim("Ana's mother buys bicycles").content


def test_what_tells_more_has_more_detail() -> None:
    """A vague word tells less than none."""
    vague, plain, exact = (
        parse_claim(f"Ana has {pet}").detail for pet in ("some animal", "a dog", "a dog called Bruno")
    )
    assert vague <= plain < exact


def test_no_entry_stands_for_both_ends_of_a_scale() -> None:
    """Else a statement would be its own opposite."""
    torn = {entry: scale for entry, ends in SCALE_ENDS.items() for scale, end in ends if (scale, -end) in ends}
    assert torn == {}
