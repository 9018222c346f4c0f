"""What series come to: by day, week or month, with their trend; and which of them go together. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from itertools import combinations

from yesteryear.core.results import Plain
from yesteryear.errors import MissingExtra
from yesteryear.measure.series import Series, SeriesPoint, ToldAim, Uncounted, folded, what_key
from yesteryear.measure.statistics import NOT_ENOUGH, ChangePoint, Trend, change_point, correlations, trend
from yesteryear.measure.table import COUNTED, MONEY

_SUM = "sum"


class GroupedBy(StrEnum):
    """What the values of a series are put together by."""

    DAY = "day"
    WEEK = "week"  # from Monday on
    MONTH = "month"


@dataclass(frozen=True, slots=True)
class Bucket(Plain):
    """What a series comes to in one stretch of time."""

    first_day: date
    """The first local day of the stretch."""
    last_day: date
    """The last one."""
    value: float
    """The total of what adds up, else the mean of the days; in the unit of the series."""
    n: int
    """How many numbers it is made of."""
    messages: tuple[str, ...]
    """Ids of the messages that tell them, the caller's own where given."""
    quotes: tuple[str, ...]
    """The words of each of them; empty where they were not kept."""
    low: float | None = None
    """The least that was told, lower ends of ranges included; None where all are one number."""
    high: float | None = None
    """The most that was told; likewise."""


@dataclass(frozen=True, slots=True)
class SeriesView(Plain):
    """All of one measure that somebody told of their life, in one unit."""

    measure: str
    """What is measured, such as "sleep"; "count" for what is only counted."""
    what: str
    """What was counted or bought, as it was said first; else empty."""
    unit: str
    """What all values are in; money in its currency. Empty where there is none, or none was said."""
    fold: str
    """How the values of a day come together: sum, last, most or mean."""
    points: tuple[Bucket, ...]
    """By day, week or month, in order; a stretch that was told as one and fits in none of these stands by itself."""
    total: float | None
    """The sum of all points; None for what does not add up."""
    mean: float | None
    """Mean of the days for which something was told; None where there are none."""
    last: float | None
    """The latest value."""
    last_day: date | None
    """The local day that it is about."""
    target: ToldAim | None
    """The latest goal that they set themselves."""
    usual: ToldAim | None
    """The latest habit or rate that they told."""
    trend: Trend
    """By how much the values of days rise or fall a week, or why that cannot be told."""
    change: ChangePoint | None
    """The day from which the values of days are others than before; None where there is none."""
    left_out: tuple[Uncounted, ...]
    """What was told and does not count, and why."""


@dataclass(frozen=True, slots=True)
class SeriesName(Plain):
    """Which series is meant."""

    measure: str
    what: str
    """What was counted or bought; else empty."""
    unit: str


@dataclass(frozen=True, slots=True)
class CorrelationView(Plain):
    """Two series that rise and fall together, or one as the other falls; which is the cause of which nobody knows."""

    one: SeriesName
    other: SeriesName
    rho: float
    """Spearman's rank correlation, in [-1, 1]."""
    days: int
    """Days on which both have a value."""
    p: float
    """How likely one as large is by chance for this pair alone, in [0, 1]."""


def chosen(found: Iterable[Series], *, measure: str | None, what: str | None) -> list[Series]:
    """Return the series of a measure, and of what was bought or counted; all where not given."""
    wanted = None if what is None else what_key(what)
    return [
        series
        for series in found
        if (measure is None or series.key.measure == measure) and (wanted is None or series.key.what == wanted)
    ]


def between(series: Series, first: date | None, end: date | None) -> Series | None:
    """Return what a series tells of some days, from ``first`` on and before ``end``; None where that is nothing.

    A stretch counts that begins and ends in these days. A goal and a habit hold whenever they were said, up to ``end``.
    """
    if first is None and end is None:
        return series
    least, most = first or date.min, end or date.max
    points = tuple(point for point in series.points if least <= point.first_day and point.last_day < most)
    left_out = tuple(row for row in series.left_out if least <= row.day < most)
    target, usual = (aim if aim is not None and aim.day < most else None for aim in (series.target, series.usual))
    if not (points or left_out or target or usual):
        return None
    return Series(series.key, series.what, points, target, usual, left_out)


def view_of(series: Series, by: GroupedBy) -> SeriesView:
    """Return a series as it is shown, its values put together by day, week or month."""
    points, days = tuple(buckets(series, by)), series.days
    latest = max(reversed(series.points), key=lambda point: point.last_day, default=None)
    return SeriesView.of(
        series,
        measure=series.key.measure,
        unit=series.key.unit,
        points=points,
        total=sum(point.value for point in points) if series.adds_up and points else None,
        mean=sum(days.values()) / len(days) if days else None,
        last=latest.value if latest else None,
        last_day=latest.last_day if latest else None,
        trend=_trend(days),
        change=change_point(list(days), list(days.values())),
    )


def _trend(days: Mapping[date, float]) -> Trend:
    """Return the trend of the values of days; where SciPy is not installed all else of a series is told."""
    if not days:
        return Trend(None, None, None, 0, NOT_ENOUGH)
    try:
        return trend(list(days), list(days.values()))
    except MissingExtra as exc:
        return Trend(None, None, None, len(days), str(exc))


def correlated(found: Sequence[Series]) -> list[CorrelationView]:
    """Return which series go together, the surest first.

    How far and how long somebody ran are two series of one deed, and both pressures of blood are of one measure: such
    pairs are not compared.

    Raises:
        MissingExtra: SciPy is not installed.
    """
    ordered = sorted(found, key=lambda series: series.key)
    pairs = [pair for pair in combinations(range(len(ordered)), 2) if _are_two(*(ordered[place] for place in pair))]
    names = [SeriesName.of(series.key, what=series.what) for series in ordered]
    together = correlations([series.days for series in ordered], pairs)
    return [CorrelationView(names[row.first], names[row.second], row.rho, row.days, row.p) for row in together]


def _are_two(one: Series, other: Series) -> bool:
    is_of_things = one.key.measure in MONEY | {COUNTED}
    return one.key.measure != other.key.measure or (is_of_things and one.key.what != other.key.what)


def buckets(series: Series, by: GroupedBy) -> Iterator[Bucket]:
    """Yield what a series comes to in each stretch for which something was told, in order."""
    told: dict[tuple[date, date], list[SeriesPoint]] = {}
    for point in series.points:
        first, last = _stretch_of(point.first_day, by)
        span = (first, last) if point.last_day <= last else (point.first_day, point.last_day)
        told.setdefault(span, []).append(point)
    adds = _additions(series) if series.fold == _SUM else {}
    for (first, last), points in sorted(told.items()):
        is_range = any(point.low is not None for point in points)
        yield Bucket(
            first,
            last,
            sum(adds[id(point)] for point in points) if adds else _put_together(points, series),
            len(points),
            tuple(dict.fromkeys(point.message for point in points)),
            tuple(point.said for point in points),
            min(point.value if point.low is None else point.low for point in points) if is_range else None,
            max(point.value if point.high is None else point.high for point in points) if is_range else None,
        )


def _stretch_of(day: date, by: GroupedBy) -> tuple[date, date]:
    """Return the first and the last day of the stretch that a day belongs to."""
    if by is GroupedBy.DAY:
        return day, day
    if by is GroupedBy.WEEK:
        first = day.toordinal() - day.weekday()
        return date.fromordinal(max(first, 1)), date.fromordinal(min(first + 6, date.max.toordinal()))
    is_last = (day.year, day.month) == (date.max.year, date.max.month)
    following = date.max if is_last else (day.replace(day=1) + timedelta(days=31)).replace(day=1)
    return day.replace(day=1), following if is_last else following - timedelta(days=1)


def _put_together(points: Sequence[SeriesPoint], series: Series) -> float:
    """Return the total or the mean of the days in a stretch, a stretch that was told as one among them."""
    spans: dict[tuple[date, date], list[float]] = {}
    for point in points:
        spans.setdefault((point.first_day, point.last_day), []).append(point.value)
    total = sum(folded(values, series.fold) for values in spans.values())
    return total if series.adds_up else total / len(spans)


def _additions(series: Series) -> dict[int, float]:
    """Return what each point adds to a total, by its identity.

    Who tells of single runs and then of the week's kilometres tells the same twice: a stretch adds what it has beyond
    all that was told of shorter stretches within it.
    """
    adds: dict[int, float] = {}
    done: list[SeriesPoint] = []
    for point in sorted(series.points, key=lambda point: point.last_day - point.first_day):
        within = (
            adds[id(other)]
            for other in done
            if point.first_day <= other.first_day
            and other.last_day <= point.last_day
            and (other.first_day, other.last_day) != (point.first_day, point.last_day)
        )
        is_day = point.first_day == point.last_day
        adds[id(point)] = point.value if is_day else max(0.0, point.value - sum(within))
        done.append(point)
    return adds
