"""The table of what can be known: whole, in known words, and with examples."""

from __future__ import annotations

from collections import Counter

from tests.beliefs import a_fact
from tests.each import each
from yesteryear.core.attributes import Attribute, Cardinality, FactKind, Volatility, attributes, may_be_of
from yesteryear.core.language.vocabulary import vocabulary

OF = {"person", "pet", "place", "project"}


def test_every_attribute_is_well_formed() -> None:
    """A name in one word, somebody who can have it, and how people tell it, no example twice."""
    told = Counter(example for row in attributes().values() for example in row.says)
    assert max(told.values()) == 1
    for name, row in attributes().items():
        assert row.name == name == name.lower()
        assert name.isidentifier()
        assert row.of
        assert set(row.of) <= OF
        assert row.says
        assert all(example == example.strip() != "" for example in row.says)


def test_no_row_says_more_than_is_read() -> None:
    """A misspelt column would be left out without a word."""
    columns = {
        "of",
        "kind",
        "cardinality",
        "volatility",
        "is_safety",
        "rests_on",
        "is_placed",
        "stands",
        "says",
        "words",
    }
    assert all(row.keys() <= columns for row in vocabulary("attributes").table("attributes").values())


def test_a_row_is_read_as_it_stands() -> None:
    """Its words become ours."""
    diet = attributes()["diet"]
    assert diet == Attribute(
        name="diet",
        of=("person", "pet"),
        kind=FactKind.PREFERENCE,
        cardinality=Cardinality.SINGLE,
        volatility=Volatility.SLOW,
        is_safety=True,
        rests_on=(),
        says=("I'm vegetarian", "no pork for us", "I eat fish again"),
    )


def test_what_may_harm_is_known_as_such() -> None:
    """A fact is on somebody's safety by its attribute; one without an attribute is not."""
    assert all(attributes()[name].is_safety for name in ("allergy", "medication", "illness", "diet", "pregnancy"))
    assert a_fact("one", attribute="allergy").is_safety
    assert not a_fact("one", attribute="food").is_safety
    assert not a_fact("one").is_safety


@each("text, may_be", [("my mum's in hospital.", False), ("she passed in may", True), ("we buried him", True)])
def test_nothing_is_of_a_death_where_nobody_speaks_of_dying(text: str, may_be: bool) -> None:
    """A reader of few weights takes a stay in hospital for one."""
    assert may_be_of("death", text) is may_be
    assert may_be_of("home", text)
    assert may_be_of("", text)
