"""Reading LoCoMo: long conversations between two people in dated sessions.

The file is a JSON list of samples, or one sample a line. Turns of the published set carry no time of their own: the
first of a session is said at the session's time, each further one a minute later, in UTC. Other conversations may say
more of a turn: its ``role`` (user or assistant) and when it was said (``at`` or ``date_time``). What cannot be used is
told with its place, and the rest is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from yesteryear.cli.importers import NOT_UTF8, Draft, Flaw, Record, is_broken
from yesteryear.errors import InputError

TURN_EVERY = timedelta(minutes=1)  # time between two turns of a session: ours, the data has none

_SESSION = re.compile(r"session_(\d+)")
_SESSION_TIME = "%I:%M %p on %d %B, %Y"
_ROLES = ("user", "assistant")


@dataclass(frozen=True, slots=True)
class LocomoTurn:
    """One utterance."""

    id: str  # such as ``D3:12``: session and place in it; unique in its sample
    session: str  # such as ``session_3``
    author: str
    text: str  # with the caption of a shared image, if there is one
    at: datetime
    role: str = "user"  # both speakers are people, unless the turn says that it is the assistant's

    def to_message(self) -> dict[str, Any]:
        """Return the turn as ``observe`` takes it."""
        said = {"content": self.text, "role": self.role, "author": self.author}
        return said | {"conversation": self.session, "at": self.at, "id": self.id}


@dataclass(frozen=True, slots=True)
class LocomoTalk:
    """One conversation."""

    id: str
    turns: tuple[LocomoTurn, ...]  # in order of their sessions
    unusable: tuple[Flaw, ...] = ()  # turns and sessions that could not be read
    asked: object = None  # what stands there as questions about it, unread


def read_locomo(path: Path) -> Iterator[Record]:
    """Yield the turns of all samples; a conversation is called by its sample and session."""
    samples = read_talks(path)
    total = sum(len(sample.turns) for sample in samples)
    read = 0
    for sample in samples:
        yield from sample.unusable
        for turn in sample.turns:
            read += 1
            where = f"{sample.id} {turn.session} {turn.id}"
            if is_broken(turn.text):
                yield Flaw(where, NOT_UTF8)
                continue
            message = turn.to_message() | {"conversation": f"{sample.id}/{turn.session}"}
            yield Draft(message, where, read / total, user=sample.id)


def read_talks(path: Path) -> list[LocomoTalk]:
    """Return the samples of a LoCoMo file: a JSON list, or JSON Lines."""
    try:
        # Bytes that are no UTF-8 become lone surrogates, so that one broken turn does not cost the file.
        text = path.read_bytes().decode("utf-8-sig", "surrogateescape")
    except OSError as exc:
        raise InputError(f"{path} cannot be read: {exc.strerror}") from exc
    if path.suffix != ".jsonl" and not text.lstrip().startswith("{"):
        return _read_list(path, text)
    lines = enumerate(text.split("\n"), start=1)
    samples = [_read_line(line, f"line {number}") for number, line in lines if line.strip()]
    if not any(sample.turns for sample in samples):
        raise InputError(f"{path} is no LoCoMo file: a list of samples is expected, or one sample a line")
    return samples


def _read_list(path: Path, text: str) -> list[LocomoTalk]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as exc:
        raise InputError(f"{path} is not valid JSON: {exc}") from exc
    if not isinstance(found, list):
        raise InputError(f"{path} is no LoCoMo file: a list of samples is expected")
    return [_read_sample(sample, f"sample {number}") for number, sample in enumerate(found, start=1)]


def _read_line(line: str, where: str) -> LocomoTalk:
    try:
        return _read_sample(json.loads(line), where)
    except (ValueError, RecursionError) as exc:
        return LocomoTalk(where, (), (Flaw(where, f"not valid JSON: {exc}"),))


def _read_sample(sample: object, fallback: str) -> LocomoTalk:
    if not isinstance(sample, Mapping) or not isinstance(sample.get("conversation"), Mapping):
        return LocomoTalk(fallback, (), (Flaw(fallback, "no sample with a conversation"),))
    sample_id = str(sample.get("sample_id") or fallback)
    turns: dict[str, LocomoTurn] = {}
    unusable: list[Flaw] = []
    numbers = [int(match[1]) for name in sample["conversation"] if (match := _SESSION.fullmatch(name))]
    for name in (f"session_{number}" for number in sorted(numbers)):
        for place, found in enumerate(_read_session(sample["conversation"], name), start=1):
            if isinstance(found, Flaw):
                unusable.append(Flaw(f"{sample_id} {found.where}", found.reason))
            elif found.id in turns:
                where = f"{sample_id} {name} turn {place}"
                unusable.append(Flaw(where, f"its id {found.id!r} was used before"))
            else:
                turns[found.id] = found
    return LocomoTalk(sample_id, tuple(turns.values()), tuple(unusable), asked=sample.get("qa"))


def _read_session(conversation: Mapping[str, Any], name: str) -> Iterator[LocomoTurn | Flaw]:
    turns, begun = conversation.get(name), conversation.get(f"{name}_date_time")
    if not isinstance(turns, list):
        yield Flaw(name, "a list of turns is expected")
        return
    at = _read_time(begun)
    if at is None and not any(isinstance(turn, Mapping) and _said_at(turn) for turn in turns):
        yield Flaw(name, f"{begun!r} is no time such as '1:56 pm on 8 May, 2023'")
        return
    for place, turn in enumerate(turns):
        yield _read_turn(turn, name, place, at and at + place * TURN_EVERY)


def _read_turn(turn: object, session: str, place: int, expected_at: datetime | None) -> LocomoTurn | Flaw:
    where = f"{session} turn {place + 1}"
    if not isinstance(turn, Mapping):
        return Flaw(where, "a turn with speaker and text is expected")
    author, text, caption = turn.get("speaker"), turn.get("text") or "", turn.get("blip_caption")
    if not isinstance(author, str) or not author:
        return Flaw(where, "no speaker")
    if not isinstance(text, str):
        return Flaw(where, f"the text is of type {type(text).__name__}")
    if isinstance(caption, str) and caption:
        text = f"{text} [shares image: {caption}]".strip()
    if not text:
        return Flaw(where, "no text")
    role, said_at = turn.get("role") or _ROLES[0], _said_at(turn)
    if role not in _ROLES:
        return Flaw(where, f"the role is {' or '.join(_ROLES)}, not {role!r}")
    at = _read_time(said_at) if said_at else expected_at
    if at is None:
        return Flaw(where, f"{said_at!r} is no time such as '2023-05-08T13:56'")
    turn_id = turn.get("dia_id")
    if not isinstance(turn_id, str) or not turn_id:
        turn_id = f"{session}:{place + 1}"
    return LocomoTurn(turn_id, session, author, text, at, role)


def _said_at(turn: Mapping[str, Any]) -> object:
    return turn.get("at") or turn.get("date_time")


def _read_time(value: object) -> datetime | None:
    """Return an instant in UTC, which is also the zone of times that name none; None for what is no time."""
    text = str(value)
    try:
        return datetime.strptime(text, _SESSION_TIME).replace(tzinfo=UTC)
    except ValueError:
        pass
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
