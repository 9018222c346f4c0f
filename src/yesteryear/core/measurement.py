"""A number that somebody said of their own life, as one message tells it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from yesteryear.core.results import Plain


class Nature(StrEnum):
    """What a number is of."""

    MEASURED = "measured"  # it was so, or happened
    USUAL = "usual"  # a habit or a rate: "six hours a night", "900 a month"
    TARGET = "target"  # a goal or a limit that they set themselves
    CHANGE = "change"  # a difference from before, negative where it is less


class Manner(StrEnum):
    """How a number is told."""

    FIRST = "first"  # as something that was not told before
    CORRECTS = "corrects"  # in the place of what was told before
    REPEATS = "repeats"  # once more


@dataclass(frozen=True, slots=True)
class Measurement(Plain):
    """One number with what it measures, in the words of one message."""

    measure: str
    """What is measured, a name of the table of measures: "sleep"; ``count`` for what is only counted."""
    value: float
    """As it was said, in ``unit``; the lower end of a range."""
    unit: str
    """A unit, a currency, "/10" for marks out of ten; empty where none was said and none is understood."""
    start: int
    """Where its words begin in the text of the message."""
    end: int
    first_day: date
    """The first local day that it is about; of a habit and a goal the day it was said."""
    last_day: date
    """The last of these days; the same for what happened on one."""
    high: float | None = None
    """The higher end of a range, or the lower pressure of blood; None for one number."""
    nature: Nature = Nature.MEASURED
    per: str = ""
    """Of a habit or a goal, the stretch it is for: day, week, month or hour; empty where none was said."""
    what: str = ""
    """What money was for or came from, or what was counted, as said; "nap" of sleep beside a night's; else empty."""
    manner: Manner = Manner.FIRST
    """How it is told: as new, as a correction, or once more."""
