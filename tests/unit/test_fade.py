"""Vivid, then gist, then archived: what an episode should be by some moment."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from math import log2
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from yesteryear.consolidate.retention.fade import FadePolicy, faded
from yesteryear.core.fading.half_life import Trace, half_life_days
from yesteryear.core.time import FOREVER

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)
POLICY = FadePolicy(gist_below=0.25, archive_below=0.05)
GIST_DAYS = 60.0
"""Two half-lives of something without importance."""
ARCHIVE_DAYS = 30 * log2(20)
"""4.3 of them."""
NEAR = st.timedeltas(timedelta(0), timedelta(days=1500)).map(lambda after: NEW_YEAR + after)
TRACES = st.builds(
    Trace,
    st.just("e1"),
    st.floats(0, 1),
    NEAR,
    st.lists(NEAR, max_size=5).map(tuple),
    st.one_of(st.none(), NEAR),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.one_of(st.none(), NEAR),
)


def day(number: float) -> datetime:
    """Return the instant so many days into the year."""
    return NEW_YEAR + timedelta(days=number)


def trace(*recalls: float, **more: Any) -> Trace:
    """Return an episode of New Year without importance that was usefully recalled on these days."""
    return Trace("e1", 0.0, NEW_YEAR, tuple(map(day, recalls)), **more)


def state(one: Trace, at: float) -> str:
    """Return what an episode should be on a day."""
    left = faded(one, POLICY, now=day(at))
    return ("vivid" if left.is_vivid else "gist") + ("" if left.is_active else ", archived")


def test_an_episode_loses_its_words_and_then_leaves_recall() -> None:
    """At a quarter of its importance, and at a twentieth; each step is foretold by the one before."""
    assert [state(trace(), at) for at in (0, 59.9, 60.1, 129.6, 129.7)] == [
        *("vivid", "vivid", "gist", "gist"),
        "gist, archived",
    ]
    fresh, gist = faded(trace(), POLICY, now=day(0)), faded(trace(), POLICY, now=day(61))
    assert fresh.fades_at == pytest.approx(day(GIST_DAYS), abs=timedelta(seconds=1))
    assert gist.fades_at == pytest.approx(day(ARCHIVE_DAYS), abs=timedelta(seconds=1))
    assert faded(gist, POLICY, now=day(200)).fades_at is None


def test_a_step_is_due_at_the_moment_that_was_foretold() -> None:
    """Not a microsecond later, or the worker would be woken for nothing."""
    due = faded(trace(), POLICY, now=day(0)).fades_at
    assert due is not None
    assert faded(trace(), POLICY, now=due).is_vivid is False
    assert faded(trace(), POLICY, now=due - timedelta(microseconds=1)).is_vivid


@each("importance", [0.0, 0.3, 0.7, 1.0])
def test_what_matters_more_stays_longer(importance: float) -> None:
    """Words for two half-lives: 60 days to a year."""
    one = trace()._replace(importance=importance)
    days = 2 * half_life_days(importance, POLICY.strength)
    assert state(one, days - 0.1) == "vivid"
    assert state(one, days + 0.1) == "gist"


def test_a_useful_recall_puts_the_steps_off() -> None:
    """As the person comes back to it, it is as fresh as on the first day, and fades more slowly."""
    assert [state(trace(50), at) for at in (61, 150, 200)] == ["vivid", "vivid", "gist"]


def test_a_recall_after_a_step_was_due_does_not_undo_it() -> None:
    """Otherwise it would matter whether somebody looked in between."""
    assert state(trace(61), 62) == "gist"
    assert state(trace(61), 180) == "gist"
    assert state(trace(130), 131) == "gist, archived"


def test_what_is_held_never_fades() -> None:
    """Pinned, or asked for; also at the end of all dates."""
    for now in (day(0), day(100_000), FOREVER):
        assert faded(trace(is_held=True, fades_at=day(1)), POLICY, now=now) == trace(is_held=True)


def test_with_fading_switched_off_nothing_happens() -> None:
    """And nothing is due."""
    off = FadePolicy(is_on=False)
    assert faded(trace(fades_at=day(1)), off, now=FOREVER) == trace()


def test_steps_that_were_taken_are_not_taken_back() -> None:
    """Words that are gone do not come back because a clock goes back, or because it is pinned or recalled."""
    gone = trace(is_vivid=False, is_active=False)
    assert faded(gone, POLICY, now=day(-900)) == gone
    assert faded(gone._replace(is_held=True), POLICY, now=day(1)) == gone._replace(is_held=True)
    assert faded(gone._replace(recalls=(day(0.5),)), POLICY, now=day(1)).is_vivid is False


def test_what_was_archived_early_still_loses_its_words_in_time() -> None:
    """It gave way to others; its text has no longer life for that."""
    early = trace(is_active=False)
    assert faded(early, POLICY, now=day(10)).fades_at == faded(trace(), POLICY, now=day(10)).fades_at
    assert state(early, 61) == "gist, archived"
    assert faded(early, POLICY, now=day(61)).fades_at is None


def test_what_was_restored_has_a_second_life() -> None:
    """Its gist is found as long as that of anything new; its words stay gone."""
    restored = trace(restored_at=day(1000), is_vivid=False)
    assert [state(restored, at) for at in (1000, 1129, 1130)] == ["gist", "gist", "gist, archived"]


@given(TRACES, NEAR)
def test_looking_twice_changes_nothing(one: Trace, now: datetime) -> None:
    """Fading is idempotent."""
    once = faded(one, POLICY, now=now)
    assert faded(once, POLICY, now=now) == once


@given(TRACES, st.lists(NEAR, max_size=8), NEAR)
def test_looking_often_and_looking_late_give_the_same(one: Trace, looks: list[datetime], end: datetime) -> None:
    """Whatever the order of the looks, as when several clocks are wrong."""
    left = one
    for now in looks:
        if now <= end:
            left = faded(left, POLICY, now=now)
    assert faded(left, POLICY, now=end) == faded(one, POLICY, now=end)


@given(TRACES, NEAR, NEAR)
def test_nothing_comes_back_by_itself(one: Trace, first: datetime, then: datetime) -> None:
    """Words only go, and whoever left recall stays out, also when the clock goes back."""
    left = faded(one, POLICY, now=first)
    later = faded(left, POLICY, now=then)
    assert later.is_vivid <= left.is_vivid <= one.is_vivid
    assert later.is_active <= left.is_active <= one.is_active


@given(TRACES, NEAR, NEAR)
def test_a_useful_recall_never_hastens_anything(one: Trace, at: datetime, now: datetime) -> None:
    """What would be vivid or found without it is so with it."""
    recalled = faded(one._replace(recalls=(*one.recalls, at)), POLICY, now=now)
    plain = faded(one, POLICY, now=now)
    assert recalled.is_vivid >= plain.is_vivid
    assert recalled.is_active >= plain.is_active


@given(TRACES, NEAR)
def test_the_next_step_lies_ahead(one: Trace, now: datetime) -> None:
    """What is due is done; so a worker that looks when something is due never finds nothing to do."""
    due = faded(one, POLICY, now=now).fades_at
    assert due is None or due > now


@given(TRACES, NEAR)
def test_something_is_due_as_long_as_something_is_left_to_lose(one: Trace, now: datetime) -> None:
    """And only then."""
    left = faded(one, POLICY, now=now)
    assert (left.fades_at is not None) == ((left.is_vivid or left.is_active) and not one.is_held)


@each("now", [datetime.min.replace(tzinfo=UTC), datetime(2100, 2, 28, 23, tzinfo=UTC), FOREVER])
@each("told_at", [datetime.min.replace(tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)])
@each("importance", [0.0, 1.0])
def test_the_ends_of_the_calendar_do_no_harm(told_at: datetime, now: datetime, importance: float) -> None:
    """Neither the year 1 nor the year 9999 is beyond what dates can say."""
    left = faded(Trace("e1", importance, told_at), POLICY, now=now)
    assert left.is_vivid == (now <= told_at)
    assert left.fades_at is None or told_at < left.fades_at


def test_an_hour_that_comes_twice_is_no_hour_of_fading() -> None:
    """Instants count, not what clocks on the wall show."""
    lisbon = ZoneInfo("Europe/Lisbon")
    told = Trace("e1", 0.0, datetime(2026, 8, 27, 1, 30, tzinfo=lisbon).astimezone(UTC))
    due = faded(told, POLICY, now=told.told_at).fades_at
    assert due is not None
    assert due - told.told_at == pytest.approx(timedelta(days=GIST_DAYS), abs=timedelta(seconds=1))
    assert due.astimezone(lisbon).hour == 0, "the clock was put back between"
