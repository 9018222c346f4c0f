"""Groups of episodes on one subject."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from yesteryear.consolidate.night.cluster import average_linkage, cluster
from yesteryear.core.vectors import Matrix, unit_rows

RELATED = 0.5


def plain_linkage(vectors: Matrix, *, at_least: float) -> list[list[int]]:
    """Group rows in the plain way: join the two nearest groups until none are near enough."""
    groups = [[row] for row in range(len(vectors))]
    rows = vectors.astype(np.float64)
    while len(groups) > 1:
        sums = [rows[group].sum(axis=0) / len(group) for group in groups]
        best, one, other = max(
            (float(sums[one] @ sums[other]), one, other) for one in range(len(groups)) for other in range(one)
        )
        if best < at_least:
            break
        groups[other] += groups.pop(one)
    return sorted(sorted(group) for group in groups)


@given(st.integers(0, 2**32 - 1), st.floats(-0.2, 0.95))
def test_following_chains_gives_what_joining_the_nearest_gives(seed: int, at_least: float) -> None:
    """The same groups, in fewer steps."""
    rows = unit_rows(np.random.default_rng(seed).normal(size=(14, 4)))
    assert average_linkage(rows, at_least=at_least) == plain_linkage(rows, at_least=at_least)


@given(st.integers(0, 2**32 - 1))
def test_groups_depend_neither_on_order_nor_on_ids(seed: int) -> None:
    """Two equal vectors are one subject, whatever they are called."""
    chance = np.random.default_rng(seed)
    rows = unit_rows(chance.integers(-2, 3, size=(20, 4)))
    named = {f"e{row:02}": vector for row, vector in enumerate(rows)}
    order = chance.permutation(20)
    shuffled = {f"e{row:02}": rows[row] for row in order}
    renamed = {f"e{place:02}": rows[row] for place, row in enumerate(order)}
    found = cluster(named, at_least=RELATED)
    assert found == cluster(shuffled, at_least=RELATED)
    sizes = [sorted(map(len, groups)) for groups in (found, cluster(renamed, at_least=RELATED))]
    assert sizes[0] == sizes[1]


def test_what_is_alone_makes_no_group() -> None:
    """Two subjects of two episodes, and one of its own."""
    rows = unit_rows([[1, 0, 0, 0], [0, 1, 0, 0], [1, 0.1, 0, 0], [0, 1, 0.1, 0], [0, 0, 0, 1]])
    vectors = dict(zip("edcba", rows, strict=True))
    assert cluster(vectors, at_least=RELATED) == [("b", "d"), ("c", "e")]


def test_nothing_and_one_episode_are_no_trouble() -> None:
    """A new owner has none."""
    one = {"a": unit_rows([1, 0, 0, 0])}
    assert cluster({}, at_least=RELATED) == []
    assert cluster(one, at_least=RELATED) == []


def test_another_way_of_grouping_can_take_its_place() -> None:
    """It may leave rows out, as density does with noise."""
    vectors = dict(zip("ab", unit_rows([[1, 0, 0, 0], [0, 1, 0, 0]]), strict=True))
    all_in_one = cluster(vectors, at_least=RELATED, grouping=lambda rows: [range(len(rows))])
    assert all_in_one == [("a", "b")]
    assert cluster(vectors, at_least=RELATED, grouping=lambda _: []) == []
