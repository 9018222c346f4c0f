"""Suite: measure. What a person tells of their life in numbers: are all of them taken, and nothing else?

JSON Lines of ``{id, author, at, text, values, trap}``, where wanted with ``before``: what was said before, as
``{role, text}``. ``values`` lists what is to be taken: ``{of, value, unit, said}``, where wanted with ``high``, ``on``
(the first local day), ``for``, ``what``, ``per``, ``is`` ("target") and ``relative``. ``trap`` names what in the
message only looks so, or is null. Each row is a memory of its own. A value counts as taken where measure, number and
unit are right, whatever else is; a unit that was not said may be left out or filled in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import yesteryear
from yesteryear.results import Measurement
from yesteryear_lab.bench.report import Metrics, Progress, Report, Suite, open_idle, tell_count
from yesteryear_lab.figures import ratio, share
from yesteryear_lab.training.rows import read_rows

_NEEDS = ("id", "author", "at", "text", "values", "trap")
_BETWEEN, _REST = timedelta(seconds=30), timedelta(hours=1)
"""Between two messages, and after the last."""
_UNITS = {"h": "hour", "min": "minute", "s": "second", "mi": "mile", "m": "meter", "yd": "yard", "st": "stone"}
_UNITS |= {"g": "gram", "l": "liter", "gal": "gallon", "%": "percent", "C": "degC", "F": "degF", "glasses": "glass"}
_UNITS |= {f"{name}s": name for name in ("day", "length", "cup", "drink", "cigarette", "step", "page", "word", "rep")}
"""The units of the rows as a memory names them."""
_SIZES = {"hour": 60.0, "minute": 1.0, "kg": 1.0, "gram": 0.001, "lb": 0.45359237, "stone": 6.35029318}
_SIZES |= {"km": 1000.0, "mile": 1609.344, "meter": 1.0, "yard": 0.9144, "liter": 1.0, "ml": 0.001}
"""Units that may be said one for another, each in a common one of its kind."""
_SAME = {"cup": "coffee"}
_CLOSE = 0.011
"""Share by which a number may differ: rows round to a hundredth."""


@dataclass(frozen=True, slots=True)
class MeasureOptions:
    """What can be asked of this suite."""

    embedder: str = "auto"


def _run(data: Sequence[Path], options: MeasureOptions, say: Progress) -> Report:
    rows = [row for path in data for row in read_rows(path, needs=_NEEDS)]
    found = [_tell(row, options.embedder) for row in tell_count(rows, say)]
    return Report(len(found), _figures(found), rows=found)


SUITE = Suite(
    "numbers of one's life: which are taken of a message, and what only looks so",
    _run,
    MeasureOptions,
    needs="JSON Lines of {id, author, at, text, values, trap}, and before where wanted",
    takes_more=True,
)


def _tell(row: Mapping[str, Any], embedder: str) -> Metrics:
    at, before = datetime.fromisoformat(row["at"]), row.get("before", [])
    clock = yesteryear.ReplayClock(at - len(before) * _BETWEEN)
    with open_idle(":memory:", clock=clock, embedder=embedder) as engine:
        memory = engine.memory(user=row["author"].casefold())
        for said in [*before, {"role": "user", "text": row["text"]}]:
            author = {"user": row["author"], "assistant": "Assistant"}.get(said["role"], "Friend")
            role = "assistant" if said["role"] == "assistant" else "user"
            told = memory.observe(said["text"], role=role, author=author, conversation="chat", zone=_zone(at))
            clock.advance(_BETWEEN)
        clock.advance(_REST)
        memory.flush()
        numbers = memory.messages(ids=[told.id])[0].numbers
    left, wrong, right = list(row["values"]), [], []
    for number in numbers:
        hit = next((value for value in left if _is(number, value)), None)
        if hit is None:
            wrong.append(_shown(number))
        else:
            left.remove(hit)
            right.append((hit, number))
    return {
        "id": row["id"],
        "trap": row["trap"],
        "text": row["text"],
        "right": len(right),
        "wrong": wrong,
        "missed": left,
        "days": [number.first_day.isoformat() == hit["on"] for hit, number in right if "on" in hit],
        "natures": [str(number.nature) == _nature(hit) for hit, number in right],
        "purposes": [_shares_a_word(number.what, hit["for"]) for hit, number in right if "for" in hit],
        "of": [(value["of"], value not in left) for value in row["values"]],
    }


def _zone(at: datetime) -> str:
    """Return a zone that has the offset of an instant; those of whole hours are named by what UTC is there."""
    offset = at.utcoffset() or timedelta(0)
    hours, rest = divmod(offset, timedelta(hours=1))
    return "Asia/Kolkata" if rest else "UTC" if not hours else f"Etc/GMT{-hours:+d}"


def _is(number: Measurement, value: Mapping[str, Any]) -> bool:
    unit, said = _UNITS.get(value["unit"], value["unit"]), number.unit
    size, other = _SIZES.get(unit, 1.0), _SIZES.get(said, 1.0)
    is_same_unit = _SAME.get(unit, unit) == said or not unit or not said or (unit in _SIZES and said in _SIZES)
    one, two = abs(value["value"]) * size, abs(number.value) * (other if said in _SIZES and unit else size)
    has_sign = not value.get("relative") or (value["value"] < 0) == (number.value < 0)
    return value["of"] == number.measure and is_same_unit and has_sign and abs(one - two) <= _CLOSE * max(one, two)


def _nature(value: Mapping[str, Any]) -> str:
    if value.get("is") == "target":
        return "target"
    return "usual" if value.get("per") else "change" if value.get("relative") else "measured"


def _shares_a_word(found: str, wanted: str) -> bool:
    return bool(set(found.lower().split()) & set(wanted.lower().split()))


def _shown(number: Measurement) -> Metrics:
    return {"of": number.measure, "value": number.value, "unit": number.unit, "nature": str(number.nature)}


def _figures(rows: Sequence[Metrics]) -> Metrics:
    right, missed = sum(row["right"] for row in rows), sum(len(row["missed"]) for row in rows)
    wrong = sum(len(row["wrong"]) for row in rows)
    kinds = Counter(of for row in rows for of, _ in row["of"])
    figures = {
        "values": right + missed,
        "precision": ratio(right, right + wrong),
        "recall": ratio(right, right + missed),
        "traps": sum(row["trap"] is not None for row in rows),
        "traps.taken": share(bool(row["wrong"]) for row in rows if row["trap"] is not None),
        "day": share(is_right for row in rows for is_right in row["days"]),
        "nature": share(is_right for row in rows for is_right in row["natures"]),
        "purpose": share(is_right for row in rows for is_right in row["purposes"]),
    }
    of = {
        f"recall.{kind}": share(is_taken for row in rows for name, is_taken in row["of"] if name == kind)
        for kind in sorted(kinds)
    }
    return {name: value for name, value in (figures | of).items() if value is not None}
