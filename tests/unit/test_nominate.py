"""Which pairs of facts are worth judging."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.beliefs import SCOPE, a_fact, living_in
from yesteryear.consolidate.night.nominate import NominatePolicy, nominate
from yesteryear.core.fact import Fact, FactStatus
from yesteryear.core.people import people_of
from yesteryear.core.vectors import EmbedderProfile, Matrix, unit_rows

PROFILE = EmbedderProfile("m", 2, duplicate=0.9, candidate=0.5, related=0.4)
POLICY = NominatePolicy(nearness=0.0, apart=0.15)


def pointing(degrees: float) -> Matrix:
    """Return a vector in the plane."""
    return np.asarray([math.cos(math.radians(degrees)), math.sin(math.radians(degrees))], dtype=np.float32)


def pairs(
    facts: list[Fact],
    vectors: dict[str, Matrix],
    *,
    ruled: frozenset[tuple[str, str]] = frozenset(),
    new: set[str] | None = None,
    policy: NominatePolicy = POLICY,
) -> list[str]:
    """Return the nominated pairs, each as its two names."""
    people = people_of(facts, ())
    found = nominate(facts, vectors, ruled, new=new, people=people, profile=PROFILE, policy=policy)
    return [f"{earlier.id}-{later.id}" for earlier, later in found]


def test_facts_that_are_near_enough_are_paired_the_earlier_first() -> None:
    """Sixty degrees are a cosine of a half."""
    facts = [a_fact("b", 1), a_fact("a", 2), a_fact("c", 3)]
    vectors = {"b": pointing(0), "a": pointing(59), "c": pointing(119.5)}
    assert pairs(facts, vectors) == ["b-a"]


def test_one_slot_pairs_facts_however_far_apart() -> None:
    """Also where there is no vector yet; several pets are no reason to look closer."""
    facts = [living_in("Porto"), living_in("Lisbon", 1), a_fact("pet", 2)]
    assert pairs(facts, {"Porto": pointing(0), "Lisbon": pointing(180), "pet": pointing(90)}) == ["Porto-Lisbon"]
    assert pairs(facts, {}) == ["Porto-Lisbon"]


def test_what_is_named_as_done_comes_before_all_else() -> None:
    """However many facts have the attribute that it was read for."""
    task, done = (
        a_fact(name, told, statement=f"Ana {text}")
        for name, told, text in (
            ("task", 0, "needs to update the contact list"),
            ("done", 9, "just finished updating the contact list"),
        )
    )
    homes = [a_fact(f"home {number}", number, attribute="home") for number in range(1, 5)]
    found = pairs(
        [task, *homes, replace(done, attribute="home")], {}, new={"done"}, policy=replace(POLICY, most_per_fact=2)
    )
    assert found == ["task-done", "home 4-done"]


def test_facts_that_nobody_sees_together_or_about_others_are_not_paired() -> None:
    """A fact of no project is seen with all of them."""
    facts = [
        a_fact("all", 0),
        a_fact("thesis", 1, scope=replace(SCOPE, project="thesis")),
        a_fact("garden", 2, scope=replace(SCOPE, project="garden")),
        replace(a_fact("other", 3), subject="Ben"),
        replace(a_fact("agent", 4), subject="ANA", scope=replace(SCOPE, agent="coach")),
    ]
    vectors = {fact.id: pointing(0) for fact in facts}
    assert pairs(facts, vectors) == [
        *("all-thesis", "all-garden", "all-agent", "thesis-agent", "garden-agent"),
    ]


def test_facts_of_different_holders_are_never_paired() -> None:
    """However alike: Priya's diet says nothing about Tom's, nor about one's own; case is no difference."""
    holders = {"own": "", "hers": "Priya", "again": "priya", "his": "Tom"}
    facts = [
        replace(living_in("Porto", order), id=name, holder=holder)
        for order, (name, holder) in enumerate(holders.items())
    ]
    assert pairs(facts, {name: pointing(0) for name in holders}) == ["hers-again"]


def test_a_fact_that_names_the_holder_of_another_is_paired_with_it() -> None:
    """Also as an owner, and where the holder has one; of two holders neither of whom names the other, not."""
    facts = [
        replace(a_fact("known", 0), holder="twin", statement="Ana's twin has long hair"),
        replace(a_fact("owned", 1), statement='Ana said: "My twin\'s hair is really short now."'),
        replace(a_fact("other", 2), statement='Ana said: "My twins are asleep."'),
    ]
    facts += [
        replace(a_fact("theirs", 3), holder="mum's boss", statement="Mum's boss is a Dane"),
        replace(a_fact("told", 4), statement='Ana said: "My mum\'s boss was sacked."'),
    ]
    found = pairs(facts, {fact.id: pointing(0) for fact in facts})
    assert {"known-owned", "theirs-told"} <= set(found)
    assert {"known-other", "known-theirs"}.isdisjoint(found)


def test_facts_with_different_attributes_have_to_be_more_alike() -> None:
    """A job and a home are seldom one matter; one without an attribute may be about anything."""
    facts = [
        replace(a_fact(name, order), attribute=attribute)
        for order, (name, attribute) in enumerate([("job", "job"), ("home", "home"), ("any", "")])
    ]
    near, nearer = ({fact.id: pointing(angle * at) for at, fact in enumerate(facts)} for angle in (55, 45))
    assert pairs(facts, near) == ["home-any"]
    assert pairs(facts, nearer) == ["job-home", "home-any"]
    assert pairs(facts, near, policy=replace(POLICY, apart=0.0)) == ["job-home", "home-any"]


def test_only_new_facts_ask_and_what_was_ruled_on_is_not_asked_again() -> None:
    """Whichever way round."""
    facts = [a_fact("a"), a_fact("b", 1), a_fact("c", 2)]
    vectors = {fact.id: pointing(0) for fact in facts}
    assert pairs(facts, vectors, new={"c"}) == ["a-c", "b-c"]
    assert pairs(facts, vectors, new={"c"}, ruled=frozenset({("a", "c")})) == ["b-c"]
    assert pairs(facts, vectors, new=set()) == []


def test_each_fact_puts_forward_its_best_few_and_no_more_when_they_are_ruled_on() -> None:
    """Or every night would judge the next few; one slot comes before any likeness."""
    facts = [a_fact("a"), a_fact("b", 1), a_fact("c", 2), living_in("here", 3), living_in("there", 4)]
    angles = {"a": 0.0, "b": 10.0, "c": 30.0, "here": 20.0, "there": 100.0}
    vectors = {name: pointing(angle) for name, angle in angles.items()}
    one = replace(POLICY, most_per_fact=1)
    assert pairs(facts[:3], vectors, new={"c"}, policy=one) == ["b-c"]
    assert pairs(facts[:3], vectors, new={"c"}, policy=one, ruled=frozenset({("b", "c")})) == []
    assert pairs(facts, vectors, new={"there"}, policy=one) == ["here-there"]


def test_status_does_not_matter_but_for_what_is_forgotten() -> None:
    """Which pairs are judged must not depend on what is believed."""
    facts = [replace(a_fact(status.value, order), status=status) for order, status in enumerate(FactStatus)]
    vectors = {fact.id: pointing(0) for fact in facts}
    named = {name for pair in pairs(facts, vectors) for name in pair.split("-")}
    assert named == {status.value for status in FactStatus} - {"forgotten"}


@given(st.integers(0, 2**32 - 1), st.integers(1, 3))
def test_the_order_of_facts_does_not_matter(seed: int, most: int) -> None:
    """Neither for which pairs, nor for their order; and asking again finds nothing new."""
    chance = np.random.default_rng(seed)
    facts = [a_fact(f"f{number}", int(chance.integers(0, 5))) for number in range(30)]
    rows = unit_rows(chance.normal(size=(30, 8)))
    vectors = {fact.id: rows[number] for number, fact in enumerate(facts)}
    policy = NominatePolicy(most)
    found = pairs(facts, vectors, policy=policy)
    assert found == pairs([facts[at] for at in chance.permutation(30)], vectors, policy=policy)
    ruled = frozenset((min(pair), max(pair)) for pair in ((*name.split("-"),) for name in found))
    assert pairs(facts, vectors, policy=policy, ruled=ruled) == []  # type: ignore[arg-type]


@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(0, 20))
def test_nothing_told_later_changes_with_what_a_fact_is_compared(seed: int, most: int, told: int) -> None:
    """Of homes and all else, what was worth it among the first few facts is so among all, and no more of these is."""
    chance = np.random.default_rng(seed)
    facts = [(living_in if chance.random() < 0.3 else a_fact)(f"f{number:02}", number) for number in range(20)]
    rows = unit_rows(chance.normal(size=(20, 4)))
    vectors = {fact.id: rows[number] for number, fact in enumerate(facts)}
    policy = NominatePolicy(most)
    among_all = [pair for pair in pairs(facts, vectors, policy=policy) if pair.split("-")[1] < f"f{told:02}"]
    assert pairs(facts[:told], vectors, policy=policy) == among_all
