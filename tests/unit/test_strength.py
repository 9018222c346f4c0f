"""What is left of an importance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from yesteryear.core.strength import StrengthPolicy, strengths

SHARES = st.floats(0, 1)
DAYS = st.floats(0, 1e6)


def strength(importance: float, age_days: float, policy: StrengthPolicy | None = None) -> float:
    """Return what is left of one importance."""
    return float(strengths(np.array([importance]), np.array([age_days]), policy or StrengthPolicy())[0])


@pytest.mark.parametrize(("importance", "days"), [(1.0, 180), (0.5, 30 * 6**0.5), (1e-9, 30)])
def test_half_is_left_after_the_half_life(importance: float, days: float) -> None:
    """30 days for what does not matter, 180 for what matters most."""
    assert strength(importance, days) == pytest.approx(importance / 2, rel=1e-6)
    assert strength(importance, 0) == importance


@given(SHARES, DAYS, DAYS)
def test_strength_lies_between_nothing_and_the_importance_and_never_grows(
    importance: float, one: float, other: float
) -> None:
    """However old a memory is."""
    younger, older = sorted((one, other))
    assert 0 <= strength(importance, older) <= strength(importance, younger) <= importance


@given(SHARES, SHARES, DAYS)
def test_what_matters_more_stays_stronger(one: float, other: float, days: float) -> None:
    """At any age: it starts higher and fades more slowly."""
    less, more = sorted((one, other))
    assert strength(less, days) <= strength(more, days)


@given(SHARES, DAYS, DAYS)
def test_fading_in_two_steps_is_fading_once(importance: float, first: float, then: float) -> None:
    """It depends on the age alone, not on when somebody looked."""
    if importance:
        left = strength(importance, first) * strength(importance, then) / importance
        assert left == pytest.approx(strength(importance, first + then), abs=1e-9)


def test_the_half_life_is_the_policys() -> None:
    """Without a stretch it is the same for all."""
    policy = StrengthPolicy(half_life_days=10, stretch=1)
    assert [strength(importance, 20, policy) for importance in (0.2, 0.8)] == pytest.approx([0.05, 0.2])
