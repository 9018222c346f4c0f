"""Suite: judged statements. Is what is worth knowing told, and told with what has to be known to understand it?

JSON Lines of ``{id, author, before, text, start, end, worth, needs}``: words of a message in their place, ``before`` as
pairs of who (``me``, ``them``, ``assistant``) and text. ``worth`` says whether they are true by the talk and worth
knowing in a month; ``needs`` what is open in their sentence, as pairs of a word and what of the talk says what it is
("?" where nothing does), what matters most first. Each row is a memory of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from yesteryear.errors import InputError
from yesteryear_lab.bench.report import Metrics, believed, lend_memory, suite_of_rows
from yesteryear_lab.figures import detection, mean, rounded
from yesteryear_lab.training.rows import Row

_NEEDS = ("id", "author", "before", "text", "start", "end", "worth", "needs")
_OPEN = "?"
_SAID = datetime(2026, 2, 2, 18, tzinfo=UTC)
_WORD = re.compile(r"\w+")
_SHARED = 0.6
"""Part of the words that were judged that a statement must have to tell them, in [0, 1]. Source: chosen, as a plain one
turns "I" and "my" round."""


def _tell(row: Row, embedder: str) -> Metrics:
    """Tell the talk, and return which fact tells the words that were judged."""
    who = {"me": row["author"], "them": "Somebody", "assistant": "Assistant"}
    if strange := {said for said, _ in row["before"]} - who.keys():
        raise InputError(f"{row['id']}: {', '.join(sorted(strange))} is nobody who speaks: {', '.join(who)} do")
    with lend_memory(row["author"], _SAID, embedder) as (memory, clock):
        for said, text in [*row["before"], ["me", row["text"]]]:
            role = "assistant" if said == "assistant" else "user"
            memory.observe(text, role=role, author=who[said], conversation="chat")
            clock.advance(timedelta(minutes=1))
        memory.flush()
        statements = believed(memory)
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


def _figures(found: Sequence[Metrics]) -> Metrics:
    told = [row for row in found if row["statement"]]
    detected = detection((row["worth"], bool(row["statement"])) for row in found)
    figures = {f"told.{name}": share for name, share in detected.items()}
    figures["clear"] = mean(row["wanted"].casefold() in row["statement"].casefold() for row in told if row["wanted"])
    figures["words"] = mean(len(row["statement"].split()) for row in told)
    return rounded(figures)


SUITE = suite_of_rows(
    "judged statements: whether what is worth knowing is told, and with what makes it clear",
    _tell,
    _figures,
    form=f"{{{', '.join(_NEEDS)}}}",
    needs=_NEEDS,
)
