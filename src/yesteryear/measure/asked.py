"""Which number of their life somebody asks for: "how much did I spend on food this week?" English."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from yesteryear.core.language.dates import find_periods
from yesteryear.core.language.tokens import stems
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.time import FIRST, FOREVER, local
from yesteryear.measure.table import MONEY, Measure, measures

_EN = vocabulary("measures")
MOST_CHARS = 400  # characters of a message, from its beginning, in which such a question is looked for


@dataclass(frozen=True, slots=True)
class AskedNumber:
    """What is asked for."""

    measure: str
    what: frozenset[str]  # stems of what money was for, any of which may be meant; empty for all of it
    said: str  # what money was for, as asked
    first_day: date | None  # the first local day that is asked about; None for as long as anything is known
    last_day: date | None
    is_mean: bool  # whether an average is asked for, and no total


def asked_number(text: str, *, now: datetime, zone: str | None) -> AskedNumber | None:
    """Return which number of their life somebody asks for; None where a message asks for none.

    ``now`` is from when "this week" counts, ``zone`` the IANA zone of the person, or None for UTC.
    """
    asked = text[:MOST_CHARS]
    begins = _EN["asks_number"].search(asked)
    measure = _measure_of(asked) if begins and _EN["own"].search(asked) else None
    if measure is None:
        return None
    period = next(iter(find_periods(asked, now=now, zone=zone)), None)
    first = local(period.start, zone).date() if period and period.start > FIRST else None
    last = (local(period.end, zone) - timedelta(hours=1)).date() if period and period.end < FOREVER else None
    is_mean = measure.fold in ("mean", "last") or _EN["asks_mean"].search(asked) is not None
    said = _said(asked) if measure.name in MONEY else ""
    what = frozenset(stems(f"{said} {_EN.table('purposes').get(said, '')}"))
    return AskedNumber(measure.name, what, said, first, last, is_mean)


def _measure_of(asked: str) -> Measure | None:
    """Return the measure of which a word stands first in a question; money only where "how much" of it is asked."""
    for name in ("earned", "spent"):
        if _EN[f"asks_{name}"].search(asked):
            return measures()[name]
    is_of_money = _EN["asks_of_money"].search(asked) is not None
    found = (
        (match.start(), measure)
        for measure in measures().values()
        if (is_of_money or measure.name not in MONEY) and (match := measure.pattern.search(asked))
    )
    return min(found, key=lambda each: (each[1].name == "spent", each[0]), default=(0, None))[1]


def _said(asked: str) -> str:
    """Return what money is asked about, in small letters; empty for all of it."""
    found = _EN["asks_kind"].search(asked) or _EN["asks_on"].search(asked)
    said = found["what"].lower() if found else ""
    return "" if said in _EN.words("no_purposes") else said
