"""Dates and periods as people say them when they ask or tell, resolved to intervals of their own calendar. English.

``date_phrases`` has the rules. What is relative counts from ``now``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from yesteryear.core.language.date_phrases import DateReader, Read
from yesteryear.core.language.datewords import read_tokens
from yesteryear.core.time import FIRST, FOREVER
from yesteryear.core.wallclock import Grain, hour_of, to_instant


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
    reader = DateReader(read_tokens(text), names, hour_of(now, zone))
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
    behind = DateReader(read_tokens(text), names, hour_of(now, zone), is_told=True)
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
