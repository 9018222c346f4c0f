"""Reading LoCoMo: long conversations between two people in dated sessions, with questions about them.

The file is a JSON list of samples. Turns carry no time of their own: the first of a session is said at the session's
time, each further one a minute later, in UTC. What cannot be used is told with its place, and the rest is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from yesteryear.errors import InputError

TURN_EVERY = timedelta(minutes=1)
"""Time between two turns of a session: ours, the data has none."""
ADVERSARIAL = 5
"""Category of the questions that have no answer in the conversation."""

_SESSION = re.compile(r"session_(\d+)")
_SESSION_TIME = "%I:%M %p on %d %B, %Y"
_TURN_ID = re.compile(r"D:?(\d+):0*(\d+)")
"""Nine evidence strings of the published set hold several ids, leading zeros or a second colon."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance."""

    id: str
    """Such as ``D3:12``: session and place in it; unique in its sample."""
    session: str
    """Such as ``session_3``."""
    author: str
    text: str
    """With the caption of a shared image, if there is one."""
    at: datetime

    def to_message(self) -> dict[str, Any]:
        """Return the turn as ``observe`` takes it; both speakers are people, so both have the role of a user."""
        return {
            "content": self.text,
            "role": "user",
            "author": self.author,
            "conversation": self.session,
            "at": self.at,
            "id": self.id,
        }


@dataclass(frozen=True, slots=True)
class Question:
    """A question, its answer and the turns that hold it."""

    text: str
    answer: str
    """Empty for adversarial questions."""
    evidence: tuple[str, ...]
    """Ids of turns; those that name none are left out."""
    category: int
    """1 multi-hop, 2 temporal, 3 open-domain, 4 single-hop, 5 adversarial."""


@dataclass(frozen=True, slots=True)
class Unusable:
    """A part of a sample that could not be read, and why."""

    where: str
    reason: str


@dataclass(frozen=True, slots=True)
class Sample:
    """One conversation with its questions."""

    id: str
    turns: tuple[Turn, ...]
    """In order of their sessions."""
    questions: tuple[Question, ...] = ()
    unusable: tuple[Unusable, ...] = ()


def read_samples(path: Path) -> list[Sample]:
    """Return the samples of a LoCoMo file.

    Raises:
        InputError: the file cannot be read, or is no list of LoCoMo samples.
    """
    try:
        # Bytes that are no UTF-8 become lone surrogates, so that one broken turn does not cost the file.
        found = json.loads(path.read_bytes().decode("utf-8-sig", "surrogateescape"))
    except OSError as exc:
        raise InputError(f"{path} cannot be read: {exc.strerror}") from exc
    except (ValueError, RecursionError) as exc:
        raise InputError(f"{path} is not valid JSON: {exc}") from exc
    if not isinstance(found, list):
        raise InputError(f"{path} is no LoCoMo file: a list of samples is expected")
    return [_read_sample(sample, number) for number, sample in enumerate(found, start=1)]


def _read_sample(sample: object, number: int) -> Sample:
    fallback = f"sample {number}"
    if not isinstance(sample, Mapping) or not isinstance(sample.get("conversation"), Mapping):
        return Sample(fallback, (), unusable=(Unusable(fallback, "no sample with a conversation"),))
    sample_id = str(sample.get("sample_id") or fallback)
    turns: list[Turn] = []
    unusable: list[Unusable] = []
    for name in _sessions(sample["conversation"]):
        for found in _read_session(sample["conversation"], name):
            if isinstance(found, Turn):
                turns.append(found)
            else:
                unusable.append(Unusable(f"{sample_id} {found.where}", found.reason))
    known = {turn.id for turn in turns}
    listed = sample.get("qa")
    questions = [_read_question(row, known) for row in listed] if isinstance(listed, list) else []
    return Sample(sample_id, tuple(turns), tuple(q for q in questions if q is not None), tuple(unusable))


def _sessions(conversation: Mapping[str, Any]) -> list[str]:
    """Return the names of the sessions by their numbers."""
    numbers = [int(match[1]) for name in conversation if (match := _SESSION.fullmatch(name))]
    return [f"session_{number}" for number in sorted(numbers)]


def _read_session(conversation: Mapping[str, Any], name: str) -> Iterator[Turn | Unusable]:
    turns, begun = conversation.get(name), conversation.get(f"{name}_date_time")
    if not isinstance(turns, list):
        yield Unusable(name, "a list of turns is expected")
        return
    try:
        at = datetime.strptime(str(begun), _SESSION_TIME).replace(tzinfo=UTC)
    except ValueError:
        yield Unusable(name, f"{begun!r} is no time such as '1:56 pm on 8 May, 2023'")
        return
    for place, turn in enumerate(turns):
        yield _read_turn(turn, name, place, at + place * TURN_EVERY)


def _read_turn(turn: object, session: str, place: int, at: datetime) -> Turn | Unusable:
    where = f"{session} turn {place + 1}"
    if not isinstance(turn, Mapping):
        return Unusable(where, "a turn with speaker and text is expected")
    author, text, caption = turn.get("speaker"), turn.get("text") or "", turn.get("blip_caption")
    if not isinstance(author, str) or not author:
        return Unusable(where, "no speaker")
    if not isinstance(text, str):
        return Unusable(where, f"the text is of type {type(text).__name__}")
    if isinstance(caption, str) and caption:
        text = f"{text} [shares image: {caption}]".strip()
    if not text:
        return Unusable(where, "no text")
    turn_id = turn.get("dia_id")
    if not isinstance(turn_id, str) or not turn_id:
        turn_id = f"{session}:{place + 1}"
    return Turn(turn_id, session, author, text, at)


def _read_question(row: object, known: set[str]) -> Question | None:
    if not isinstance(row, Mapping) or not isinstance(row.get("question"), str):
        return None
    category = row.get("category")
    return Question(
        text=row["question"],
        answer=str(row.get("answer", "")),
        evidence=tuple(id_ for id_ in _turn_ids(row.get("evidence")) if id_ in known),
        category=category if isinstance(category, int) else 0,
    )


def _turn_ids(evidence: object) -> list[str]:
    listed: Sequence[object] = evidence if isinstance(evidence, list) else [evidence]
    found = [f"D{match[1]}:{match[2]}" for item in listed for match in _TURN_ID.finditer(str(item))]
    return list(dict.fromkeys(found))
