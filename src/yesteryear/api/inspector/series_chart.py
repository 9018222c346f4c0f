"""Where the values of a series lie over days. Pure: values in, places on a canvas out; see ``charts``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import NamedTuple

from yesteryear.api.inspector.charts import HEIGHT, WIDTH
from yesteryear.measure.metrics import Bucket
from yesteryear.measure.statistics import DAYS_A_WEEK, Trend

LEFT = 58.0
"""Where values begin: before it stand the numbers of the scale."""
MOST_MARKS = 400
"""The latest values, that are drawn; more cannot be told apart."""
_MARGIN = 12.0
_STEPS = 4
"""About how many steps the scale has."""
_ROUND = (1.0, 2.0, 2.5, 5.0, 10.0)
"""What a step is, times a power of ten."""
_LARGEST, _LEAST = 1e300, 1e-9
"""Where larger values are drawn, and the smallest difference that is."""


class Mark(NamedTuple):
    """A value."""

    number: int
    """Its place among all points."""
    x: float
    y: float
    low_y: float
    high_y: float
    """Where its range ends; both at ``y`` for one number."""


@dataclass(frozen=True, slots=True)
class SeriesChart:
    """Values over days. Lines are SVG paths, empty where there is none."""

    marks: tuple[Mark, ...]
    line: str
    """Between values of neighbouring stretches of time: where nothing was told there is no line."""
    trend: str
    band: str
    """Within which the trend lies, turned about the middle of all days."""
    goals: tuple[float, ...]
    """Heights."""
    scale: tuple[tuple[float, float], ...]
    """Heights with their values."""
    days: tuple[tuple[float, date, str], ...]
    """Places below, with how their text lies: "start", "middle" or "end"."""


def series_chart(
    points: Sequence[Bucket], *, trend: Trend | None = None, goals: Sequence[float] = (), has_zero: bool = False
) -> SeriesChart | None:
    """Return how points lie; None where there is nothing to draw.

    Args:
        points: In order.
        trend: Of the values of days, where the points are these; it is drawn where it could be told.
        goals: Values to be reached.
        has_zero: Whether zero is shown, as it should be where values add up.
    """
    numbered = [(number, point) for number, point in enumerate(points) if math.isfinite(point.value)]
    drawn = numbered[-MOST_MARKS:]
    if not drawn:
        return None
    first, last = min(_middle(point) for _, point in drawn), max(_middle(point) for _, point in drawn)
    places, lines = _trend_lines([point for _, point in numbered], first, last, trend)
    told = [value for _, point in drawn for value in (point.value, point.low, point.high)]
    low, high, step = _bounds([*told, *goals, *(lines[0] if lines else ()), 0.0 if has_zero else None])

    def x(day: float) -> float:
        share = (day - first) / (last - first) if last > first else 0.5
        return round(LEFT + _MARGIN + (WIDTH - LEFT - 2 * _MARGIN) * share, 1)

    def y(value: float) -> float:
        return round(HEIGHT - (HEIGHT - _MARGIN) * (_drawable(value) - low) / (high - low), 1)

    def mark(number: int, point: Bucket) -> Mark:
        ends = (point.value if end is None else end for end in (None, point.low, point.high))
        return Mark(number, x(_middle(point)), *map(y, ends))

    marks = [mark(number, point) for number, point in drawn]
    pairs = zip(pairwise(marks), pairwise(point for _, point in drawn), strict=True)
    beside = [(one, other) for (one, other), (left, right) in pairs if (right.first_day - left.last_day).days <= 1]
    shown = [[(x(place), y(value)) for place, value in zip(places, line, strict=True)] for line in lines]
    begin, end = min(point.first_day for _, point in drawn), max(point.last_day for _, point in drawn)
    middle = (x((first + last) / 2), date.fromordinal(round((first + last) / 2)), "middle")
    return SeriesChart(
        tuple(marks),
        "".join(_path([(one.x, one.y), (other.x, other.y)]) for one, other in beside),
        _path(shown[0]) if shown else "",
        _path([*shown[1], *reversed(shown[2])]) + "z" if shown else "",
        tuple(map(y, goals)),
        tuple((y(value), value) for value in _steps(low, high, step)),
        ((x(first), begin, "start"), middle, (x(last), end, "end")) if last > first else (middle,),
    )


def _middle(point: Bucket) -> float:
    return (point.first_day.toordinal() + point.last_day.toordinal()) / 2


def _drawable(value: float) -> float:
    return min(max(value, -_LARGEST), _LARGEST)


def _trend_lines(
    points: Sequence[Bucket], first: float, last: float, trend: Trend | None
) -> tuple[tuple[float, ...], list[list[float]]]:
    """Return some places, and there the values of the trend and of both ends of its interval; nothing without one."""
    days = [(_middle(point), _drawable(point.value)) for point in points if point.first_day == point.last_day]
    if not days or trend is None or trend.per_week is None or trend.low is None or trend.high is None:
        return (), []
    centre, mean = (sum(values) / len(days) for values in zip(*days, strict=True))
    places = (first, min(max(centre, first), last), last)
    slopes = (trend.per_week, trend.low, trend.high)
    return places, [[mean + (place - centre) / DAYS_A_WEEK * slope for place in places] for slope in slopes]


def _bounds(values: Iterable[float | None]) -> tuple[float, float, float]:
    """Return the lowest and the highest value of a scale, and its step, all of them round."""
    told = [_drawable(value) for value in values if value is not None and math.isfinite(value)]
    low, high = min(told), max(told)
    if high - low < max(_LEAST, abs(high) * _LEAST):
        room = max(abs(high) / 10, 1.0)
        low, high = low - room, high + room
    rough = (high - low) / _STEPS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in _ROUND if power * factor >= rough * (1 - _LEAST))
    return math.floor(low / step) * step, math.ceil(high / step) * step, step


def _steps(low: float, high: float, step: float) -> list[float]:
    return [low + number * step for number in range(round((high - low) / step) + 1)]


def _path(places: Iterable[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x} {y}" for x, y in places)
