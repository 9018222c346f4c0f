"""Stretches of a person's own calendar: days, weeks, months, and what lies so many of them away.

Time is whole hours of the wall clock, counted from the day before 1 January of the year 1, so that no sum can leave the
calendar; only ``to_instant`` brings them back into it. Weeks begin on Monday.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from enum import StrEnum
from typing import NamedTuple

from yesteryear.core.time import FIRST, FOREVER, local, parse_zone

HOURS_A_DAY = 24
HOURS_A_WEEK = 7 * HOURS_A_DAY
ALWAYS = 0  # before every hour of the calendar
NEVER = (date.max.toordinal() + 1) * HOURS_A_DAY  # after every hour of the calendar

_DAYS = {"day": 1, "week": 7, "weekend": 7, "month": 30, "quarter": 91, "year": 365}
_HOURS = {"hour": 1} | {unit: days * HOURS_A_DAY for unit, days in _DAYS.items()}
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_OCCURRENCES = 9  # how many years, months or weeks are searched: 29 February stays away for eight years at most


class Grain(StrEnum):
    """How exactly a stretch of time was named."""

    HOURS = "hours"  # a part of a day: this morning
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    SEASON = "season"
    YEAR = "year"
    SPAN = "span"  # a stretch of another length, or one that is open at an end


_GRAINS = {"hour": Grain.HOURS} | {unit.value: unit for unit in (Grain.DAY, Grain.WEEK, Grain.MONTH, Grain.YEAR)}


class Span(NamedTuple):
    """A stretch of wall-clock time, half-open."""

    start: int
    end: int
    grain: Grain


def hour_of(instant: datetime, zone: str | None) -> int:
    """Return the hour that a clock in ``zone`` showed at ``instant``."""
    shown = local(instant, zone)
    return shown.toordinal() * HOURS_A_DAY + shown.hour


def to_instant(hour: int, zone: str | None) -> datetime:
    """Return when that hour began in ``zone``, in UTC; FIRST or FOREVER where it lies outside the calendar."""
    if hour < HOURS_A_DAY:
        return FIRST
    if hour >= NEVER:
        return FOREVER
    day, hours = divmod(hour, HOURS_A_DAY)
    shown = datetime.fromordinal(day).replace(hour=hours, tzinfo=parse_zone(zone) if zone else UTC)
    try:
        return shown.astimezone(UTC)
    except OverflowError:
        return FIRST if shown.year == 1 else FOREVER


def date_of(hour: int) -> date:
    """Return the day that holds the hour; the first or last of the calendar where it lies outside."""
    return date.fromordinal(min(max(hour // HOURS_A_DAY, 1), date.max.toordinal()))


def day_span(year: int, month: int, day: int, *, days: int = 1) -> Span | None:
    """Return ``days`` days from a date on, or None where there is no such date."""
    try:
        start = date(year, month, day).toordinal() * HOURS_A_DAY
    except ValueError:
        return None
    return Span(start, start + days * HOURS_A_DAY, Grain.DAY if days == 1 else Grain.SPAN)


def month_count(hour: int) -> int:
    """Return the number of the month that holds the hour, counting January of the year 0 as 0."""
    day = date_of(hour)
    return day.year * 12 + day.month - 1


def month_span(count: int, *, months: int = 1, grain: Grain = Grain.MONTH) -> Span:
    """Return ``months`` whole months from month number ``count`` on; see ``month_count``."""
    return Span(_month_start(count), _month_start(count + months), grain)


def _month_start(count: int) -> int:
    year, month = divmod(count, 12)
    if not date.min.year <= year <= date.max.year:
        return ALWAYS if year < date.min.year else NEVER
    return date(year, month + 1, 1).toordinal() * HOURS_A_DAY


def shift(hour: int, count: int, unit: str) -> int:
    """Return the same time of day ``count`` units later: by months, the last day where the month has no such day."""
    if unit not in _MONTHS:
        return hour + count * _HOURS[unit]
    month = month_span(month_count(hour) + count * _MONTHS[unit])
    last_day = max(0, (month.end - month.start) // HOURS_A_DAY - 1)
    return month.start + min(date_of(hour).day - 1, last_day) * HOURS_A_DAY + hour % HOURS_A_DAY


def moved(span: Span, count: int, unit: str) -> Span:
    """Return a span as long as this one, ``count`` units later."""
    start = shift(span.start, count, unit)
    return span._replace(start=start, end=start + span.end - span.start)


def unit_at(hour: int, unit: str, *, offset: int = 0) -> Span:
    """Return the calendar unit that holds ``hour``, or the one ``offset`` units away."""
    grain = _GRAINS.get(unit, Grain.SPAN)
    if unit in _MONTHS:
        length = _MONTHS[unit]
        return month_span((month_count(hour) // length + offset) * length, months=length, grain=grain)
    if unit in ("week", "weekend"):
        # The year 1 began on a Monday, which is day 1.
        monday = (hour // HOURS_A_DAY - 1) // 7 * HOURS_A_WEEK + HOURS_A_DAY + offset * HOURS_A_WEEK
        return Span(monday + (5 * HOURS_A_DAY if unit == "weekend" else 0), monday + HOURS_A_WEEK, grain)
    size = _HOURS[unit]
    start = hour // size * size + offset * size
    return Span(start, start + size, grain)


def around(hour: int, count: int, unit: str, *, is_vague: bool) -> Span:
    """Return what people mean by ``count`` units from that hour.

    That very day or hour; weeks, months and years half a unit to either side; a whole unit where the count is vague.
    """
    if unit in ("hour", "day", "weekend") and not is_vague:
        return unit_at(hour, unit, offset=count)
    centre = unit_at(shift(hour, count, unit), "hour" if unit == "hour" else "day")
    margin = _HOURS[unit] if is_vague else _HOURS[unit] // 2 // HOURS_A_DAY * HOURS_A_DAY
    return Span(centre.start - margin, centre.end + margin, _GRAINS.get(unit, Grain.SPAN))


def beside(span: Span, unit: str, *, sign: int) -> Span:
    """Return the day, week, month or year that ends where ``span`` begins (-1), or begins where it ends (+1)."""
    edge = span.start if sign < 0 else span.end
    other = shift(edge, sign, unit)
    return Span(min(edge, other), max(edge, other), _GRAINS.get(unit, Grain.SPAN))


def weekday_from(hour: int, weekday: int, *, days: int = 1) -> Span:
    """Return ``days`` days from the first such weekday (Monday is 0) that begins at or after ``hour``."""
    day = -(-hour // HOURS_A_DAY)
    start = (day + (weekday + 1 - day) % 7) * HOURS_A_DAY
    return Span(start, start + days * HOURS_A_DAY, Grain.DAY if days == 1 else Grain.SPAN)


def part(span: Span, which: int, *, of: int) -> Span:
    """Return one of ``of`` equal parts of a span, the first being number 0.

    Parts are whole months of a year or season where that comes out even, and whole days otherwise.
    """
    if span.grain in (Grain.YEAR, Grain.SEASON):
        first = month_count(span.start)
        months = month_count(span.end - 1) + 1 - first
        if months % of == 0:
            return month_span(first + months // of * which, months=months // of, grain=Grain.SPAN)
    days = (span.end - span.start) // HOURS_A_DAY
    begin, past = days * which // of, days * (which + 1) // of
    return Span(span.start + begin * HOURS_A_DAY, span.start + past * HOURS_A_DAY, Grain.SPAN)


def choose(which: str, occurrence: Callable[[int], Span | None], *, index: int, now: int) -> tuple[Span, ...]:
    """Choose one among the occurrences of something that comes again each week, month or year; none where none is near.

    "last" is the latest that is over before today, "next" the first to begin, "coming" the first that is not over,
    "this" the one of now, anything else the latest that has begun. ``occurrence`` gives the span of a numbered week,
    month or year, or None; ``index`` holds now.
    """
    today = now // HOURS_A_DAY * HOURS_A_DAY
    is_meant: dict[str, Callable[[Span], bool]] = {
        "last": lambda span: span.end <= today,
        "next": lambda span: now < span.start,
        "coming": lambda span: now < span.end,
        "this": lambda span: span.start <= now < span.end,
    }
    near = range(index, index - (2 if which == "this" else _OCCURRENCES), -1)
    if which in ("next", "coming"):
        near = range(index - (which == "coming"), index + _OCCURRENCES)
    fitting = filter(is_meant.get(which, lambda span: span.start <= now), filter(None, map(occurrence, near)))
    found = next(fitting, occurrence(index) if which == "this" else None)
    return (found,) if found else ()
