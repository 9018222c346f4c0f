"""How much an episode matters."""

from __future__ import annotations

import pytest

from tests.each import each
from yesteryear.errors import InputError
from yesteryear.remember.importance import ImportancePolicy, importance

POLICY = ImportancePolicy()


def test_talk_without_signals_has_the_base_importance() -> None:
    """Nothing found, nothing added."""
    assert importance({}, POLICY) == POLICY.base


def test_a_request_to_remember_outweighs_small_talk() -> None:
    """What somebody asked to keep matters more than how it was said."""
    small_talk = {"novelty": 1.0, "reliability": 1.0, "emotion": 0.3}
    assert importance({"explicit_request": 1.0, "reliability": 1.0}, POLICY) > importance(small_talk, POLICY)


def test_everything_at_once_is_one() -> None:
    """The sum is cut at 1."""
    assert importance(dict.fromkeys(POLICY.__slots__, 1.0), POLICY) == 1.0


def test_signals_without_a_weight_count_for_nothing() -> None:
    """An analyst may report more than the policy weighs."""
    assert importance({"humour": 1.0, "base": 1.0}, POLICY) == POLICY.base


@each("wrong", [-0.1, 1.1, float("nan"), float("inf")])
def test_a_factor_out_of_range_is_refused(wrong: float) -> None:
    """A faulty signal is named rather than averaged away."""
    with pytest.raises(InputError, match="emotion"):
        importance({"emotion": wrong}, POLICY)
