"""Belief follows from what was said and when, not from the order in which it was learnt or how often nights ran."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import yesteryear
from tests.properties.examples import examples
from tests.script import (
    CLIMBS,
    CLUB,
    FARO,
    HATES,
    LISBON,
    LOVES,
    LOW,
    NUTS,
    PORTO,
    RUNS_EARLY,
    STATES,
    belief,
    fact,
    open_play,
    statement,
    told,
)
from tests.workshop import NOON
from yesteryear.core.time import FOREVER

HOMES = (PORTO, LISBON, FARO)
YEAR = 365
SEEDS = (1,)
LONG = [pytest.mark.heavy, pytest.mark.exhaustive]
MORE_SEEDS = tuple(range(2, 12))


class Said(NamedTuple):
    """A text that was said on some day, in a conversation of its own unless it shares one."""

    day: int
    text: str
    conversation: str


@st.composite
def lives(draw: st.DrawFn) -> list[Said]:
    """Return up to a dozen things said within a year, several of them twice, some on one day or in one conversation."""
    texts = draw(st.lists(st.sampled_from(sorted(STATES)), min_size=2, max_size=12))
    days = draw(st.lists(st.integers(0, 300), min_size=len(texts), max_size=len(texts), unique=True))
    rooms = draw(st.lists(st.sampled_from(["kitchen", "", "", ""]), min_size=len(texts), max_size=len(texts)))
    return [
        Said(day, text, room if room and text not in HOMES else f"day {day}")  # within one talk no guess moves anybody
        for day, text, room in sorted(zip(days, texts, rooms, strict=True))
    ]


def tell(memory: yesteryear.Memory, life: Iterable[Said]) -> None:
    """Say things with their dates."""
    for said in life:
        memory.observe(said.text, conversation=said.conversation, author="Ana", at=noon(said.day))
        memory.flush()


def noon(day: float) -> datetime:
    """Return the noon of a day."""
    return NOON + timedelta(days=day)


@given(life=lives(), chance=st.randoms(use_true_random=False))
@examples(7)
def test_the_order_in_which_things_are_learnt_does_not_matter(life: list[Said], chance: random.Random) -> None:
    """Conversations told in any order, with their dates, leave the same facts, validity and confidence."""
    rooms: dict[str, list[Said]] = {}
    for said in life:
        rooms.setdefault(said.conversation, []).append(said)
    found = []
    for is_shuffled in (False, True):
        order = list(rooms)
        if is_shuffled:
            chance.shuffle(order)
        with open_play(":memory:", start=noon(YEAR)) as shop:
            memory = shop.memory()
            tell(memory, [said for room in order for said in rooms[room]])
            memory.consolidate()
            found.append((belief(memory), asked(memory)))
    assert found[0] == found[1]


FADED_TOGETHER = [Said(0, CLIMBS, "kitchen"), Said(3, CLUB, "kitchen")]
"""Judged because their episodes are on one subject; these fade in the same night."""


@example(life=FADED_TOGETHER, nights={239})
@given(life=lives(), nights=st.sets(st.integers(0, YEAR), max_size=12))
@examples(7)
def test_it_does_not_matter_how_many_nights_there_were(life: list[Said], nights: set[int]) -> None:
    """After the last one the same is believed, and as surely; and none of them changes anything when repeated."""
    found = []
    for days in (set[int](), nights):
        with open_play(":memory:") as shop:
            memory = shop.memory()
            for day in range(YEAR):
                shop.clock.set(noon(day))
                tell(memory, [said for said in life if said.day == day])
                if day in days:
                    memory.consolidate()
                    assert memory.consolidate().is_empty
            shop.clock.set(noon(YEAR))
            memory.consolidate()
            found.append((belief(memory), asked(memory)))
    assert found[0] == found[1]


@given(life=lives(), day=st.integers(0, 2 * YEAR))
@examples(7)
def test_undoing_a_night_restores_what_was_believed(life: list[Said], day: int) -> None:
    """Whatever was said, and whenever the night is run for; each fact in use at any time has its place in history."""
    with open_play(":memory:") as shop:
        memory = shop.memory()
        for said in life:
            shop.clock.set(noon(said.day))
            tell(memory, [said])
        before = belief(memory), asked(memory)
        if not memory.consolidate(at=noon(day)).is_empty:
            memory.undo()
        assert (belief(memory), asked(memory)) == before
        assert_sound(memory)


def asked(memory: yesteryear.Memory) -> list[tuple[str, str]]:
    """Return the open questions."""
    return sorted((row.earlier.statement, row.later.statement) for row in memory.conflicts())


def assert_sound(memory: yesteryear.Memory) -> None:
    """Check what holds of any belief: one home at a time, no merge of merges, confidence within bounds."""
    views = {view.id: view for view in memory.facts(status="all", limit=1000)}
    homes = sorted(
        ((view.valid_from or view.first_observed, view) for view in views.values() if view.slot is not None),
        key=lambda pair: (pair[0], pair[1].valid_to or FOREVER),  # of two told at one instant, first what gave way
    )
    for (_, one), (begins, _) in pairwise(homes):
        assert one.valid_to is not None
        assert one.valid_to <= begins
    for view in views.values():
        assert 0 <= view.confidence <= 1
        assert view.canonical_id is None or views[view.canonical_id].canonical_id is None
        assert view.valid_to is None or (view.valid_from or view.first_observed) <= view.valid_to


def make_year(seed: int) -> list[Said]:
    """Return a year in which somebody moves again and again, tells one thing once, and others every few weeks."""
    chance = random.Random(seed)
    texts = [text for text in STATES if text not in (NUTS, *HOMES)]
    said = {day: chance.choice(texts) for day in range(2, YEAR) if chance.random() < 0.15}
    said |= {day: chance.choice(HOMES) for day in chance.sample(range(2, YEAR), 5)}
    said |= {0: LOVES, 1: NUTS, **dict.fromkeys(chance.sample(range(2, 90), 3), RUNS_EARLY)}
    return [Said(day, text, f"day {day}") for day, text in sorted(said.items())]


def live_a_year(life: Sequence[Said], *, every_night: bool) -> object:
    """Live through a year beside a worker; return what is believed at the end of it."""
    by_day = {said.day: said for said in life}
    with open_play(":memory:") as shop:
        memory = shop.memory()
        memory.configure(nights=every_night)
        nights = 0
        for day in range(YEAR):
            shop.clock.set(noon(day))
            if day in by_day:
                tell(memory, [by_day[day]])
            if day == 0:
                memory.pin(fact(memory, LOVES).id)
            shop.work()
            shop.clock.set(noon(day) + timedelta(hours=15))
            nights += shop.work().nights
            if every_night:
                memory.consolidate()
                check_day(memory, [said for said in life if said.day <= day])
        assert (nights > 30) == every_night
        shop.clock.set(noon(YEAR))
        memory.consolidate()
        return belief(memory), asked(memory)


def check_day(memory: yesteryear.Memory, life: Sequence[Said]) -> None:
    """Check what must hold on every day of that year."""
    now = set(told(memory))
    assert statement(LOVES) in now, "it is pinned"
    assert NUTS not in {said.text for said in life} or statement(NUTS) in now, "it never changes"
    if sum(said.text == RUNS_EARLY for said in life) >= 3:
        assert statement(RUNS_EARLY) in now, "several sessions spoke for it"
    homes = [said.text for said in life if said.text in HOMES]
    assert now & {statement(home) for home in HOMES} == {statement(home) for home in homes[-1:]}, "the last word holds"
    lows = [said.day for said in life if said.text == LOW]
    is_long_ago = bool(lows) and life[-1].day - lows[-1] > 120 and len(lows) < 3
    assert not (is_long_ago and statement(LOW) in now), "a mood passes"
    assert statement(HATES) not in now or asked(memory), "against what is pinned it is a question"


@pytest.mark.heavy
@pytest.mark.parametrize("seed", [*SEEDS, *(pytest.param(seed, marks=LONG) for seed in MORE_SEEDS)])
def test_a_year_of_nights_loses_nothing_that_holds(seed: int) -> None:
    """Nothing pinned, static or well evidenced; and belief is the same as after one night at its end."""
    print(f"seed {seed}")
    life = make_year(seed)
    assert live_a_year(life, every_night=True) == live_a_year(life, every_night=False)
