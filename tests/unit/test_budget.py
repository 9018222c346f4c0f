"""What fits into a budget."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from yesteryear.recall.budget import BudgetPolicy, Candidate, pack, shrink_to_fit

POLICY = BudgetPolicy(length_penalty=0.0, misses=8)
HEADERS = {"a": 0, "b": 7, "c": 12}
CANDIDATES = st.lists(
    st.builds(
        lambda score, tokens, group: (score, tokens, group),
        st.floats(-3, 3),
        st.integers(1, 60),
        st.sampled_from(sorted(HEADERS)),
    ),
    max_size=30,
).map(lambda rows: [a_candidate(number, *row) for number, row in enumerate(rows)])


def a_candidate(item: int, score: float = 1.0, tokens: int = 10, group: str = "a") -> Candidate[int]:
    """Return something to be shown, under its group's header."""
    return Candidate(item, score, tokens, group, HEADERS[group])


def cost(chosen: list[Candidate[int]]) -> int:
    """Return what lines and headers cost together."""
    return sum(candidate.tokens for candidate in chosen) + sum({c.group: c.group_tokens for c in chosen}.values())


def items(candidates: list[Candidate[int]]) -> list[int]:
    """Return what stands behind candidates."""
    return [candidate.item for candidate in candidates]


@given(CANDIDATES, st.integers(-50, 400), st.floats(0, 2))
def test_what_is_chosen_fits_and_nothing_gets_lost(
    candidates: list[Candidate[int]], budget: int, penalty: float
) -> None:
    """Each candidate is chosen or dropped, once; headers are paid for."""
    chosen, dropped = pack(candidates, budget=budget, policy=BudgetPolicy(length_penalty=penalty))
    assert cost(chosen) <= max(budget, 0)
    assert sorted(items(chosen) + items(dropped)) == items(candidates)


@given(CANDIDATES, st.integers(0, 400))
def test_a_better_line_of_the_same_kind_never_stands_back(candidates: list[Candidate[int]], budget: int) -> None:
    """Among lines of one length under one header the chosen ones are the best."""
    chosen, dropped = pack(candidates, budget=budget, policy=POLICY)
    for out in dropped:
        for kept in chosen:
            if (kept.tokens, kept.group) == (out.tokens, out.group):
                assert kept.score >= out.score


def test_a_header_is_paid_once() -> None:
    """Two lines under one header fit where two headers would not."""
    same = [a_candidate(0, group="b"), a_candidate(1, group="b")]
    apart = [a_candidate(0, group="b"), a_candidate(1, group="c")]
    assert items(pack(same, budget=27, policy=POLICY)[0]) == [0, 1]
    assert items(pack(apart, budget=27, policy=POLICY)[0]) == [0]


def test_what_does_not_fit_is_skipped_and_the_room_is_filled() -> None:
    """A long line in the middle does not end the list."""
    candidates = [a_candidate(0, 3), a_candidate(1, 2, tokens=90), a_candidate(2, 1)]
    chosen, dropped = pack(candidates, budget=20, policy=POLICY)
    assert (items(chosen), items(dropped)) == ([0, 2], [1])


def test_after_so_many_misses_the_rest_is_left_out() -> None:
    """What stands far down the list is not worth the room it would just fit into."""
    candidates = [a_candidate(number, -number, tokens=90) for number in range(3)] + [a_candidate(3, -9)]
    assert items(pack(candidates, budget=20, policy=BudgetPolicy(misses=4))[0]) == [3]
    assert items(pack(candidates, budget=20, policy=BudgetPolicy(misses=3))[0]) == []


def test_length_costs_score() -> None:
    """Of two lines that say as much the shorter one is taken, unless length is for free."""
    candidates = [a_candidate(0, 1.0, tokens=40), a_candidate(1, 0.9, tokens=10)]
    assert items(pack(candidates, budget=40, policy=POLICY)[0]) == [0]
    assert items(pack(candidates, budget=40, policy=BudgetPolicy(length_penalty=0.25))[0]) == [1]


def test_ties_go_to_the_first() -> None:
    """The caller's order decides, so the same question gets the same answer."""
    assert items(pack([a_candidate(5), a_candidate(3)], budget=10, policy=POLICY)[0]) == [5]


@given(st.lists(st.integers(1, 9), max_size=12), st.integers(0, 60))
def test_shrinking_drops_the_worst_and_no_more_than_needed(costs: list[int], budget: int) -> None:
    """The whole is counted as it will be shown, here with a line break after each."""
    chosen = [a_candidate(cost) for cost in costs]

    def whole(shown: object) -> int:
        return sum(cost + 1 for cost in shown)  # type: ignore[attr-defined]

    kept, dropped = shrink_to_fit(chosen, cost_of=whole, budget=budget)
    assert kept + dropped[::-1] == chosen
    assert whole(items(kept)) <= budget
    assert not dropped or whole(items([*kept, dropped[-1]])) > budget
