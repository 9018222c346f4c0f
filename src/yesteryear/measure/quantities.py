"""Numbers and their units in a text: "7h20", "two and a half kilos", "5 to 6 miles", "£12.40". English, and figures.

What only looks like an amount is none: hours, dates, phone numbers, versions, pages and rooms.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from yesteryear.core.language.vocabulary import vocabulary

_EN = vocabulary("quantities")
MOST_CHARS = 8_000  # characters of a text that are read, from its beginning
MOST_QUANTITIES = 60  # quantities read of a text: who writes more sends a table
MOST_VALUE = 1e12  # largest number: nobody measures more of their life, and above it numbers are not kept exactly
_PIECES = {("hour", "minute"): 60, ("hour", "meter"): 60, ("minute", "second"): 60, ("stone", "lb"): 14}
"""How many of a unit make one of the unit that stands before it; behind hours an "m" is of minutes."""
_COUNTS = frozenset({"", "step", "kcal", "word", "page"})
"""Units of which a point before three figures divides thousands, as it does in money."""
_LONGEST_NUMBER = 7  # figures of a number from which it is more likely a phone's, unless they are set apart or money
_LEAST_SCALE = 5  # fewest that something is marked out of
_MOST_SPOKEN = 10  # below which a number before a "sixty" is of hundreds
_NEAR = 24  # characters around a number in which it is told that it is no amount
_MOST_APART = 3
"""How many times the lower end of a range the higher one is at most, where both have a unit: "by 2 kg to 78 kg"."""
_AROUND = 60  # characters around pounds in which a word tells whether they weigh or pay
_PRESSURES = (70, 260)  # between which the higher pressure of somebody's blood is, in mmHg
_LEAST_LOWER = 30  # least of the lower pressure, in mmHg
_YEAR_FIGURES = 4
_HALF_A_DAY = 12.0  # hours after which those of the clock are called the same again
_MOST_RACED = 4  # below which the first figure of a time that somebody raced is of hours


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number and what it counts, as they stand in a text."""

    start: int
    end: int
    value: float
    unit: str = ""
    """A unit, a currency, or "/10" and the like for so many out of so many; empty where none stands beside it."""
    high: float | None = None
    """The higher end of a range, or the lower pressure of blood; None where there is one number."""
    is_money: bool = False


def find_quantities(text: str) -> list[Quantity]:
    """Return the quantities of a text, in order; time is linear in what is read of it."""
    found = list(_amounts(text[:MOST_CHARS]))[:MOST_QUANTITIES]
    found = _with_spans(text[:MOST_CHARS], found)[:MOST_QUANTITIES]
    joined = _joined(text, _joined(text, found, _as_range), _as_one)
    return [each for each in joined if each.unit or each.is_money or not _EN["score"].match(text, each.end)]


def _amounts(text: str) -> Iterator[Quantity]:
    done = 0
    for match in _grammar().finditer(text):
        quantity = _read(text, match) if match.start() >= done else None
        if quantity is not None and abs(quantity.value) <= MOST_VALUE:
            done = quantity.end
            yield quantity


def _with_spans(text: str, found: list[Quantity]) -> list[Quantity]:
    """Add hours that are told by the clock, "from 11 to 7"; where it is also said how many they were, that counts."""
    for match in _EN["span"].finditer(text):
        start, end = match.span("span")
        beside = [each for each in found if each.end <= start or end <= each.start]
        told = (row for row in beside if row.unit in ("hour", "minute") and start - _AROUND < row.start < end + _AROUND)
        hours = next(told, None)
        if hours is None:
            found = [*beside, Quantity(start, end, _hours_between(match), "hour")]
        elif hours.start >= end and _EN["makes"].fullmatch(text[end : hours.start]):
            found = [*(row for row in beside if row is not hours), replace(hours, start=start)]
    return sorted(found, key=lambda each: each.start)


def _hours_between(match: re.Match[str]) -> float:
    """Return how long it is from one hour to another; half a day at most where nothing tells which half they are of."""
    one, other = (_hour(match, which) for which in ("of", "to"))
    tells_halves = match["of_half"] and match["to_half"]
    is_of_24 = max(one, other) >= _HALF_A_DAY + 1 or tells_halves
    if tells_halves:
        one, other = (
            hour % _HALF_A_DAY + _HALF_A_DAY * ("p" in match[f"{which}_half"].lower())
            for hour, which in ((one, "of"), (other, "to"))
        )
    day = 2 * _HALF_A_DAY if is_of_24 else _HALF_A_DAY
    return (other - one) % day or day


def _hour(match: re.Match[str], which: str) -> float:
    """Return an hour as it was said: 6.5 of "half past six"."""
    said, past = match[which].lower(), (match[f"{which}_past"] or "").split()
    hours = {"midnight": 0.0, "noon": 12.0, "midday": 12.0}
    minutes = match[f"{which}_minutes"] or match[f"{which}_words"] or "0"
    added = {"half past": 30, "quarter past": 15, "quarter to": -15}.get(" ".join(past[-2:]).lower(), 0)
    return (hours[said] if said in hours else _figure(said)) + (_figure(minutes) + added) / 60


def _read(text: str, match: re.Match[str]) -> Quantity | None:
    """Return what a number and its unit come to; None for what is no amount."""
    start, end = match.span()
    if match["note"]:
        currency, worth = _EN.table("notes")[match["note"].lower()].split()
        return Quantity(start, end, float(worth), currency, is_money=True)
    unit, is_money = _unit_of(text, match)
    value = _value(match, unit)
    if value is None:
        return None
    if is_money:
        if match["sign"] and match["unit"]:  # what was bought: "a $4.11 coffee"
            end = match.start("unit") - 1
        return Quantity(start, end, *((value / 100, "") if unit == "CENT" else (value, unit)), is_money=True)
    if unit == "quarter hour":
        return Quantity(start, end, value / 4, "hour")
    return Quantity(start, end, value, unit) if unit else _bare(text, match, value)


def _unit_of(text: str, match: re.Match[str]) -> tuple[str, bool]:
    """Return the unit that stands beside a number, and whether it is money; the empty text for none."""
    sign, currency = match["sign"] or "", match["currency"] or ""
    signs = _EN.table("signs")
    if sign or currency:
        said = currency or sign
        return signs.get(said.upper(), signs.get(said)) or _named(said, "currencies"), True
    unit = _named(match["unit"] or "", "units")
    if unit == "stone" and _EN["ordinal"].search(match[0]):
        return "", False
    if unit != "pound":
        return unit, False
    around = text[max(0, match.start() - _AROUND) : match.end() + _AROUND]
    return ("lb", False) if _EN["weighs"].search(around) else ("GBP", True)


def _bare(text: str, match: re.Match[str], value: float) -> Quantity | None:
    """Return a number without a unit; so much out of so much, or a pressure, where that stands behind it."""
    start, end = match.span()
    over = _EN["over"].match(text, end)
    low = _figure(over["low"]) if over else 0.0
    if over and _PRESSURES[0] <= value <= _PRESSURES[1] and _LEAST_LOWER <= low < value:
        return Quantity(start, over.end(), value, "mmHg", high=low)
    ratio = _EN["ratio"].match(text, end)
    if ratio:
        of = _figure(ratio["of"])
        return Quantity(start, ratio.end(), value, f"/{of:g}") if of >= _LEAST_SCALE else None
    before, behind = text[max(0, start - _NEAR) : start], text[end : end + _NEAR]
    clock = _EN["clock"].match(text, end)
    if clock and _EN["raced"].search(before):
        unit = "hour" if value < _MOST_RACED else "minute"
        return Quantity(start, clock.end(), value + int(clock["low"]) / 60, unit)
    nth_day = _EN["nth_day"].search(before)
    if nth_day and _EN["of_a_streak"].match(behind):
        return Quantity(start - len(nth_day[0]), end, value, "day")
    figures = match["figures"] or ""
    is_year = figures.isdigit() and len(figures) == _YEAR_FIGURES and 1900 <= value < 2100
    is_year = is_year and _EN["no_year"].search(before) is None
    is_in_a_name = before[-1:] in set("-/:._#@") and before[-2:-1].isalnum()
    is_told_to_be_none = _EN["called"].search(before) or _EN["no_amount_before"].search(before)
    is_long = figures.isdigit() and len(figures) >= _LONGEST_NUMBER
    is_code = is_long or (figures[:1] == "0" and figures[1:2].isdigit())
    is_none = is_year or is_in_a_name or is_told_to_be_none or _EN["no_amount"].match(behind) or is_code
    return None if is_none else Quantity(start, end, value)


def _value(match: re.Match[str], unit: str) -> float | None:
    """Return the number that stands in figures or in words; None where they come to none."""
    number = _in_figures(match["figures"], unit) if match["figures"] else _in_words(match["words"])
    if number is None:
        return None
    number *= float(_EN.table("scales")[match["scale"].lower()]) if match["scale"] else 1.0
    fractions = _EN.table("fractions")
    added = (match[name] for name in ("fraction", "more") if match[name])
    number += sum(float(fractions[" ".join(each.lower().split())]) for each in added)
    return number + (int(match["minutes"]) / 60 if match["minutes"] else 0)


def _in_figures(figures: str, unit: str) -> float | None:
    """Return a number in figures, whichever sign divides its thousands; "72,4" has a decimal comma."""
    plain = re.sub(r"[ '\u202f]", "", figures)
    marks = re.findall(r"[.,]", plain)
    if not marks:
        return float(plain)
    whole, last = re.split(r"[.,](?=\d+$)", plain)
    is_whole = unit in _COUNTS or (len(unit) == 3 and unit.isupper())
    divides = len(last) == 3 and (len(marks) > 1 or marks[0] == "," or is_whole) and not plain.startswith("0")
    if divides and len(set(marks)) == 1:
        return float(re.sub(r"[.,]", "", plain))
    if len(set(marks)) < len(marks):
        return None  # a version or a date: 3.4.1
    return float(re.sub(r"[.,]", "", whole) + "." + last)


def _figure(said: str) -> float:
    return float(said) if said.isdigit() else _in_words(said)


def _in_words(said: str) -> float:
    """Return a number in words: "two hundred and fifty", "half a dozen", "fourteen hundred", "one sixty two"."""
    ones, tens, scales = _EN.listed("ones"), _EN.listed("tens"), _EN.table("scales")
    whole, _, decimals = said.lower().partition(" point ")
    if decimals:
        return _in_words(whole) + float("0." + "".join(str(ones.index(word)) for word in decimals.split()))
    total, current, is_half, is_said = 0.0, 0.0, False, False
    for word in re.split(r"[\s-]+", said.lower()):
        if word in ones:
            current, is_said = current + ones.index(word), True
        elif word in tens:
            hundreds = 100 if 0 < current < _MOST_SPOKEN else 1
            current = current * hundreds + 10 * (tens.index(word) + 2)
        elif word in scales:
            current = (current or 1.0) * scales[word]
            if scales[word] >= 1000:
                total, current = total + current, 0.0
        elif word == "couple":
            current = 2.0
        is_half = is_half or word == "half"
    number = total + current
    number = number if number or is_said else 1.0
    return number / 2 if is_half else number


def _named(said: str, group: str) -> str:
    plain = " ".join(said.strip(" -").split())
    return next((name for name, pattern in _EN.group(group).items() if plain and pattern.fullmatch(plain)), "")


@cache
def _grammar() -> re.Pattern[str]:
    """Return the pattern of a number with what stands before and behind it."""
    units, currencies = (
        "(?:" + "|".join(_EN.text(f"{group}.{name}") for name in _EN.group(group)) + ")"
        for group in ("units", "currencies")
    )
    signs = "|".join(sorted(map(re.escape, _EN.table("signs")), key=len, reverse=True))
    codes = "|".join(rf"\b{name}" for name in (*_EN.group("currencies"), r"rs\.?"))
    fractions = "|".join(map(re.escape, _EN.table("fractions")))
    how = "(?:(?:whole|good|solid|full|single|more|proper|straight|big|small|large|ish|glorious) )?"
    figures, words, vague = (_EN.text(name) for name in ("in_figures", "in_words", "before_units"))
    pieces = (
        rf"(?<![\w.,<])(?<!\d/)(?:(?:an? )?(?P<note>{'|'.join(_EN.table('notes'))})\b",
        rf"|(?:(?P<sign>{signs}|{codes})\s?)?",
        rf"(?:(?P<figures>{figures})|(?P<words>{words}(?!\w)|{vague}(?=[ -]{how}{units}(?!\w))))",
        r"(?:\s?(?P<scale>k|lakhs?|grand|million|hundred|thousand)(?![\w-]))?",
        rf"(?:\s?(?P<fraction>{fractions})(?!\w))?",
        rf"(?:[\s-]?(?P<currency>{currencies}(?!\w)|{signs})",
        rf"|[\s-]?{how}(?P<unit>{units})(?![^\W\d])(?!'(?!s\b))",
        r"(?:(?<=h)\s?(?P<minutes>\d{1,2})(?![\d.,])(?:\s?m(?:ins?)?\b)?)?",
        r"(?:\s(?P<more>and (?:a half|half|a quarter|three quarters))\b)?)?)",
    )
    return re.compile("".join(pieces), re.IGNORECASE)


def _joined(
    text: str, found: Sequence[Quantity], join: Callable[[str, Quantity, Quantity], Quantity | None]
) -> list[Quantity]:
    """Return quantities in order, each joined with the one before it where ``join`` makes one of the two."""
    joined: list[Quantity] = []
    for quantity in found:
        one = join(text, joined[-1], quantity) if joined else None
        if one is None:
            joined.append(quantity)
        else:
            joined[-1] = one
    return joined


def _as_range(text: str, last: Quantity, quantity: Quantity) -> Quantity | None:
    """Return "5 to 6 hours" and "between 700 and 800 words" as one quantity; None for what is no range."""
    between = text[last.end : quantity.start]
    is_range = re.fullmatch(r"\s?(?:to|or|-|–|—|maybe)\s?", between, re.IGNORECASE) is not None
    is_between = between == " and " and text[: last.start].lower().endswith("between ")
    is_near = not last.unit or quantity.value <= _MOST_APART * last.value
    if last.high is not None or not is_near or not (is_range or is_between) or last.unit not in ("", quantity.unit):
        return None
    is_scaled = last.value < quantity.value / 100 and quantity.value >= 1000  # 9 to 10k
    low = last.value * (1000 if is_scaled else 1)
    return replace(quantity, start=last.start, value=low, high=quantity.value) if low < quantity.value else None


def _as_one(text: str, last: Quantity, quantity: Quantity) -> Quantity | None:
    """Return "7 h 20", "two hours forty one" and "13 stone 4" as one quantity; None for what is more."""
    between = text[last.end : quantity.start]
    if not last.unit and quantity.unit == "rep" and _EN["sets"].fullmatch(between):
        return replace(quantity, start=last.start, value=last.value * quantity.value)
    pieces = {piece: of for (whole, piece), of in _PIECES.items() if whole == last.unit}
    is_piece = not quantity.unit and _EN["piece"].match(text, quantity.end) is not None
    size = pieces.get(quantity.unit) or (next(iter(pieces.values()), 0) if is_piece else 0)
    is_next = re.fullmatch(r",?\s?(?:and\s)?", between) is not None
    if not (is_next and size and quantity.value < size) or quantity.high is not None or quantity.is_money:
        return None
    return replace(last, end=quantity.end, value=last.value + quantity.value / size)
