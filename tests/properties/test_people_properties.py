"""The same facts give the same people, whatever the order in which they are known."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from tests.beliefs import a_fact
from tests.unit.test_people import by_hand
from yesteryear.core.people import people_of

HOLDERS = st.sampled_from(["partner", "boss", "sister", "Priya", "Anna", "Tom", "anna", ""])
WORDS = st.sampled_from(
    [
        *("is in", "and Ana broke up", "met Ana's new boss", "knows Ana's partner Priya", "likes Ana's partner Tom"),
        *("saw Ana's boss Anna", "saw Ana's sister Anna", "Weber is in", "Kaya is in", "met Ana's ex-partner Priya"),
    ]
)
TOLD = st.lists(st.tuples(HOLDERS, WORDS, st.integers(0, 5)), max_size=10)
NAMES = st.sampled_from(["partner", "boss Anna", "sister Anna", "Anna", "Priya", "Tom", "sister"])
BY_HAND = st.lists(st.tuples(NAMES, NAMES, st.integers(0, 5), st.booleans()), max_size=6)


@given(TOLD, BY_HAND, st.randoms())
def test_the_order_in_which_it_is_known_does_not_matter(
    told: list[tuple[str, str, int]], said: list[tuple[str, str, int, bool]], random: Random
) -> None:
    """Every fact has one holder, in every order the same ones share it, and asking by a name finds the same."""
    facts = [
        a_fact(f"f{place}", day, statement=f"{holder or 'Ana'} {words}", holder=holder)
        for place, (holder, words, day) in enumerate(told)
    ]
    links = [by_hand(one, other, day, is_same=is_same) for one, other, day, is_same in said if one != other]
    facts, evidence = [*facts, *(fact for fact, _ in links)], [row for _, row in links]
    first = people_of(facts, evidence)
    shuffled = random.sample(facts, len(facts))
    other = people_of(shuffled, random.sample(evidence, len(evidence)))
    assert [first.holder_of(fact) for fact in facts] == [other.holder_of(fact) for fact in facts]
    assert first.listed() == other.listed()
    listed = [fact_id for somebody in first.listed() for fact_id in somebody.facts]
    assert len(listed) == len(set(listed))
