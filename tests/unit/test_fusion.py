"""One score out of several."""

from __future__ import annotations

import numpy as np
import pytest

from yesteryear.recall.fusion import FusionPolicy, add_neighbours, standardise

HALF = FusionPolicy(neighbours=0.5)


def test_standardised_scores_have_mean_0_and_deviation_1() -> None:
    """So that words and vectors, which count differently, can be added."""
    scores = standardise(np.array([1.0, 2.0, 3.0, 10.0]))
    assert scores.mean() == pytest.approx(0)
    assert scores.std() == pytest.approx(1)
    assert (np.diff(scores) > 0).all()


def test_what_is_not_known_is_average_and_moves_nobody() -> None:
    """A text whose vector is not made yet is neither lifted nor held back."""
    scores = standardise(np.array([1.0, np.nan, 3.0]))
    assert scores == pytest.approx([-1, 0, 1])


@pytest.mark.parametrize("scores", [[], [5.0], [2.0, 2.0, 2.0], [np.nan, np.nan], [np.nan, 7.0]])
def test_scores_that_do_not_differ_say_nothing(scores: list[float]) -> None:
    """And divide by nothing."""
    assert np.array_equal(standardise(np.array(scores)), np.zeros(len(scores)))


def test_neighbours_lend_a_share_of_their_mean() -> None:
    """In a chain of three the middle one has two neighbours, the ends have one."""
    found = add_neighbours(np.array([4.0, 0.0, 2.0]), np.array([-1, 0, 1]), HALF)
    assert found == pytest.approx([4 + 0.5 * 0, 0 + 0.5 * 3, 2 + 0.5 * 0])


def test_without_neighbours_nothing_is_added() -> None:
    """Nor with a share of nothing."""
    scores = np.array([4.0, 1.0, 2.0])
    assert np.array_equal(add_neighbours(scores, np.array([-1, -1, -1]), HALF), scores)
    assert np.array_equal(add_neighbours(scores, np.array([-1, 0, 1]), FusionPolicy(neighbours=0)), scores)


def test_two_may_follow_the_same_one() -> None:
    """Each of the two takes from it, and it takes the mean of both."""
    found = add_neighbours(np.array([1.0, 3.0, 5.0]), np.array([-1, 0, 0]), HALF)
    assert found == pytest.approx([1 + 0.5 * 4, 3 + 0.5 * 1, 5 + 0.5 * 1])
