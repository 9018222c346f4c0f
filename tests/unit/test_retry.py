"""Patience with work that fails."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from yesteryear.core.rows.due_work import RetryPolicy, next_try

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


def test_each_wait_is_longer_until_the_work_is_given_up() -> None:
    """2, 8, 32 and 128 seconds, then no more."""
    waits = [next_try(attempts, NOW, RetryPolicy()) for attempts in range(1, 7)]
    assert [(again - NOW).total_seconds() for again in waits if again] == [2, 8, 32, 128]
    assert waits[4:] == [None, None]


@given(st.integers(1, 12), st.floats(0, 60), st.floats(1, 5))
def test_waits_never_shrink(attempts: int, first: float, growth: float) -> None:
    """Whatever patience is configured; and there is one for each attempt but the last."""
    policy = RetryPolicy(attempts=13, first_wait_s=first, growth=growth)
    tries = [next_try(number, NOW, policy) for number in (attempts, attempts + 1)]
    assert tries[0] is not None
    assert tries[0] >= NOW
    assert (tries[1] is None) if attempts == 12 else (tries[1] is not None and tries[1] >= tries[0])


def test_a_single_attempt_is_the_only_one() -> None:
    """No patience at all is a policy too."""
    assert next_try(1, NOW, RetryPolicy(attempts=1)) is None
    assert next_try(1, NOW, RetryPolicy(attempts=2)) == NOW + timedelta(seconds=2)
