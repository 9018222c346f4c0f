"""Dates as people say them when they tell of themselves: which stretch of time is meant, and how to say it for good.

Unlike in a question, the tense nearest to the phrase decides; what comes again ("every Monday") is no date.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from yesteryear.core.language import datewords
from yesteryear.core.language.dates import Period, find_periods
from yesteryear.core.language.tokens import words
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.time import later, local
from yesteryear.core.wallclock import Grain, around, hour_of, to_instant
from yesteryear.providers.local.facts.verbs import is_past

_EN = vocabulary("rewriting")

_MONTHS = {number: name.capitalize() for name, number in reversed(datewords.MONTHS.items())}
_WEEKDAYS = {number: name.capitalize() for name, number in reversed(datewords.WEEKDAYS.items())}
_SEASONS = {3: "spring", 6: "summer", 9: "autumn", 12: "winter"}
"""By the month in which each begins."""

_MOST_DATES = 12
"""Dates read of one text; who names more has pasted a calendar."""
_SOON_DAYS = 14
"""Days up to which "in ten days" is said as a date; what lies further away is hardly meant by the day."""
_JUST_PAST = timedelta(days=31)
"""How long after its end a month without tense or year is still the one that was."""
_CYCLE_DAYS = {"week": 7, "month": 31, "year": 365}
"""Days after which a weekday, a day of the month or a month comes again."""

_RELATIVE = datewords.WHICH | datewords.DAYS.keys() | {"ago", "past"}
_SEASONAL = datewords.SEASONS.keys() | datewords.FEAST_BEGINNINGS | {"weekend"}
"""Times that people speak of in general: "in winter I sleep badly"."""
_BEGIN, _END = _EN.words("time_begins"), _EN.words("time_ends")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)|['\u2019]\d\d\b")
_GOES_ON = re.compile(r" [A-Za-z]")
_SENTENCE_END = re.compile(r"[.!?;\n]\s")
_CALENDAR_NAME = re.compile(
    rf"\b(?:{'|'.join(sorted(datewords.MONTHS.keys() | datewords.WEEKDAYS.keys() | datewords.FEAST_BEGINNINGS))})\b"
)
_DAY_NAME = f"(?:{'|'.join(sorted(datewords.WEEKDAYS))})"
_LISTED_DAYS = re.compile(rf"\b{_DAY_NAME}(?:,| and| or|/| &) {_DAY_NAME}\b", re.IGNORECASE)
_OWNED = re.compile(r"['\u2019]s$")


@dataclass(frozen=True, slots=True)
class SaidDate:
    """A date within a text."""

    start: int
    """Where its words begin in the text, prepositions left out."""
    end: int
    period: Period
    is_past: bool
    bound: str
    """The word before it that opens or closes a stretch ("since", "until"); empty where there is none."""
    said: str
    """Its words; with the number of the year where they stand for one ("Christmas of next year")."""

    @property
    def begins_at(self) -> datetime | None:
        """From when something holds by it: since it, from it on, after it; None where it opens nothing."""
        if self.bound == "after":
            return self.period.end
        return self.period.start if self.bound in _BEGIN or self._is_range else None

    @property
    def ends_at(self) -> datetime | None:
        """Until when something holds by it; None where it closes nothing, as a deadline does not."""
        return self.period.end if self.bound in ("until", "till") or self._is_range else None

    @property
    def _is_range(self) -> bool:
        return self.said.casefold().startswith(("from ", "between "))


def find_dates(text: str, *, at: datetime, zone: str | None, names: frozenset[str] = frozenset()) -> list[SaidDate]:
    """Return the dates that somebody who spoke at ``at`` told, in order, each resolved by its tense.

    What is said without a year is to come, unless a past form stands nearest; a month that is just over was. Dates that
    can be read in two ways, and what comes again and again, are left out, and so is what follows the first dozen.
    Casefolded ``names`` of people are no months.

    Raises:
        InputError: there is no such zone.
    """
    dates = [*_soon(text, at, zone)]
    done = 0
    while len(dates) < _MOST_DATES:
        # one after the other, for the same words said twice are found once
        found = next(iter(find_periods(text[done:], now=at, zone=zone, names=names)), None)
        if found is None:
            break
        start = text.index(found.said, done)
        done = start + len(found.said)
        if date := _read(text, start, found, at=at, zone=zone):
            dates.append(date)
    return sorted(dates, key=lambda date: date.start)


def say_dates(text: str, *, at: datetime, zone: str | None, names: frozenset[str] = frozenset()) -> str:
    """Return ``text`` with its dates made absolute, as exactly as they were told: "on Monday 28 April 2025"."""
    for date in reversed(find_dates(text, at=at, zone=zone, names=names)):
        text = _made_absolute(text, date, zone)
    return text


def _read(text: str, start: int, found: Period, *, at: datetime, zone: str | None) -> SaidDate | None:
    """Return the date that stands at a place, unless it can be read in two ways or comes again and again."""
    bound, said = _split_bound(found)
    start += found.said.index(said)
    end = start + len(said)
    if (year := _EN["named_year"].match(text, end)) and _cycle_days(said) == _CYCLE_DAYS["year"]:
        said, end = f"{said} {local(at, zone).year + datewords.OFFSETS[year['which'].lower()]}", year.end()
    bound = bound or next(iter(words(text[:start])[-1:]), "")
    is_past = True if bound == "since" else False if bound == "by" else _tense(text, start, end)
    if _comes_again(text, start, end, is_told=is_past is not None or bound in _BEGIN | _END):
        return None
    period = _resolve(said, at=at, zone=zone, is_past=is_past)
    if period is None or period.is_open:
        return None
    was = period.end <= at if is_past is None else is_past
    return SaidDate(start, end, period, was, bound if bound in _BEGIN | _END else "", said)


def _split_bound(found: Period) -> tuple[str, str]:
    """Split "since April" into the word that leaves an end open and the date itself."""
    first, _, rest = found.said.partition(" ")
    if not found.is_open or first.casefold() not in datewords.ENDS:
        return "", found.said
    while rest.rpartition(" ")[2].casefold() in datewords.ONWARD:
        rest = rest.rpartition(" ")[0]
    return first.casefold(), rest.removeprefix("the ")


def _tense(text: str, start: int, end: int) -> bool | None:
    """Tell whether a date is told of as past (True) or to come (False); None where nothing says so.

    The verb or cue nearest before it in its sentence decides, else the first one after it.
    """
    before = _SENTENCE_END.split(text[:start])[-1]
    after = _SENTENCE_END.split(text[end:])[0]
    for word in (*reversed(words(before)), *words(after)):
        if word in _EN.words("future_cues"):
            return False
        if word in _EN.words("present_cues"):
            return None
        if word in _EN.words("past_cues") or (is_past(word) and word not in _EN.words("states")):
            return True
    return None


def _comes_again(text: str, start: int, end: int, *, is_told: bool) -> bool:
    """Tell whether words of time stand for something that recurs, or for what is only put as a case."""
    phrase = text[start:end]
    said, before = _time_words(phrase), words(_SENTENCE_END.split(text[:start])[-1])
    last = before[-1] if before else ""
    if _EN["of_every"].match(text, end) or (said == {"fall"} and "in" not in before[-2:]):
        return True
    if said & _RELATIVE:
        return _EN["hypothetical"].search(text[:start]) is not None
    if datewords.names_weekday(phrase) and "weekend" not in said:
        is_whose = last in _EN.words("whose") or last.endswith("'s")
        is_owned = is_whose and before[-2:] not in (["on", "the"], ["until", "the"])
        is_listed = not is_told and _LISTED_DAYS.search(text) is not None
        is_one_of_many = last in _EN.words("some") or _EN["plural_part"].match(text, end) is not None
        if is_listed or is_one_of_many or (is_owned and _GOES_ON.match(text, end)):
            return True
    if _YEAR.search(phrase):
        return False
    return (not is_told and not said.isdisjoint(_SEASONAL)) or not _EN.words("habit").isdisjoint(before)


def _resolve(said: str, *, at: datetime, zone: str | None, is_past: bool | None) -> Period | None:
    """Return what a date means that is told of as past, to come (False) or neither (None)."""
    latest = _only(said, at, zone)
    cycle = _cycle_days(said)
    if latest is None or cycle == 0:
        return latest
    if (weekday := _weekday_named(said)) is not None:
        nearest = (latest, _only(said, later(at, timedelta(days=cycle)), zone))
        fitting = (period for period in nearest if period and local(period.start, zone).weekday() == weekday)
        return next(fitting, latest)
    if is_past:
        return latest
    is_weekday = datewords.names_weekday(said)
    if latest.end > at and not is_weekday:
        return latest
    if is_past is None and latest.grain is Grain.MONTH and at - latest.end <= _JUST_PAST:
        return latest
    return _only(said, later(at, timedelta(days=cycle)), zone)


def _weekday_named(said: str) -> int | None:
    """Return the weekday, 0 for Monday, that a date with a number names; it tells which year is meant."""
    if datewords.names_weekday(said):
        return None
    return next((datewords.WEEKDAYS[word] for word in said.casefold().split() if word in datewords.WEEKDAYS), None)


def _cycle_days(said: str) -> int:
    """Return after how many days the same words mean another date; 0 where they say the year or count from now."""
    listed = _time_words(said)
    if _YEAR.search(said) or datewords.NUMERIC.search(said) or not _RELATIVE.isdisjoint(listed):
        return 0
    if datewords.names_weekday(said):
        return _CYCLE_DAYS["week"]
    is_day = all(word == "the" or datewords.ORDINAL.fullmatch(word) for word in listed)
    return _CYCLE_DAYS["month" if is_day else "year"]


def _only(said: str, now: datetime, zone: str | None) -> Period | None:
    """Return the one stretch of time that the words mean, whatever preposition they take; None if there are two."""
    for lead in ("in ", "on ", "on the "):
        found = find_periods(lead + said, now=now, zone=zone)
        if len(found) == 1 and lead.lstrip() + found[0].said in (lead + said, lead + lead + said):
            return found[0]
        if len(found) > 1:
            return None
    return None


def _soon(text: str, at: datetime, zone: str | None) -> Iterator[SaidDate]:
    """Yield what lies so many days or weeks ahead: "in two weeks", unless that is how long something took."""
    for found in _EN["soon"].finditer(text):
        count = found["count"].lower()
        days = int(count) if count.isdecimal() else datewords.NUMBERS[count]
        unit = found["unit"].lower()
        if days * (_CYCLE_DAYS["week"] if unit == "week" else 1) > _SOON_DAYS or days == 0:
            continue
        if _tense(text, found.start(), found.end()) is True:
            continue
        span = around(hour_of(at, zone), days, unit, is_vague=False)
        period = Period(to_instant(span.start, zone), to_instant(span.end, zone), span.grain, found[0])
        if period.start < period.end:
            yield SaidDate(found.start(), found.end(), period, is_past=False, bound="", said=found[0])


def _made_absolute(text: str, date: SaidDate, zone: str | None) -> str:
    said = _CALENDAR_NAME.sub(lambda name: name[0].capitalize(), date.said)
    if _YEAR.search(said) or datewords.NUMERIC.search(said):
        return text[: date.start] + said + text[date.end :]
    listed = _time_words(said)
    is_counted = not _RELATIVE.isdisjoint(listed) or _EN["soon"].fullmatch(said) is not None
    if not (is_counted or datewords.names_weekday(said) or _cycle_days(said) == _CYCLE_DAYS["month"]):
        return f"{text[: date.start]}{said}{_with_year(text, date, zone)}{text[date.end :]}"
    preposition, phrase = _full_form(said, date.period, zone)
    if not phrase:
        return text
    led_in = _EN["led_in"].search(text, 0, date.start)
    begin = led_in.start() if led_in else date.start
    kept = (led_in and led_in["kept"]) or ""
    follows = words(text[date.end :])[:1]
    if _OWNED.search(said):
        lead = "the"
    elif kept:
        lead = kept
    else:
        lead = "" if begin == 0 and follows and follows[0] in ("is", "was", "will") else preposition
    gap = " " if begin and not text[begin - 1].isspace() else ""
    return f"{text[:begin]}{gap}{f'{lead} {phrase}'.strip()}{text[date.end :]}"


def _with_year(text: str, date: SaidDate, zone: str | None) -> str:
    said = _time_words(date.said)
    start, last = local(date.period.start, zone), local(date.period.end - timedelta(microseconds=1), zone)
    if date.period.grain is Grain.SEASON:
        link = " of" if text[: date.start].casefold().endswith("the ") else ""
        return f"{link} {start.year}/{last.year % 100:02}" if "winter" in said else f"{link} {start.year}"
    return f" {last.year}"


def _full_form(said: str, period: Period, zone: str | None) -> tuple[str, str]:
    """Return the preposition and the words that say a period in full; no words where it has no short name."""
    listed = _time_words(said)
    start, last = local(period.start, zone), local(period.end - timedelta(microseconds=1), zone)
    day = f"{start.day} {_MONTHS[start.month]} {start.year}"
    if period.grain is Grain.HOURS:
        part = next((word for word in listed if word in datewords.PARTS), "night")
        return ("on", f"the {'evening' if 'tonight' in listed else part} of {day}")
    if period.grain is Grain.DAY:
        weekday = datewords.names_weekday(said)
        return ("on", f"{_WEEKDAYS[start.weekday()]} {day}" if weekday else day)
    if "weekend" in listed:
        return ("on", f"the weekend of {day}")
    middle = local(period.start + (period.end - period.start) / 2, zone)
    if "ago" in listed or _EN["soon"].fullmatch(said):
        month = f"{_MONTHS[middle.month]} {middle.year}"
        forms = {Grain.WEEK: f"{middle.day} {month}", Grain.MONTH: month, Grain.YEAR: str(middle.year)}
        return ("around", forms.get(period.grain, ""))
    forms = {
        Grain.WEEK: f"the week of {day}",
        Grain.MONTH: f"{_MONTHS[start.month]} {start.year}",
        Grain.YEAR: str(start.year),
        Grain.SEASON: f"{_SEASONS.get(start.month, '')} {start.year}",
    }
    if period.grain is Grain.SEASON and start.year != last.year:
        return ("in", f"winter {start.year}/{last.year % 100:02}")
    return ("in", forms.get(period.grain, ""))


def _time_words(said: str) -> frozenset[str]:
    return frozenset(token.word for token in datewords.read_tokens(said))
