"""Why a context holds what it holds, read off its figures."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from yesteryear.recall.budget import ENOUGH, NO_ROOM, REPEATS, ContextPolicy
from yesteryear.recall.context import FRAME, Context, ContextItem, Dropped

LANES = {name: lane for name, lane in ContextPolicy().lanes(is_asked=True).items() if name in {"facts", "relevant"}}
FRAME_TOKENS = 10


def item(lane: str, tokens: int) -> ContextItem:
    """Return something that was taken."""
    return ContextItem(id="i", lane=lane, text="", tokens=tokens, messages=())


def dropped(lane: str, tokens: int | None, reason: str = NO_ROOM) -> Dropped:
    """Return something that was not."""
    return Dropped(id="d", lane=lane, tokens=tokens, reason=reason)


def context(budget: int, items: list[ContextItem], *refused: Dropped) -> Context:
    """Return a context with its frame."""
    tokens = FRAME_TOKENS + sum(one.tokens for one in items)
    return Context(text="", tokens=tokens, budget=budget, items=tuple(items), dropped=refused)


def test_the_first_that_would_fit_is_what_was_displaced() -> None:
    """What was served before it is larger than the place; what comes after it was worth less."""
    large, fits, later = dropped("relevant", 31), dropped("relevant", 30), dropped("relevant", 5)
    found = context(100, [item("relevant", 70), item("relevant", 10)], large, fits, later).displaced()
    assert found == {0: large, 1: later}
    found = context(100, [item("relevant", 20), item("relevant", 60)], large, fits, later).displaced()
    assert found == {0: fits, 1: large}


def test_what_was_left_of_the_budget_counts_too() -> None:
    """Three tokens were left, so a memory that costs three more than the item would have fitted."""
    near, far = dropped("relevant", 23), dropped("relevant", 24)
    assert context(33, [item("relevant", 20)], near).displaced() == {0: near}
    assert context(33, [item("relevant", 20)], far).displaced() == {}


def test_a_lane_that_is_full_takes_no_more_in_anothers_place() -> None:
    """Known facts may take 20 of 100 tokens and have 15; only their own item makes room for 10 more."""
    known = dropped("facts", 10)
    assert context(100, [item("facts", 15), item("relevant", 60)], known).displaced() == {0: known}


def test_what_was_refused_for_another_reason_was_kept_out_by_nothing() -> None:
    """Nor can it be said of what was never asked for its tokens."""
    refused = [dropped("relevant", 1, REPEATS), dropped("relevant", 1, ENOUGH), dropped("relevant", None)]
    assert context(100, [item("relevant", 80)], *refused).displaced() == {}


def test_an_empty_context_displaced_nothing() -> None:
    """And has spent nothing."""
    empty = Context(text="", tokens=0, budget=5, dropped=(dropped("relevant", 9),))
    assert empty.displaced() == {}
    assert empty.spent == {FRAME: 0}


lanes = st.sampled_from(sorted(LANES))
items = st.lists(st.builds(item, lanes, st.integers(1, 60)), max_size=8)
refusals = st.lists(
    st.builds(dropped, lanes, st.none() | st.integers(1, 60), st.sampled_from([NO_ROOM, REPEATS, ENOUGH])), max_size=8
)


@given(items=items, refused=refusals, left=st.integers(0, 20))
def test_changing_places_keeps_the_budget_and_the_lanes(
    items: list[ContextItem], refused: list[Dropped], left: int
) -> None:
    """Whatever is named could have stood there, and nothing before it could."""
    budget = FRAME_TOKENS + sum(one.tokens for one in items) + left
    found = context(budget, items, *refused)
    named = found.displaced()
    for number, taken in enumerate(items):
        others = [one for place, one in enumerate(items) if place != number]

        def fits(one: Dropped, others: list[ContextItem] = others) -> bool:
            if one.reason != NO_ROOM or one.tokens is None:
                return False
            changed = context(budget, [*others, item(one.lane, one.tokens)])
            largest = int(LANES[one.lane].max_share * budget)
            return changed.tokens <= budget and changed.spent[one.lane] <= largest

        expected = next((one for one in refused if fits(one)), None)
        assert named.get(number) is expected, taken
    assert sum(found.spent.values()) == found.tokens
