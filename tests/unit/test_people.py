"""Who is meant by names and ties: one where that was told, two where ties or surnames differ, never by a guess."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.beliefs import a_fact, said
from yesteryear.core.fact import Evidence, Fact, FactStatus, Stance
from yesteryear.core.language.told.called import parse_called
from yesteryear.core.people import NOT_SAME, SAME, People, link_between, people_of

Told = Sequence[tuple[str, str]]
"""Holders and statements, a day each."""
MOVED: Told = [("partner", "Ana's partner is a nurse"), ("", "Ana's partner Priya moved"), ("Priya", "Priya has a cat")]
TWO: Told = [("Anna", "Ana's boss Anna is late"), ("Anna", "Ana's sister Anna is ill"), ("Anna", "Anna has a cold")]


def facts_of(told: Told) -> list[Fact]:
    """Return facts with a number for an id, a day apart."""
    return [a_fact(str(day), day, statement=text, holder=holder) for day, (holder, text) in enumerate(told)]


def by_hand(one: str, other: str, on: float, *, is_same: bool = True) -> tuple[Fact, Evidence]:
    """Return what the person said of two on a day."""
    pair = link_between(parse_called(one), parse_called(other))
    fact = a_fact(f"{on}: {pair}", on, properties={SAME if is_same else NOT_SAME: pair})
    return fact, said(fact.id, on)


def people(told: Told, *links: tuple[Fact, Evidence]) -> People:
    """Return who is meant."""
    return people_of([*facts_of(told), *(fact for fact, _ in links)], [row for _, row in links])


def held(found: People, *names: str) -> list[str]:
    """Return the ids of what is held by each, as one word."""
    return ["".join(sorted(found.held_by(name))) for name in names]


def test_a_name_and_a_tie_that_were_linked_are_one() -> None:
    """Whichever was told first; also in another word for the tie."""
    found = people(MOVED)
    assert held(found, "Priya", "partner", "my girlfriend") == ["02", "02", "02"]
    [priya] = found.listed()
    assert (priya.name, priya.ties, priya.called) == ("Priya", ("partner",), ("Priya", "partner"))
    assert held(people([MOVED[0], MOVED[2]]), "Priya", "partner") == ["1", "0"]


def test_two_of_one_name_are_told_apart() -> None:
    """By their tie or their surname; a name alone is neither's then, and a tie alone is whose it is."""
    found = people([*TWO, ("boss", "Ana's boss is leaving")])
    assert held(found, "boss Anna", "sister Anna", "Anna", "boss") == ["03", "1", "0123", "03"]
    assert [one.name for one in found.listed()] == ["boss Anna", "sister Anna"]
    found = people([("Anna", "Anna Weber is a vet"), ("Anna", "Anna Kaya is a vet"), ("Anna", "Anna is in")])
    assert held(found, "Anna Weber", "Anna Kaya", "Anna") == ["0", "1", "012"]


def test_a_surname_is_the_tie_s_where_nobody_else_has_both() -> None:
    """So is a name alone; ties of one role do not tell two apart."""
    found = people(
        [("Anna", "Ana's boss Anna Weber is in"), ("Anna", "Ana's boss Anna is ill"), ("Anna", "Anna is in")]
    )
    assert held(found, "Anna Weber", "boss Anna", "Anna") == ["012", "012", "012"]
    found = people([("Theo", "Ana's son Theo is six"), ("Theo", "Ana's kid Theo sings"), ("son", "Ana's son reads")])
    assert held(found, "Theo", "son") == ["012", "012"]


def test_of_two_sisters_a_tie_alone_is_neither() -> None:
    """And a friend without a name may be anybody."""
    found = people(
        [("", "My sister Lea and my sister Ada sing"), ("sister", "Ana's sister is ill"), ("Lea", "Lea ran")]
    )
    assert held(found, "Lea", "sister") == ["2", "12"]
    found = people([("Zoe", "Ana's friend Zoe is in"), ("friend", "Ana's friend is ill")])
    assert held(found, "Zoe") == ["0"]


BROKE_UP = ("", "Ana and Priya broke up")


@pytest.mark.parametrize(
    ("later", "priya", "partner"),
    [
        ([BROKE_UP, ("partner", "Ana's partner sings")], "02", "4"),
        ([BROKE_UP, ("partner", "Ana's partner sings"), ("Tom", "Ana's partner Tom is in")], "02", "45"),
        ([("Tom", "Ana's partner Tom is in"), ("partner", "Ana's partner sings")], "02", "34"),
        ([("partner", "Ana's partner sings"), ("Tom", "Ana's partner Tom is in")], "02", "34"),
        ([("partner", "Ana's new partner sings")], "02", "3"),
        ([BROKE_UP, ("", "Ana's partner Priya is back"), ("partner", "Ana's partner sings")], "025", "025"),
        ([("Priya", "Ana's ex-partner Priya sings"), ("partner", "Ana's partner reads")], "023", "4"),
    ],
)
def test_a_tie_names_somebody_for_a_time(later: Told, priya: str, partner: str) -> None:
    """Until it ends or another has it; in between, where either may be meant, it names nobody."""
    assert held(people([*MOVED, *later]), "Priya", "partner") == [priya, partner]


def test_a_word_by_hand_comes_before_what_was_told() -> None:
    """And its opposite takes it back."""
    apart = by_hand("my partner", "Priya", 5, is_same=False)
    assert held(people(MOVED, apart), "Priya", "partner") == ["2", "0"]
    again = by_hand("girlfriend", "Priya", 6)
    assert held(people(MOVED[::2], again), "Priya", "partner") == ["01", "01"]
    assert held(people(TWO, by_hand("Anna", "boss Anna", 5)), "boss Anna", "sister Anna") == ["02", "1"]


def test_the_later_word_comes_first_in_a_chain() -> None:
    """Of a, b and c all are one until two of them are parted; then whoever was joined last stays."""
    told = [("Ann", "Ann is in"), ("Bea", "Bea is in"), ("Cleo", "Cleo is in")]
    chain = [by_hand("Ann", "Bea", 3), by_hand("Bea", "Cleo", 4), by_hand("Cleo", "Ann", 5)]
    assert held(people(told, *chain), "Ann", "Bea", "Cleo") == ["012", "012", "012"]
    chain[2] = by_hand("Cleo", "Ann", 5, is_same=False)
    assert held(people(told, *chain), "Ann", "Bea", "Cleo") == ["0", "12", "12"]


def test_what_is_taken_back_or_forgotten_links_nothing() -> None:
    """A link by hand that was refuted, and a fact that was forgotten."""
    fact, row = by_hand("partner", "Priya", 5)
    refuted = said(fact.id, 6, stance=Stance.CONTRADICTS)
    assert held(people_of([*facts_of(MOVED[::2]), fact], [row, refuted]), "Priya") == ["1"]
    facts = facts_of(MOVED)
    facts[1] = facts[1].moved_to(FactStatus.FORGOTTEN)
    assert held(people_of(facts, ()), "Priya", "partner") == ["2", "0"]


def test_the_people_of_two_subjects_are_their_own() -> None:
    """Ben's partner is not Ana's."""
    bens = a_fact("9", 9, statement="Ben's partner is tall", holder="partner", subject="Ben")
    found = people_of([*facts_of(MOVED), bens], ())
    assert held(found, "Priya", "partner") == ["02", "029"]
    assert found.named("partner").keys() == {"Ana", "Ben"}
