"""Suite: told. One message, in the little that stands before it: is what it tells known, and for how long?

JSON Lines of ``{id, author, messages, must, why}``, where wanted with ``at`` (when it was said) and ``holds``.
``messages`` are of ``{role, text}``; the last one tells. ``must`` lists what is to be known, each as groups of stems;
it is empty where nothing is to be kept. ``holds`` says of later days whether it is still so. Each row is a memory of
its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import yesteryear
from yesteryear_lab.bench.lives import tells
from yesteryear_lab.bench.report import MOST_FACTS, Metrics, Progress, Report, Suite, open_idle, tell_count
from yesteryear_lab.figures import share
from yesteryear_lab.training.rows import read_rows

_SAID = datetime(2026, 2, 2, 18, tzinfo=UTC)
_REST, _NOON = timedelta(hours=20), timedelta(hours=12)
_NEEDS = ("id", "author", "messages", "must", "why")


@dataclass(frozen=True, slots=True)
class ToldOptions:
    """What can be asked of this suite."""

    embedder: str = "auto"


def _run(data: Path, options: ToldOptions, say: Progress) -> Report:
    rows = read_rows(data, needs=_NEEDS)
    found = [_tell(row, options.embedder) for row in tell_count(rows, say)]
    return Report(len(found), _figures(found), rows=found)


SUITE = Suite(
    "one message: whether what it tells is known, and no longer than it holds",
    _run,
    ToldOptions,
    needs="JSON Lines of {id, author, messages, must, why}, and at and holds where wanted",
)


def _tell(row: Mapping[str, Any], embedder: str) -> Metrics:
    """Tell it all, and look what is believed on the next day and on each day that is asked about."""
    at = datetime.fromisoformat(row["at"]) if "at" in row else _SAID
    clock = yesteryear.ReplayClock(at)
    with open_idle(":memory:", clock=clock, embedder=embedder) as engine:
        memory = engine.memory(user=row["author"].casefold())
        for said in row["messages"]:
            author = row["author"] if said["role"] == "user" else "Assistant"
            memory.observe(said["text"], role=said["role"], author=author, conversation="chat")
            clock.advance(timedelta(minutes=1))
        memory.flush()
        days = {day: datetime.fromisoformat(day).replace(tzinfo=UTC) + _NOON for day in row.get("holds", ())}
        clock.set(min([clock.now() + _REST, *days.values()]))
        memory.flush()
        believed = [fact.statement for fact in memory.facts(limit=MOST_FACTS, status="all")]
        known = [any(tells(fact, thing) for fact in believed) for thing in row["must"]]
        later = {}
        for day, then in sorted(days.items(), key=lambda each: each[1]):
            clock.set(then)
            memory.flush()
            told = [fact.statement for fact in memory.facts(limit=MOST_FACTS)]
            later[day] = all(any(tells(fact, thing) for fact in told) for thing in row["must"])
    return {
        "id": row["id"],
        "why": row["why"],
        "text": row["messages"][-1]["text"],
        "facts": believed,
        "known": known,
        "still": [(day, row["holds"][day], is_told) for day, is_told in later.items()] if all(known) else [],
    }


def _figures(rows: Sequence[Metrics]) -> Metrics:
    def of(name: str, kept: Sequence[Metrics]) -> Metrics:
        days = [(holds, is_told) for row in kept for _, holds, is_told in row["still"]]
        figures = {
            "known": share(is_known for row in kept for is_known in row["known"]),
            "nothing": share(not row["facts"] for row in kept if not row["known"]),
            "stands": share(is_told for holds, is_told in days if holds),
            "over": share(not is_told for holds, is_told in days if not holds),
        }
        return {f"{each}{name}": value for each, value in figures.items() if value is not None}

    whys = sorted({row["why"] for row in rows})
    return of("", rows) | {
        name: value for why in whys for name, value in of(f".{why}", [row for row in rows if row["why"] == why]).items()
    }
