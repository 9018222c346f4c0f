"""The values a statement names: numbers with what they count, dates by their parts, times of day.

English words for numbers; digits in any text. Nothing is resolved against a calendar: two statements are compared by
the parts that both name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from yesteryear.core.language.datewords import MONTHS, PLAIN_MONTHS, WEEKDAYS
from yesteryear.core.language.tokens import STOP_WORDS, stem, words
from yesteryear.core.language.vocabulary import vocabulary

_EN = vocabulary("statements")


def _units() -> dict[str, tuple[str, float]]:
    found: dict[str, tuple[str, float]] = {}
    for kind, _, sizes in (line.partition(": ") for line in _EN.lines("units")):
        for group in sizes.split(", "):
            *names, size = group.split()
            found |= {name: (kind, float(size)) for name in names}
    return found


_UNITS = _units()
"""Kind of quantity of each unit, and how much of the kind's own unit it is."""
_MONEY = frozenset(name for name, (kind, _) in _UNITS.items() if kind == "money")
_NUMBERS, _POWERS = _EN.table("numbers"), _EN.table("powers")
NUMBER_WORDS = _NUMBERS.keys() | _POWERS.keys()
_TENS, _TIMES, _A_WEEK = _EN.words("tens"), _EN.words("times"), _EN.table("a_week")

_LAST_DAY = 31
_NOON = 12
_THOUSANDS_DIGITS = 3
"""Digits after a separator that make it one of thousands."""
_OFTEN_REACH = 4
"""Words after "three times" in which its period is looked for."""

_HOUR_WORDS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_CLOCK = re.compile(
    r"\b(?P<hour>\d{1,2})(?:[:.](?P<minute>\d\d))?\s*(?P<half>am|pm|a\.m\.|p\.m\.|o'clock)"
    r"|\b(?P<hour24>[01]?\d|2[0-4]):(?P<minute24>[0-5]\d)\b"
    rf"|\b(?:at|by|until|till|since|around|before|after|from|past)\s+(?P<bare>\d{{1,2}}|{_HOUR_WORDS})"
    r"(?=\s*(?:$|[,.;:)]|in the|on|and|every|each|sharp|the next|to|with|when|so|which))"
)
_YEAR = re.compile(r"\b(?:1[89]|20)\d\d\b")
_DAY = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)\b")
_SIGNS = str.maketrans({"%": " percent ", "€": " euro ", "£": " pound ", "$": " dollar "})


class Quantity(NamedTuple):
    """A number with what it counts."""

    kind: str
    """Kind of unit, "often" for times a week, or the stem of what is counted; empty where nothing follows."""
    amount: float
    """In the kind's own unit."""


@dataclass(frozen=True, slots=True)
class Values:
    """What a statement names."""

    quantities: tuple[Quantity, ...]
    years: frozenset[int]
    months: frozenset[int]
    """From 1."""
    days: frozenset[int]
    """Of the month."""
    weekdays: frozenset[int]
    """From Monday, 0."""
    clock: tuple[float, ...]
    """Hours of the day in [0, 24); as said, where neither half of the day was named."""

    def __bool__(self) -> bool:
        """Tell whether there is any."""
        return any((self.quantities, self.years, self.months, self.days, self.weekdays, self.clock))


def find_values(folded: str, listed: Sequence[str]) -> Values:
    """Return the values in a text, of which the words are ``listed``; both are casefolded."""
    clock = tuple(_hour(match) for match in _CLOCK.finditer(folded))
    rest = _CLOCK.sub(" ", folded)
    years = frozenset(int(match[0]) for match in _YEAR.finditer(rest))
    rest = _YEAR.sub(" ", rest)
    days = {int(match[1]) for match in _DAY.finditer(rest)}
    quantities, more_days = _quantities(words(_DAY.sub(" ", rest).translate(_SIGNS)))
    return Values(
        quantities=tuple(quantities),
        years=years,
        months=frozenset(MONTHS[word] for word in listed if word in PLAIN_MONTHS or word in _FULL_MONTHS),
        days=frozenset(days | more_days),
        weekdays=frozenset(
            WEEKDAYS[name] for word in listed for name in {word, word.removesuffix("s")} if name in WEEKDAYS
        ),
        clock=clock,
    )


_FULL_MONTHS = frozenset({"march", "april", "may", "june", "august"})


def _hour(match: re.Match[str]) -> float:
    if said := match["bare"]:
        return float(said if said.isdecimal() else _NUMBERS[said]) % 24
    if match["hour24"]:
        return (int(match["hour24"]) + int(match["minute24"]) / 60) % 24
    hour = int(match["hour"]) + int(match["minute"] or 0) / 60
    if match["half"] == "o'clock":
        return hour % 24
    return hour % _NOON + (_NOON if match["half"].startswith("p") else 0)


def _quantities(tokens: Sequence[str]) -> tuple[list[Quantity], set[int]]:
    found: list[Quantity] = []
    days: set[int] = set()
    place = 0
    while place < len(tokens):
        amount, after = _amount(tokens, place)
        following = [word for word in tokens[after : after + 2] if word != "of"]
        beside = [*tokens[max(0, place - 1) : place], *following[:1]]
        if amount is None:
            place += 1
        elif amount <= _LAST_DAY and any(word in MONTHS for word in beside):
            days.add(int(amount))
        else:
            found.append(_quantity(tokens, place, after, amount))
        place = max(place, after)
    return found, days


def _quantity(tokens: Sequence[str], begin: int, end: int, amount: float) -> Quantity:
    before = tokens[begin - 1] if begin else ""
    following = tokens[end : end + _OFTEN_REACH]
    if following[:1] == ["times"] or tokens[begin] in _TIMES:
        a_week = next((_A_WEEK[word] for word in following if word in _A_WEEK), 1.0)
        return Quantity("often", amount * a_week)
    named = [*following[:1], *([before] if before in _MONEY else [])]
    unit = next((_UNITS[word] for word in named if word in _UNITS), None)
    if unit:
        return Quantity(unit[0], amount * unit[1])
    return Quantity(next((stem(word) for word in following[:2] if word not in STOP_WORDS), ""), amount)


def _amount(tokens: Sequence[str], place: int) -> tuple[float | None, int]:
    """Return the number that begins at a place, and where it ends."""
    word = tokens[place]
    if word[0].isdecimal():
        value = _digits(word)
    elif word in _NUMBERS:
        value = _NUMBERS[word]
    elif word in _POWERS:
        value, place = 1.0, place - 1
    else:
        return None, place
    place += 1
    if word in _TENS and place < len(tokens) and 0 < _NUMBERS.get(tokens[place], 0) < 10:
        value, place = value + _NUMBERS[tokens[place]], place + 1
    while place < len(tokens) and tokens[place] in _POWERS:
        value, place = value * _POWERS[tokens[place]], place + 1
    return value, place


def _digits(word: str) -> float:
    head, point, tail = word.replace(",", ".").rpartition(".")
    whole = head.replace(".", "")
    if point and len(tail) == _THOUSANDS_DIGITS and whole != "0":
        return float(whole + tail)
    return float(f"{whole}{point}{tail}")
