"""Series: all numbers of one measure that messages tell, in one unit, each for its days. Pure.

Numbers are read once, when a message is judged, and stand with its row; series are derived from these rows whenever
somebody asks. What they come to does not depend on the order in which the rows are passed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import cached_property
from math import isclose
from typing import NamedTuple

from yesteryear.core.language.tokens import stem, words
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.measurement import Manner, Measurement, Nature
from yesteryear.core.message import Message
from yesteryear.core.results import Plain
from yesteryear.core.time import local
from yesteryear.measure.table import COUNTED, MONEY, converted, measures, series_unit, understood, units_of

_EN = vocabulary("series")
_SUM = "sum"
_PRESSURE = "blood_pressure"
_HAS_WHAT = MONEY | {COUNTED, _PRESSURE}
"""Measures of which there is a series for each thing that is bought, counted or told."""
_ONE_A_NIGHT = "sleep"
"""Of which a later value of the same day takes the place of the one before, unless either is of a nap."""
_CORRECTED_WITHIN = timedelta(days=1)  # how long after a number was told a correction may take its place
NO_UNIT = "no unit was said, and several are used"
NO_CURRENCY = "no currency was said, and several are used"
NO_EARLIER = "a difference, and no earlier value is known"
REPLACED = "another value was told in its place"
REPEATED = "told before"


class SeriesKey(NamedTuple):
    """What is one series: money of another currency is another."""

    measure: str
    unit: str
    what: str = ""  # folded, without articles and endings; empty where a measure is of one thing


@dataclass(frozen=True, slots=True)
class SeriesPoint(Plain):
    """A value of a series, as one message told it."""

    first_day: date
    """The first local day that it is about."""
    last_day: date
    """The last of these; the same for one day."""
    value: float
    """In the unit of the series; the middle of a range."""
    said: str
    """The words; empty where they were not kept."""
    message: str
    """Id of the message, the caller's own where given."""
    low: float | None = None
    """The lower end of a range, in the unit of the series; None for one number."""
    high: float | None = None
    """The higher end."""


@dataclass(frozen=True, slots=True)
class ToldAim(Plain):
    """A goal or a habit, as one message told it; no value of any day."""

    value: float
    """In ``unit``; the lower end of a range."""
    high: float | None
    """The higher end of a range; None for one number."""
    unit: str
    per: str
    """The stretch it is for: day, week, month or hour; empty where none was said."""
    day: date
    """The local day on which it was said."""
    said: str
    """The words; empty where they were not kept."""
    message: str
    """Id of the message, the caller's own where given."""


@dataclass(frozen=True, slots=True)
class Uncounted(Plain):
    """A number that was told and does not count, and why."""

    value: float
    """As it was said, in ``unit``."""
    unit: str
    day: date
    """The first local day that it is about."""
    reason: str
    said: str
    """The words; empty where they were not kept."""
    message: str
    """Id of the message, the caller's own where given."""


@dataclass(frozen=True)
class Series:
    """All of one measure, in one unit."""

    key: SeriesKey
    what: str  # what was counted or bought, as it was said first
    points: tuple[SeriesPoint, ...] = ()  # by their days, then by when they were said
    target: ToldAim | None = None  # the latest goal
    usual: ToldAim | None = None  # the latest habit or rate
    left_out: tuple[Uncounted, ...] = ()

    @property
    def fold(self) -> str:
        """How the values of a day come together: their ``sum``, the ``last``, the ``most`` or the ``mean``."""
        return measures()[self.key.measure].fold if self.key.measure in measures() else _SUM

    @property
    def adds_up(self) -> bool:
        """Whether the values of several days have a total."""
        return measures()[self.key.measure].adds_up if self.key.measure in measures() else True

    @cached_property
    def days(self) -> dict[date, float]:
        """The value of each day for which something was told, in order; what is told of longer stretches is not."""
        told: dict[date, list[float]] = {}
        for point in self.points:
            if point.first_day == point.last_day:
                told.setdefault(point.first_day, []).append(point.value)
        return {day: folded(values, self.fold) for day, values in sorted(told.items())}


def folded(values: Sequence[float], fold: str) -> float:
    """Return what the values of one day come to, which stand in the order in which they were said."""
    if fold == "sum":
        return sum(values)
    if fold == "most":
        return max(values)
    return values[-1] if fold == "last" else sum(values) / len(values)


def what_key(what: str) -> str:
    """Return what is bought or counted in a form to compare by: "the Coffees" and "coffee", "push-ups" and "pushup"."""
    return " ".join(stem(word) for word in words(what.replace("-", "")) if word not in _EN.words("articles"))


@dataclass(frozen=True, slots=True)
class _Telling:
    """A number in its message."""

    number: Measurement
    message: Message
    place: tuple[datetime, str, int]  # when it was said; a correction stands where what it corrects stood
    key: SeriesKey
    factor: Callable[[float], float]  # brings a number into the unit of the series
    reason: str = ""  # why it does not count; empty where it does

    @property
    def value(self) -> float:
        value = self.factor(self.number.value)
        return value if self.number.high is None else (value + self.factor(self.number.high)) / 2

    @property
    def days(self) -> tuple[date, date]:
        return self.number.first_day, self.number.last_day

    @property
    def said(self) -> str:
        return self.message.content[self.number.start : self.number.end]

    def point(self) -> SeriesPoint:
        value, high = self.number.value, self.number.high
        ends = sorted((self.factor(value), self.factor(high))) if high is not None else ()
        return SeriesPoint(*self.days, self.value, self.said, self.message.name, *ends)

    def aim(self) -> ToldAim:
        number, name = self.number, self.message.name
        high = None if number.high is None else self.factor(number.high)
        unit = number.unit if self.reason else self.key.unit
        return ToldAim(self.factor(number.value), high, unit, number.per, number.first_day, self.said, name)

    def left_out(self) -> Uncounted:
        number = self.number
        return Uncounted(number.value, number.unit, number.first_day, self.reason, self.said, self.message.name)


def build_series(messages: Iterable[Message]) -> list[Series]:
    """Return the series of all numbers that messages tell, in any order: those told most often first, then by name.

    A correction takes the place of the latest value of its measure and days that the same author told within a day
    before; what is only told again counts once. A difference is added to the latest earlier value.
    """
    told = _placed(list(_numbers(messages)))
    values, uncounted = _measured([telling for telling in told if telling.number.nature is Nature.MEASURED])
    values = _with_changes(values, [telling for telling in told if telling.number.nature is Nature.CHANGE])
    aims = [telling for telling in told if telling.number.nature in (Nature.USUAL, Nature.TARGET)]
    by_key: dict[SeriesKey, list[_Telling]] = {}
    for telling in sorted([*values, *aims, *uncounted], key=lambda telling: telling.place):
        by_key.setdefault(telling.key, []).append(telling)
    found = [_series(key, tellings) for key, tellings in by_key.items()]
    return sorted(found, key=lambda series: (-len(series.points), series.key))


def _series(key: SeriesKey, told: Sequence[_Telling]) -> Series:
    measured = [telling for telling in told if telling.number.nature is Nature.MEASURED]
    counted = sorted((row for row in measured if not row.reason), key=lambda telling: (*telling.days, telling.place))
    aims = {telling.number.nature: telling.aim() for telling in told if telling.number.nature is not Nature.MEASURED}
    return Series(
        key,
        told[0].number.what if key.what else "",
        tuple(telling.point() for telling in counted),
        aims.get(Nature.TARGET),
        aims.get(Nature.USUAL),
        tuple(telling.left_out() for telling in measured if telling.reason),
    )


def _numbers(messages: Iterable[Message]) -> Iterator[tuple[Message, int, Measurement]]:
    """Yield numbers by when they were said; pressures of blood as two."""
    for message in sorted(messages, key=lambda message: (message.at, message.id)):
        for place, number in enumerate(message.numbers):
            if number.measure == _PRESSURE and number.high is not None:
                yield message, 2 * place, replace(number, high=None, what="systolic")
                yield message, 2 * place + 1, replace(number, value=number.high, high=None, what="diastolic")
            else:
                yield message, 2 * place, number


def _placed(numbers: Sequence[tuple[Message, int, Measurement]]) -> list[_Telling]:
    used: dict[str, Counter[str]] = {}
    for _, _, number in numbers:
        unit = _meant(number)
        if unit and (number.measure in MONEY or series_unit(number.measure, unit) is not None):
            used.setdefault(_habit(number), Counter())[unit] += 1
    return [
        _with_unit(message, (message.at, message.id, place), number, list(used.get(_habit(number), ())))
        for message, place, number in numbers
    ]


def _habit(number: Measurement) -> str:
    """Return of what somebody uses one unit, or several: money is one, whatever it is for."""
    return "money" if number.measure in MONEY else number.measure


def _meant(number: Measurement) -> str:
    return understood(number.measure, number.value, number.unit)


def _with_unit(message: Message, place: tuple[datetime, str, int], number: Measurement, used: list[str]) -> _Telling:
    """Return a number in the unit of its series; without a unit it has the only one that is ever said."""
    measure, unit = number.measure, _meant(number)
    what = what_key(number.what) if measure in _HAS_WHAT else ""
    if measure == COUNTED or measure not in measures():
        return _Telling(number, message, place, SeriesKey(measure, "", what), float)
    if not unit and len(used) > 1:
        reason = NO_CURRENCY if measure in MONEY else NO_UNIT
        return _Telling(number, message, place, SeriesKey(measure, units_of(measure)[0], what), float, reason)
    unit = unit or (used[0] if used else "")
    target = unit if measure in MONEY or not unit else series_unit(measure, unit)
    if target is None:
        target, reason = units_of(measure)[0], f"{unit} cannot be told in {units_of(measure)[0]}"
        return _Telling(number, message, place, SeriesKey(measure, target, what), float, reason)

    def into(value: float) -> float:
        found = converted(value, measure, unit, target, is_difference=number.nature is Nature.CHANGE)
        return value if found is None else found

    return _Telling(number, message, place, SeriesKey(measure, target, what), into)


def _measured(told: Iterable[_Telling]) -> tuple[list[_Telling], list[_Telling]]:
    """Return what was measured, corrected, and what does not count for that, or is only told again, with its reason."""
    kept: list[_Telling] = []
    uncounted: list[_Telling] = []
    places: dict[tuple[str, tuple[date, date]], list[int]] = {}
    for telling in told:
        same = places.setdefault((telling.key.measure, telling.days), [])
        wrong = next((place for place in reversed(same) if _takes_the_place(telling, kept[place])), None)
        if wrong is not None:
            is_equal = isclose(telling.value, kept[wrong].value, rel_tol=1e-9)
            uncounted.append(replace(kept[wrong], reason=REPEATED if is_equal else REPLACED))
            kept[wrong] = _instead(telling, kept[wrong])
        elif telling.reason or not any(_repeats(telling, kept[place]) for place in same):
            same.append(len(kept))
            kept.append(telling)
        else:
            uncounted.append(replace(telling, reason=REPEATED))
    return kept, uncounted


def _takes_the_place(telling: _Telling, old: _Telling) -> bool:
    """Tell whether a number takes the place of an earlier one of its measure and days: "no wait, I ran 12"."""
    message, before = telling.message, old.message
    if message.id == before.id or message.author != before.author:
        return False
    if telling.key.measure == _ONE_A_NIGHT and not (telling.number.what or old.number.what):
        return True
    return (
        telling.number.manner is Manner.CORRECTS
        and message.at - before.at <= _CORRECTED_WITHIN
        and telling.key.what in ("", old.key.what)
        and (telling.key.unit == old.key.unit or not telling.number.unit)
    )


def _instead(telling: _Telling, wrong: _Telling) -> _Telling:
    """Return a correction, in the unit and of the thing of what it corrects, where it tells none."""
    number = telling.number if telling.number.what else replace(telling.number, what=wrong.number.what)
    into, reason = (telling.factor, telling.reason) if telling.number.unit else (wrong.factor, wrong.reason)
    return _Telling(number, telling.message, wrong.place, wrong.key, into, reason)


def _repeats(telling: _Telling, old: _Telling) -> bool:
    """Tell whether a number is an earlier one of its measure and days, told again."""
    if old.reason or telling.message.id == old.message.id or telling.key != old.key:
        return False
    if not isclose(telling.value, old.value, rel_tol=1e-9, abs_tol=1e-12):
        return False
    known = measures().get(telling.key.measure)
    return telling.number.manner is Manner.REPEATS or (known is not None and known.fold != _SUM)


def _with_changes(values: Sequence[_Telling], changes: Iterable[_Telling]) -> list[_Telling]:
    """Return values with those that follow from differences; one without a value before it stays out, with the reason.

    Each is added to the latest value, up to the days that it names, that was told before: "down 2 kg since last week"
    starts from what was so last week. What comes of it is so on the day it was said.
    """
    known, done = list(values), set[tuple[SeriesKey, float]]()
    for change in changes:
        if (change.key, change.number.value) in done and change.number.manner is Manner.REPEATS:
            continue
        done.add((change.key, change.number.value))
        before = [
            old
            for old in known
            if old.key == change.key and not old.reason and old.days[1] <= change.days[1] and old.place < change.place
        ]
        today = local(change.message.at, change.message.zone).date()
        number = replace(change.number, nature=Nature.MEASURED, first_day=today, last_day=today)
        if change.reason or not before:
            known.append(replace(change, number=number, reason=change.reason or NO_EARLIER))
            continue
        base = max(before, key=lambda old: (old.days[1], old.place)).value
        known.append(replace(change, number=number, factor=_added_to(base, change.factor)))
    return known


def _added_to(base: float, into: Callable[[float], float]) -> Callable[[float], float]:
    return lambda difference: base + into(difference)
