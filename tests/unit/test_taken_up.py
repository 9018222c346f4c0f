"""Whom a pronoun takes up."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from yesteryear.core.language.told.taken_up import take_up

ALPHABET = "my sister Priya, Tom is he she's and cat. \n"


@each(
    "before, said, told, holder",
    [
        ("my flatmate is Priya, ", "she's a teacher", "Priya is a teacher", "Priya"),
        ("my boyfriend Callum is still in Bristol, ", "he's a chef", "Callum is a chef", "Callum"),
        ("we've got a cat called Miso, ", "she has one eye", "Miso has one eye", "Miso"),
        ("mum's over the moon. ", "she lives in Cardiff", "my mum lives in Cardiff", "mum"),
        ("My daughter started school.", "She's allergic to eggs", "my daughter is allergic to eggs", "daughter"),
        ("my mum and my dad came. ", "she's 60", "my mum is 60", "mum"),
        ("Ellie is my sister. ", "She'll be 30 in May", "Ellie will be 30 in May", "Ellie"),
        ("Priya is moving out, ", "she got a job in Oslo", "Priya got a job in Oslo", "Priya"),
        ("my dad's retired. ", "and he's been unwell", "my dad has been unwell", "dad"),
        ("my sister moved to Leeds. ", "she's a vet", "my sister is a vet", "sister"),
        ("My daughter Helen lives in Perth, Australia. ", "She's a vet", "Helen is a vet", "Helen"),
        ("I had lunch with my brother Tom. my brother is kind. ", "he cooks", "Tom cooks", "Tom"),
    ],
)
def test_who_alone_can_be_meant_is_named(before: str, said: str, told: str, holder: str) -> None:
    """By their name, else by their tie; a tie tells whether it is a "she"."""
    found = take_up(before, said)
    assert found is not None
    assert (found[0].holder, found[1]) == (holder, told)


@each(
    "before, said",
    [
        ("Priya and Ellie came. ", "she's 60"),
        ("my wife and I saw Anna. ", "she's pregnant"),
        ("my sister had lunch with Anna. ", "she's pregnant"),
        ("my mum called. ", "he's fine"),
        ("I love Leeds. ", "she sings"),
        ("", "she's a teacher"),
        ("my flatmate is Priya, ", "she's moved"),  # is or has
        ("my flatmate is Priya, ", "she'd like that"),
        ("my flatmate is Priya, ", "I like her"),
        ("my flatmate is Priya, ", "they moved"),
        ("my boss told my sister. ", "she's furious"),
    ],
)
def test_in_doubt_nobody_is(before: str, said: str) -> None:
    """Two who may be meant, none, or a short form that may be either."""
    assert take_up(before, said) is None


@given(st.text(ALPHABET, max_size=200), st.text(ALPHABET, max_size=60))
def test_whatever_is_said_nothing_is_lost_of_it(before: str, said: str) -> None:
    """What stands behind the pronoun and its verb stays as it was."""
    if found := take_up(before, said):
        assert said.endswith(found[1].split(" ", 2)[-1][-10:])
