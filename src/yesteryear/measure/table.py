"""What people measure of their lives: the table of measures, as the words of a language have it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from yesteryear.core.language.vocabulary import vocabulary

MONEY = frozenset({"spent", "earned", "saved"})  # measures of money, each with what it was for
LEVELS = frozenset({"weight", "glucose", "heart_rate", "body_fat", "blood_pressure"})
"""What somebody has at any time, so that "down 3" tells a difference."""
IN_TWO_UNITS = frozenset({"run", "walk", "cycle", "swim", "exercise"})  # what is told by how far and by how long


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
