"""Dates and periods as people say them when they ask or tell, resolved to intervals of their own calendar. English.

What is relative counts from ``now``. Precision comes before completeness: a word that is also a name or a verb (May,
March, August, fall) counts only beside words of time. Seasons are those of the northern hemisphere, by whole months.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from yesteryear.core import wallclock
from yesteryear.core.language import datewords
from yesteryear.core.language.tokens import STOP_WORDS
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.time import FIRST, FOREVER
from yesteryear.core.wallclock import Grain, Span, hour_of, to_instant

_EN = vocabulary("dates")
_STRETCHES = {
    **{name: (number - 1, 1, Grain.MONTH) for name, number in datewords.MONTHS.items()},
    **{name: (3 * (number - 1), 3, Grain.SPAN) for name, number in datewords.QUARTERS.items()},
    **{name: (before, 3, Grain.SEASON) for name, before in datewords.SEASONS.items()},
}
"""What comes again each year: how many months lie before it, how many it has, and what it is called."""
_BEYOND = {("before", "last"), ("after", "next")}
_A_WEEK, _A_MONTH, _A_YEAR = 7, 28, 365  # days within which the same words mean the same date; a month at its shortest


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
    reader = DateReader(datewords.read_tokens(text), names, hour_of(now, zone))
    periods: dict[tuple[datetime, datetime], Period] = {}
    for at, read in reader.phrases():
        for period in _periods(read, text[reader.tokens[at].start : reader.tokens[read.next - 1].end], zone):
            periods.setdefault((period.start, period.end), period)
    return tuple(periods.values())


class ToldPeriod(NamedTuple):
    """A phrase of time of which only the tense around it says whether it is behind or to come."""

    start: int  # where it begins in the text, prepositions left out
    end: int
    behind: Period | None  # the latest that has begun; None where there is no such time, or two are meant
    ahead: Period | None  # the first that is not over; of a weekday, the first after today
    cycle: int  # days after which the same words mean another time; 0 where they say the year, or count from now


def find_told(
    text: str, *, now: datetime, zone: str | None, names: frozenset[str] = frozenset()
) -> Iterator[ToldPeriod]:
    """Yield the dates and periods that somebody who tells of themselves names, both behind and to come.

    As ``find_periods`` reads them, but for what opens or closes a stretch, which is left out ("since", "until"), and
    with what lies ahead ("in two weeks"). "Next Friday" is none as long as that of this week is still to come.
    """
    behind = DateReader(datewords.read_tokens(text), names, hour_of(now, zone), is_told=True)
    coming = replace(behind, is_ahead=True)
    for at, read in behind.phrases():
        start, end = behind.tokens[at].start, behind.tokens[read.next - 1].end
        other = coming.period(at)
        latest = _periods(read, text[start:end], zone)
        first = _periods(other, text[start:end], zone) if other and other.next == read.next else []
        behind_us, to_come = (found[0] if len(found) == 1 else None for found in (latest, first))
        yield ToldPeriod(start, end, behind_us, to_come, read.cycle)


def _periods(read: Read, said: str, zone: str | None) -> list[Period]:
    """Return the different stretches of time that words mean, as far as the calendar goes."""
    stretches = ((to_instant(span.start, zone), to_instant(span.end, zone), span.grain) for span in read.spans)
    return [Period(*stretch, said) for stretch in dict.fromkeys(stretches) if stretch[0] < stretch[1]]


class Read(NamedTuple):
    """What a rule made of some words: the spans they mean (none for a date that does not exist)."""

    spans: tuple[Span, ...]
    next: int  # where the next words begin
    cycle: int = 0  # days after which the same words mean another date; 0 where they say the year, or count from now


@dataclass(frozen=True, slots=True)
class DateReader(datewords.DateWords):
    """The rules. Each reads at a place among the words and returns None where it does not apply."""

    def phrases(self) -> Iterator[tuple[int, Read]]:
        """Yield each phrase of time with the place where it begins."""
        at = 0
        while at < len(self.tokens):
            read = self.period(at)
            if read:
                yield at, read
            at = read.next if read else at + 1

    def period(self, at: int) -> Read | None:
        """Read any phrase of time that begins here."""
        word = self.word(at)
        if word in datewords.ENDS or word == "between":
            return (None if self.is_told else self.open_ended(at)) or self.range(at)
        if word == "in" and self.is_told:
            return self.soon(at)
        if not self.begins(at):
            return None
        if word in datewords.NUMBERS or word in datewords.VAGUE:
            return self.distance(at)
        return self.distance(at) or self.range(at) or self.numbered(at) or self.third(at) or self.simple(at)

    # Phrases made of other periods

    def distance(self, at: int) -> Read | None:
        """Two weeks ago; the day before yesterday; the Friday after 9 June; the week of 9 June; a week on Friday."""
        count, is_vague, unit, then = self.amount(at)
        word, link, which = (self.word(then + place) for place in range(3))
        is_rate = self.word(at - 1) in _EN.words("before_rates")
        if is_rate or (not unit and (count or word not in datewords.WEEKDAYS)):
            return None
        if count and (read := self.away(count, unit, then + 1, is_vague=is_vague)):
            return read
        if (link, which) in _BEYOND and not count and not self.begins(then + 3):
            sign = datewords.OFFSETS[which]
            if not unit:
                return Read(self.on_weekday(word, which, sign), then + 3)
            return Read((wallclock.unit_at(self.now, unit, offset=2 * sign),), then + 3)
        other = self.inner(then + 2) if link in ("before", "after", "of") else None
        if other is None:
            return None
        if link == "of":
            return None if count or not unit else _each(other, lambda span: datewords.holding(span, unit))
        sign = 1 if link == "after" else -1
        if count > 1 or is_vague:
            return _each(other, lambda span: wallclock.around(span.start, sign * count, unit, is_vague=is_vague))
        return _each(other, lambda span: datewords.next_to(span, word, sign))

    def away(self, count: int, unit: str, at: int, *, is_vague: bool) -> Read | None:
        """Read "ago", "from now", "today", "on Friday" or "last Friday" behind "a week"."""
        if self.word(at) == "ago":
            return Read((wallclock.around(self.now, -count, unit, is_vague=is_vague),), at + 1)
        if self.says(at, ("from", "now")):
            return Read((wallclock.around(self.now, count, unit, is_vague=is_vague),), at + 2)
        place = at + (self.word(at) in ("on", "from"))
        which = self.word(place) if self.word(place) in datewords.WHICH else ""
        day = self.word(place + bool(which))
        if day not in datewords.DAYS and (day not in datewords.WEEKDAYS or (place == at and unit != "week")):
            return None
        first = replace(self, is_ahead=True).simple(place, is_time=True)
        sign = -1 if which == "last" else 1
        return first and _each(first._replace(cycle=0), lambda span: wallclock.moved(span, sign * count, unit))

    def soon(self, at: int) -> Read | None:
        """In three weeks; in a month's time."""
        count, is_vague, unit, then = self.amount(at + 1)
        if not 0 < count <= datewords.SOON.get(unit, 0) or self.word(then + 1) in ("of", "before", "after"):
            return None
        then += 1 + (self.word(then + 1) in ("'", "\u2019"))
        then += self.word(then) == "time"
        return Read((wallclock.around(self.now, count, unit, is_vague=is_vague),), then)

    def third(self, at: int) -> Read | None:
        """Early May; the end of last month."""
        word, link = self.word(at), self.word(at + 1)
        if word not in datewords.THIRDS:
            return None
        then = at + 1 + (link in datewords.DASHES or link in ("in", "of"))
        then += self.word(then) == "the"
        whole = self.simple(then, is_time=True)
        if self.word(then - 1) == "the" and self.word(then) in datewords.CALENDAR_UNITS:
            whole = Read((wallclock.unit_at(self.now, self.word(then)),), then + 1)
        return whole and _each(whole, lambda span: wallclock.part(span, datewords.THIRDS[word], of=3))

    def numbered(self, at: int) -> Read | None:
        """The first week of August; the last Friday in May; the second half of 2022."""
        number = -1 if self.word(at) in ("last", "final") else self.ordinal(at)
        unit, link = self.word(at + 1), self.word(at + 2)
        if number is None or unit not in datewords.COUNTED_PIECES or link not in ("of", "in"):
            return None
        whole = self.inner(at + 3)
        return whole and _each(whole, lambda span: datewords.nth(span, number, unit))

    def open_ended(self, at: int) -> Read | None:
        """Since April; before June 2023; until the end of May; from May on."""
        word = self.word(at)
        bound = self.inner(at + 1, is_time=False) if word in datewords.ENDS else None
        if bound is None or word != "from":
            return bound and _each(bound, lambda span: datewords.opened(span, word))
        if self.word(bound.next) not in _EN.words("onward"):
            return None
        return _each(bound._replace(next=bound.next + 1), lambda span: datewords.opened(span, "since"))

    def range(self, at: int) -> Read | None:
        """Between March and June; from 3 to 9 July; July 3-9; Monday to Friday; from the 3rd to the 7th.

        What is to come and comes again each year may have begun.
        """
        is_opened = self.word(at) in ("between", "from")
        links = datewords.AND if self.word(at) == "between" else datewords.TO
        begin = at + is_opened
        begin += self.word(begin) == "the"
        if days := self.days(begin, links):
            return days
        first = self.simple(begin, is_time=is_opened)
        if first is None or self.word(first.next) not in links or self.before(at) == "since":
            return None
        other = first.next + 1 + (self.word(first.next + 1) == "the")
        is_month = any(span.grain is Grain.MONTH for span in first.spans)
        last = self.simple(other, is_time=is_opened or is_month)
        if last is None:
            return None
        counts_back = not last.cycle or (self.is_ahead and first.cycle == last.cycle == _A_YEAR)
        if first.spans and last.spans and first.cycle and counts_back:
            # "from November to March 2023" means the November before
            first = replace(self, now=last.spans[0].start, is_ahead=False).simple(begin, is_time=True) or first
        elif first.spans and last.spans and last.cycle and first.spans[0].grain is not Grain.YEAR:
            last = replace(self, now=first.spans[0].start, is_ahead=True).simple(other, is_time=True) or last
        hulls = (Span(one.start, other.end, Grain.SPAN) for one, other in zip(first.spans, last.spans, strict=False))
        return Read(tuple(hulls), last.next, min(first.cycle, last.cycle))

    def days(self, at: int, links: frozenset[str]) -> Read | None:
        """3 to 9 July; July 3-9, 2023."""
        month = datewords.MONTHS.get(self.word(at))
        begin = at + (month is not None)
        end = begin + 2 + (self.word(begin + 2) == "the")
        one, other, then = self.day_number(begin), self.day_number(end), end + 1
        if month is None:
            then += self.word(then) == "of"
            month, then = datewords.MONTHS.get(self.word(then)), then + 1
        if one is None or other is None or month is None or self.word(begin + 1) not in links:
            return None
        year, then = self.year_after(then)

        def occurrence(year: int) -> Span | None:
            both = wallclock.day_span(year, month, one), wallclock.day_span(year, month, other)
            return Span(both[0].start, both[1].end, Grain.SPAN) if both[0] and both[1] and one <= other else None

        return self.yearly(occurrence, then, year)

    def inner(self, at: int, *, is_time: bool = True) -> Read | None:
        """Read a period that is part of another phrase."""
        at += self.word(at) == "the"
        return self.third(at) or self.simple(at, is_time=is_time)

    # Periods by themselves

    def simple(self, at: int, *, is_time: bool = False) -> Read | None:
        """Read a period that is not made of others; ``is_time`` says that the words around it ask for a time."""
        if not self.begins(at):
            return None
        if self.word(at)[0].isdecimal():
            read = self.numeric(at) or self.slashed(at) or self.dated(at) or self.day_of_month(at)
            read = read or self.year(at, is_time=is_time)
        else:
            read = self.dated(at) or self.trailing(at) or self.relative(at) or self.recurring(at, is_time=is_time)
        return read and self.with_part(read)

    def numeric(self, at: int) -> Read | None:
        """2023-05-07; 7.5.2023; 7/5/2023 in both orders."""
        found = datewords.NUMERIC.fullmatch(self.word(at))
        if not found:
            return None
        one, two, three = (int(number) for number in found.group(1, 3, 4))
        if len(found[1]) == 4 and len(found[4]) <= 2:
            return Read(_known(wallclock.day_span(one, two, three)), at + 1)
        if len(found[1]) > 2 or len(found[4]) not in (2, 4):
            return Read((), at + 1)
        year = three if len(found[4]) == 4 else datewords.full_year(three)
        month_first = None if found[2] == "." else wallclock.day_span(year, one, two)
        return Read(_known(wallclock.day_span(year, two, one), month_first), at + 1)

    def slashed(self, at: int) -> Read | None:
        """On 7/5, in both orders."""
        one, two = self.day_number(at), self.day_number(at + 2)
        if self.word(at + 1) != "/" or self.before(at) not in datewords.BEFORE_DAYS or one is None or two is None:
            return None
        day_first = self.yearly(lambda year: wallclock.day_span(year, two, one), at + 3)
        month_first = self.yearly(lambda year: wallclock.day_span(year, one, two), at + 3)
        return day_first._replace(spans=day_first.spans + month_first.spans)

    def dated(self, at: int) -> Read | None:
        """7 May 2023; May 7th; the first of May; Sunday, 7 May."""
        weekday, short = (names.get(self.word(at)) for names in (datewords.WEEKDAYS, datewords.DATED_WEEKDAYS))
        if short is not None and self.word(at - 1) in _EN.words("before_no_weekday"):
            return None
        if weekday is not None or short is not None:
            at += 1 + (self.word(at + 1) == ",")
            weekday = short if weekday is None and self.word(at) == "the" else weekday  # nobody sat the 7th
            at += self.word(at) == "the"
        day, place = self.day_number(at), at
        if day is not None:
            place += 1 + (self.word(at + 1) == "of")
            then = place + 1
        else:
            then = at + 1 + (self.word(at + 1) == "the")
            day, then = self.day_number(then), then + 1
        month = datewords.MONTHS.get(self.word(place))
        if month is None and weekday is not None:
            return self.day_of_month(at, weekday)
        if month is None or day is None:
            return None
        year, end = self.year_after(then)
        is_open = self.word(end).isalpha() and self.word(end) not in _EN.words("after_months")
        may_be_verb = year is None and self.is_verb(place) and is_open
        if may_be_verb and self.before(at) not in datewords.BEFORE_TIMES | datewords.BEFORE_DAYS:
            return None
        return self.yearly(lambda year: wallclock.day_span(year, month, day), end, year=year)

    def day_of_month(self, at: int, weekday: int | None = None) -> Read | None:
        """On the 7th; Friday the 7th."""
        day, after, before = self.day_number(at), self.word(at + 1), self.before(at)
        offset, then = self.of_unit(at + 1, "month")
        is_rank = offset is None and (
            after == "of" or (before in _EN.words("before_ranks") and (day or 0) <= len(datewords.ORDINALS))
        )
        is_date = weekday is not None or before in datewords.BEFORE_DAYS or (self.word(at - 1) == "the" and not is_rank)
        if day is None or not is_date or not datewords.ORDINAL.fullmatch(self.word(at)):
            return None

        def occurrence(month: int) -> Span | None:
            span = wallclock.day_span(month // 12, month % 12 + 1, day)
            return span if span and weekday in (None, wallclock.date_of(span.start).weekday()) else None

        if offset is not None:
            return Read(_known(occurrence(wallclock.month_count(self.now) + offset)), then)
        if weekday is None and after[:1].isalnum() and after not in STOP_WORDS | datewords.TO | _EN.words("after_days"):
            return None
        return Read(self.pick("", occurrence, index=wallclock.month_count(self.now)), at + 1, _A_MONTH)

    def relative(self, at: int) -> Read | None:
        """Yesterday; tonight; last night; this morning; last month; over the weekend."""
        word, after = self.word(at), self.word(at + 1)
        if word in datewords.DAYS:
            day = wallclock.unit_at(self.now, "day", offset=datewords.DAYS[word])
            if after in datewords.LATER:
                return Read((wallclock.moved(day, datewords.LATER[after], "week"),), at + 2)
            return Read((datewords.within_day(day, "night") if word == "tonight" else day,), at + 1)
        if word in datewords.WHICH:
            offset = datewords.OFFSETS[word]
            if after in datewords.PARTS and (word, after) != ("next", "night"):
                return Read((datewords.within_day(wallclock.unit_at(self.now, "day", offset=offset), after),), at + 2)
            if self.is_told and (word, after) == ("this", "weekend"):
                return self.weekend(at + 1)
            if after in datewords.CALENDAR_UNITS:
                span, then = wallclock.unit_at(self.now, after, offset=offset), at + 2
                place = then + (self.word(then) in ("on", ","))
                if after == "week" and self.word(place) in datewords.PLAIN_WEEKDAYS and self.is_told:
                    return Read((wallclock.weekday_from(span.start, datewords.WEEKDAYS[self.word(place)]),), place + 1)
                return Read((span,), then)
        if word == "weekend" and self.word(at - 1) == "the" and self.before(at) in _EN.words("before_the_weekend"):
            return self.weekend(at)
        return None

    def weekend(self, at: int) -> Read:
        """Over the weekend."""
        this = wallclock.unit_at(self.now, "weekend")
        is_this = self.is_ahead or this.start <= self.now
        return Read((this if is_this else wallclock.unit_at(self.now, "weekend", offset=-1),), at + 1, _A_WEEK)

    def trailing(self, at: int) -> Read | None:
        """The last three weeks; the past month; next two days."""
        word = self.word(at)
        if word not in ("last", "past", "next"):
            return None
        count, _, then = self.count(at + 1) or (1, False, at + 1)
        unit = datewords.UNITS.get(self.word(then), "")
        is_stretch = (
            then > at + 1 or word == "past" or (self.word(at - 1) == "the" and self.before(at) in _EN.words("within"))
        )
        if not unit or not is_stretch:
            return None
        first, past = wallclock.unit_at(self.now, "hour" if unit == "hour" else "day")[:2]
        if word == "next":
            return Read((Span(first, wallclock.shift(past, count, unit), Grain.SPAN),), then + 1)
        return Read((Span(wallclock.shift(first, -count, unit), past, Grain.SPAN),), then + 1)

    def recurring(self, at: int, *, is_time: bool) -> Read | None:
        """In May; May 2023; last summer; Q2; Christmas 2022; next Friday."""
        which = self.word(at) if self.word(at) in datewords.WHICH else ""
        at += bool(which)
        if which and self.word(at) in datewords.SURELY:
            which, at = datewords.SURELY[self.word(at)], at + 1
        word = self.word(at)
        if word in _STRETCHES:
            return self.stretch(at, which, is_time=is_time)
        if word in datewords.WEEKDAYS:
            return self.weekday(at, which, is_time=is_time)
        return self.feast(at, which) if word in datewords.FEAST_BEGINNINGS else None

    def stretch(self, at: int, which: str, *, is_time: bool) -> Read | None:
        """In May; May 2023; Q2 2023; in the summer; last winter; spring of 2022."""
        first, months, grain = _STRETCHES[self.word(at)]
        year, then = self.year_after(at + 1)

        def occurrence(year: int) -> Span:
            return wallclock.month_span(12 * year + first, months=months, grain=grain)

        if year and first + months > 12:
            return Read((occurrence(year - 1), occurrence(year)), then)
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

    def weekday(self, at: int, which: str, *, is_time: bool) -> Read | None:
        """On Monday; last Friday."""
        word = self.word(at)
        if not self.means_time(at, is_time=is_time) and not self.is_plain(at, datewords.PLAIN_WEEKDAYS):
            return None
        if self.before(at) in _EN.words("before_no_date"):
            return None
        weeks = datewords.LATER.get(self.word(at + 1), 0)
        if weeks:
            return Read(self.on_weekday(word, "coming", weeks), at + 2)
        offset, then = self.of_unit(at + 1, "week")
        if offset is not None:
            week = wallclock.unit_at(self.now, "week", offset=offset)
            return Read((wallclock.weekday_from(week.start, datewords.WEEKDAYS[word]),), then)
        return Read(self.on_weekday(word, which), at + 1, 0 if which else _A_WEEK)

    def feast(self, at: int, which: str) -> Read | None:
        """Christmas 2022; New Year's Eve; last Halloween."""
        words = next((feast for feast in datewords.FEASTS if self.says(at, feast)), None)
        if words is None:
            return None
        month, day, days = datewords.FEASTS[words]
        year, then = self.year_after(at + len(words))
        return self.yearly(lambda year: wallclock.day_span(year, month, day, days=days), then, year, which)

    def year(self, at: int, *, is_time: bool) -> Read | None:
        """In 2022."""
        word = self.word(at)
        if len(word) != 4 or not word.isdecimal() or not datewords.FIRST_YEAR <= int(word) <= datewords.LAST_YEAR:
            return None
        if not is_time and self.before(at) not in datewords.BEFORE_YEARS:
            return None
        return Read((wallclock.month_span(12 * int(word), months=12, grain=Grain.YEAR),), at + 1)

    def yearly(
        self, occurrence: Callable[[int], Span | None], then: int, year: int | None = None, which: str = ""
    ) -> Read:
        """Return what happens in ``year``, or the occurrence meant where no year is said."""
        if year is not None:
            return Read(_known(occurrence(year)) if year > 0 else (), then)
        now = wallclock.date_of(self.now).year
        if which == "next" and self.is_told and (this := occurrence(now)) and this.start > self.now:
            return Read((), then)  # or that of the year after?
        return Read(self.pick(which, occurrence, index=now), then, 0 if which else _A_YEAR)

    def with_part(self, read: Read) -> Read:
        """Add the part of the day: yesterday evening; on 7 May in the morning."""
        then = read.next + 2 * self.says(read.next, ("in", "the"))
        name = self.word(then)
        if name not in datewords.PARTS or any(span.grain is not Grain.DAY for span in read.spans):
            return read
        return _each(read._replace(next=then + 1), lambda span: datewords.within_day(span, name))


def _known(*spans: Span | None) -> tuple[Span, ...]:
    return tuple(span for span in spans if span)


def _each(read: Read, change: Callable[[Span], Span | None]) -> Read:
    return read._replace(spans=_known(*map(change, read.spans)))
