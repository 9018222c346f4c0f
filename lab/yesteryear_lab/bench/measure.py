"""Suite: measure. What a person tells of their life in numbers: are all of them taken, and nothing else?

JSON Lines of ``{id, author, at, text, values, trap}``, where wanted with ``before``: what was said before, as
``{role, text}``. ``values`` lists what is to be taken: ``{of, value, unit, said}``, where wanted with ``high``, ``on``
(the first local day), ``for``, ``what``, ``per``, ``is`` ("target") and ``relative``. ``trap`` names what in the
message only looks so, or is null. Each row is a memory of its own. A value counts as taken where measure, number and
unit are right, whatever else is; a unit that was not said may be left out or filled in.

Rows with ``messages`` (``{at, text}``) and a ``zone`` are some days of one person: ``totals`` lists what they come to
from ``on`` to ``until``, as ``sum``, ``mean`` or ``last`` of a measure, and of what money was ``for``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import yesteryear
from yesteryear.results import Measurement
from yesteryear_lab.bench.report import Metrics, lend_memory, pair_off, suite_of_rows
from yesteryear_lab.figures import known, ratio, rounded, share
from yesteryear_lab.training.rows import Row

_BETWEEN, _REST = timedelta(seconds=30), timedelta(hours=1)  # between two messages, and after the last
_UNITS = {"h": "hour", "min": "minute", "s": "second", "mi": "mile", "m": "meter", "yd": "yard", "st": "stone"}
_UNITS |= {"g": "gram", "l": "liter", "gal": "gallon", "%": "percent", "C": "degC", "F": "degF", "glasses": "glass"}
_UNITS |= {f"{name}s": name for name in ("day", "length", "cup", "drink", "cigarette", "step", "page", "word", "rep")}
"""The units of the rows as a memory names them."""
_SIZES = {"hour": 60.0, "minute": 1.0, "kg": 1.0, "gram": 0.001, "lb": 0.45359237, "stone": 6.35029318}
_SIZES |= {"km": 1000.0, "mile": 1609.344, "meter": 1.0, "yard": 0.9144, "liter": 1.0, "ml": 0.001}
"""Units that may be said one for another, each in a common one of its kind."""
_SHORT = {"h": "hour", "min": "minute", "l": "liter", "m": "meter"}  # units of series, by their longer names
_COUNTED = frozenset("coffee drink cigarette step page word rep cup glass day /10 bpm".split())
"""Units that say what is counted, and no more than the measure does."""
_SAME = {"cup": "coffee"}
_CLOSE = 0.011  # share by which a number may differ: rows round to a hundredth


def _tell(row: Row, embedder: str) -> Metrics:
    """Tell a message after those before it, and compare its numbers; days of messages are told as such."""
    if "totals" in row:
        return _tell_days(row, embedder)
    at, before = datetime.fromisoformat(row["at"]), row.get("before", [])
    with lend_memory(row["author"], at - len(before) * _BETWEEN, embedder) as (memory, clock):
        for said in [*before, {"role": "user", "text": row["text"]}]:
            author = {"user": row["author"], "assistant": "Assistant"}.get(said["role"], "Friend")
            role = "assistant" if said["role"] == "assistant" else "user"
            told = memory.observe(said["text"], role=role, author=author, conversation="chat", zone=_zone(at))
            clock.advance(_BETWEEN)
        clock.advance(_REST)
        memory.flush()
        numbers = memory.messages(ids=[told.id])[0].numbers
    right, wrong, missed = pair_off(numbers, row["values"], _is)
    return {
        "id": row["id"],
        "trap": row["trap"],
        "text": row["text"],
        "right": len(right),
        "wrong": [{"of": n.measure, "value": n.value, "unit": n.unit, "nature": str(n.nature)} for n in wrong],
        "missed": missed,
        "days": [number.first_day.isoformat() == hit["on"] for number, hit in right if "on" in hit],
        "natures": [str(number.nature) == _nature(hit) for number, hit in right],
        "purposes": [_shares_a_word(number.what, hit["for"]) for number, hit in right if "for" in hit],
        "of": [(value["of"], value not in missed) for value in row["values"]],
    }


def _tell_days(row: Row, embedder: str) -> Metrics:
    """Tell all messages, and compare what their series come to with what they should."""
    with lend_memory(row["author"], datetime.fromisoformat(row["messages"][0]["at"]), embedder) as (memory, clock):
        for said in row["messages"]:
            clock.set(max(clock.now(), datetime.fromisoformat(said["at"])))
            memory.observe(said["text"], author=row["author"], conversation="chat", zone=row["zone"])
        clock.advance(_REST)
        memory.flush()
        zone = ZoneInfo(row["zone"])
        totals = [(total, _come_to(memory, total, zone)) for total in row["totals"]]
    return {"id": row["id"], "totals": [(total, found, _is_near(total, found)) for total, found in totals]}


def _come_to(memory: yesteryear.Memory, total: Mapping[str, Any], zone: ZoneInfo) -> float | None:
    """Return what a memory says that some days come to, in the unit that is asked for; None where it says nothing."""
    since = datetime.fromisoformat(total["on"]).replace(tzinfo=zone)
    until = datetime.fromisoformat(total["until"]).replace(tzinfo=zone) + timedelta(days=1)
    found = memory.metrics(measure=total["of"], since=since, until=until)
    wanted = total.get("for", total.get("what", ""))
    unit = _UNITS.get(total["unit"], total["unit"])
    meant = [series for series in found if not wanted or _shares_a_word(series.what, wanted, letters=5)]
    meant = [series for series in meant if _kind(series.unit) == _kind(unit) or not unit or not series.unit]
    if "sum" in total:
        sums = [series.total * _size(series.unit, unit) for series in meant if series.total is not None]
        return sum(sums) if sums else None
    values = [series.mean if "mean" in total else series.last for series in meant]
    return next((value * _size(meant[place].unit, unit) for place, value in enumerate(values) if value), None)


def _kind(unit: str) -> str:
    """Return what sort of unit it is, by the one that the others are told in."""
    named = _SHORT.get(unit, unit)
    kinds = {"hour": "time", "minute": "time", "kg": "mass", "gram": "mass", "lb": "mass", "stone": "mass"}
    kinds |= {"km": "length", "mile": "length", "meter": "length", "yard": "length", "liter": "volume", "ml": "volume"}
    return kinds.get(named, "" if named in _COUNTED else named)


def _size(unit: str, wanted: str) -> float:
    one, other = _SIZES.get(_SHORT.get(unit, unit)), _SIZES.get(wanted)
    return one / other if one and other else 1.0


def _is_near(total: Mapping[str, Any], found: float | None) -> bool:
    wanted = next(total[name] for name in ("sum", "mean", "last") if name in total)
    return found is not None and abs(found - wanted) <= _CLOSE * max(abs(found), abs(wanted))


def _zone(at: datetime) -> str:
    """Return a zone that has the offset of an instant; those of whole hours are named by what UTC is there."""
    offset = at.utcoffset() or timedelta(0)
    hours, rest = divmod(offset, timedelta(hours=1))
    return "Asia/Kolkata" if rest else "UTC" if not hours else f"Etc/GMT{-hours:+d}"


def _is(number: Measurement, value: Mapping[str, Any]) -> bool:
    unit, said = _UNITS.get(value["unit"], value["unit"]), number.unit
    size, other = _SIZES.get(unit, 1.0), _SIZES.get(said, 1.0)
    is_same_unit = said in (unit, _SAME.get(unit)) or not unit or not said or (unit in _SIZES and said in _SIZES)
    one, two = abs(value["value"]) * size, abs(number.value) * (other if said in _SIZES and unit else size)
    has_sign = not value.get("relative") or (value["value"] < 0) == (number.value < 0)
    return value["of"] == number.measure and is_same_unit and has_sign and abs(one - two) <= _CLOSE * max(one, two)


def _nature(value: Mapping[str, Any]) -> str:
    if value.get("is") == "target":
        return "target"
    return "usual" if value.get("per") else "change" if value.get("relative") else "measured"


def _shares_a_word(found: str, wanted: str, *, letters: int | None = None) -> bool:
    """Tell whether two texts have a word in common, or its first letters."""
    mine, others = ({word[:letters] for word in text.lower().split()} for text in (found, wanted))
    return not mine.isdisjoint(others)


def _figures(found: Sequence[Metrics]) -> Metrics:
    totals = [is_right for row in found for *_, is_right in row.get("totals", ())]
    rows = [row for row in found if "totals" not in row]
    right, missed = sum(row["right"] for row in rows), sum(len(row["missed"]) for row in rows)
    wrong = sum(len(row["wrong"]) for row in rows)
    taken = [value for row in rows for value in row["of"]]
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
    figures |= {"totals": len(totals), "totals.right": share(totals)}
    for kind in sorted({of for of, _ in taken}):
        figures[f"recall.{kind}"] = share(is_taken for of, is_taken in taken if of == kind)
    return known(rounded(figures))


SUITE = suite_of_rows(
    "numbers of one's life: which are taken of a message, and what only looks so",
    _tell,
    _figures,
    form="{id, author, at, text, values, trap}, or of {id, author, zone, messages, totals}",
    needs=("id", "author"),
)
