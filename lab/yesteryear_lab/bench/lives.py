"""Suite: lives. After twelve weeks of talk, what is believed, what should not be, and what do contexts bring?

A text tells something when each group of stems has one that begins a word of it, and tells it as true when it does not
say too that something has ended.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, time, timedelta
from itertools import pairwise
from pathlib import Path

import msgspec
from msgspec.structs import asdict

import yesteryear
from yesteryear.results import Outcome, Reason
from yesteryear_lab.bench.report import Metrics, all_messages, believed
from yesteryear_lab.bench.retold import RetoldOptions, Sitting, ending, read_json, retell, suite_of_lives
from yesteryear_lab.figures import ratio, share

_PAUSE = timedelta(hours=3)
_NIGHT = time(3, 30)  # when a rest ends that goes on into another day
_LAST_REST, _ASKED_AFTER = timedelta(days=1), timedelta(days=7)
_WORD = re.compile(r"[\w£$€]+(?:[.,:]\d+)*")
_ENDED = ending(
    "given up|called off|broke up|split|ended|reached|fell through|ex|were|moved (?:out|from|away)|instead|changed|"
    "before"
)
_TAKEN = (Reason.FORGET_REQUEST, Reason.EXPLICIT_REQUEST)


class Said(msgspec.Struct):
    """A message."""

    id: str
    role: str
    author: str
    conversation: str
    content: str
    at: datetime


class Thing(msgspec.Struct):
    """What is so at the end, and what a question needs of it; stems as docs/evaluation.md tells."""

    id: str
    about: str
    statement: str
    known: list[str]
    ask: str
    weight: int = 2
    stale: list[list[str]] = []
    ask_known: list[str] = []
    ask_stale: list[list[str]] = []


class Claim(msgspec.Struct):
    """What must not be told as true: never was, or is over."""

    stems: list[str]
    why: str = ""
    what: str = ""


class Command(msgspec.Struct):
    """What a message asks for."""

    message: str
    means: str
    what: str


class Life(msgspec.Struct):
    """Twelve weeks of somebody."""

    id: str
    author: str
    messages: list[Said]
    things: list[Thing]
    never: list[Claim] = []
    ended: list[Claim] = []
    commands: list[Command] = []


def read_life(path: Path) -> Life:
    """Return the life of a file."""
    return read_json(path, Life)


def _live(life: Life, options: RetoldOptions) -> Iterator[Metrics]:
    """Yield a row with all that is believed, and one for each thing, false claim, end and command."""
    sittings, user = list(sittings_of(life.messages)), life.author.lower()
    with retell(sittings, user=user, rest=_LAST_REST, embedder=options.embedder) as (memory, end):
        facts = believed(memory)
        yield {"facts": facts}
        for thing in life.things:
            at = end + _ASKED_AFTER
            context = memory.context(thing.ask, budget=options.budget, conversation="probe", at=at, dry_run=True)
            name = "" if thing.about == life.author else thing.about.split()[0].lower()
            yield _compare(thing, [fact for fact in facts if name in fact.lower()], context)
        for claim in life.never:
            yield {"never": asdict(claim), "believed": [fact for fact in facts if tells(fact, claim.stems)]}
        for over in life.ended:
            yield {"ended": asdict(over), "told": _tell_as_true(facts, [over.stems])}
        verdicts = {message.external_id: message.verdict for message in all_messages(memory)}
        for command in life.commands:
            verdict = verdicts.get(command.message)
            outcome, reason = (verdict.outcome, verdict.reason) if verdict else (None, None)
            yield {"command": asdict(command), "kept": outcome is Outcome.KEEP, "taken": reason in _TAKEN}


def sittings_of(messages: Sequence[Said]) -> Iterator[Sitting]:
    """Yield each message on its own, with a rest after each long pause."""
    for before, message in pairwise([*messages[:1], *messages]):
        last, at = before.at, message.at
        night = at if at.date() == last.date() else datetime.combine(at.date(), _NIGHT, at.tzinfo)
        yield Sitting([asdict(message)], night if at - last > _PAUSE else None)


def _compare(thing: Thing, facts: Sequence[str], context: yesteryear.Context) -> Metrics:
    known, asked = thing.known, thing.ask_known or thing.known
    return {
        "thing": asdict(thing),
        "known": [fact for fact in facts if tells(fact, known)],
        "stale": _tell_as_true(facts, thing.stale, but=known),
        "asked": tells(context.text, asked),
        "asked_stale": _tell_as_true(context.text.splitlines(), thing.ask_stale, but=asked),
        "tokens": context.tokens,
    }


def tells(text: str, groups: Sequence[str]) -> bool:
    """Tell whether each group (stems with bars between) has one that begins a word; several words stand anywhere."""
    words = _WORD.findall(text.replace("’", "'").lower())
    whole = " ".join(words)

    def has(stem: str) -> bool:
        return stem in whole if " " in stem else any(word.startswith(stem) for word in words)

    return bool(groups) and all(any(has(stem.lower().strip()) for stem in group.split("|")) for group in groups)


def _tell_as_true(texts: Sequence[str], values: Sequence[Sequence[str]], *, but: Sequence[str] = ()) -> list[str]:
    """Return the texts that tell one of some values as true, and not ``but``."""
    return [
        text
        for text in texts
        if any(tells(text, value) for value in values) and not tells(text, but) and not _ENDED.search(text)
    ]


def _figures(rows: Sequence[Metrics]) -> Metrics:
    things = [row for row in rows if "thing" in row]
    commands = [(row["command"]["means"], row) for row in rows if "command" in row]
    return {
        "known": _weighted(things, "known"),
        "stale": _weighted([row for row in things if row["thing"]["stale"]], "stale"),
        "never": share(bool(row["believed"]) for row in rows if "never" in row),
        "ended": share(bool(row["told"]) for row in rows if "ended" in row),
        "asked": _weighted(things, "asked"),
        "asked_stale": _weighted([row for row in things if row["thing"]["ask_stale"]], "asked_stale"),
        "idioms": share(row["taken"] for means, row in commands if means == "none"),
        "remember": share(row["kept"] for means, row in commands if means == "remember"),
        "tokens": share(row["tokens"] for row in things),
        "facts": sum(len(row["facts"]) for row in rows if "facts" in row),
    }


def _weighted(rows: Sequence[Metrics], name: str) -> float | None:
    weights = [(row["thing"]["weight"], bool(row[name])) for row in rows]
    return round(ratio(sum(w * is_so for w, is_so in weights), sum(w for w, _ in weights)), 4) if rows else None


SUITE = suite_of_lives(
    "twelve weeks of talk: what is believed and shown at their end, and what should not be", read_life, _live, _figures
)
