"""Where the lines and dots of a chart lie. Pure: instants, shares and values in, places on a canvas out.

A canvas is WIDTH units wide; x grows with time, y from the top. Templates draw what is returned here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import NamedTuple

from yesteryear.core.fading.half_life import share_left
from yesteryear.core.time import later
from yesteryear.lifecycle.why import EpisodeWhy, FactWhy
from yesteryear.measure.metrics import Bucket
from yesteryear.measure.statistics import DAYS_A_WEEK, Trend

WIDTH = 640.0  # of every chart, in units of its canvas
HEIGHT = 170.0  # of a curve, without the line of its dates
_TOP = 8.0  # room above a curve's highest point
_POINTS = 64  # of a curve; more cannot be seen
_AHEAD = timedelta(days=365)  # how far a curve looks ahead at most
_LEAST = timedelta(days=30)  # how far a curve looks ahead at least
_PAST_END = 1.15  # how much further a curve goes than to its last date
_Place = tuple[float, float]


class Dot(NamedTuple):
    """A marked point."""

    x: float
    y: float
    at: datetime
    label: str


class Tick(NamedTuple):
    """A date below a chart."""

    x: float
    at: datetime
    anchor: str  # how its text lies: "start", "middle" or "end"


class Spot(NamedTuple):
    """An episode on the timeline."""

    id: str
    x: float
    y: float
    radius: float


@dataclass(frozen=True, slots=True)
class Chart:
    """A curve of what is left of something over time, or a timeline of episodes by how much they matter."""

    ticks: tuple[Tick, ...] = ()
    spots: tuple[Spot, ...] = ()  # of a timeline
    past: str = ""  # the line up to now, as an SVG path; empty where there is none
    ahead: str = ""  # the line from now on
    now_x: float = 0.0
    dots: tuple[Dot, ...] = ()  # of a curve
    floor_y: float | None = None  # where a line lies below which something happens; None for none
    width: float = WIDTH
    height: float = HEIGHT


class Part(NamedTuple):
    """A piece of a bar."""

    name: str
    x: float
    width: float
    tokens: int


def fading_curve(why: EpisodeWhy, *, now: datetime) -> Chart:
    """Return how an episode's strength falls: its importance * 2 ** (-age / half-life), and what never fades stays."""

    def left(at: datetime) -> float:
        return why.importance * (1.0 if why.held_by else share_left(why.strengthened_at, why.half_life_days, at))

    steps = [(at, label) for at, label in ((why.gist_at, "words go"), (why.archived_at, "leaves recall")) if at]
    begin = min(why.strengthened_at, now)
    end = _end(now, [at for at, _ in steps])
    return _curve(left, begin, now, end, dots=[(at, left(at), label) for at, label in steps])


def belief_curve(why: FactWhy, *, now: datetime, floor: float) -> Chart:
    """Return how sure we were of a fact after each thing that was said, and what time will leave of it.

    Below the confidence ``floor``, in [0, 1], it is given up.
    """
    told = sorted((at, value) for at, value in why.over_time if at <= now)
    begin = told[0][0] if told else now
    days, later_value = why.ahead[-1] if why.ahead else (365, why.confidence_now)
    is_decaying = why.confidence_now > 0 and 0 < later_value < why.confidence_now
    rate = (math.log(why.confidence_now) - math.log(later_value)) / days if is_decaying else 0.0

    def left(at: datetime) -> float:
        known = [(now, why.confidence_now)] if at > now else [each for each in told if each[0] <= at]
        instant, value = known[-1] if known else (at, 0.0)
        return value * math.exp(-rate * ((at - instant) / timedelta(days=1)))

    end = _end(now, [why.sinks_at] if why.sinks_at else [])
    marks = [(at, value, "said") for at, value in told]
    if why.sinks_at is not None and now < why.sinks_at <= end:
        marks.append((why.sinks_at, left(why.sinks_at), "given up"))
    return _curve(left, begin, now, end, dots=marks, floor=floor)


def timeline(rows: Sequence[tuple[str, datetime, float, float]]) -> Chart:
    """Return where episodes lie, by id, when each ended, importance and strength, the last two in [0, 1]."""
    if not rows:
        return Chart()
    begin, end = min(row[1] for row in rows), max(row[1] for row in rows)
    span = max(end - begin, timedelta(hours=1))
    spots = (
        Spot(name, _round(16 + (WIDTH - 32) * ((at - begin) / span)), _y(importance), _round(4 + 9 * strength))
        for name, at, importance, strength in rows
    )
    return Chart(_ticks(begin, begin + span, inset=16), tuple(spots))


def bar(parts: Iterable[tuple[str, int]], *, whole: int) -> tuple[Part, ...]:
    """Return the pieces of a bar that is WIDTH wide when ``whole`` tokens are spent; empty pieces are left out."""
    made, x = [], 0.0
    for name, tokens in parts:
        if tokens > 0:
            width = WIDTH * tokens / max(whole, 1)
            made.append(Part(name, _round(x), _round(width), tokens))
            x += width
    return tuple(made)


def _curve(
    left: Callable[[datetime], float],
    begin: datetime,
    now: datetime,
    end: datetime,
    *,
    dots: Iterable[tuple[datetime, float, str]],
    floor: float | None = None,
) -> Chart:
    span = end - begin

    def x(at: datetime) -> float:
        return _round(WIDTH * ((at - begin) / span))

    def path(first: datetime, last: datetime, known: Iterable[datetime] = ()) -> str:
        if last <= first:
            return ""
        instants = sorted({*(first + (last - first) * number / _POINTS for number in range(_POINTS + 1)), *known})
        return _path((x(at), _y(left(at))) for at in instants)

    marks = tuple(Dot(x(at), _y(value), at, label) for at, value, label in dots if begin <= at <= end)
    return Chart(
        past=path(begin, now, [dot.at for dot in marks if dot.at <= now]),
        ahead=path(now, end),
        now_x=x(now),
        dots=marks,
        ticks=_ticks(begin, end),
        floor_y=None if floor is None else _y(floor),
    )


def _end(now: datetime, dates: Iterable[datetime]) -> datetime:
    """Return until when a curve is drawn: a little past the last of the dates that lie within reach."""
    reach = max((at - now for at in dates if at - now <= _AHEAD), default=_AHEAD)
    return later(now, max(reach * _PAST_END, _LEAST))


def _ticks(begin: datetime, end: datetime, *, inset: float = 0.0) -> tuple[Tick, ...]:
    middle = Tick(WIDTH / 2, begin + (end - begin) / 2, "middle")
    return Tick(inset, begin, "start"), middle, Tick(WIDTH - inset, end, "end")


def _y(value: float) -> float:
    return _round(_TOP + (HEIGHT - _TOP) * (1 - min(max(value, 0.0), 1.0)))


def _round(value: float) -> float:
    return round(value, 1)


# What somebody measures, over days.

LEFT = 58.0  # where values begin: before it stand the numbers of the scale
MOST_MARKS = 400  # the latest values, that are drawn; more cannot be told apart
_MARGIN = 12.0
_STEPS = 4  # about how many steps the scale has
_ROUND = (1.0, 2.0, 2.5, 5.0, 10.0)  # what a step is, times a power of ten
_LARGEST, _FINEST = 1e300, 1e-9  # where larger values are drawn, and the smallest difference that is


class Mark(NamedTuple):
    """A value."""

    number: int  # its place among all points
    x: float
    y: float
    low_y: float
    high_y: float  # where its range ends; both at ``y`` for one number


@dataclass(frozen=True, slots=True)
class SeriesChart:
    """Values over days. Lines are SVG paths, empty where there is none."""

    marks: tuple[Mark, ...]
    line: str  # between values of neighbouring stretches of time: where nothing was told there is no line
    trend: str
    band: str  # within which the trend lies, turned about the middle of all days
    goals: tuple[float, ...]  # heights
    scale: tuple[tuple[float, float], ...]  # heights with their values
    days: tuple[tuple[float, date, str], ...]  # places below, with how their text lies: "start", "middle" or "end"


def series_chart(
    points: Sequence[Bucket], *, trend: Trend | None = None, goals: Sequence[float] = (), has_zero: bool = False
) -> SeriesChart | None:
    """Return how points lie, which are in order; None where there is nothing to draw.

    A trend is that of the values of days, where the points are these. Zero is shown where values add up.
    """
    numbered = [(number, point) for number, point in enumerate(points) if math.isfinite(point.value)]
    drawn = numbered[-MOST_MARKS:]
    if not drawn:
        return None
    first, last = min(_middle(point) for _, point in drawn), max(_middle(point) for _, point in drawn)
    lines = _trend_lines([point for _, point in numbered], first, last, trend)
    told = [value for _, point in drawn for value in (point.value, point.low, point.high)]
    slope = [value for line in lines[:1] for _, value in line]
    low, high, step = _bounds([*told, *goals, *slope, 0.0 if has_zero else None])
    steps = [low + number * step for number in range(round((high - low) / step) + 1)]

    def x(day: float) -> float:
        share = (day - first) / (last - first) if last > first else 0.5
        return _round(LEFT + _MARGIN + (WIDTH - LEFT - 2 * _MARGIN) * share)

    def y(value: float) -> float:
        return _round(HEIGHT - (HEIGHT - _MARGIN) * (_drawable(value) - low) / (high - low))

    def mark(number: int, point: Bucket) -> Mark:
        ends = (point.value if end is None else end for end in (None, point.low, point.high))
        return Mark(number, x(_middle(point)), *map(y, ends))

    marks = [mark(number, point) for number, point in drawn]
    pairs = zip(pairwise(marks), pairwise(point for _, point in drawn), strict=True)
    beside = [(one, other) for (one, other), (left, right) in pairs if (right.first_day - left.last_day).days <= 1]
    shown = [[(x(place), y(value)) for place, value in line] for line in lines]
    begin, end = min(point.first_day for _, point in drawn), max(point.last_day for _, point in drawn)
    middle = (x((first + last) / 2), date.fromordinal(round((first + last) / 2)), "middle")
    return SeriesChart(
        tuple(marks),
        "".join(_path([(one.x, one.y), (other.x, other.y)]) for one, other in beside),
        _path(shown[0]) if shown else "",
        _path([*shown[1], *reversed(shown[2])]) + "z" if shown else "",
        tuple(map(y, goals)),
        tuple((y(value), value) for value in steps),
        ((x(first), begin, "start"), middle, (x(last), end, "end")) if last > first else (middle,),
    )


def _middle(point: Bucket) -> float:
    return (point.first_day.toordinal() + point.last_day.toordinal()) / 2


def _drawable(value: float) -> float:
    return min(max(value, -_LARGEST), _LARGEST)


def _trend_lines(points: Sequence[Bucket], first: float, last: float, trend: Trend | None) -> list[list[_Place]]:
    """Return the trend and both ends of its interval, as values at some places; nothing without one."""
    days = [(_middle(point), _drawable(point.value)) for point in points if point.first_day == point.last_day]
    if not days or trend is None or trend.per_week is None or trend.low is None or trend.high is None:
        return []
    centre, mean = (sum(values) / len(days) for values in zip(*days, strict=True))
    places, slopes = (first, min(max(centre, first), last), last), (trend.per_week, trend.low, trend.high)
    return [[(place, mean + (place - centre) / DAYS_A_WEEK * slope) for place in places] for slope in slopes]


def _bounds(values: Iterable[float | None]) -> tuple[float, float, float]:
    """Return the lowest and the highest value of a scale, and its step, all of them round."""
    told = [_drawable(value) for value in values if value is not None and math.isfinite(value)]
    low, high = min(told), max(told)
    if high - low < max(_FINEST, abs(high) * _FINEST):
        room = max(abs(high) / 10, 1.0)
        low, high = low - room, high + room
    rough = (high - low) / _STEPS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in _ROUND if power * factor >= rough * (1 - _FINEST))
    return math.floor(low / step) * step, math.ceil(high / step) * step, step


def _path(places: Iterable[_Place]) -> str:
    return "M" + "L".join(f"{x} {y}" for x, y in places)
