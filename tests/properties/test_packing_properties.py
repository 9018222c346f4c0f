"""What holds for whatever is packed, whatever it says and however little room there is."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yesteryear.recall.budget import (
    ENOUGH,
    NO_ROOM,
    REPEATS,
    Candidate,
    Choice,
    LanePolicy,
    Packed,
    Rendering,
    pack,
)
from yesteryear.recall.render import EARLIER, LANES, WRITERS, Layout, render

SHARES = [0.0, 0.1, 0.3, 0.5, 1.0]
BUDGETS = st.one_of(st.integers(0, 200), st.integers(0, 900))
NEVER = 99
"""Stands for the rendering of what is not shown."""
_NUMBER = re.compile(r"\d+")
_COMMA = re.compile(r",$", re.MULTILINE)


def count(lines: str) -> int:
    """Return what lines cost: by the character, numbers being all alike, and commas at their ends for free."""
    return len(_COMMA.sub("", _NUMBER.sub("1", lines)))


@dataclass(frozen=True, slots=True)
class Table:
    """Offers, and the rules by which they are served."""

    candidates: tuple[Candidate, ...]
    policies: dict[str, LanePolicy]
    layout: Layout
    misses: int

    def pack(self, budget: int) -> Packed:
        """Serve the offers."""
        writer = WRITERS[self.layout]
        lanes = {name: (policy, writer.heading(name)) for name, policy in self.policies.items()}
        return pack(self.candidates, lanes, budget=budget, frame=writer.frame, count=count, misses=self.misses)

    def cost(self, choices: list[Choice]) -> int:
        """Return what choices cost, as they are shown."""
        return count(f"{render(choices, self.layout)[0]}\n") if choices else 0

    def lane_cost(self, choices: list[Choice], lane: str) -> int:
        """Return what a lane costs with its heading and without the frame."""
        mine = [choice for choice in choices if choice.candidate.lane == lane]
        return self.cost(mine) - sum(map(count, WRITERS[self.layout].frame)) if mine else 0

    def gain(self, candidate: Candidate) -> float:
        """Return by what an offer competes."""
        return candidate.gain + self.policies[candidate.lane].weight


def a_table(random: Random, *, with_minimums: bool = True) -> Table:
    """Return offers of several lanes: talk, under the headers of its groups, and entries that may be shown shorter."""
    layout = random.choice(list(Layout))
    policies = {}
    for name in LANES:
        least, most = sorted([random.choice(SHARES), random.choice(SHARES)])
        policies[name] = LanePolicy(
            min_share=least if with_minimums else 0.0,
            max_share=most,
            max_items=random.choice([0, 1, 2, 99, 99, 99]),
            weight=random.choice([-2.0, 0.0, 0.5]),
        )
    places = list(range(random.randint(0, 12)))
    random.shuffle(places)
    candidates = tuple(or_so(random, an_offer(random, layout, place)) for place in places)
    return Table(candidates, policies, layout, random.choice([1, 2, 8]))


def an_offer(random: Random, layout: Layout, place: int) -> Candidate:
    """Return something that may be shown at a place."""
    writer = WRITERS[layout]
    lane = random.choice(sorted(LANES))
    worth = random.randint(-3, 3) / 2
    text = "x" * random.randint(1, 60)
    says = frozenset(random.sample(range(7), random.randint(0, 3)))
    if random.random() < 0.5:
        topic = "t" * random.randint(0, 9)
        full = writer.episode("today", topic, text, is_numbered=lane == "history")._replace(says=says)
        short = writer.episode("today", topic, "", is_numbered=lane == "history")
        return Candidate(place, lane, worth, (place,), (full, short), group=f"episode {place}")
    speaker, group = random.choice(["Ana", "Benjamin"]), random.randint(0, 2)
    line = writer.excerpt(speaker, text, *([EARLIER] if random.random() < 0.2 else []))._replace(says=says)
    header = writer.header(f"day{'s' * group}")
    return Candidate(place, lane, worth, (place,), (line,), group=group, header=header, speaker=speaker)


def or_so(random: Random, candidate: Candidate) -> Candidate:
    """Return an offer, at times with a merit beside its worth, or one that tells again what others tell."""
    merit = random.choice([None, None, random.randint(-3, 3) / 2])
    retells = random.sample(range(12), 2) if random.random() < 0.2 else []
    return candidate._replace(retells=frozenset(retells) - {candidate.id}, merit=merit)


RANDOMS = st.randoms(use_true_random=False)
TABLES = RANDOMS.map(a_table)
TABLES_WITHOUT_MINIMUMS = RANDOMS.map(partial(a_table, with_minimums=False))


def taken(packed: Packed) -> dict[int, int]:
    """Return what was taken, and in which of its renderings."""
    return {choice.candidate.id: choice.level for choice in packed.choices}


def said(choices: list[Choice]) -> frozenset[int]:
    """Return what was said in all."""
    return frozenset().union(*(choice.rendering.says for choice in choices))


def repeats(candidate: Candidate, choices: list[Choice]) -> bool:
    """Tell whether choices say all that an offer has to say, or are what it tells again."""
    says = candidate.renderings[0].says
    is_retold = not candidate.retells.isdisjoint(choice.candidate.id for choice in choices)
    return is_retold or (bool(says) and says <= said(choices))


def check_costs(table: Table, budget: int) -> None:
    """Fail where a packed table costs more than it may, or other than it says."""
    packed = table.pack(budget)
    assert packed.tokens == table.cost(packed.choices) <= max(budget, 0)
    frame = sum(map(count, WRITERS[table.layout].frame))
    assert sum(choice.tokens for choice in packed.choices) == (packed.tokens - frame if packed.choices else 0)
    for lane, policy in table.policies.items():
        mine = [choice for choice in packed.choices if choice.candidate.lane == lane]
        assert table.lane_cost(mine, lane) <= int(policy.max_share * budget)
        assert len(mine) <= policy.max_items
    shown = list(taken(packed)) + [refusal.candidate.id for refusal in packed.refusals]
    assert sorted(shown) == list(range(len(table.candidates)))


def check_minimums(table: Table, budget: int) -> None:
    """Fail where a lane's minimum had room for what was refused."""
    packed = table.pack(budget)
    reserves = {lane: int(policy.min_share * budget) for lane, policy in table.policies.items()}
    is_enough_for_all = sum(map(count, WRITERS[table.layout].frame)) + sum(reserves.values()) <= budget
    for refusal in packed.refusals:
        candidate = refusal.candidate
        with_it = [*packed.choices, Choice(candidate, len(candidate.renderings) - 1, 0)]
        if table.lane_cost(with_it, candidate.lane) <= reserves[candidate.lane]:
            mine = [choice for choice in packed.choices if choice.candidate.lane == candidate.lane]
            assert (
                (not is_enough_for_all and table.cost(with_it) > budget)
                or len(mine) == table.policies[candidate.lane].max_items
                or repeats(candidate, packed.choices)
            )


def check_more_room(table: Table, budget: int, more: int) -> None:
    """Fail where more room loses something, or shows less of it, and nothing new came before it or says it.

    All are tried: where the rest is left out after so many misses, that may come earlier with more room.
    """
    table = replace(table, misses=len(table.candidates) + 1)
    small, large = table.pack(budget), table.pack(budget + more)
    after = taken(large)
    ahead: dict[int, int] = {}
    for choice in small.choices:
        lost = choice.candidate
        if after.get(lost.id, NEVER) > choice.level:
            new = [other.candidate for other in large.choices if other.level < ahead.get(other.candidate.id, NEVER)]
            assert repeats(lost, [other for other in large.choices if other.candidate is not lost]) or any(
                table.policies[candidate.lane].min_share or table.gain(candidate) >= table.gain(lost)
                for candidate in new
            )
        ahead[lost.id] = choice.level


@given(TABLES, BUDGETS)
def test_what_is_charged_is_what_is_shown_and_never_over_budget(table: Table, budget: int) -> None:
    """To the last line break, headings and headers paid once; each lane within its bounds, each offer answered once."""
    check_costs(table, budget)


@given(TABLES, BUDGETS)
def test_every_lane_gets_its_minimum(table: Table, budget: int) -> None:
    """Nothing is refused that would fit into its lane's minimum in its shortest form, whatever others are worth."""
    check_minimums(table, budget)


@given(TABLES, BUDGETS, st.integers(1, 200))
def test_more_room_loses_nothing_without_gaining(table: Table, budget: int, more: int) -> None:
    """What a larger budget leaves out made way for something that was served before it, or is said by others."""
    check_more_room(table, budget, more)


@given(TABLES_WITHOUT_MINIMUMS, BUDGETS, st.integers(1, 200))
def test_more_room_never_loses_what_gains_more(table: Table, budget: int, more: int) -> None:
    """By gain alone: whatever is lost stood behind something that is gained or shown fuller."""
    check_more_room(table, budget, more)


@given(TABLES, BUDGETS)
def test_refusals_tell_the_truth(table: Table, budget: int) -> None:
    """Already said is said, enough is as many as the lane may have, and what would cost nothing is not refused."""
    packed = table.pack(budget)
    for refusal in packed.refusals:
        candidate = refusal.candidate
        if refusal.reason == REPEATS:
            assert repeats(candidate, packed.choices)
        elif refusal.reason == ENOUGH:
            mine = [choice for choice in packed.choices if choice.candidate.lane == candidate.lane]
            assert len(mine) == table.policies[candidate.lane].max_items
        else:
            assert refusal.reason == NO_ROOM
            assert refusal.tokens is None or refusal.tokens > 0


@given(TABLES, BUDGETS)
def test_nothing_is_said_twice(table: Table, budget: int) -> None:
    """Whatever is taken says something that nothing served before it has said."""
    choices = table.pack(budget).choices
    before = list(accumulate((choice.candidate.renderings[-1].says for choice in choices), frozenset.union))
    for choice, known in zip(choices[1:], before, strict=False):
        says = choice.candidate.renderings[0].says
        assert not says or not says <= known


@given(TABLES, BUDGETS)
def test_nothing_is_told_again(table: Table, budget: int) -> None:
    """What tells again what others tell is not served after any of them."""
    told: set[object] = set()
    for choice in table.pack(budget).choices:
        assert told.isdisjoint(choice.candidate.retells)
        told.add(choice.candidate.id)


@given(TABLES_WITHOUT_MINIMUMS, BUDGETS, RANDOMS)
def test_the_order_of_offers_decides_nothing_but_ties(table: Table, budget: int, order: Random) -> None:
    """Offers of different worth may come as they like."""
    apart = tuple(
        candidate._replace(worth=candidate.worth + number / 100, merit=None)
        for number, candidate in enumerate(table.candidates)
    )
    mixed = list(apart)
    order.shuffle(mixed)
    one, other = (replace(table, candidates=candidates).pack(budget) for candidates in (apart, tuple(mixed)))
    assert [(choice.candidate, choice.level, choice.tokens) for choice in one.choices] == [
        (choice.candidate, choice.level, choice.tokens) for choice in other.choices
    ]
    assert [refusal.candidate for refusal in one.refusals] == [refusal.candidate for refusal in other.refusals]


@given(st.lists(st.tuples(st.integers(-9, 9), st.booleans()), max_size=12), BUDGETS, st.integers(1, 8))
def test_a_better_line_of_the_same_kind_never_stands_back(
    rows: list[tuple[int, bool]], budget: int, misses: int
) -> None:
    """Among lines of one length under one header the chosen ones are the best, the first of equals."""
    candidates = tuple(
        Candidate(
            number, "relevant", worth, (number,), (Rendering("x" * (90 if is_long else 9) + "\n"),), group=is_long
        )
        for number, (worth, is_long) in enumerate(rows)
    )
    packed = Table(candidates, {"relevant": LanePolicy(min_share=0.5)}, Layout.TEXT, misses).pack(budget)
    for refusal in packed.refusals:
        rank = -refusal.candidate.worth, refusal.candidate.id
        rivals = [choice.candidate for choice in packed.choices if choice.candidate.group == refusal.candidate.group]
        assert all((-rival.worth, rival.id) < rank for rival in rivals)


@pytest.mark.exhaustive
@pytest.mark.heavy
def test_a_hundred_thousand_tables_are_packed_soundly() -> None:
    """All of it at once: budgets, costs, minimums, and more room."""
    random = Random(4)
    for case in range(100_000):
        table = a_table(random, with_minimums=case % 2 == 0)
        budget = random.randint(0, 900)
        check_costs(table, budget)
        check_minimums(table, budget)
        check_more_room(table, budget, random.randint(1, 200))
