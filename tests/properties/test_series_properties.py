"""Whatever numbers are told in whatever order: series are the same, and add up."""

from __future__ import annotations

from datetime import date, timedelta
from math import isclose

from hypothesis import given
from hypothesis import strategies as st

from tests.workshop import NOON
from yesteryear.core.measurement import Measurement, Nature
from yesteryear.core.message import Message
from yesteryear.measure.metrics import GroupedBy, between, view_of
from yesteryear.measure.series import build_series
from yesteryear.testing.builders import a_message

TODAY = NOON.date()
UNITS = [
    *[("run", "km"), ("run", "mile"), ("run", "minute"), ("weight", "kg"), ("weight", "lb"), ("weight", "")],
    *[("sleep", "hour"), ("steps", "step"), ("mood", "/10"), ("spent", "EUR"), ("spent", ""), ("spent", "GBP")],
    *[("water", "glass"), ("water", "kg"), ("count", ""), ("blood_pressure", "mmHg")],
]
TEXTS = ["", "no wait, sorry", "as i said", "5 km"]


@st.composite
def numbers(draw: st.DrawFn) -> Measurement:
    """Return a number that somebody may tell."""
    measure, unit = draw(st.sampled_from(UNITS))
    value = draw(st.sampled_from([1.0, 2.5, 7.0, 80.0]))
    first = TODAY - timedelta(days=draw(st.integers(0, 9)))
    last = first + timedelta(days=draw(st.sampled_from([0, 0, 0, 2, 8])))
    high = draw(st.sampled_from([None, None, value + 1]))
    nature = draw(st.sampled_from([Nature.MEASURED, Nature.MEASURED, Nature.MEASURED, *Nature]))
    what = draw(st.sampled_from(["", "coffee", "the coffees"]))
    return Measurement(measure, value, unit, 0, 0, first, last, high, nature, "", what)


@st.composite
def talks(draw: st.DrawFn) -> list[Message]:
    """Return messages of some days, several at one moment among them."""
    told = draw(st.lists(st.tuples(st.lists(numbers(), min_size=1, max_size=3), st.integers(0, 40)), max_size=12))
    return [
        a_message(draw(st.sampled_from(TEXTS)), seq=seq, minutes=60 * hours, numbers=tuple(found))
        for seq, (found, hours) in enumerate(told, 1)
    ]


@given(talks(), st.randoms())
def test_series_do_not_depend_on_the_order_of_rows(talk: list[Message], chance: object) -> None:
    """A store may give them in any."""
    shuffled = list(talk)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert build_series(shuffled) == build_series(talk)


@given(talks())
def test_every_number_is_somewhere(talk: list[Message]) -> None:
    """As a value or left out with a reason, but for what is told again, corrected, or a goal or a habit."""
    found = build_series(talk)
    shown = sum(len(series.points) + len(series.left_out) for series in found)
    assert all(row.reason for series in found for row in series.left_out)
    aims = sum(series.target is not None or series.usual is not None for series in found)
    assert bool(talk) == bool(shown + aims)


@given(talks(), st.sampled_from(GroupedBy))
def test_points_make_up_the_total(talk: list[Message], by: GroupedBy) -> None:
    """Whatever they are put together by, nothing is counted twice or lost, and each point lies within its days."""
    for series in build_series(talk):
        view = view_of(series, by)
        assert sum(point.n for point in view.points) == len(series.points)
        assert all(point.first_day <= point.last_day for point in view.points)
        if view.total is not None:
            by_day = view_of(series, GroupedBy.DAY).total
            assert by_day is not None
            assert isclose(view.total, by_day)
            assert view.total >= sum(series.days.values()) - 1e-9


@given(talks(), st.integers(-12, 12), st.integers(0, 12))
def test_some_days_hold_a_part_of_all(talk: list[Message], start: int, length: int) -> None:
    """And only of these days."""
    first = TODAY + timedelta(days=start)
    end = first + timedelta(days=length)
    for series in build_series(talk):
        part = between(series, first, end)
        assert between(series, None, None) == series
        points = part.points if part else ()
        assert set(points) <= set(series.points)
        assert all(first <= point.first_day and point.last_day < end for point in points)
        assert between(series, date.min, date.max) == series
