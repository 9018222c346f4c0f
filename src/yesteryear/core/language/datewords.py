"""The words dates are made of, a reader of them at the level of words, and what they make of a stretch of time.

``dates`` reads the phrases.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from yesteryear.core import wallclock
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.wallclock import Grain, Span

_EN = vocabulary("dates")


def _numbered(key: str, *, start: int) -> dict[str, int]:
    """Number the lines of a list; each holds names of one thing."""
    return {name: number for number, names in enumerate(_EN.lines(key), start) for name in names.split()}


MONTHS, WEEKDAYS = _numbered("months", start=1), _numbered("weekdays", start=0)
DATED_WEEKDAYS: Mapping[str, int] = _EN.table("dated_weekdays")
"""What is one only beside its date."""
PLAIN_MONTHS, PLAIN_WEEKDAYS = _EN.words("plain_months"), _EN.words("plain_weekdays")
"""Those that are hardly ever a verb or somebody's name."""
SEASONS: Mapping[str, int] = _EN.table("seasons")  # how many months of the year lie before each
FEASTS: dict[tuple[str, ...], tuple[int, int, int]] = {
    tuple(name.split()): (month, day, days) for name, (month, day, days) in _EN.table("feasts").items()
}
"""Month, day and length in days of feasts that keep their date; the longer name first."""
FEAST_BEGINNINGS = frozenset(feast[0] for feast in FEASTS)
PARTS = {name: (first, past) for name, (first, past) in _EN.table("parts").items()}
"""First hour, and first hour after, of the parts of a day; a night ends on the next."""
DAYS: Mapping[str, int] = _EN.table("days")
_SPELLINGS: Mapping[str, str] = _EN.table("spellings")
UNITS = {name: unit for unit in _EN.listed("units") for name in (unit, f"{unit}s")}
CALENDAR_UNITS = _EN.words("calendar_units")
SOON: Mapping[str, int] = _EN.table("soon")
"""Up to how many of a unit "in three weeks" is said as a date; what lies further away is hardly meant by it."""
LATER: Mapping[str, int] = _EN.table("later")  # weeks that are added by the word behind a day: "Tuesday week"
NUMBERS: Mapping[str, int] = {**_numbered("numbers", start=1), **_EN.table("tens")}
VAGUE: Mapping[str, int] = _EN.table("vague")
ORDINALS = _numbered("ordinals", start=1)
OFFSETS: Mapping[str, int] = _EN.table("offsets")
WHICH = frozenset(OFFSETS)
SURELY: Mapping[str, str] = _EN.table("surely")
THIRDS: Mapping[str, int] = _EN.table("thirds")
PIECES: Mapping[str, int] = _EN.table("pieces")
COUNTED_PIECES = PIECES.keys() | WEEKDAYS.keys() | {"day", "week", "weekend"}
"""What a longer period has a first, a second and a last of."""
QUARTERS = {f"q{number}": number for number in range(1, 5)}

ENDS, DASHES, AND = _EN.words("ends"), _EN.words("dashes"), _EN.words("and")
TO = DASHES | _EN.words("to")
BEFORE_ONLY_TIMES = _EN.words("before_only_times")  # what stands before May only if it is the month
BEFORE_TIMES = BEFORE_ONLY_TIMES | _EN.words("before_times")
BEFORE_SEASONS = BEFORE_TIMES | _EN.words("before_seasons")
BEFORE_DAYS, BEFORE_YEARS = ENDS | _EN.words("before_days"), ENDS | _EN.words("before_years")
_BEGINNINGS = FEAST_BEGINNINGS.union(
    *(_EN.words("beginnings"), MONTHS, WEEKDAYS, DATED_WEEKDAYS, SEASONS, DAYS, UNITS, NUMBERS, VAGUE, ORDINALS),
    *(WHICH, THIRDS, QUARTERS),
)
"""Words with which a period begins, numbers aside."""

FIRST_YEAR, LAST_YEAR = 1900, 2099  # numbers that are read as a year when nothing but a preposition says so
_SATURDAY = 5
_MOST_YEARS = 150  # between now and a year behind a comma; farther off it counts what follows: "1 June, 1550 a month"
_CENTURY_TURNS = 69  # two-digit years from here on are of the twentieth century (POSIX)

NUMERIC, ORDINAL = _EN["numeric"], _EN["ordinal"]


class DateToken(NamedTuple):
    """A word, number, date in digits or sign of a text."""

    word: str  # folded; "year's" is "year", but "May's" stays, for it can only be somebody's
    start: int
    end: int
    is_lower: bool  # written without capitals


def read_tokens(text: str) -> list[DateToken]:
    """Return the tokens of ``text`` in order."""
    tokens = []
    for found in _EN["token"].finditer(text):
        said, word, suffix = found[0], (found["word"] or "").casefold(), found["suffix"]
        if not word or (suffix and (suffix[1:] not in ("s", "S") or word in MONTHS)):
            word = said.casefold()
        tokens.append(DateToken(_SPELLINGS.get(word, word), found.start(), found.end(), said.islower()))
    return tokens


@dataclass(frozen=True, slots=True)
class DateWords:
    """The words of a text, to be read from any place on; places count from 0."""

    tokens: list[DateToken]
    names: frozenset[str]  # casefolded names of people
    now: int  # hour of the wall clock
    is_told: bool = False  # what opens or closes a stretch is left out
    is_ahead: bool = False  # what comes again is to come

    def word(self, at: int) -> str:
        """Return the word at a place, and nothing before the first and after the last."""
        return self.tokens[at].word if 0 <= at < len(self.tokens) else ""

    def says(self, at: int, words: tuple[str, ...]) -> bool:
        """Tell whether these words stand at a place."""
        return all(self.word(at + place) == word for place, word in enumerate(words))

    def begins(self, at: int) -> bool:
        """Tell whether a period can begin at a place."""
        word = self.word(at)
        return word in _BEGINNINGS or word[:1].isdecimal()

    def before(self, at: int) -> str:
        """Return the word before a place, the article left out."""
        return self.word(at - 2 if self.word(at - 1) == "the" else at - 1)

    def means_time(self, at: int, signs: frozenset[str] = BEFORE_TIMES, *, is_time: bool) -> bool:
        """Tell whether the words around say that a word which may be a name is a time."""
        before = self.before(at)
        if self.word(at) in self.names:
            return before in BEFORE_ONLY_TIMES
        return is_time or before in signs

    def is_plain(self, at: int, plain: frozenset[str]) -> bool:
        """Tell whether a word can only be a time."""
        return self.word(at) in plain and self.word(at) not in self.names

    def is_verb(self, at: int) -> bool:
        """Tell whether the word may be "may" or "march" as a verb."""
        return self.word(at) in _EN.words("verbs") and self.tokens[at].is_lower

    def count(self, at: int) -> tuple[int, bool, int] | None:
        """Read "two", "a", "a couple of": the number, whether it is vague, and where the next word is."""
        if self.ends_compound(at):
            return None
        at += self.word(at) in ("a", "an") and self.word(at + 1) in VAGUE
        word = self.word(at)
        if word in VAGUE:
            return VAGUE[word], True, at + 1 + (self.word(at + 1) == "of")
        number = int(word) if word.isdecimal() and len(word) <= 4 else NUMBERS.get(word, 0)
        return (number, False, at + 1) if number else None

    def amount(self, at: int) -> tuple[int, bool, str, int]:
        """Read "two weeks", "a fortnight", "weeks": how many, 0 if none is said, if vague, the unit, and its place."""
        count, is_vague, then = self.count(at) or (0, False, at)
        if self.word(then) in _EN.words("fortnights"):
            return 2 * max(count, 1), is_vague, "week", then
        return count, is_vague, UNITS.get(self.word(then), ""), then

    def day_number(self, at: int) -> int | None:
        """Read "7", "7th" or "first"; numbers above 31 too, so that a date with one is known not to exist."""
        word = self.word(at)
        if self.ends_compound(at):
            return None
        return int(word) if word.isdecimal() and len(word) <= 2 else self.ordinal(at)

    def ordinal(self, at: int) -> int | None:
        """Read "7th" or "first"."""
        found = ORDINAL.fullmatch(self.word(at))
        return int(found[1]) if found else ORDINALS.get(self.word(at))

    def ends_compound(self, at: int) -> bool:
        """Tell whether a number is only the end of one: thirty-one, half a year."""
        before = self.word(at - 1)
        if before != "-" or not self.word(at):
            return before in _EN.words("tens_before")
        return self.tokens[at - 1].end == self.tokens[at].start and self.word(at - 2).isalpha()

    def of_unit(self, at: int, unit: str) -> tuple[int | None, int]:
        """Read "next week" or "of last month" behind a day: how far it is from now, None where it is not there."""
        then = at + (self.word(at) in ("of", "in"))
        is_there = self.is_told and self.word(then) in WHICH and self.word(then + 1) == unit
        return (OFFSETS[self.word(then)], then + 2) if is_there else (None, at)

    def on_weekday(self, word: str, which: str, weeks: int = 0) -> tuple[Span, ...]:
        """Return the weekday meant, so many weeks later; none where "next" is that of this week or of the one after."""

        def occurrence(week: int) -> Span:
            begins = wallclock.unit_at(self.now, "week", offset=week).start
            return wallclock.weekday_from(begins, WEEKDAYS[word])

        this = occurrence(0)
        if which == "next" and this.start > self.now and self.is_told:
            return ()
        is_over = this.end <= wallclock.unit_at(self.now, "day").start
        is_coming = which == "coming" or (self.is_ahead and (not which or (which == "this" and is_over)))
        found = wallclock.choose("next" if is_coming else which, occurrence, index=0, now=self.now)
        return tuple(wallclock.moved(span, weeks, "week") for span in found)

    def pick(self, which: str, occurrence: Callable[[int], Span | None], *, index: int) -> tuple[Span, ...]:
        """Choose among what comes again; see ``choose``."""
        return wallclock.choose(which or ("coming" if self.is_ahead else ""), occurrence, index=index, now=self.now)

    def year_after(self, at: int) -> tuple[int | None, int]:
        """Read "2023", "of 2023", ", 2023", "'23" or "next year" after a date: the year, 0 where it is impossible."""
        offset, then = self.of_unit(at, "year")
        if offset is not None:
            return wallclock.date_of(self.now).year + offset, then
        then = at + (self.word(at) in (",", "of"))
        word = self.word(then)
        if _EN["short_year"].fullmatch(word):
            return full_year(int(word[1:])), then + 1
        if word.isdecimal() and len(word) == 4:
            is_far = abs(int(word) - wallclock.date_of(self.now).year) > _MOST_YEARS
            counts = is_far and then > at and self.word(then + 1).isalpha()
            return (None, at) if counts else (int(word), then + 1)
        if then == at and word.isdecimal() and (len(word) > 4 or int(word) == 0):
            return 0, then + 1
        return None, at


def full_year(number: int) -> int:
    """Return the year that two digits mean."""
    return number + (1900 if number >= _CENTURY_TURNS else 2000)


def names_weekday(said: str) -> bool:
    """Tell whether words name a day by its weekday alone ("saturday", "this weekend"): the last one or the next."""
    has_number = any(char.isdigit() for char in said)
    return not has_number and any(word in WEEKDAYS or word == "weekend" for word in said.casefold().split())


def opened(span: Span, bound: str) -> Span:
    """Return what lies since, after, before or until a span."""
    if bound in ("since", "after"):
        return Span(span.start if bound == "since" else span.end, wallclock.NEVER, Grain.SPAN)
    return Span(wallclock.ALWAYS, span.start if bound == "before" else span.end, Grain.SPAN)


def within_day(day: Span, part_of_day: str) -> Span:
    """Return a part of a day."""
    first, past = PARTS[part_of_day]
    return Span(day.start + first, day.start + past, Grain.HOURS)


def holding(span: Span, unit: str) -> Span:
    """Return the week of a day; in "the month of May" the month itself."""
    return wallclock.unit_at(span.start, unit) if span.grain is Grain.DAY and unit != "hour" else span


def next_to(span: Span, word: str, sign: int) -> Span:
    """Return the day, week, weekend or weekday before or after a span."""
    if word not in WEEKDAYS and not word.startswith("weekend"):
        return wallclock.beside(span, UNITS[word], sign=sign)
    return _days_from(span.end if sign > 0 else span.start - wallclock.HOURS_A_WEEK, word)


def _days_from(hour: int, name: str) -> Span:
    """Return the first such weekday, or weekend, from an hour on."""
    weekday, days = (WEEKDAYS[name], 1) if name in WEEKDAYS else (_SATURDAY, 2)
    return wallclock.weekday_from(hour, weekday, days=days)


def nth(span: Span, number: int, piece: str) -> Span | None:
    """Return the numbered half, quarter, week, weekend, day or weekday of a span; -1 is the last."""
    if piece in PIECES:
        pieces = PIECES[piece]
        return wallclock.part(span, number - 1 if number > 0 else pieces - 1, of=pieces) if number <= pieces else None
    size = wallclock.HOURS_A_DAY if piece == "day" else wallclock.HOURS_A_WEEK
    start = span.start + (number - 1) * size if number > 0 else span.end - size
    if piece in ("day", "week"):
        found = Span(start, min(start + size, span.end), Grain(piece))
    else:
        found = _days_from(start, piece)
    return found if span.start <= found.start < span.end else None
