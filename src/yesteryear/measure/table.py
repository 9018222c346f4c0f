"""What people measure of their lives: the table of measures, and the units that series of them are kept in.

As the words of a language have it. What nobody can know, such as how much a glass holds, is assumed, in
``language/en/series.toml``. Money is never converted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from yesteryear.core.language.vocabulary import vocabulary

MONEY = frozenset({"spent", "earned", "saved"})  # measures of money, each with what it was for
LEVELS = frozenset({"weight", "glucose", "heart_rate", "body_fat", "blood_pressure"})
"""What somebody has at any time, so that "down 3" tells a difference."""
IN_TWO_UNITS = frozenset({"run", "walk", "cycle", "swim", "exercise"})  # what is told by how far and by how long
_SERIES = vocabulary("series")
COUNTED = "count"  # the measure of what is only counted


class Measure(NamedTuple):
    """A row of the table."""

    name: str
    units: tuple[str, ...]
    """Those that can measure it, the one it is kept in first; "bare" where it is told in mere numbers."""
    pattern: re.Pattern[str]  # words that tell it
    asked: re.Pattern[str]  # what a question has that asks for it
    fold: str  # how the values of a day come together: their ``sum``, the ``last``, the ``most`` or the ``mean``
    adds_up: bool  # whether the values of several days have a total
    least: float  # least value that anybody has, in the first unit
    most: float
    is_alone: bool  # whether its units tell by themselves what they measure
    needs: str  # the one of its units that does not
    apart: re.Pattern[str] | None  # words of what is told beside the one value of a day, such as a nap


@cache
def measures() -> Mapping[str, Measure]:
    """Return what is measured, by name, in the order in which the nearer of two is looked for."""
    return MappingProxyType({row["name"]: _measure(row) for row in vocabulary("measures").rows("measures")})


def _measure(row: Mapping[str, str]) -> Measure:
    pattern = re.compile(row["pattern"], re.IGNORECASE)
    return Measure(
        row["name"],
        tuple(row["units"].split()),
        pattern,
        re.compile(f"{row['pattern']}|{row['asked']}", re.IGNORECASE) if "asked" in row else pattern,
        row["fold"],
        bool(row.get("adds", row["fold"] == "sum")),
        float(row["least"]),
        float(row["most"]),
        bool(row.get("alone", False)),
        row.get("needs", ""),
        re.compile(row["apart"], re.IGNORECASE) if "apart" in row else None,
    )


if TYPE_CHECKING:
    from pint import UnitRegistry


def known_measures() -> tuple[str, ...]:
    """Return the names of all measures."""
    return (*measures(), COUNTED)


def units_of(measure: str) -> tuple[str, ...]:
    """Return the units in which a measure is kept; the empty one for what has a unit of its own each time."""
    if measure in MONEY or measure not in measures():
        return ("",)
    return tuple(_SERIES.table("units").get(measure, measures()[measure].units[0]).split())


def understood(measure: str, value: float, unit: str) -> str:
    """Return the unit that is meant where it was not said: 39 degrees are Celsius, 102 Fahrenheit."""
    for said, below, meant in _SERIES.table("understood").get(measure, ()):
        if unit == said and value < below:
            return str(meant)
    return unit


def series_unit(measure: str, unit: str) -> str | None:
    """Return the unit of the series that a number in this unit belongs to; None where there is none."""
    return next((target for target in units_of(measure) if converted(1.0, measure, unit, target) is not None), None)


def converted(value: float, measure: str, unit: str, target: str, *, is_difference: bool = False) -> float | None:
    """Return a number in another unit, by what is assumed of its measure; None where that cannot be.

    A difference between two has no zero (``is_difference``): 1 degC is 1.8 degF.
    """
    if unit == target:
        return value
    assumed = _SERIES.table("assumed").get(measure, {})
    if unit in assumed:
        factor, base = assumed[unit].split()
        return converted(value * float(factor), measure, base, target, is_difference=is_difference)
    whole, other = _whole(unit), _whole(target)
    if whole and other:
        return value * other / whole
    factor, zero = _line(unit, target) or (None, 0.0)
    return None if factor is None else value * factor + (0.0 if is_difference else zero)


def _whole(unit: str) -> float:
    """Return out of how many marks are given; 0 for what is no mark."""
    if unit == "percent":
        return 100.0
    return float(unit[1:]) if unit.startswith("/") and unit[1:].replace(".", "", 1).isdigit() else 0.0


@cache
def _registry() -> UnitRegistry[float]:
    import pint  # noqa: PLC0415 - takes half a second, and most memories are never asked for numbers

    return pint.UnitRegistry()


@cache
def _line(unit: str, target: str) -> tuple[float, float] | None:
    """Return by what a number is multiplied, and what is added, to have it in another unit; None where nothing does."""
    registry = _registry() if {unit, target} <= _PHYSICAL else None
    if registry is None or registry.get_dimensionality(unit) != registry.get_dimensionality(target):
        return None
    zero, one = (float(registry.Quantity(end, unit).to(target).magnitude) for end in (0.0, 1.0))
    return one - zero, zero


_PHYSICAL = frozenset(
    "km m meter mile yard kg gram lb stone h min s hour minute second l liter ml gallon fluid_ounce degC degF".split()
)
"""Units that pint means as we do; a glass, a step and a degree it does not know, or takes for something else."""
