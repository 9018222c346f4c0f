"""Suite: judged statements. Is what is worth knowing told, and told with what has to be known to understand it?

JSON Lines of ``{id, author, before, text, start, end, worth, needs}``: words of a message in their place, ``before`` as
pairs of who (``me``, ``them``, ``assistant``) and text. ``worth`` says whether they are true by the talk and worth
knowing in a month; ``needs`` what is open in their sentence, as pairs of a word and what of the talk says what it is
("?" where nothing does), what matters most first. Each row is a memory of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import yesteryear
from yesteryear.errors import InputError
from yesteryear_lab.bench.report import MOST_FACTS, Metrics, Progress, Report, Suite, open_idle, tell_count
from yesteryear_lab.figures import detection, mean, rounded
from yesteryear_lab.training.rows import read_rows

_NEEDS = ("id", "author", "before", "text", "start", "end", "worth", "needs")
_OPEN = "?"
_SAID = datetime(2026, 2, 2, 18, tzinfo=UTC)
_WORD = re.compile(r"\w+")
_SHARED = 0.6
"""Part of the words that were judged that a statement must have to tell them, in [0, 1]. Source: chosen, as a plain one
turns "I" and "my" round."""


@dataclass(frozen=True, slots=True)
class StatementsOptions:
    """What can be asked of this suite."""

    embedder: str = "auto"


def _run(data: Path, options: StatementsOptions, say: Progress) -> Report:
    rows = read_rows(data, needs=_NEEDS)
    found = [_tell(row, options.embedder) for row in tell_count(rows, say)]
    told = [row for row in found if row["statement"]]
    figures = {
        f"told.{name}": share
        for name, share in detection((row["worth"], bool(row["statement"])) for row in found).items()
    }
    figures["clear"] = mean(row["wanted"].casefold() in row["statement"].casefold() for row in told if row["wanted"])
    figures["words"] = mean(len(row["statement"].split()) for row in told)
    return Report(len(found), rounded(figures), rows=found)


SUITE = Suite(
    "judged statements: whether what is worth knowing is told, and with what makes it clear",
    _run,
    StatementsOptions,
    needs="JSON Lines of {id, author, before, text, start, end, worth, needs}",
)


def _tell(row: Mapping[str, Any], embedder: str) -> Metrics:
    """Tell the talk, and return which fact tells the words that were judged."""
    clock = yesteryear.ReplayClock(_SAID)
    who = {"me": row["author"], "them": "Somebody", "assistant": "Assistant"}
    if strange := {said for said, _ in row["before"]} - who.keys():
        raise InputError(f"{row['id']}: {', '.join(sorted(strange))} is nobody who speaks: {', '.join(who)} do")
    with open_idle(":memory:", clock=clock, embedder=embedder) as engine:
        memory = engine.memory(user=row["author"].casefold())
        for said, text in [*row["before"], ["me", row["text"]]]:
            role = "assistant" if said == "assistant" else "user"
            memory.observe(text, role=role, author=who[said], conversation="chat")
            clock.advance(timedelta(minutes=1))
        memory.flush()
        statements = [fact.statement for fact in memory.facts(limit=MOST_FACTS)]
    quote, wanted = row["text"][row["start"] : row["end"]], next((phrase for _, phrase in row["needs"]), "")
    words = _words(quote)
    likest = max(statements, key=lambda statement: len(words & _words(statement)), default="")
    is_told = len(words & _words(likest)) >= _SHARED * len(words)
    return {
        "id": row["id"],
        "quote": quote,
        "worth": row["worth"],
        "wanted": "" if wanted == _OPEN else wanted,
        "statement": likest if is_told else "",
    }


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))
