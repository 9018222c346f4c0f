"""What is left of an importance."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from yesteryear.core.fading.half_life import (
    Hold,
    StrengthPolicy,
    Trace,
    falls_below,
    hold_of,
    share_left,
    strength_of,
    weakest_first,
)
from yesteryear.core.time import FOREVER
from yesteryear.recall.signals import strengths

SHARES = st.floats(0, 1)
DAYS = st.floats(0, 1e6)


def strength(importance: float, age_days: float, policy: StrengthPolicy | None = None) -> float:
    """Return what is left of one importance."""
    return float(strengths(np.array([importance]), np.array([age_days]), policy or StrengthPolicy())[0])


@each(("importance", "days"), [(1.0, 180), (0.5, 30 * 6**0.5), (1e-9, 30)])
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


NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)
INSTANTS = st.datetimes(timezones=st.just(UTC))
NEAR = st.timedeltas(timedelta(0), timedelta(days=1500)).map(lambda after: NEW_YEAR + after)
TRACES = st.builds(
    Trace,
    st.just("e1"),
    SHARES,
    st.one_of(st.just(NEW_YEAR), NEAR),
    st.lists(NEAR, max_size=6).map(tuple),
    st.one_of(st.none(), NEAR),
    st.booleans(),
)
POLICY = StrengthPolicy()


def day(number: float) -> datetime:
    """Return the instant so many days into the year."""
    return NEW_YEAR + timedelta(days=number)


def trace(*recalls: float, importance: float = 0.0, **more: Any) -> Trace:
    """Return an episode of New Year that was usefully recalled on these days."""
    return Trace("e1", importance, NEW_YEAR, tuple(map(day, recalls)), **more)


@given(TRACES, INSTANTS)
def test_strength_lies_between_nothing_and_the_importance(one: Trace, now: datetime) -> None:
    """Whatever the clock shows, from the year 1 to the year 9999."""
    assert 0 <= strength_of(one, POLICY, now=now) <= one.importance


@given(TRACES, NEAR, NEAR)
def test_strength_never_grows_between_two_recalls(one: Trace, first: datetime, then: datetime) -> None:
    """It only goes down, as long as nothing strengthens it."""
    first, then = sorted((first, then))
    if not any(first < at <= then for at in one.recalls):
        assert strength_of(one, POLICY, now=then) <= strength_of(one, POLICY, now=first)


@given(TRACES, NEAR, NEAR)
def test_a_useful_recall_never_weakens(one: Trace, at: datetime, now: datetime) -> None:
    """Neither now nor later; what came before it stays as it was."""
    recalled = one._replace(recalls=(*one.recalls, at))
    before, after = strength_of(one, POLICY, now=now), strength_of(recalled, POLICY, now=now)
    assert after >= before - 1e-12
    if now < at:
        assert after == before


@given(TRACES, NEAR, st.randoms(use_true_random=False))
def test_the_order_in_which_recalls_became_known_says_nothing(one: Trace, now: datetime, chance: Random) -> None:
    """Two conversations may be worked through in either order."""
    shuffled = list(one.recalls)
    chance.shuffle(shuffled)
    assert hold_of(one._replace(recalls=tuple(shuffled)), POLICY, now=now) == hold_of(one, POLICY, now=now)


@given(TRACES, NEAR)
def test_without_recalls_the_formula_is_the_same_for_one_and_for_many(one: Trace, now: datetime) -> None:
    """What ranks memories and what lets them fade do not drift apart."""
    plain = one._replace(recalls=(), restored_at=None, is_held=False)
    age_days = max(0.0, (now - plain.told_at) / timedelta(days=1))
    assert strength_of(plain, POLICY, now=now) == pytest.approx(strength(plain.importance, age_days), abs=1e-12)


def test_a_recall_lets_the_age_count_anew_and_lengthens_the_half_life() -> None:
    """At half strength it doubles; right after another one it gains nothing (the spacing effect)."""
    assert hold_of(trace(), POLICY, now=day(30)) == Hold(NEW_YEAR, 30.0, 1.0)
    assert hold_of(trace(30), POLICY, now=day(31)) == Hold(day(30), 60.0, 0.5)
    assert hold_of(trace(0.001), POLICY, now=day(31)).half_life_days == pytest.approx(30, abs=0.01)
    spaced, crammed = hold_of(trace(10, 30, 60), POLICY, now=day(60)), hold_of(trace(58, 59, 60), POLICY, now=day(60))
    assert spaced.half_life_days > crammed.half_life_days


def test_a_half_life_grows_up_to_a_bound() -> None:
    """One of 30 days ends at a year, however often the person comes back to it."""
    often = trace(*range(60, 6000, 60))
    assert hold_of(often, POLICY, now=day(6000)).half_life_days == 30 * POLICY.max_growth


def test_a_recall_of_the_future_does_not_count_yet() -> None:
    """The clock may have gone back; then it counts when its time has come."""
    assert hold_of(trace(30), POLICY, now=day(29)) == hold_of(trace(), POLICY, now=day(29))
    assert hold_of(trace(30), POLICY, now=day(30)).since == day(30)


def test_what_was_restored_begins_anew() -> None:
    """Recalls of before count no more: they did not save it."""
    restored = trace(30, 200, restored_at=day(100))
    assert hold_of(restored, POLICY, now=day(100)) == Hold(day(100), 30.0, 1.0)
    assert hold_of(restored, POLICY, now=day(300)).since == day(200)


def test_what_is_held_keeps_its_strength() -> None:
    """For as long as there are years."""
    assert strength_of(trace(importance=0.2, is_held=True), POLICY, now=FOREVER) == 0.2


@given(TRACES, st.floats(0.01, 1), NEAR)
def test_a_share_is_undercut_when_it_was_foretold(one: Trace, share: float, now: datetime) -> None:
    """Just before that moment there is more, at the moment no more than that."""
    hold = hold_of(one, POLICY, now=now)
    moment = falls_below(hold, share)
    assert share_left(hold.since, hold.half_life_days, moment) == pytest.approx(share, rel=1e-9)
    before, after = moment - timedelta(seconds=10), moment + timedelta(seconds=10)
    assert share_left(hold.since, hold.half_life_days, after) < share
    assert share_left(hold.since, hold.half_life_days, before) > share or before < hold.since


@given(INSTANTS, st.floats(1, 2160), st.floats(1e-6, 1))
def test_what_would_fade_beyond_all_years_fades_at_their_end(since: datetime, half_life: float, share: float) -> None:
    """Dates have an end; arithmetic with them must not fall over it."""
    assert since <= falls_below(Hold(since, half_life, 1.0), share) <= FOREVER


@given(st.lists(st.tuples(SHARES, st.integers(0, 3)), max_size=8), st.randoms(use_true_random=False))
def test_the_weakest_come_first_and_among_equals_the_oldest(told: list[tuple[float, int]], chance: Random) -> None:
    """Whatever the order they are given in."""
    traces = [Trace(f"e{number}", share, day(age)) for number, (share, age) in enumerate(told)]
    expected = weakest_first(traces, POLICY, now=day(3))
    chance.shuffle(traces)
    assert weakest_first(traces, POLICY, now=day(3)) == expected
    keys = [(strength_of(one, POLICY, now=day(3)), one.told_at) for one in expected]
    assert keys == sorted(keys)
