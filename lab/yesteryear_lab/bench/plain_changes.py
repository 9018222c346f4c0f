"""Suite: plain changes of a life. A person tells something, and weeks later, in passing, that it is otherwise.

Each row is a memory of its own. Rows are JSON Lines of ``{id, author, first, then, ends, old, why}``: ``old`` are stems
(groups, alternatives by bars) by which a statement still tells what ``first`` said; ``ends`` is false where both hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import yesteryear
from yesteryear_lab.bench.lives import tells
from yesteryear_lab.bench.report import MOST_FACTS, Metrics, Progress, Report, Suite, open_idle, tell_count
from yesteryear_lab.bench.retold import ending
from yesteryear_lab.figures import mean
from yesteryear_lab.training.rows import read_rows

_BEGUN = datetime(2026, 2, 2, 8, tzinfo=UTC)
_LATER = timedelta(days=24)
_ENDED = ending("ex|instead|changed|over")


@dataclass(frozen=True, slots=True)
class ChangesOptions:
    """What can be asked of this suite."""

    embedder: str = "auto"


def _run(data: Path, options: ChangesOptions, say: Progress) -> Report:
    rows = read_rows(data)
    found = [_live(row, options.embedder) for row in tell_count(rows, say)]
    return Report(len(found), _figures(found), rows=found)


SUITE = Suite(
    "plain changes of a life: whether what was told first is believed no more, and what still holds is",
    _run,
    ChangesOptions,
    needs="JSON Lines of {id, author, first, then, ends, old, why}",
)


def _live(row: Mapping[str, Any], embedder: str) -> Metrics:
    """Tell both messages, and look what is told of the first after each."""
    clock = yesteryear.ReplayClock(_BEGUN)
    with open_idle(":memory:", clock=clock, embedder=embedder) as engine:
        memory = engine.memory(user=row["author"].casefold())
        found: Metrics = {name: row[name] for name in ("id", "ends", "why", "first", "then")}
        for name, said in (("believed", row["first"]), ("told", row["then"])):
            memory.observe(said, author=row["author"], conversation="chat")
            memory.flush()
            clock.advance(_LATER)
            memory.flush()
            told = [fact.statement for fact in memory.facts(limit=MOST_FACTS)]
            found[name] = [each for each in told if tells(each, row["old"]) and not _ENDED.search(each)]
    return found


def _figures(rows: list[Metrics]) -> Metrics:
    changed, lasting = [row for row in rows if row["ends"]], [row for row in rows if not row["ends"]]
    known = [row for row in changed if row["believed"]]
    return {
        "believed": round(mean(bool(row["believed"]) for row in rows), 4),
        "ended": round(mean(bool(row["believed"]) and not row["told"] for row in changed), 4),
        "ended.of_believed": round(mean(not row["told"] for row in known), 4),
        "stands": round(mean(bool(row["told"]) for row in lasting if row["believed"]), 4),
        **{
            f"ended.{why}": round(mean(not row["told"] for row in known if row["why"] == why), 4)
            for why in sorted({row["why"] for row in known})
        },
    }
