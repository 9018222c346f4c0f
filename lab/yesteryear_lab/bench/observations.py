"""Suite: the observations of LoCoMo's annotators. Do facts rest on the turns that tell something of a speaker?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec

from yesteryear.cli.importers.locomo import LocomoTurn
from yesteryear_lab.bench.locomo import read_samples
from yesteryear_lab.bench.report import MOST_FACTS, EmbedderOptions, Metrics, Progress, Report, as_suite, read_names
from yesteryear_lab.bench.retold import Sitting, read_json, report_all, retell
from yesteryear_lab.figures import mean, rounded

_TURN, _LAST_REST = timedelta(seconds=20), timedelta(hours=12)  # before each turn, and after all
_ID = re.compile(r"D\d+:\d+")
_WORD = re.compile(r"[a-z0-9']{4,}")
_STEM = 5  # letters of a word that count
_LITTLE = frozenset("their about which would there that' this with have been from they that".split())
"""Stems that say little."""


@dataclass(frozen=True, slots=True)
class ObservationsOptions(EmbedderOptions):
    """What can be asked of this suite."""

    samples: str = ""  # their ids, with commas between; all where empty


@as_suite(
    "what annotators noted of speakers (LoCoMo): whether facts rest on the same turns",
    ObservationsOptions,
    needs="a LoCoMo file with observations",
)
def suite(data: Path, options: ObservationsOptions, say: Progress) -> Report:
    """Tell each conversation to a memory, and compare what facts rest on with what was noted."""
    noted = {each.sample_id: _read_noted(each) for each in read_json(data, list[Noted])}
    turns = {sample.id: sample.turns for sample in read_samples(data) if noted.get(sample.id)}
    names = read_names("samples", options.samples, list(turns))
    return report_all(
        "sample", ((name, _live(turns[name], noted[name], options.embedder)) for name in names), _figures, say
    )


class Noted(msgspec.Struct):
    """What annotators noted of a sample: by session and speaker, each text with the turns that tell it."""

    sample_id: str
    observation: dict[str, dict[str, list[tuple[str, Any]]]] = {}


def _read_noted(sample: Noted) -> list[Metrics]:
    return [
        {"speaker": speaker, "observation": text, "turns": _ID.findall(str(turns))}
        for session in sample.observation.values()
        for speaker, listed in session.items()
        for text, turns in listed
    ]


def _live(turns: Sequence[LocomoTurn], noted: Sequence[Metrics], embedder: str) -> Iterator[Metrics]:
    """Yield a row for each observation and each fact, whatever became of it."""
    with retell(list(_sittings(turns)), user="pair", rest=_LAST_REST, embedder=embedder) as (memory, _):
        facts = memory.facts(limit=MOST_FACTS, status="all")
    for note in noted:
        wanted = _stems(note["observation"]) - _stems(note["speaker"])
        found = [fact.statement for fact in facts if not set(note["turns"]).isdisjoint(fact.messages)]
        is_told = any(2 * len(_stems(statement) & wanted) >= len(wanted) for statement in found)
        yield note | {"found": found, "told": is_told}
    behind = {turn for note in noted for turn in note["turns"]}
    for fact in facts:
        is_noted = not behind.isdisjoint(fact.messages)
        yield {"fact": fact.statement, "status": fact.status.value, "turns": fact.messages, "noted": is_noted}


def _sittings(turns: Sequence[LocomoTurn]) -> Iterator[Sitting]:
    """Yield the sessions, each after a rest that ends when the session before does."""
    rested_until = None
    for _, session in groupby(turns, key=lambda turn: turn.session):
        said = list(session)
        messages = [turn.to_message() | {"at": said[0].at + place * _TURN} for place, turn in enumerate(said, 1)]
        yield Sitting(messages, rested_until)
        rested_until = messages[-1]["at"]


def _stems(text: str) -> frozenset[str]:
    return frozenset(word[:_STEM] for word in _WORD.findall(text.lower())) - _LITTLE


def _figures(rows: Sequence[Metrics]) -> Metrics:
    noted = [row for row in rows if "observation" in row]
    facts = [row for row in rows if "fact" in row]
    return rounded(
        {
            "obs.recall": mean(bool(row["found"]) for row in noted),
            "obs.precision": mean(row["noted"] for row in facts),
            "obs.told": mean(row["told"] for row in noted if row["found"]),
            "facts": len(facts),
            "superseded": sum(row["status"] == "superseded" for row in facts),
            "merged": sum(row["status"] == "merged" for row in facts),
        }
    )
