"""Where the lines and dots of a chart lie. Pure: instants and shares in, places on a canvas out.

A canvas is WIDTH units wide; x grows with time, y from the top. Templates draw what is returned here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from yesteryear.core.fading.half_life import share_left
from yesteryear.core.time import later
from yesteryear.lifecycle.why import EpisodeWhy, FactWhy

WIDTH = 640.0
"""Of every chart, in units of its canvas."""
HEIGHT = 170.0
"""Of a curve, without the line of its dates."""
_TOP = 8.0
"""Room above a curve's highest point."""
_POINTS = 64
"""Of a curve; more cannot be seen."""
_AHEAD = timedelta(days=365)
"""How far a curve looks ahead at most."""
_LEAST = timedelta(days=30)
"""How far a curve looks ahead at least."""
_PAST_END = 1.15
"""How much further a curve goes than to its last date."""


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
    anchor: str
    """How its text lies: "start", "middle" or "end"."""


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
    spots: tuple[Spot, ...] = ()
    """Of a timeline."""
    past: str = ""
    """The line up to now, as an SVG path; empty where there is none."""
    ahead: str = ""
    """The line from now on."""
    now_x: float = 0.0
    dots: tuple[Dot, ...] = ()
    """Of a curve."""
    floor_y: float | None = None
    """Where a line lies below which something happens; None for none."""
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
        return "M" + "L".join(f"{x(at)} {_y(left(at))}" for at in instants)

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
