"""What is known of a number that somebody asks for, in a line that a model can read out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

from yesteryear.core.language.tokens import stems
from yesteryear.core.message import Message
from yesteryear.measure.asked import AskedNumber
from yesteryear.measure.series import Series, SeriesPoint, ToldAim, build_series, folded

_MOST_WEEKS = 14
"""Weeks up to which each is told by itself, a quarter of a year and what overlaps it."""
_MOST_SHOWN = 6
"""Numbers up to which each is told with its day."""


@dataclass(frozen=True, slots=True)
class NumberPolicy:
    """How much is told of numbers that are asked for."""

    most_lines: int = 4
    """Most series that are told of, at least 1: those with the most numbers."""


class NumberLine(NamedTuple):
    """What one series tells of what was asked."""

    id: str
    """Which series it is of, by measure, purpose and unit."""
    text: str
    messages: tuple[str, ...]
    """Ids of the messages behind it, the caller's own where given."""


_POLICY = NumberPolicy()


def answer(asked: AskedNumber, messages: Iterable[Message], policy: NumberPolicy = _POLICY) -> list[NumberLine]:
    """Return what messages tell of a number that is asked for, a line a unit; none where they tell nothing of it.

    Money of all that may be meant is added up, currency by currency.

    Args:
        asked: What is asked for.
        messages: With their numbers, in any order.
        policy: How much is told.
    """
    by_unit: dict[str, list[Series]] = defaultdict(list)
    for series in build_series(messages):
        is_meant = not asked.what or not asked.what.isdisjoint(stems(series.what))
        if series.key.measure == asked.measure and is_meant:
            by_unit[series.key.unit].append(series)
    lines = (_line(asked, unit, found) for unit, found in by_unit.items())
    told = sorted((line for line in lines if line is not None), key=lambda line: -len(line.messages))
    return told[: policy.most_lines]


def _line(asked: AskedNumber, unit: str, found: Sequence[Series]) -> NumberLine | None:
    known = sorted(
        (point for series in found for point in series.points), key=lambda point: (point.last_day, point.said)
    )
    points = [point for point in known if _is_meant(point, asked)]
    aims = [
        (kind, aim) for series in found for kind, aim in (("Goal", series.target), ("Usually", series.usual)) if aim
    ]
    if not known and not aims:
        return None
    shown = "" if asked.measure.startswith(unit) else unit
    name = asked.measure.replace("_", " ").capitalize()
    name += f" ({asked.said})" if asked.said else ""
    if points:
        parts = [f"{name}{_when(asked, points)}: {_summed(points, shown, found[0], asked)}"]
    elif known:
        parts = [f"{name}: nothing told of these days, last {_amount(known[-1].value, shown)} on {known[-1].last_day}."]
    else:
        parts = [f"{name}:"]
    parts += [_aim(kind, aim) for kind, aim in aims]
    told_in = dict.fromkeys([*(point.message for point in points or known[-1:]), *(aim.message for _, aim in aims)])
    named = ":".join(filter(None, (asked.measure, asked.said, unit)))
    return NumberLine(f"number:{named}", " ".join(parts), tuple(told_in))


def _is_meant(point: SeriesPoint, asked: AskedNumber) -> bool:
    """Tell whether a number is of the days that are asked about, with all of its own."""
    first, last = asked.first_day or date.min, asked.last_day or date.max
    return first <= point.first_day and point.last_day <= last


def _when(asked: AskedNumber, points: Sequence[SeriesPoint]) -> str:
    first, last = asked.first_day or points[0].first_day, asked.last_day or max(point.last_day for point in points)
    return f", {first}" if first == last else f", {first} to {last}"


def _summed(points: Sequence[SeriesPoint], unit: str, series: Series, asked: AskedNumber) -> str:
    """Return what numbers come to: in all, on average, at last, week by week, and each where they are few."""
    by_day: dict[tuple[date, date], list[float]] = defaultdict(list)
    for point in points:
        by_day[point.first_day, point.last_day].append(point.value)
    days = {span: folded(values, series.fold) for span, values in by_day.items()}
    times = "once" if len(points) == 1 else f"{len(points)} times"
    told = [f"{_amount(sum(days.values()), unit)} in all, {times}"] if series.adds_up else []
    if asked.is_mean or not series.adds_up:
        told.append(f"{_amount(sum(days.values()) / len(days), unit)} on average of {len(days)} days")
    if series.fold == "last":
        told.append(f"last {_amount(points[-1].value, unit)} on {points[-1].first_day}")
    if series.adds_up:
        told.append(_by_week(days, unit))
    if 1 < len(points) <= _MOST_SHOWN:
        told.append(", ".join(f"{_amount(point.value, unit)} on {point.first_day}" for point in points))
    return "; ".join(filter(None, told)) + "."


def _by_week(days: Mapping[tuple[date, date], float], unit: str) -> str:
    weeks: dict[date, float] = defaultdict(float)
    for (first, _), value in days.items():
        weeks[first - timedelta(days=first.weekday())] += value
    if not 1 < len(weeks) <= _MOST_WEEKS:
        return ""
    return "by weeks from Monday " + ", ".join(f"{day} {_amount(total, unit)}" for day, total in weeks.items())


def _aim(kind: str, aim: ToldAim) -> str:
    per = f" a {aim.per}" if aim.per else ""
    return f"{kind}: {_amount(aim.value, aim.unit)}{per} (said {aim.day})."


def _amount(value: float, unit: str) -> str:
    number = f"{value:,.2f}".rstrip("0").rstrip(".") if value % 1 else f"{value:,.0f}"
    return f"{number} {unit}".strip()
