"""Which number of their life somebody asks for ("how much did I spend on food this week?"), and what is known of it.

English. What is known comes as lines that a model can read out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import NamedTuple

from yesteryear.core.language.dates import find_periods
from yesteryear.core.language.tokens import stems
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.message import Message
from yesteryear.core.time import FIRST, FOREVER, local
from yesteryear.measure.metrics import Bucket, GroupedBy, between, buckets
from yesteryear.measure.series import Series, SeriesPoint, ToldAim, build_series
from yesteryear.measure.table import MONEY, Measure, measures

_EN = vocabulary("measures")
MOST_CHARS = 400  # characters of a message, from its beginning, in which such a question is looked for
_MOST_WEEKS = 14  # weeks up to which each is told by itself, a quarter of a year and what overlaps it
_MOST_LINES = 4  # most series that are told of: those with the most numbers
_MOST_SHOWN = 6  # numbers up to which each is told with its day


@dataclass(frozen=True, slots=True)
class AskedNumber:
    """What is asked for."""

    measure: str
    what: frozenset[str]  # stems of what money was for, any of which may be meant; empty for all of it
    said: str  # what money was for, as asked
    first_day: date | None  # the first local day that is asked about; None for as long as anything is known
    last_day: date | None
    is_mean: bool  # whether an average is asked for, and no total


def asked_number(text: str, *, now: datetime, zone: str | None) -> AskedNumber | None:
    """Return which number of their life somebody asks for; None where a message asks for none.

    ``now`` is from when "this week" counts, ``zone`` the IANA zone of the person, or None for UTC.
    """
    asked = text[:MOST_CHARS]
    begins = _EN["asks_number"].search(asked)
    measure = _measure_of(asked) if begins and _EN["own"].search(asked) else None
    if measure is None:
        return None
    period = next(iter(find_periods(asked, now=now, zone=zone)), None)
    first = local(period.start, zone).date() if period and period.start > FIRST else None
    last = (local(period.end, zone) - timedelta(hours=1)).date() if period and period.end < FOREVER else None
    is_mean = measure.fold in ("mean", "last") or _EN["asks_mean"].search(asked) is not None
    said = _said(asked) if measure.name in MONEY else ""
    what = frozenset(stems(f"{said} {_EN.table('purposes').get(said, '')}"))
    return AskedNumber(measure.name, what, said, first, last, is_mean)


def _measure_of(asked: str) -> Measure | None:
    """Return the measure of which a word stands first in a question; money only where "how much" of it is asked."""
    for name in ("asks_earned", "asks_spent"):
        if _EN[name].search(asked):
            return measures()[name.removeprefix("asks_")]
    is_of_money = _EN["asks_of_money"].search(asked) is not None
    found = (
        (match.start(), measure)
        for measure in measures().values()
        if (is_of_money or measure.name not in MONEY) and (match := measure.pattern.search(asked))
    )
    return min(found, key=lambda each: (each[1].name == "spent", each[0]), default=(0, None))[1]


def _said(asked: str) -> str:
    """Return what money is asked about, in small letters; empty for all of it."""
    found = _EN["asks_kind"].search(asked) or _EN["asks_on"].search(asked)
    said = found["what"].lower() if found else ""
    return "" if said in _EN.words("no_purposes") else said


class NumberLine(NamedTuple):
    """What one series tells of what was asked."""

    id: str  # which series it is of, by measure, purpose and unit
    text: str
    messages: tuple[str, ...]  # ids of the messages behind it, the caller's own where given


def answer(asked: AskedNumber, messages: Iterable[Message]) -> list[NumberLine]:
    """Return what messages tell of a number that is asked for, a line a unit; none where they tell nothing of it.

    Money of all that may be meant is added up, currency by currency. The messages may come in any order.
    """
    by_unit: dict[str, list[Series]] = defaultdict(list)
    for series in build_series(messages):
        is_meant = not asked.what or not asked.what.isdisjoint(stems(series.what))
        if series.key.measure == asked.measure and is_meant:
            by_unit[series.key.unit].append(series)
    lines = (_line(asked, unit, found) for unit, found in by_unit.items())
    told = sorted((line for line in lines if line is not None), key=lambda line: -len(line.messages))
    shown, others = told[:_MOST_LINES], len(told) - _MOST_LINES
    if others > 0:
        shown[-1] = shown[-1]._replace(text=f"{shown[-1].text} Told in {others} more units.")
    return shown


def _line(asked: AskedNumber, unit: str, found: Sequence[Series]) -> NumberLine | None:
    """Return what series of one unit tell, which are of several things where money is; None where they tell nothing."""
    known = sorted((point for series in found for point in series.points), key=lambda point: point.last_day)
    told = ((kind, aim) for series in found for kind, aim in (("Goal", series.target), ("Usually", series.usual)))
    aims = [(kind, aim) for kind, aim in told if aim is not None]
    if not known and not aims:
        return None
    end = asked.last_day and asked.last_day + timedelta(days=1)
    meant = [part for series in found if (part := between(series, asked.first_day, end)) and part.points]
    points = sorted((point for part in meant for point in part.points), key=lambda point: point.last_day)
    shown = "" if asked.measure.startswith(unit) else unit
    name = asked.measure.replace("_", " ").capitalize()
    name += f" ({asked.said})" if asked.said else ""
    if points:
        parts = [f"{name}{_when(asked, points)}: {_summed(meant, points, shown, asked)}"]
    elif known:
        parts = [f"{name}: nothing told of these days, last {_amount(known[-1].value, shown)} on {known[-1].last_day}."]
    else:
        parts = [f"{name}:"]
    parts += [_aim(kind, aim) for kind, aim in aims]
    told_in = dict.fromkeys([*(point.message for point in points or known[-1:]), *(aim.message for _, aim in aims)])
    named = ":".join(filter(None, (asked.measure, asked.said, unit)))
    return NumberLine(f"number:{named}", " ".join(parts), tuple(told_in))


def _when(asked: AskedNumber, points: Sequence[SeriesPoint]) -> str:
    first = asked.first_day or min(point.first_day for point in points)
    last = asked.last_day or max(point.last_day for point in points)
    return f", {first}" if first == last else f", {first} to {last}"


def _summed(meant: Sequence[Series], points: Sequence[SeriesPoint], unit: str, asked: AskedNumber) -> str:
    """Return what numbers come to: in all, on average, at last, week by week, and each where they are few."""
    spans = [bucket for series in meant for bucket in buckets(series, GroupedBy.DAY)]
    days = [value for series in meant for value in series.days.values()]
    times = "once" if len(points) == 1 else f"{len(points)} times"
    adds_up, fold = meant[0].adds_up, meant[0].fold
    told = [f"{_amount(sum(span.value for span in spans), unit)} in all, {times}"] if adds_up else []
    if days and (asked.is_mean or not adds_up):
        told.append(f"{_amount(sum(days) / len(days), unit)} on average of {len(days)} days")
    if fold == "last":
        told.append(f"last {_amount(points[-1].value, unit)} on {points[-1].last_day}")
    if adds_up:
        told.append(_by_week(spans, unit))
    if 1 < len(points) <= _MOST_SHOWN:
        told.append(", ".join(f"{_amount(point.value, unit)} {_on(point)}" for point in points))
    return "; ".join(filter(None, told)) + "."


def _on(point: SeriesPoint) -> str:
    is_day = point.first_day == point.last_day
    return f"on {point.first_day}" if is_day else f"from {point.first_day} to {point.last_day}"


def _by_week(spans: Sequence[Bucket], unit: str) -> str:
    weeks: dict[date, float] = defaultdict(float)
    for span in sorted(spans, key=lambda span: span.first_day):
        weeks[span.first_day - timedelta(days=span.first_day.weekday())] += span.value
    if not 1 < len(weeks) <= _MOST_WEEKS:
        return ""
    return "by weeks from Monday " + ", ".join(f"{day} {_amount(total, unit)}" for day, total in weeks.items())


def _aim(kind: str, aim: ToldAim) -> str:
    per = f" a {aim.per}" if aim.per else ""
    return f"{kind}: {_amount(aim.value, aim.unit)}{per} (said {aim.day})."


def _amount(value: float, unit: str) -> str:
    number = f"{value:,.2f}".rstrip("0").rstrip(".") if value % 1 else f"{value:,.0f}"
    return f"{number} {unit}".strip()
