"""What series come to as they are shown: buckets, stretches that were told as one, and which are compared."""

from __future__ import annotations

from datetime import date, timedelta

from tests.each import each
from yesteryear.measure.metrics import GroupedBy, between, correlated, view_of
from yesteryear.measure.series import Series, SeriesKey, SeriesPoint, ToldAim

MONDAY = date(2026, 3, 2)
DAY = timedelta(days=1)


def a_series(*told: tuple[int, int, float], measure: str = "run", unit: str = "km", what: str = "") -> Series:
    """Return a series of values, each from a day after a Monday on to another."""
    points = (
        SeriesPoint(MONDAY + first * DAY, MONDAY + last * DAY, value, f"{value:g}", f"m-{place}")
        for place, (first, last, value) in enumerate(told)
    )
    return Series(SeriesKey(measure, unit, what), what, tuple(points))


def shown(series: Series, by: GroupedBy) -> list[tuple[int, int, float]]:
    """Return the buckets of a series by days after the Monday."""
    points = view_of(series, by).points
    return [((point.first_day - MONDAY).days, (point.last_day - MONDAY).days, point.value) for point in points]


@each(
    ("by", "expected"),
    [
        (GroupedBy.DAY, [(0, 0, 5), (0, 6, 12), (2, 2, 3)]),
        (GroupedBy.WEEK, [(0, 6, 20)]),
        (GroupedBy.MONTH, [(-1, 29, 20)]),
    ],
)
def test_a_week_told_as_one_adds_what_it_has_beyond_its_days(
    by: GroupedBy, expected: list[tuple[int, int, float]]
) -> None:
    """Whoever tells of each run and then of the week tells the same twice."""
    series = a_series((0, 0, 5), (2, 2, 3), (0, 6, 20))
    assert shown(series, by) == expected
    assert view_of(series, by).total == 20


def test_a_stretch_that_fits_in_no_bucket_stands_by_itself() -> None:
    """And one of which more was told by its days adds nothing."""
    assert shown(a_series((5, 8, 9), (6, 6, 10)), GroupedBy.WEEK) == [(0, 6, 10), (5, 8, 0)]
    assert shown(a_series((0, 1, 9), (0, 6, 10), (0, 29, 15)), GroupedBy.DAY) == [(0, 1, 9), (0, 6, 1), (0, 29, 5)]


def test_what_does_not_add_up_has_a_mean_of_its_days() -> None:
    """Each day counts once, by the last that was told of it."""
    view = view_of(a_series((0, 0, 80), (0, 0, 78), (2, 2, 76), measure="weight", unit="kg"), GroupedBy.WEEK)
    assert ([point.value for point in view.points], view.total, view.mean) == ([77], None, 77)
    assert (view.last, view.last_day, view.points[0].n) == (76, MONDAY + 2 * DAY, 3)


def test_longer_stretches_are_in_no_statistics() -> None:
    """A week's kilometres are no day's."""
    view = view_of(a_series(*((7 * place, 7 * place + 6, 20.0) for place in range(9))), GroupedBy.WEEK)
    assert (view.trend.days, view.trend.reason, view.mean, view.total) == (0, "not enough data", None, 180)


@each("day", [date.min, date.max, date(2024, 2, 29), date(2025, 12, 31)])
def test_every_day_of_the_calendar_has_a_bucket(day: date) -> None:
    """The first and the last ones too."""
    for by in GroupedBy:
        series = Series(SeriesKey("run", "km"), "", (SeriesPoint(day, day, 1.0, "", "m"),))
        (point,) = view_of(series, by).points
        assert point.first_day <= day <= point.last_day


def test_a_goal_of_before_holds_in_later_days() -> None:
    """One of afterwards was none yet."""
    goal = ToldAim(30.0, None, "km", "week", MONDAY, "30 km", "m")
    series = Series(SeriesKey("run", "km"), "", a_series((0, 0, 5)).points, goal)
    later = between(series, MONDAY + DAY, None)
    assert later
    assert (later.points, later.target) == ((), goal)
    assert between(series, MONDAY - DAY, MONDAY) is None


def test_two_ways_to_tell_one_deed_are_not_compared() -> None:
    """How far and how long somebody ran go together by what they are."""
    days = [(place, place, float(place * place % 17)) for place in range(20)]
    far, long = a_series(*days), a_series(*days, unit="min")
    assert correlated([far, long]) == []
    high, low = (
        a_series(*days, measure="blood_pressure", unit="mmHg", what=what) for what in ("systolic", "diastolic")
    )
    assert correlated([high, low]) == []
    (found,) = correlated([far, a_series(*days, measure="mood", unit="/10")])
    assert (found.one.measure, found.other.measure, found.days) == ("mood", "run", 20)
    coffee, cake = (a_series(*days, measure="spent", unit="EUR", what=what) for what in ("coffee", "cake"))
    assert len(correlated([coffee, cake])) == 1
