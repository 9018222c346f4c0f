"""The words dates are made of, and a reader of them at the level of words: numbers, years, what may be a name.

English. ``dates`` reads the phrases.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from yesteryear.core.language.tokens import word_set


def _numbered(listed: str, *, start: int) -> dict[str, int]:
    """Number groups of words that are divided by ``|``."""
    return {name: number for number, names in enumerate(listed.split("|"), start) for name in names.split()}


MONTHS = _numbered(
    "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sep sept|october oct"
    "|november nov|december dec",
    start=1,
)
PLAIN_MONTHS = word_set("january february july september october november december")
"""Months that are hardly ever a verb or somebody's name."""
VERBS = word_set("may march")
PLAIN_WEEKDAYS = word_set("monday tuesday wednesday thursday friday saturday sunday")
WEEKDAYS = _numbered(
    "monday mon|tuesday tue tues|wednesday wed|thursday thu thur thurs|friday fri|saturday|sunday", start=0
)
SEASONS = {"spring": 2, "summer": 5, "autumn": 8, "fall": 8, "winter": 11}
"""How many months of the year lie before each."""
FEASTS: dict[tuple[str, ...], tuple[int, int, int]] = {
    ("christmas", "eve"): (12, 24, 1),
    ("christmas", "day"): (12, 25, 1),
    ("christmas",): (12, 24, 3),
    ("boxing", "day"): (12, 26, 1),
    ("new", "year", "eve"): (12, 31, 1),
    ("new", "years", "eve"): (12, 31, 1),
    ("new", "year", "day"): (1, 1, 1),
    ("new", "years", "day"): (1, 1, 1),
    ("valentine", "day"): (2, 14, 1),
    ("valentines", "day"): (2, 14, 1),
    ("halloween",): (10, 31, 1),
}
"""Month, day and length in days of feasts that keep their date; the longer name first."""
FEAST_BEGINNINGS = frozenset(feast[0] for feast in FEASTS)
PARTS = {"morning": (5, 12), "afternoon": (12, 18), "evening": (18, 24), "night": (18, 30)}
"""First hour, and first hour after, of the parts of a day; a night ends on the next."""
DAYS = {"today": 0, "tonight": 0, "yesterday": -1, "tomorrow": 1}
UNITS = {
    name: unit for unit in ("hour", "day", "week", "weekend", "month", "quarter", "year") for name in (unit, f"{unit}s")
}
CALENDAR_UNITS = word_set("week weekend month quarter year")
NUMBERS = _numbered("a an one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve", start=1) | {
    "twenty": 20,
    "thirty": 30,
}
VAGUE = {"couple": 2, "few": 3, "several": 5}
ORDINALS = _numbered("first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth", start=1)
OFFSETS = {"last": -1, "this": 0, "next": 1}
WHICH = frozenset(OFFSETS)
THIRDS = {"early": 0, "beginning": 0, "start": 0, "mid": 1, "middle": 1, "late": 2, "end": 2}
PIECES = {"half": 2, "quarter": 4}
COUNTED_PIECES = PIECES.keys() | WEEKDAYS.keys() | {"day", "week", "weekend"}
"""What a longer period has a first, a second and a last of."""
QUARTERS = {f"q{number}": number for number in range(1, 5)}

ENDS = word_set("since after before until till by from")
"""What leaves the other end of a period open."""
DASHES = word_set("- – —")
TO = DASHES | word_set("to until till through")
AND = word_set("and")
ONWARD = word_set("on onward onwards")
WITHIN = word_set("in over during within for")
BEFORE_ONLY_TIMES = word_set("in during throughout early mid late last this next")
"""What stands before May only if it is the month."""
BEFORE_TIMES = BEFORE_ONLY_TIMES | word_set("since after before until till by on of")
BEFORE_SEASONS = BEFORE_TIMES | word_set("over")
BEFORE_DAYS = ENDS | word_set("on")
BEFORE_YEARS = ENDS | word_set("in during throughout early mid late year")
BEFORE_THE_WEEKEND = word_set("at on over during in")
BEFORE_NO_DATE = word_set("every each most any black good")
"""What makes a weekday a habit or a name: every Monday, Black Friday."""
_TENS = word_set("twenty thirty half")
"""After these a number is only the end of a number: half a year ago."""

_BEGINNINGS = frozenset().union(
    *(MONTHS, WEEKDAYS, SEASONS, DAYS, UNITS, NUMBERS, VAGUE, ORDINALS, WHICH, THIRDS, QUARTERS),
    FEAST_BEGINNINGS,
    ("past", "final"),
)
"""Words with which a period begins, numbers aside."""

FIRST_YEAR, LAST_YEAR = 1900, 2099
"""Numbers that are read as a year when nothing but a preposition says so."""
_CENTURY_TURNS = 69
"""Two-digit years from here on are of the twentieth century (POSIX)."""

_TOKEN = re.compile(
    r"(?P<date>(?<![\w./-])[0-9]{1,4}(?P<mark>[-/.])[0-9]{1,2}(?P=mark)[0-9]{1,4}(?=T[0-9]|(?![\w/-]|\.[0-9])))"
    r"|(?<!\w)['\u2018\u2019][0-9]{2}(?!\w)"
    r"|[0-9]+(?:[.,][0-9]+)+"
    r"|(?P<word>\w+)(?P<suffix>(?:['\u2018\u2019]\w+)*)"
    r"|[^\w\s]"
)
NUMERIC = re.compile(r"([0-9]{1,4})([-/.])([0-9]{1,2})[-/.]([0-9]{1,4})")
_SHORT_YEAR = re.compile(r"['\u2018\u2019][0-9]{2}")
ORDINAL = re.compile(r"([0-9]{1,2})(?:st|nd|rd|th)")


class Token(NamedTuple):
    """A word, number, date in digits or sign of a text."""

    word: str
    """Folded; "year's" is "year", but "May's" stays, for it can only be somebody's."""
    start: int
    end: int
    is_lower: bool
    """Written without capitals."""


def read_tokens(text: str) -> list[Token]:
    """Return the tokens of ``text`` in order."""
    return [_token(found) for found in _TOKEN.finditer(text)]


def _token(found: re.Match[str]) -> Token:
    said, word, suffix = found[0], (found["word"] or "").casefold(), found["suffix"]
    if not word or (suffix and (suffix[1:] not in ("s", "S") or word in MONTHS)):
        word = said.casefold()
    return Token(word, found.start(), found.end(), said.islower())


@dataclass(frozen=True, slots=True)
class DateWords:
    """The words of a text, to be read from any place on; places count from 0."""

    tokens: list[Token]
    names: frozenset[str]
    """Casefolded names of people."""

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
        return self.word(at) in VERBS and self.tokens[at].is_lower

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
            return before in _TENS
        return self.tokens[at - 1].end == self.tokens[at].start and self.word(at - 2).isalpha()

    def year_after(self, at: int) -> tuple[int | None, int]:
        """Read "2023", "of 2023", ", 2023" or "'23" after a date: the year, 0 where it is impossible."""
        then = at + (self.word(at) in (",", "of"))
        word = self.word(then)
        if _SHORT_YEAR.fullmatch(word):
            return full_year(int(word[1:])), then + 1
        if word.isdecimal() and len(word) == 4:
            return int(word), then + 1
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
