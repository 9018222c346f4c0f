"""How somebody is called: a tie and a name that stand together say that they are one; a list of people does not."""

from __future__ import annotations

import pytest

from tests.each import each
from yesteryear.core.language.told.called import (
    find_ends,
    find_links,
    is_one_of_several,
    is_own_name,
    parse_called,
    pets_by_name,
    surname_in,
)


@pytest.mark.parametrize(
    ("text", "called"),
    [
        ("My partner Priya is a nurse.", "partner priya"),
        ("Joel's girlfriend, Priya, is a nurse", "partner priya"),
        ("Joel and their partner Priya have a cat", "partner priya"),
        ("I'm seeing Priya, my girlfriend.", "partner priya"),
        ("Priya is my partner", "partner priya"),
        ("my partner's name is Priya", "partner priya"),
        ("my wife (Priya) is a nurse", "partner priya"),
        ("my lovely older sister Anna has a dog", "sister anna"),
        ("My boss Anna Weber is away", "boss anna weber"),
        ("my mother-in-law Jane stays", "mother-in-law jane"),
        ("our dog Biscuit is 4", "dog biscuit"),
        ("my ex-wife Marta left", "partner marta"),
    ],
)
def test_a_tie_beside_a_name_is_a_link(text: str, called: str) -> None:
    """As somebody says it themselves, and as it is told of them."""
    assert [str(found) for found, _ in find_links(text, "Joel")] == [called]


@pytest.mark.parametrize(
    "text",
    [
        "I went with my mum, Priya, and Tom",
        "my mum, Priya and Tom came",
        "Tom, my mum, and Jo came",
        "Thanks Priya, my partner is ill",
        "Anna is my boss's wife",
        "my boss is German",
        "my boss Monday told me",
        'Joel said: "their dog Rex bites"',
        "My sister and Anna get along",
    ],
)
def test_a_list_and_a_greeting_are_none(text: str) -> None:
    """A join that is wrong gives one person's life to another."""
    assert find_links(text, "Joel") == ()


def test_a_small_letter_is_told() -> None:
    """What follows a tie in small letters is a name only where something is held under it."""
    assert [is_written for _, is_written in find_links("my brother marcus lives in toronto", "Joel")] == [False]


@pytest.mark.parametrize(
    ("text", "called"),
    [
        ("my Boss Anna", "boss anna"),
        ("Anna Weber", "anna weber"),
        ("Mr Okoro", "okoro"),
        ("best friend", "friend"),
        ("mums", "mother"),
        ("Priya's", "priya"),
        ("the flat in Leeds", "flat in leeds"),
        ("my", "my"),
    ],
)
def test_what_a_holder_is_called_is_read(text: str, called: str) -> None:
    """By tie, by name, by both; what is neither stays as it is."""
    assert str(parse_called(text)) == called


def test_what_is_over_is_told_with_its_tie() -> None:
    """Whoever is somebody's partner is it no more once they broke up; a new one is another."""
    assert find_ends("Joel and Priya broke up", "Joel") == (("partner", False),)
    assert find_ends("Joel's new boss is kind", "Joel") == (("boss", True),)
    assert find_ends("Joel is well", "Joel") == ()


@each(
    ("text", "pets"),
    [
        ("We have two cats, Salt and Vinegar", ["a cat called Salt", "a cat called Vinegar"]),
        ("i've got 2 old ponies called Star & Moon!", ["an old pony called Star", "an old pony called Moon"]),
        ("I have three dogs: Rex, Bo and Ti", ["a dog called Rex", "a dog called Bo", "a dog called Ti"]),
        ("I have two cats, black and white", []),
        ("I have two cats, Salt and Vinegar, and a dog", []),
        ("I have two kids, Tom and Ada", []),
        ("Tom has two cats, Salt and Vinegar", []),
        ("I had two cats, Salt and Vinegar", []),
    ],
)
def test_each_pet_of_a_list_has_its_name(text: str, pets: list[str]) -> None:
    """Where that is all somebody says, of what is theirs."""
    assert pets_by_name(text) == pets


def test_one_of_several_is_not_all_of_them() -> None:
    """As they are named in a row."""
    assert is_one_of_several(["vinegar"], "my cats Salt and Vinegar are black")
    assert not is_one_of_several(["salt", "vinegar"], "my cats Salt and Vinegar are black")
    assert not is_one_of_several(["vinegar"], "my cat Vinegar is black and Tom likes her")


def test_a_surname_stands_behind_the_name() -> None:
    """A day of the week is none."""
    assert surname_in("Trish Novak has a place", "trish") == "novak"
    assert surname_in("Trish Friday", "trish") == surname_in("Trish has", "trish") == ""


@pytest.mark.parametrize(
    ("statement", "is_own"),
    [
        ("Robin's name is Robin Hale", True),
        ("Robin's legal last name is Hale", True),
        ("Robin is called Robin", True),
        ("Robin changed their name to Robin Hale", True),
        ("my parents named me Robin", True),
        ("I'm Robin, named after my grandad", True),
        ("Robin's son is called Max", False),
        ("Robin's daughter's name is Ella", False),
        ("Robin has a dog called Rex", False),
        ("we named our boat Daisy", False),
        ("She's called Ella", False),
        ("the boiler man is called Osei", False),
        ("His name is Max", False),
    ],
)
def test_a_name_is_ones_own_or_anothers(statement: str, *, is_own: bool) -> None:
    """What somebody's son or boat is called is not what they are."""
    assert is_own_name(statement, "Robin") is is_own
