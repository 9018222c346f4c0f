"""What holds for importance whatever the signals are."""

from __future__ import annotations

from dataclasses import fields

from hypothesis import given
from hypothesis import strategies as st

from yesteryear.remember.importance import ImportancePolicy, importance

FACTORS = [factor.name for factor in fields(ImportancePolicy) if factor.name != "base"]
SHARES = st.floats(0, 1)
SIGNALS = st.dictionaries(st.sampled_from(FACTORS), SHARES)
POLICIES = st.builds(ImportancePolicy, **{factor.name: SHARES for factor in fields(ImportancePolicy)})


@given(SIGNALS, POLICIES)
def test_importance_is_in_range(signals: dict[str, float], policy: ImportancePolicy) -> None:
    """From the base up to 1."""
    assert policy.base <= importance(signals, policy) <= 1


@given(SIGNALS, POLICIES, st.sampled_from(FACTORS), SHARES)
def test_importance_never_falls_when_a_factor_rises(
    signals: dict[str, float], policy: ImportancePolicy, factor: str, more: float
) -> None:
    """Every factor speaks for keeping."""
    raised = signals | {factor: max(more, signals.get(factor, 0.0))}
    assert importance(raised, policy) >= importance(signals, policy)
