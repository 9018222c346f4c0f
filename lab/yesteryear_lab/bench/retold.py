"""Talk that was written down elsewhere, told to a memory again at the times it was said, and judged by words alone."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import yesteryear
from yesteryear.errors import InputError
from yesteryear_lab.bench.report import (
    EmbedderOptions,
    Metrics,
    Progress,
    Report,
    Suite,
    as_suite,
    at_least,
    lend_memory,
)
from yesteryear_lab.training.rows import Kind, read_as


@dataclass(frozen=True, slots=True)
class RetoldOptions(EmbedderOptions):
    """What can be asked of a suite that shows contexts."""

    budget: int = at_least(1, 1000)  # tokens of each context


_ENDED = (
    r"used to|no longer|not .{0,24}any ?more|stopped|quit|gave up|dropped|done|finished|completed|cancel+ed|until|"
    r"earlier|formerly|previously|was|had"
)


def ending(more: str) -> re.Pattern[str]:
    """Return what finds words by which a text says that something has ended: the usual ones, and ``more`` by bars."""
    return re.compile(rf"\b({_ENDED}|{more})\b", re.IGNORECASE)


def read_json(path: Path, kind: type[Kind]) -> Kind:
    """Return what a file holds, as an object of a kind."""
    try:
        found = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, RecursionError, ValueError) as exc:
        raise InputError(f"{path} cannot be read as JSON: {exc}") from exc
    return read_as(kind, found, path.name)


SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n")
FEWEST_WORDS = 3  # of what is looked for in facts, of three letters or more
_MOST_OF = 0.7  # share of the words of a passage that a fact has which tells it
_WORD = re.compile(r"\b\w{3,4}")


def words_of(text: str) -> list[str]:
    """Return the words of a text, of three letters or more, by their first four letters."""
    return _WORD.findall(text.casefold())


def is_told(passage: str, facts: Iterable[set[str]]) -> bool:
    """Tell whether one of some facts, given by their words, has most words of a passage."""
    words = set(words_of(passage))
    return any(len(fact & words) >= _MOST_OF * len(words) for fact in facts)


class Sitting(NamedTuple):
    """What is told at once."""

    messages: Sequence[Mapping[str, Any]]  # as ``observe`` takes them, oldest first; ``at`` is an aware instant
    rested_until: datetime | None = None  # when the rest before it ends; None where it follows at once


@contextmanager
def retell(
    sittings: Sequence[Sitting],
    *,
    user: str,
    rest: timedelta,
    embedder: str,
    before: Callable[[yesteryear.Memory, Mapping[str, Any]], None] | None = None,
    **given: Any,
) -> Iterator[tuple[yesteryear.Memory, datetime]]:
    """Lend the memory of somebody who was told everything and has rested since, and the time it is there.

    ``before`` is called before each sitting is told, with its first message, at the time it was said.
    """
    told = [message["at"] for sitting in sittings for message in sitting.messages]
    if not told:
        raise InputError(f"nothing was said to {user!r}")
    with lend_memory(user, told[0], embedder, **given) as (memory, clock):
        for sitting in sittings:
            if sitting.rested_until is not None:
                _rest(memory, clock, sitting.rested_until)
            if sitting.messages:
                clock.set(sitting.messages[-1]["at"])
                if before is not None:
                    before(memory, sitting.messages[0])
                memory.observe(list(sitting.messages))
        end = told[-1] + rest
        _rest(memory, clock, end)
        yield memory, end


def _rest(memory: yesteryear.Memory, clock: yesteryear.ReplayClock, until: datetime) -> None:
    memory.flush()
    clock.set(until)
    memory.flush()


def suite_of_lives(
    about: str,
    read: Callable[[Path], Any],
    live: Callable[[Any, RetoldOptions], Iterable[Metrics]],
    figures: Callable[[list[Metrics]], Metrics],
    *,
    suffix: str = ".json",
) -> Suite:
    """Return a suite that reads lives, lives through each in a memory of its own, and counts what came of it."""

    @as_suite(about, RetoldOptions, needs="files of one life each, or a folder of them", takes_more=True)
    def suite(data: Sequence[Path], options: RetoldOptions, say: Progress) -> Report:
        files = [file for path in data for file in (sorted(path.glob(f"*{suffix}")) if path.is_dir() else [path])]
        if not files:
            raise InputError(f"{data[0]} holds no lives: files that end in {suffix}")
        lives = list(map(read, files))
        return report_all("life", ((life.id, live(life, options)) for life in lives), figures, say)

    return suite


def report_all(
    kind: str,
    found: Iterable[tuple[str, Iterable[Metrics]]],
    figures: Callable[[list[Metrics]], Metrics],
    say: Progress,
) -> Report:
    """Return the report on all rows that were found, which name what they are of; tell the figures of each."""
    rows: list[Metrics] = []
    for name, own in found:
        listed = [{kind: name} | row for row in own]
        say(f"{name}: {figures(listed)}")
        rows += listed
    return Report(len(rows), figures(rows), rows=rows)
