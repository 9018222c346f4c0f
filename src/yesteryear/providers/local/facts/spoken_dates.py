"""Dates as people say them when they tell of themselves: which stretch of time is meant, and how to say it for good.

Unlike in a question, the tense nearest to the phrase decides; what comes again ("every Monday") is no date.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import NamedTuple

from yesteryear.core.language import datewords
from yesteryear.core.language.dates import Period, ToldPeriod, find_told
from yesteryear.core.language.tokens import fold, words
from yesteryear.core.language.told.about_oneself import tells_news_briefly
from yesteryear.core.language.verbs import is_adverb, is_finite, is_past
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.time import earlier, local
from yesteryear.core.wallclock import Grain

_EN, _MEANING = vocabulary("rewriting"), vocabulary("meaning")

_MONTHS = {number: name.capitalize() for name, number in reversed(datewords.MONTHS.items())}
_WEEKDAYS = {number: name.capitalize() for name, number in reversed(datewords.WEEKDAYS.items())}
_SEASONS = {3: "spring", 6: "summer", 9: "autumn", 12: "winter"}  # by the month in which each begins

_MOST_DATES = 12  # dates read of one text; who names more has pasted a calendar
_JUST_PAST = timedelta(days=31)  # how long after its end a month without tense or year is still the one that was
_A_WEEK, _A_YEAR = 7, 365  # days after which a weekday and a month come again

_RELATIVE = datewords.WHICH | datewords.DAYS.keys() | {"ago", "past"}
_SEASONAL = datewords.SEASONS.keys() | datewords.FEAST_BEGINNINGS | {"weekend"}
"""Times that people speak of in general: "in winter I sleep badly"."""
_BEGIN, _END = frozenset(_EN.listed("time_begins")), _EN.words("time_ends")
_UNTIL, _AHEAD = _EN.words("time_until"), _EN.words("time_ahead")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)|['\u2019]\d\d\b")
_GOES_ON = re.compile(r" [A-Za-z]")
_BESIDE_CHARS = 200  # characters before a date in which something else may be told that lasts
_SENTENCE_END = re.compile(r"[.!?;\n]\s")
_CALENDAR_NAME = re.compile(
    rf"\b(?:{'|'.join(sorted(datewords.MONTHS.keys() | datewords.WEEKDAYS.keys() | datewords.FEAST_BEGINNINGS))})\b"
)
_DAY_NAME = f"(?:{'|'.join(sorted(datewords.WEEKDAYS))})"
_LISTED_DAYS = re.compile(rf"\b{_DAY_NAME}(?:,| and| or|/| &)? {_DAY_NAME}\b", re.IGNORECASE)
_OWNED = re.compile(r"['\u2019]s$")


@dataclass(frozen=True, slots=True)
class SaidDate:
    """A date within a text."""

    start: int  # where its words begin in the text, prepositions left out
    end: int
    period: Period
    is_past: bool
    bound: str  # the word before it that opens or closes a stretch ("since", "until"); empty where there is none
    said: str  # its words
    cycle: int  # days after which the same words mean another date; 0 where they say the year, or count from then

    @property
    def begins_at(self) -> datetime | None:
        """From when something holds by it: since it, from it on, after it; None where it opens nothing."""
        if self.bound == "after":
            return self.period.end
        return self.period.start if self.bound in _BEGIN or self.is_range else None

    @property
    def ends_at(self) -> datetime | None:
        """Until when something holds by it; None where it closes nothing, as a deadline does not."""
        return self.period.end if self.bound in _UNTIL or self.is_range else None

    @property
    def due_by(self) -> datetime | None:
        """Until when something is to be done by it: by Friday, before June; None where it is no deadline."""
        return {"by": self.period.end, "before": self.period.start}.get(self.bound)

    @property
    def is_range(self) -> bool:
        """Whether it names two ends: from the 3rd to the 7th."""
        return not _time_words(self.said).isdisjoint({*datewords.TO, "between"})


def find_dates(text: str, *, at: datetime, zone: str | None, names: frozenset[str] = frozenset()) -> list[SaidDate]:
    """Return the dates that somebody who spoke at ``at`` told, in order, each resolved by its tense.

    What is said without a year is to come, unless a past form stands nearest; a month that is just over was. What was
    arranged ("booked a cottage, 3 to 9 May") is for whichever year is nearer. Left out are dates that can be read
    in two ways, those of a wish or a condition, on which something is not or is no longer, what comes again and again,
    and what follows the first dozen.
    Casefolded ``names`` of people are no months.
    """
    told = (
        meant
        for phrase in find_told(text, now=at, zone=zone, names=names)
        for meant in _where_moved(text, phrase, at=at, zone=zone)
    )
    return list(islice(filter(None, (_read(text, phrase, at=at, zone=zone) for phrase in told)), _MOST_DATES))


def say_dates(text: str, *, at: datetime, zone: str | None, names: frozenset[str] = frozenset()) -> str:
    """Return ``text`` with its dates made absolute, as exactly as they were told: "on Monday 28 April 2025"."""
    for date in reversed(find_dates(text, at=at, zone=zone, names=names)):
        text = _made_absolute(text, date, zone)
    return text


def needs_its_day(text: str, *, at: datetime, zone: str | None) -> bool:
    """Tell whether a text still has a time that only the day on which it was said explains: "next Friday"."""
    phrases = (text[told.start : told.end] for told in find_told(text, now=at, zone=zone))
    return any(not _RELATIVE.isdisjoint(_time_words(said)) and not _YEAR.search(said) for said in phrases)


def _where_moved(text: str, told: ToldPeriod, *, at: datetime, zone: str | None) -> list[ToldPeriod]:
    """Return a date, or of two between which something was moved the second: "moved from Tuesday to Thursday"."""
    before = _clause(text, told.start, told.end).before
    second = _EN["second_end"].match(text, told.start, told.end)
    if second is None or _EN.words("put_off").isdisjoint(words(before)):
        return [told]
    later = find_told(text[second.end() : told.end], now=at, zone=zone)
    return [each._replace(start=each.start + second.end(), end=each.end + second.end()) for each in later]


def _read(text: str, told: ToldPeriod, *, at: datetime, zone: str | None) -> SaidDate | None:
    """Return a date as it was meant, unless that is unsure, or it dates nothing."""
    start, end = told.start, told.end
    clause = _clause(text, start, end)
    led_in = _EN["led_in"].search(text, 0, start)
    bound = ((led_in and led_in["kept"]) or "").lower()
    bound = bound if bound in _BEGIN | _END | _AHEAD else ""
    is_past = True if bound == "since" else False if bound in _AHEAD else _tense(clause)
    if is_past is None and tells_news_briefly(f"{clause.before}{text[start:end]}{clause.after}"):
        is_past = True  # of "put my notice in today" nothing but the time tells that it is done
    is_told = is_past is not None or bool(bound)
    if is_past and bound != "since" and _is_ahead(told, clause, bound, at):
        is_past = False
    is_length = text[start:end].casefold().startswith("in ") and (is_past or (is_past is None and _takes_time(clause)))
    is_case = any(_EN["condition"].match(fold(other)) for other in clause.beside)
    is_meant = not (is_case or _EN["hypothetical"].search(clause.folded))
    is_denied = _EN["denied_day"].search(fold(text[:start])) is not None
    is_beside = _EN["lasting_beside"].search(fold(clause.sentence[0][-_BESIDE_CHARS:])) is not None
    if is_length or is_denied or is_beside or not is_meant or _comes_again(text, told, clause, is_told=is_told):
        return None
    period = _meant(told, text[start:end], at=at, zone=zone, is_past=is_past)
    if period is None or period.is_open:
        return None
    was = period.start <= at and (is_past is True or period.end <= at)
    date = SaidDate(start, end, period, was, "" if bound == "to" else bound, text[start:end], told.cycle)
    return None if date.is_range and not _EN.words("put_off").isdisjoint(words(clause.before)) else date


def _meant(told: ToldPeriod, said: str, *, at: datetime, zone: str | None, is_past: bool | None) -> Period | None:
    """Return what a date means that is told of as past, to come (False) or neither (None)."""
    weekday = next((datewords.WEEKDAYS[word] for word in said.casefold().split() if word in datewords.WEEKDAYS), None)
    if weekday is not None and told.cycle > _A_WEEK:
        either = (period for period in (told.behind, told.ahead) if period)
        fitting = [period for period in either if local(period.start, zone).weekday() == weekday]
        if len(fitting) < 2:  # it tells which month or year is meant
            return fitting[0] if fitting else None
    if is_past is None and told.behind is not None:
        since = at - told.behind.end
        is_running = told.cycle > _A_WEEK and since < timedelta(0)
        is_past = is_running or (told.behind.grain is Grain.MONTH and since <= _JUST_PAST)
    return told.behind if is_past else told.ahead


class _Clause(NamedTuple):
    """What stands around a date."""

    before: str
    after: str
    beside: tuple[str, str]  # the clauses before and after its own
    sentence: tuple[str, str]  # what stands before and after it in the sentence

    @property
    def folded(self) -> str:
        """What stands before and after it, with a dash for the date."""
        return fold(f"{self.before}- {self.after}")


def _clause(text: str, start: int, end: int) -> _Clause:
    sentence = _SENTENCE_END.split(text[:start])[-1], _SENTENCE_END.split(text[end:])[0]
    before, after = ["", *_EN["clause_end"].split(sentence[0])], [*_EN["clause_end"].split(sentence[1]), ""]
    return _Clause(before[-1], after[0], (before[-2], after[1]), sentence)


def _takes_time(clause: _Clause) -> bool:
    """Tell whether "in two weeks" says how long something takes: what can be done, or how much."""
    before = words(clause.before)
    counted = any(word[0].isdecimal() or datewords.NUMBERS.get(word, 0) > 1 for word in before)
    return counted or not _EN.words("takes_time").isdisjoint(before)


def _tense(clause: _Clause) -> bool | None:
    """Tell whether a date is told of as past (True) or to come (False); None where nothing says so.

    The verb or cue nearest before it in its clause decides, else the first after it; of a clause of dates its sentence.
    """
    before, after = words(clause.before), words(clause.after)
    if _EN.words("before_dates").issuperset(before + after):
        before, after = map(words, clause.sentence)
    said = ["", *before, "", *after, ""]
    for place in (*range(len(before), 0, -1), *range(len(before) + 2, len(said) - 1)):
        former, word, follower = said[place - 1 : place + 2]
        if word in _EN.words("future_cues") or (word in _EN.words("commits") and follower == "to"):
            return False
        if word in _EN.words("present_cues"):
            return False if follower in _EN.words("future_cues") else None
        is_plain = former in _EN.words("before_plain_verbs") or is_adverb(former)
        is_set = word in _EN.words("timetable") and not is_plain
        if is_set or (word == "got" and former in _EN.words("has")):
            return None
        if word in _EN.words("past_cues"):
            return True
        if is_past(word) and word not in _EN.words("states"):
            is_base = former == "to" or former in _EN.words("future_cues")  # "I'll quit"
            return not is_base and _EN.words("wanting").isdisjoint(said[:place])
    return None


def _is_ahead(told: ToldPeriod, clause: _Clause, bound: str, at: datetime) -> bool:
    """Tell whether a day beside a past form is to come all the same: "closed until 3 July".

    So is a day for which something was arranged ("made an appointment for Friday"), and of what somebody agreed to or
    was asked to ("signed up for a race on the 28th"), unless a past form follows; and a day of the year, nearer than
    the last, beside words of arranging or that somebody "has given us", or from which something is so ("changed my
    course from September", said in May).
    """
    before = words(clause.sentence[0])
    if bound in _UNTIL:
        return _EN.words("lasted").isdisjoint(before)
    goes_on = any(map(is_past, words(clause.sentence[1]))) or _EN["went"].search(fold(clause.sentence[1])) is not None
    is_set = any(_EN[form].search(fold(clause.before)) for form in ("arranged_for", "agreed_to"))
    if told.ahead and is_set and not goes_on:
        return True
    if told.cycle != _A_YEAR or told.behind is None or told.ahead is None:
        return False
    is_open = not (_EN.words("arranging") | _EN.words("perfect")).isdisjoint(before)
    return (is_open or bound in _BEGIN) and told.ahead.start - at < at - told.behind.end


def _comes_again(text: str, told: ToldPeriod, clause: _Clause, *, is_told: bool) -> bool:
    """Tell whether words of time stand for something that recurs, each year as a birthday does or more often."""
    phrase = text[told.start : told.end]
    said, before = _time_words(phrase), words(clause.sentence[0])
    last = before[-1] if before else ""
    if _EN["of_every"].match(text, told.end) or (said == {"fall"} and "in" not in before[-2:]):
        return True
    if said & _RELATIVE or _YEAR.search(phrase):
        return False
    if told.cycle == _A_YEAR and _MEANING["yearly"].search(clause.folded):
        return True
    if datewords.names_weekday(phrase) and "weekend" not in said:
        is_whose = last in _EN.words("whose") or last.endswith("'s")
        is_owned = is_whose and before[-2:] not in (["on", "the"], ["until", "the"])
        is_listed = not is_told and (_LISTED_DAYS.search(text) is not None or not said.isdisjoint(datewords.TO))
        is_weekly = last == "is" and not is_told and not _EN.words("weekly").isdisjoint(before)
        is_weekly |= _EN["done_weekly"].search(fold(clause.before)) is not None and not is_told
        is_one_of_many = is_weekly or last in _EN.words("some") or _EN["of_many"].match(text, told.end) is not None
        if is_listed or is_one_of_many or (is_owned and _GOES_ON.match(text, told.end)):
            return True
    return (not is_told and not said.isdisjoint(_SEASONAL)) or not _EN.words("habit").isdisjoint(before)


def _made_absolute(text: str, date: SaidDate, zone: str | None) -> str:
    said = _CALENDAR_NAME.sub(lambda name: name[0].capitalize(), date.said)
    said = _EN["named_year"].sub(lambda _: f" {local(date.period.start, zone).year}", said)
    if _YEAR.search(said) or datewords.NUMERIC.search(said):
        return text[: date.start] + said + text[date.end :]
    if date.cycle == _A_YEAR and "/" not in said:
        return f"{text[: date.start]}{said}{_with_year(text, date, zone)}{text[date.end :]}"
    preposition, phrase = _full_form(said, date, zone)
    if not phrase:
        return text
    led_in = _EN["led_in"].search(text, 0, date.start)
    begin = led_in.start() if led_in else date.start
    kept = f"{led_in['kept'] or ''}{led_in['hedge'] or ''}" if led_in else ""
    follows = words(text[date.end :])[:1]
    lead = kept or ("" if begin == 0 and any(map(is_finite, follows)) else preposition)
    if _OWNED.search(said):
        is_short = not _EN.words("after_is").isdisjoint(follows)  # "Monday's fine"
        lead, phrase = ("", f"{phrase} is") if is_short else (f"{kept} the".strip(), phrase.removeprefix("the "))
    gap = " " if begin and not text[begin - 1].isspace() else ""
    return f"{text[:begin]}{gap}{f'{lead} {phrase}'.strip()}{text[date.end :]}"


def _with_year(text: str, date: SaidDate, zone: str | None) -> str:
    start, last = local(date.period.start, zone), local(date.period.end - timedelta(microseconds=1), zone)
    if date.period.grain is not Grain.SEASON:
        return f" {last.year}"
    link = " of" if text[: date.start].casefold().endswith("the ") else ""
    return f"{link} {start.year}/{last.year % 100:02}" if "winter" in _time_words(date.said) else f"{link} {start.year}"


def _full_form(said: str, date: SaidDate, zone: str | None) -> tuple[str, str]:
    """Return the preposition and the words that say a period in full; no words where it has no short name."""
    period, listed = date.period, _time_words(said)
    start, last = local(period.start, zone), local(period.end - timedelta(microseconds=1), zone)
    month, year = f"{_MONTHS[start.month]} {start.year}", str(start.year)
    day = f"{start.day} {month}"
    if date.is_range:
        link, lead = ("and", "between") if "between" in listed else ("to", "from")
        first = day if start.year != last.year else day.removesuffix(f" {year}")
        return (lead, f"{first} {link} {last.day} {_MONTHS[last.month]} {last.year}")
    if third := next((word for word in listed if word in datewords.THIRDS), ""):
        monday = local(earlier(period.start, timedelta(days=start.weekday())), zone)
        week = f"the week of {monday.day} {_MONTHS[monday.month]} {monday.year}"
        whole = week if "week" in listed else month if "month" in listed else year
        return ("", f"{third} in {whole}") if third in _EN.words("adjectives") else ("at", f"the {third} of {whole}")
    if period.grain is Grain.HOURS:
        part = next((word for word in listed if word in datewords.PARTS), "night")
        return ("on", f"the {'evening' if 'tonight' in listed else part} of {day}")
    if period.grain is Grain.DAY and start.date() == last.date():
        weekday = datewords.names_weekday(said)
        return ("on", f"{_WEEKDAYS[start.weekday()]} {day}" if weekday else day)
    if "weekend" in listed:
        return ("on", f"the weekend of {day}")
    if "ago" in listed or "from" in listed or said.casefold().startswith("in "):
        middle = local(period.start + (period.end - period.start) / 2, zone)
        forms = {Grain.YEAR: f"{middle.year}", Grain.MONTH: f"{_MONTHS[middle.month]} {middle.year}"}
        about = f"{middle.day} {forms[Grain.MONTH]}" if period.grain in (Grain.DAY, Grain.WEEK) else ""
        return ("around", forms.get(period.grain, about))
    winter = f"/{last.year % 100:02}" if start.year != last.year else ""
    season = f"{_SEASONS.get(start.month, '')} {year}{winter}"
    forms = {Grain.WEEK: f"the week of {day}", Grain.MONTH: month, Grain.YEAR: year, Grain.SEASON: season}
    return ("in", forms.get(period.grain, ""))


def _time_words(said: str) -> frozenset[str]:
    return frozenset(token.word for token in datewords.read_tokens(said))
