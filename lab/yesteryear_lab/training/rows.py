"""Labelled rows: JSON Lines in a folder, read strictly; and what was said in them, as the product takes it down."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar

import msgspec

from yesteryear.core.episode import Talk
from yesteryear.core.message import Message, Outcome, Reason, Role, Verdict
from yesteryear.core.scope import Scope
from yesteryear.errors import InputError
from yesteryear.remember.segment import group_exchanges

Kind = TypeVar("Kind")
Row: TypeAlias = Mapping[str, Any]  # one labelled row; its fields are those of its file


_EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
_KEPT = Verdict(Outcome.KEEP, Reason.PERSONAL, score=1, threshold=0.5)


class Said(NamedTuple):
    """A labelled message."""

    role: Role
    author: str
    content: str
    at: datetime = _EPOCH


def as_messages(row_id: str, said: Iterable[Said]) -> list[Message]:
    """Return what was said in a row as the product takes it down; numbered from 1."""
    scope = Scope(user="labelled")
    return [
        Message(
            id=f"{row_id}-{seq}",
            scope=scope,
            conversation=row_id,
            seq=seq,
            role=each.role,
            author=each.author,
            content=each.content,
            at=each.at,
            recorded_at=each.at,
        )
        for seq, each in enumerate(said, start=1)
    ]


def as_talk(messages: Sequence[Message]) -> Talk:
    """Return messages as an analyst is given them, all kept."""
    exchanges = tuple(group_exchanges(messages))
    return Talk(exchanges, (_KEPT,) * len(exchanges))


def read_rows(path: Path, *, needs: tuple[str, ...] = ()) -> list[Row]:
    """Return the rows of one file in order; empty lines are passed over."""
    return [row for _, row in read_numbered(path, needs=needs)]


def read_numbered(path: Path, *, needs: tuple[str, ...] = ()) -> list[tuple[str, Row]]:
    """Return the rows of a file as ``read_rows`` does, each with its file and line."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as exc:
        raise InputError(f"{path} cannot be read: {exc}; where heads are trained, --rows names the folder") from exc
    places = ((f"{path.name}, line {number}", line) for number, line in enumerate(text.split("\n"), start=1))
    return [(place, _parse(line, place, needs)) for place, line in places if line.strip()]


def read_as(kind: type[Kind], found: object, where: str) -> Kind:
    """Return plain data as an object of a kind, whose fields say what must be there."""
    try:
        return msgspec.convert(found, kind)
    except msgspec.ValidationError as exc:
        raise InputError(f"{where}: {exc}; the form is told in docs/evaluation.md or docs/reference") from exc


def _parse(line: str, place: str, needs: tuple[str, ...]) -> Row:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as exc:
        raise InputError(f"{place}: no JSON ({exc})") from exc
    if not isinstance(row, dict):
        raise InputError(f"{place}: a row is a JSON object, not {line[:40]!r}")
    if missing := [field for field in needs if field not in row]:
        raise InputError(f"{place}: the row has no {', no '.join(missing)}")
    return row
