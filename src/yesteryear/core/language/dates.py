"""Dates and periods as people say them in a question, resolved to intervals of their own calendar. English.

Precision comes before completeness: a word that is also a name or a verb (May, March, August, fall) counts only beside
words of time. Seasons are those of the northern hemisphere, by whole months. What is relative counts from ``now``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from yesteryear.core.language import datewords
from yesteryear.core.language.tokens import STOP_WORDS
from yesteryear.core.time import FIRST, FOREVER
from yesteryear.core.wallclock import (
    ALWAYS,
    HOURS_A_DAY,
    HOURS_A_WEEK,
    NEVER,
    Grain,
    Span,
    around,
    beside,
    choose,
    date_of,
    day_span,
    hour_of,
    month_count,
    month_span,
    part,
    shift,
    to_instant,
    unit_at,
    weekday_from,
)


@dataclass(frozen=True, slots=True)
class Period:
    """A stretch of time that somebody named."""

    start: datetime
    """First instant, aware, in UTC; the beginning of the year 1 where the words leave the start open."""
    end: datetime
    """First instant after it, later than ``start``; FOREVER where the words leave the end open."""
    grain: Grain
    """How exactly it was named."""
    said: str
    """The words, as they stand in the text."""

    @property
    def is_open(self) -> bool:
        """Whether the words leave its start or its end open."""
        return self.start <= FIRST or self.end >= FOREVER


def find_periods(
    text: str, *, now: datetime, zone: str | None, names: frozenset[str] = frozenset()
) -> tuple[Period, ...]:
    """Return the dates and periods that ``text`` names, in its order, the same stretch of time once.

    A date without a year is the latest that is not after ``now``. An order of day and month that cannot be told
    (7/5/2023) gives both readings, and so does the winter of a year. Dates that do not exist give nothing. Days begin
    in the IANA ``zone`` of the person, or in UTC. A month, season or weekday among the casefolded ``names`` of people
    is taken for the person, unless a number stands beside it or a word that fits only a time ("in May"). Time is linear
    in the text. Raises InputError: there is no such zone.
    """
    tokens = datewords.read_tokens(text)
    reader = _Reader(tokens, names, hour_of(now, zone))
    periods: dict[tuple[datetime, datetime], Period] = {}
    at = 0
    while at < len(tokens):
        read = reader.period(at)
        if read is None:
            at += 1
            continue
        said = text[tokens[at].start : tokens[read.next - 1].end]
        for span in read.spans:
            start, end = to_instant(span.start, zone), to_instant(span.end, zone)
            if start < end:
                periods.setdefault((start, end), Period(start, end, span.grain, said))
        at = read.next
    return tuple(periods.values())


_STRETCHES = {
    **{name: (number - 1, 1, Grain.MONTH) for name, number in datewords.MONTHS.items()},
    **{name: (3 * (number - 1), 3, Grain.SPAN) for name, number in datewords.QUARTERS.items()},
    **{name: (before, 3, Grain.SEASON) for name, before in datewords.SEASONS.items()},
}
"""What comes again each year: how many months lie before it, how many it has, and what it is called."""
_SATURDAY = 5
_A_WEEK, _A_MONTH, _A_YEAR = 7, 28, 365  # days within which the same words mean the same date; a month at its shortest


class _Read(NamedTuple):
    """What a rule made of some words: the spans they mean (none for a date that does not exist)."""

    spans: tuple[Span, ...]
    next: int  # where the next words begin
    cycle: int = 0  # days after which the same words mean another date; 0 where they say the year, or count from now


@dataclass(frozen=True, slots=True)
class _Reader(datewords.DateWords):
    """The rules. Each reads at a place among the words and returns None where it does not apply."""

    now: int  # hour of the wall clock

    def period(self, at: int) -> _Read | None:
        """Read any phrase of time that begins here."""
        word = self.word(at)
        if word in datewords.ENDS or word == "between":
            return self.open_ended(at) or self.range(at)
        if not self.begins(at):
            return None
        if word in datewords.NUMBERS or word in datewords.VAGUE:
            return self.distance(at)
        return self.distance(at) or self.range(at) or self.numbered(at) or self.third(at) or self.simple(at)

    # Phrases made of other periods

    def distance(self, at: int) -> _Read | None:
        """Two weeks ago; the day before yesterday; the Friday after 9 June; the week of 9 June."""
        count, is_vague, then = self.count(at) or (0, False, at)
        word, link = self.word(then), self.word(then + 1)
        unit = datewords.UNITS.get(word, "")
        if not unit and (count or word not in datewords.WEEKDAYS):
            return None
        if count and link == "ago":
            return _Read((around(self.now, -count, unit, is_vague=is_vague),), then + 2)
        if link == "before" and self.word(then + 2) == "last" and unit and self.word(then + 3) not in datewords.UNITS:
            return _Read((unit_at(self.now, unit, offset=-2),), then + 3)
        other = self.inner(then + 2) if link in ("before", "after", "of") else None
        if other is None:
            return None
        if link == "of":
            return None if count or not unit else _each(other, lambda span: _holding(span, unit))
        sign = 1 if link == "after" else -1
        if count > 1 or is_vague:
            return _each(other, lambda span: around(span.start, sign * count, unit, is_vague=is_vague))
        return _each(other, lambda span: _next_to(span, word, sign))

    def third(self, at: int) -> _Read | None:
        """Early May; the end of last month."""
        word, link = self.word(at), self.word(at + 1)
        if word not in datewords.THIRDS:
            return None
        whole = self.simple(at + 1 + (link in datewords.DASHES or link in ("in", "of")), is_time=True)
        return whole and _each(whole, lambda span: part(span, datewords.THIRDS[word], of=3))

    def numbered(self, at: int) -> _Read | None:
        """The first week of August; the last Friday in May; the second half of 2022."""
        number = -1 if self.word(at) in ("last", "final") else self.ordinal(at)
        unit, link = self.word(at + 1), self.word(at + 2)
        if number is None or unit not in datewords.COUNTED_PIECES or link not in ("of", "in"):
            return None
        whole = self.inner(at + 3)
        return whole and _each(whole, lambda span: _nth(span, number, unit))

    def open_ended(self, at: int) -> _Read | None:
        """Since April; before June 2023; until the end of May; from May on."""
        word = self.word(at)
        bound = self.inner(at + 1, is_time=False) if word in datewords.ENDS else None
        if bound is None or word != "from":
            return bound and _each(bound, lambda span: _open(span, word))
        if self.word(bound.next) not in datewords.ONWARD:
            return None
        return _each(bound._replace(next=bound.next + 1), lambda span: _open(span, "since"))

    def range(self, at: int) -> _Read | None:
        """Between March and June; from 3 to 9 July; July 3-9; Monday to Friday."""
        is_opened = self.word(at) in ("between", "from")
        links = datewords.AND if self.word(at) == "between" else datewords.TO
        begin = at + is_opened
        first, day = self.simple(begin, is_time=is_opened), self.day_number(begin)
        if first is None and day is None:
            return None
        link = first.next if first else begin + 1
        if self.word(link) not in links:
            return None
        is_month = first is not None and any(span.grain is Grain.MONTH for span in first.spans)
        last = self.simple(link + 1, is_time=is_opened or is_month)
        if first is None:
            return last and _from_day(day or 0, last)
        if last is None:
            return self.to_day(first, link + 1)
        if first.spans and last.spans and first.cycle and not last.cycle:
            # "from November to March 2023" means the November before
            first = replace(self, now=last.spans[0].start).simple(begin, is_time=True) or first
        elif first.spans and last.spans and last.cycle:
            latest = first.spans[0].start + (last.cycle - 1) * HOURS_A_DAY
            last = replace(self, now=latest).simple(link + 1, is_time=True) or last
        return _Read(_hulls(first.spans, last.spans), last.next)

    def to_day(self, first: _Read, at: int) -> _Read | None:
        """Read "9, 2023" of "July 3 to 9, 2023"."""
        day = self.day_number(at)
        if day is None or not first.spans or first.spans[0].grain is not Grain.DAY:
            return None
        begin = date_of(first.spans[0].start)
        said_year, then = self.year_after(at + 1)
        year = begin.year if said_year is None else said_year
        start, end = day_span(year, begin.month, begin.day), day_span(year, begin.month, day)
        return _Read(_hulls(_known(start), _known(end)), then)

    def inner(self, at: int, *, is_time: bool = True) -> _Read | None:
        """Read a period that is part of another phrase."""
        at += self.word(at) == "the"
        return self.third(at) or self.simple(at, is_time=is_time)

    # Periods by themselves

    def simple(self, at: int, *, is_time: bool = False) -> _Read | None:
        """Read a period that is not made of others; ``is_time`` says that the words around it ask for a time."""
        if not self.begins(at):
            return None
        if self.word(at)[0].isdecimal():
            read = (
                self.numeric(at)
                or self.slashed(at)
                or self.dated(at)
                or self.day_of_month(at)
                or self.year(at, is_time=is_time)
            )
        else:
            read = self.dated(at) or self.trailing(at) or self.relative(at) or self.recurring(at, is_time=is_time)
        return read and self.with_part(read)

    def numeric(self, at: int) -> _Read | None:
        """2023-05-07; 7.5.2023; 7/5/2023 in both orders."""
        found = datewords.NUMERIC.fullmatch(self.word(at))
        if not found:
            return None
        one, two, three = (int(number) for number in found.group(1, 3, 4))
        if len(found[1]) == 4 and len(found[4]) <= 2:
            return _Read(_known(day_span(one, two, three)), at + 1)
        if len(found[1]) > 2 or len(found[4]) not in (2, 4):
            return _Read((), at + 1)
        year = three if len(found[4]) == 4 else datewords.full_year(three)
        month_first = None if found[2] == "." else day_span(year, one, two)
        return _Read(_known(day_span(year, two, one), month_first), at + 1)

    def slashed(self, at: int) -> _Read | None:
        """On 7/5, in both orders."""
        one, two = self.day_number(at), self.day_number(at + 2)
        if self.word(at + 1) != "/" or self.before(at) not in datewords.BEFORE_DAYS or one is None or two is None:
            return None
        day_first = self.yearly(lambda year: day_span(year, two, one), at + 3)
        month_first = self.yearly(lambda year: day_span(year, one, two), at + 3)
        return day_first._replace(spans=day_first.spans + month_first.spans)

    def dated(self, at: int) -> _Read | None:
        """7 May 2023; May 7th; the first of May; Sunday, 7 May."""
        if self.word(at) in datewords.WEEKDAYS:
            at += 1 + (self.word(at + 1) == ",")
            at += self.word(at) == "the"
        day, place = self.day_number(at), at
        if day is not None:
            place += 1 + (self.word(at + 1) == "of")
            then = place + 1
        else:
            then = at + 1 + (self.word(at + 1) == "the")
            day, then = self.day_number(then), then + 1
        month = datewords.MONTHS.get(self.word(place))
        if month is None or day is None:
            return None
        year, end = self.year_after(then)
        if (
            year is None
            and self.is_verb(place)
            and self.before(at) not in datewords.BEFORE_TIMES
            and self.word(end).isalpha()
        ):
            return None
        return self.yearly(lambda year: day_span(year, month, day), end, year=year)

    def day_of_month(self, at: int) -> _Read | None:
        """On the 7th."""
        day, after = self.day_number(at), self.word(at + 1)
        is_date = (
            self.word(at - 1) == "the"
            and self.before(at) in datewords.BEFORE_DAYS
            and datewords.ORDINAL.fullmatch(self.word(at))
        )
        if day is None or not is_date or (after[:1].isalnum() and after not in STOP_WORDS):
            return None
        found = choose(
            "", lambda count: day_span(count // 12, count % 12 + 1, day), index=month_count(self.now), now=self.now
        )
        return _Read(found, at + 1, _A_MONTH)

    def relative(self, at: int) -> _Read | None:
        """Yesterday; tonight; last night; this morning; last month; over the weekend."""
        word, after = self.word(at), self.word(at + 1)
        if word in datewords.DAYS:
            day = unit_at(self.now, "day", offset=datewords.DAYS[word])
            return _Read((_within(day, "night") if word == "tonight" else day,), at + 1)
        if word in datewords.WHICH:
            offset = datewords.OFFSETS[word]
            if after in datewords.PARTS and (word, after) != ("next", "night"):
                return _Read((_within(unit_at(self.now, "day", offset=offset), after),), at + 2)
            if after in datewords.CALENDAR_UNITS:
                return _Read((unit_at(self.now, after, offset=offset),), at + 2)
        if word == "weekend" and self.word(at - 1) == "the" and self.before(at) in datewords.BEFORE_THE_WEEKEND:
            this, before = (unit_at(self.now, word, offset=offset) for offset in (0, -1))
            return _Read((this if this.start <= self.now else before,), at + 1)
        return None

    def trailing(self, at: int) -> _Read | None:
        """The last three weeks; the past month; next two days."""
        word = self.word(at)
        if word not in ("last", "past", "next"):
            return None
        count, _, then = self.count(at + 1) or (1, False, at + 1)
        unit = datewords.UNITS.get(self.word(then), "")
        is_stretch = (
            then > at + 1 or word == "past" or (self.word(at - 1) == "the" and self.before(at) in datewords.WITHIN)
        )
        if not unit or not is_stretch:
            return None
        first, past = unit_at(self.now, "hour" if unit == "hour" else "day")[:2]
        if word == "next":
            return _Read((Span(first, shift(past, count, unit), Grain.SPAN),), then + 1)
        return _Read((Span(shift(first, -count, unit), past, Grain.SPAN),), then + 1)

    def recurring(self, at: int, *, is_time: bool) -> _Read | None:
        """In May; May 2023; last summer; Q2; Christmas 2022; next Friday."""
        which = self.word(at) if self.word(at) in datewords.WHICH else ""
        at += bool(which)
        word = self.word(at)
        if word in _STRETCHES:
            return self.stretch(at, which, is_time=is_time)
        if word in datewords.WEEKDAYS:
            return self.weekday(at, which, is_time=is_time)
        return self.feast(at, which) if word in datewords.FEAST_BEGINNINGS else None

    def stretch(self, at: int, which: str, *, is_time: bool) -> _Read | None:
        """In May; May 2023; Q2 2023; in the summer; last winter; spring of 2022."""
        first, months, grain = _STRETCHES[self.word(at)]
        year, then = self.year_after(at + 1)

        def occurrence(year: int) -> Span:
            return month_span(12 * year + first, months=months, grain=grain)

        if year and first + months > 12:
            return _Read((occurrence(year - 1), occurrence(year)), then)
        if year is None and not self.means_stretch(at, then, grain, is_time=is_time):
            return None
        return self.yearly(occurrence, then, year, which)

    def means_stretch(self, at: int, then: int, grain: Grain, *, is_time: bool) -> bool:
        """Tell whether a month, quarter or season is meant, and no name or verb, though no year stands behind it."""
        if grain is Grain.SEASON:
            return self.word(then) not in ("of", "-") and self.means_time(at, datewords.BEFORE_SEASONS, is_time=is_time)
        if grain is Grain.MONTH and self.word(at - 1) == "this" and self.is_verb(at):
            return False
        is_month = grain is Grain.MONTH and self.is_plain(at, datewords.PLAIN_MONTHS)
        return self.means_time(at, is_time=is_time) or is_month

    def weekday(self, at: int, which: str, *, is_time: bool) -> _Read | None:
        """On Monday; last Friday."""
        word = self.word(at)
        if not self.means_time(at, is_time=is_time) and not self.is_plain(at, datewords.PLAIN_WEEKDAYS):
            return None
        if self.before(at) in datewords.BEFORE_NO_DATE:
            return None

        def occurrence(week: int) -> Span:
            return weekday_from(unit_at(self.now, "week", offset=week).start, datewords.WEEKDAYS[word])

        return _Read(choose(which, occurrence, index=0, now=self.now), at + 1, _A_WEEK)

    def feast(self, at: int, which: str) -> _Read | None:
        """Christmas 2022; New Year's Eve; last Halloween."""
        words = next((feast for feast in datewords.FEASTS if self.says(at, feast)), None)
        if words is None:
            return None
        month, day, days = datewords.FEASTS[words]
        year, then = self.year_after(at + len(words))
        return self.yearly(lambda year: day_span(year, month, day, days=days), then, year, which)

    def year(self, at: int, *, is_time: bool) -> _Read | None:
        """In 2022."""
        word = self.word(at)
        if len(word) != 4 or not word.isdecimal() or not datewords.FIRST_YEAR <= int(word) <= datewords.LAST_YEAR:
            return None
        if not is_time and self.before(at) not in datewords.BEFORE_YEARS:
            return None
        return _Read((month_span(12 * int(word), months=12, grain=Grain.YEAR),), at + 1)

    def yearly(
        self, occurrence: Callable[[int], Span | None], then: int, year: int | None = None, which: str = ""
    ) -> _Read:
        """Return what happens in ``year``, or the occurrence meant where no year is said."""
        if year is not None:
            return _Read(_known(occurrence(year)) if year > 0 else (), then)
        return _Read(choose(which, occurrence, index=date_of(self.now).year, now=self.now), then, _A_YEAR)

    def with_part(self, read: _Read) -> _Read:
        """Add the part of the day: yesterday evening; on 7 May in the morning."""
        then = read.next
        if self.word(then) == "in" and self.word(then + 1) == "the":
            then += 2
        name = self.word(then)
        if name not in datewords.PARTS or any(span.grain is not Grain.DAY for span in read.spans):
            return read
        return _each(read._replace(next=then + 1), lambda span: _within(span, name))


def _known(*spans: Span | None) -> tuple[Span, ...]:
    return tuple(span for span in spans if span)


def _each(read: _Read, change: Callable[[Span], Span | None]) -> _Read:
    return read._replace(spans=_known(*map(change, read.spans)))


def _hulls(first: tuple[Span, ...], last: tuple[Span, ...]) -> tuple[Span, ...]:
    return tuple(Span(one.start, other.end, Grain.SPAN) for one, other in zip(first, last, strict=False))


def _from_day(day: int, last: _Read) -> _Read | None:
    """Read "3" of "3 to 9 July"."""
    if not last.spans or last.spans[0].grain is not Grain.DAY:
        return None
    end = date_of(last.spans[0].start)
    return last._replace(spans=_hulls(_known(day_span(end.year, end.month, day)), last.spans))


def _open(span: Span, bound: str) -> Span:
    if bound in ("since", "after"):
        return Span(span.start if bound == "since" else span.end, NEVER, Grain.SPAN)
    return Span(ALWAYS, span.start if bound == "before" else span.end, Grain.SPAN)


def _within(day: Span, part_of_day: str) -> Span:
    first, past = datewords.PARTS[part_of_day]
    return Span(day.start + first, day.start + past, Grain.HOURS)


def _holding(span: Span, unit: str) -> Span:
    """Return the week of a day; in "the month of May" the month itself."""
    return unit_at(span.start, unit) if span.grain is Grain.DAY and unit != "hour" else span


def _next_to(span: Span, word: str, sign: int) -> Span:
    """Return the day, week, weekend or weekday before or after a span."""
    if word not in datewords.WEEKDAYS and not word.startswith("weekend"):
        return beside(span, datewords.UNITS[word], sign=sign)
    weekday, days = (datewords.WEEKDAYS[word], 1) if word in datewords.WEEKDAYS else (_SATURDAY, 2)
    return weekday_from(span.end if sign > 0 else span.start - HOURS_A_WEEK, weekday, days=days)


def _nth(span: Span, number: int, piece: str) -> Span | None:
    """Return the numbered half, quarter, week, weekend, day or weekday of a span; -1 is the last."""
    if piece in datewords.PIECES:
        pieces = datewords.PIECES[piece]
        return part(span, number - 1 if number > 0 else pieces - 1, of=pieces) if number <= pieces else None
    size = HOURS_A_DAY if piece == "day" else HOURS_A_WEEK
    if piece in ("day", "week"):
        start = span.start + (number - 1) * size if number > 0 else span.end - size
        end = min(start + size, span.end)
        return Span(start, end, Grain.DAY if piece == "day" else Grain.WEEK) if span.start <= start < end else None
    weekday, days = (datewords.WEEKDAYS[piece], 1) if piece in datewords.WEEKDAYS else (_SATURDAY, 2)
    hour = span.start + (number - 1) * size if number > 0 else span.end - size
    found = weekday_from(hour, weekday, days=days)
    return found if span.start <= found.start < span.end else None
