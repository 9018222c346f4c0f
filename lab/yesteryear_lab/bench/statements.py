"""Suite: judged statements. Is what is worth knowing told, and told with what has to be known to understand it?

JSON Lines of ``{id, author, before, text, start, end, worth, needs}``: words of a message in their place, ``before`` as
pairs of who (``me``, ``them``, ``assistant``) and text. ``worth`` says whether they are true by the talk and worth
knowing in a month; ``needs`` what is open in their sentence, as pairs of a word and what of the talk says what it is
("?" where nothing does), what matters most first.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from yesteryear.core.message import Role
from yesteryear.core.reading import place_after
from yesteryear.providers.local.facts.drafting import draft_facts
from yesteryear.providers.registry import build_reader
from yesteryear_lab.bench.report import Metrics, Progress, Report, Suite, tell_count
from yesteryear_lab.figures import detection, mean, rounded
from yesteryear_lab.training.rows import Row, Said, as_messages, as_talk, read_rows

if TYPE_CHECKING:
    from yesteryear.ports import Reader

_NEEDS = ("id", "author", "before", "text", "start", "end", "worth", "needs")
_OPEN = "?"
_ROLES = {"assistant": "Assistant", "them": "Somebody"}


@dataclass(frozen=True, slots=True)
class StatementsOptions:
    """What can be asked of this suite."""

    reader: str = "auto"


def _run(data: Path, options: StatementsOptions, say: Progress) -> Report:
    rows = read_rows(data, needs=_NEEDS)
    with closing(build_reader(options.reader)) as reader:
        found = [_tell(row, reader) for row in tell_count(rows, say)]
        settings: Metrics = {"reader": reader.version}
    open_ones = [row for row in found if row["statement"] and row["wanted"]]
    told = detection((row["worth"], bool(row["statement"])) for row in found)
    figures = {f"told.{name}": value for name, value in told.items()}
    figures |= {
        "clear": mean(row["wanted"].casefold() in row["statement"].casefold() for row in open_ones),
        "words": mean(len(row["statement"].split()) for row in found if row["statement"]),
    }
    return Report(len(found), rounded(figures), settings=settings, rows=found)


SUITE = Suite(
    "judged statements: whether what is worth knowing is told, and with what makes it clear",
    _run,
    StatementsOptions,
    needs="JSON Lines of {id, author, before, text, start, end, worth, needs}",
)


def _tell(row: Row, reader: Reader) -> Metrics:
    """Draft the facts of a message as the product does; return the statement of the words that were judged."""
    said = [Said(*_who(who, row["author"]), text) for who, text in row["before"]]
    messages = as_messages(row["id"], [*said, Said(Role.USER, row["author"], row["text"])])
    readings = {
        message.id: reader.read(message.content, before=place_after(messages[:place], message.author))
        for place, message in enumerate(messages)
        if message.role is Role.USER
    }
    drafts = draft_facts(as_talk(messages, readings), yield_to_foreground=lambda: None)
    own = (draft for draft in drafts if draft.message_id == messages[-1].id)
    told = next((draft for draft in own if row["start"] <= row["text"].find(draft.quote) < row["end"]), None)
    wanted = next((phrase for _, phrase in row["needs"]), "")
    return {
        "id": row["id"],
        "quote": row["text"][row["start"] : row["end"]],
        "worth": row["worth"],
        "wanted": "" if wanted == _OPEN else wanted,
        "statement": told.statement if told else "",
    }


def _who(who: str, author: str) -> tuple[Role, str]:
    return Role.ASSISTANT if who == "assistant" else Role.USER, _ROLES.get(who, author)
