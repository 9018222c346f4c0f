"""What the commands that ask share: whose words come first, how the question was read, what a score is made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from yesteryear.cli.output import Output, one_line, shorten

if TYPE_CHECKING:
    from yesteryear.core.language.dates import Period
    from yesteryear.recall.retrieve import Reading

MARGIN = 3
"""Columns before what belongs to a numbered entry."""
_NAME_COLUMNS = 15
"""Of a signal's name, or of what a line is about."""
_BAR_COLUMNS = 36
"""Of the longest bar."""
_QUESTION_CHARS = 300
"""Longest question that is shown whole."""
_DAY = "%Y-%m-%d"
_HOUR = "%Y-%m-%d %H:%M"


class Speaker(StrEnum):
    """Whose words come first where a person talks with an assistant."""

    USER = "user"
    ASSISTANT = "assistant"
    ANYBODY = "anybody"

    @property
    def role(self) -> str | None:
        """How the verbs call it."""
        return None if self is Speaker.ANYBODY else self.value


def show_reading(reading: Reading, asked: str, output: Output) -> None:
    """Print what was read from a question: what is searched for, who and which days are named, whose words come first.

    Args:
        reading: What was read.
        asked: The question as it was asked.
        output: Where it is shown.
    """
    from yesteryear.recall.retrieve import MAX_QUESTION_CHARS

    output.say("How it was read", style="bold")
    show_field("searched for", shorten(reading.text, chars=_QUESTION_CHARS) or "nothing", output)
    if reading.text != asked[:MAX_QUESTION_CHARS]:
        show_field("", "(without the names of those who speak here)", output)
    show_field("people", ", ".join(reading.people) or "nobody is named", output)
    show_field(
        "days", "; ".join(say_period(period, reading.zone) for period in reading.periods) or "none named", output
    )
    show_field("preferred", f"the {reading.speaker}'s words" if reading.speaker else "nobody's words", output)


def say_period(period: Period, zone: str | None) -> str:
    """Say which days were meant: ``last week = 2026-03-02 to 2026-03-08``."""
    from yesteryear.core.time import FOREVER, local
    from yesteryear.core.wallclock import BEGINNING, Grain

    start, end = local(period.start, zone), local(period.end, zone)
    if period.start <= BEGINNING:
        days = f"before {end:{_DAY}}"
    elif period.end >= FOREVER:
        days = f"since {start:{_DAY}}"
    elif period.grain is Grain.HOURS:
        days = f"{start:{_HOUR}} to {end:{_HOUR}}"
    else:
        last = end - timedelta(microseconds=1)
        days = f"{start:{_DAY}}" + (f" to {last:{_DAY}}" if last.date() > start.date() else "")
    return f"{one_line(period.said)} = {days}"


def largest(signals: Iterable[Mapping[str, float]]) -> float:
    """Return the largest contribution of all, whatever its sign; 0 where there is none."""
    return max((abs(value) for one in signals for value in one.values()), default=0.0)


def show_signals(signals: Mapping[str, float], output: Output, *, scale: float) -> None:
    """Print what a score is the sum of, the largest contribution first, with a bar of its sign for each.

    Args:
        signals: Contributions by name.
        output: Where they are shown.
        scale: The contribution whose bar is as long as can be.
    """
    for name, value in sorted(signals.items(), key=lambda signal: -abs(signal[1])):
        bar = ("+" if value > 0 else "-") * round(_BAR_COLUMNS * abs(value) / scale)
        style = "green" if value > 0 else "red"
        output.say(f"{' ' * MARGIN}{name:<{_NAME_COLUMNS}}{value:+6.2f}  {bar}".rstrip(), style=style)


def show_field(name: str, text: str, output: Output, *, style: str = "") -> None:
    """Print what a line is about, and what there is to say; long ones go on below."""
    output.wrap(f"{name:<{_NAME_COLUMNS}}{text}", indent=MARGIN, hanging=_NAME_COLUMNS, style=style)
