"""What a sentence tells one by one."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from yesteryear.core.language.clauses import clause_spans, told_one_by_one


def _parts(text: str) -> list[str]:
    return [text[start:end] for start, end in clause_spans(text)]


@each(
    "text, parts",
    [
        ("I study law in Cairo, I live in the dorm and my sister works.", 3),
        ("My knee is bad and I have high pressure", 2),
        ("Raj is 12 and in class 7, Meera is 9 and in class 4", 2),
        ("been vegan since uni, and I don't drink either", 2),
        ("I do yoga on Tuesdays, and every second Friday I play chess", 2),
        ("I drive the 42 and the wife has a little Fiat", 2),
        ("She's a vet and my brother drives a cab", 2),
        ("She lives in Barry, dad has bad knees", 2),
        ("mums got a cold and dads fine", 2),
    ],
)
def test_a_clause_with_a_subject_of_its_own_is_told_apart(text: str, parts: int) -> None:
    """Whose it is, and since when, then follows from its own words."""
    assert len(_parts(text)) == parts


@each(
    "text",
    [
        "I stay in when it rains and I'm tired",
        "I went to Leeds with mum and dad",
        "mum said dad is ill",
        "If you ask me, I stay home and I read",
        "She said she's pregnant and I'm so happy",
        "I have a dog, and my son does too.",
        "I like tea, I guess",
        "My mum and my dad live in Leeds",
        "My brother lives in Oslo, and so does my aunt",
        "Do you think I snore and my wife lies?",
        'He wrote "I left, I am sorry"',
        "We rent (it's damp, my room is worse)",
        "In my house lives my mother, my two dogs Pipoca and Thor",
        "I love Mondays and Fridays at work",
        "My sister has a dog and my son is allergic to it.",
        "Bibi's clinic days are Mon, Wed and Sat, so don't ring",
    ],
)
def test_what_hangs_together_stays_together(text: str) -> None:
    """What is governed by the clause before, says nothing by itself, or is asked or quoted."""
    assert _parts(text) == [text]


@given(st.text(alphabet="Ii'my we, and;-.?\"(Zoe is had\n", max_size=300))
def test_parts_come_in_order_and_lose_no_word(text: str) -> None:
    """Between two of them stands nothing but what joins them."""
    spans = list(clause_spans(text))
    assert all(start < end for start, end in spans)
    assert all(one[1] <= other[0] for one, other in pairwise(spans))
    left = {word for (_, end), (start, _) in pairwise(spans) for word in text[end:start].split()}
    assert left <= {",", ";", "-", "and", "&", "n", "plus", "oh", "oh,"}


@each(
    "statement, things",
    [
        ("Ana takes ramipril 5mg, aspirin and vitamin D", ["ramipril 5mg", "aspirin", "vitamin D"]),
        ("Ana has got a cat and two dogs", ["a cat", "two dogs"]),
        ("Ana's daughter is allergic to nuts, eggs and milk", ["nuts", "eggs", "milk"]),
        ("Ana does not eat pork, beef or lamb", ["pork", "beef", "lamb"]),
    ],
)
def test_each_thing_of_a_list_is_told_by_itself(statement: str, things: list[str]) -> None:
    """So that one may end and the others stand."""
    told = told_one_by_one(statement)
    assert [one.removeprefix(told[0].removesuffix(things[0])) for one in told] == things


@each(
    "statement",
    [
        "Ana has two kids, Mia and Leo",
        "Ana likes fish and chips",
        "Ana works Monday, Tuesday and Friday",
        "Ana has a cat, a dog and lives in Rome",
        "Ana loves her mum, who sings, and the sea",
        "Ana moved to Leeds, Hull and York",
        "Ana has no allergies, asthma or diabetes",
        "Ana has never owned cats, dogs or birds",
        "Ana takes warfarin, not aspirin, and insulin",
        "Ana is allergic to all nuts except almonds, cashews and pistachios",
        "Ana has a son, 4, and a daughter, 7",
        "Ana has read Pride and Prejudice, Emma and Dracula",
    ],
)
def test_what_is_no_list_of_things_stays_whole(statement: str) -> None:
    """What stands first only counts the others, is one with them, or something else is told behind it."""
    assert told_one_by_one(statement) == [statement]


def test_two_things_are_a_list_where_that_is_asked_for() -> None:
    """Of medicines and allergies each may be over by itself."""
    assert told_one_by_one("Ana takes warfarin and bisoprolol") == ["Ana takes warfarin and bisoprolol"]
    two = told_one_by_one("Ana takes warfarin and bisoprolol for their heart", may_be_two=True)
    assert two == ["Ana takes warfarin", "Ana takes bisoprolol for their heart"]
    assert told_one_by_one("Ana takes warfarin", may_be_two=True) == ["Ana takes warfarin"]
