"""What the forgetting suite replays: messages with their dates, and what is asked when.

A story is made of a life or of a LoCoMo conversation.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from yesteryear.cli.importers import is_broken
from yesteryear.errors import InputError
from yesteryear_lab.bench.generated_lives import Life, Thing, read_lives, said_at
from yesteryear_lab.bench.locomo import ADVERSARIAL, Sample, read_samples


@dataclass(frozen=True, slots=True)
class Ask:
    """A question at some time, and what would be right then."""

    id: str
    kind: str  # the kind of thing, or the category of a LoCoMo question
    important: bool
    question: str
    gold: str
    wrong: tuple[str, ...] = ()  # answers that were right once and no longer are


@dataclass(frozen=True, slots=True)
class Look:
    """A moment at which everything said so far is asked about."""

    days: int | None  # days since the story began; None for its end
    at: datetime
    said: int  # how many of the messages have been said by then
    asks: tuple[Ask, ...]


@dataclass(frozen=True, slots=True)
class Story:
    """Messages, and the moments at which questions are asked."""

    id: str
    messages: tuple[Mapping[str, Any], ...]  # as ``observe`` takes them, oldest first; ``at`` is an aware instant
    looks: tuple[Look, ...]  # first to last


def read_stories(path: Path, days: Sequence[int]) -> list[Story]:
    """Return the stories of a file of lives or of a LoCoMo file, told apart by what stands in it."""
    if _holds_lives(path):
        return [story_of_life(life, days) for life in read_lives(path)]
    stories = [_story_of_sample(sample) for sample in read_samples(path) if sample.turns]
    if not stories:
        raise InputError(f"{path} holds neither lives nor LoCoMo conversations that can be used")
    return stories


def _holds_lives(path: Path) -> bool:
    try:
        with path.open(encoding="utf-8-sig", errors="replace") as file:
            first = next((line for line in file if line.strip()), "")
    except OSError as exc:
        raise InputError(f"{path} cannot be read: {exc.strerror}") from exc
    try:
        row = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return isinstance(row, dict) and "things" in row


def story_of_life(life: Life, days: Sequence[int]) -> Story:
    """Return a life as a story that is looked at after so many days, first to last."""
    times = [said_at(message) for message in life.messages]
    messages = tuple({**message, "at": at} for message, at in zip(life.messages, times, strict=True))
    places = {message["id"]: place for place, message in enumerate(life.messages)}
    looks = []
    for day in days:
        at = life.begun_at + timedelta(days=day)
        said = bisect_left(times, at)
        asks = [ask for thing in life.things if (ask := _ask_about(thing, places, said))]
        looks.append(Look(day, at, said, tuple(asks)))
    return Story(life.id, messages, tuple(looks))


def _ask_about(thing: Thing, places: Mapping[str, int], said: int) -> Ask | None:
    """Return the question about a thing when so many messages were said; None when none of them spoke of it."""
    known = [value.answer for value in thing.values if places[value.said[0]] < said]
    if not known:
        return None
    return Ask(thing.id, thing.kind, thing.important, thing.question, known[-1], tuple(known[:-1]))


def _story_of_sample(sample: Sample) -> Story:
    turns = sorted((turn for turn in sample.turns if not is_broken(turn.text)), key=lambda turn: turn.at)
    asks = [
        Ask(str(place), str(question.category), True, question.text, question.answer)
        for place, question in enumerate(sample.questions)
        if question.category != ADVERSARIAL
    ]
    look = Look(None, turns[-1].at, len(turns), tuple(asks))
    return Story(sample.id, tuple(turn.to_message() for turn in turns), (look,))
