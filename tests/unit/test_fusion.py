"""One score out of several: standardised, and shared within a session."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from tests.each import each
from yesteryear.recall.signals import best_of_session, standardise


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


@each("scores", [[], [5.0], [2.0, 2.0, 2.0], [0.1, 0.1 + 1e-15], [np.nan, np.nan], [np.nan, 7.0]])
def test_scores_that_do_not_differ_say_nothing(scores: list[float]) -> None:
    """And divide by nothing; a difference in the last bit is none."""
    assert np.array_equal(standardise(np.array(scores)), np.zeros(len(scores)))


SCORES = npst.arrays(np.float64, st.integers(1, 20), elements=st.floats(-100, 100).map(lambda score: round(score, 3)))


@given(SCORES, st.floats(0.5, 20), st.floats(-50, 50))
def test_standardising_knows_no_unit_and_no_zero(scores: np.ndarray, factor: float, shift: float) -> None:
    """So that a cosine and a sum of word weights can be added."""
    expected = standardise(scores)
    if np.ptp(scores) > 0.01:
        assert standardise(scores * factor + shift) == pytest.approx(expected, abs=1e-6)
        assert expected.mean() == pytest.approx(0, abs=1e-6)
        assert expected.std() == pytest.approx(1, abs=1e-6)
    assert standardise(np.append(scores, np.nan)) == pytest.approx(np.append(expected, 0), abs=1e-9)


def test_the_best_of_a_session_counts_for_all_of_it() -> None:
    """Also where all of them are below zero, and where sessions take turns."""
    found = best_of_session(np.array([1.0, -5.0, 3.0, -2.0]), np.array([0, 1, 0, 1]))
    assert found.tolist() == [3, -2, 3, -2]
    assert best_of_session(np.zeros(0), np.zeros(0, dtype=np.int64)).shape == (0,)
