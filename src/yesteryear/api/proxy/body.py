"""Where in the bytes of a request its messages stand, and a block put between them.

Pure. A request is never written anew: what a client sends may hold numbers, escapes and fields that another writer
would change. It is read with the places of its parts, and text is put in at one place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, NamedTuple

SYSTEM_ROLES = ("system", "developer")
"""Roles of messages that instruct the model."""

_SPACE = re.compile(r"[ \t\n\r]*")
_READ = json.JSONDecoder().raw_decode


class _Placed(NamedTuple):
    """A value of JSON, and where it stands in the text."""

    start: int
    end: int
    value: Any


@dataclass(frozen=True, slots=True)
class ChatBody:
    """A request for a chat."""

    as_sent: bytes
    messages: tuple[Mapping[str, Any], ...]
    """What is said in it, oldest first; at least one."""
    _text: str
    _first: int
    """Where the first message begins."""
    _system: _Placed | None
    """The content of the last message of the system text, or its last part; None where there is none to add to."""

    def with_block(self, block: str) -> bytes:
        """Return the request with a block after its system text, or as a system message before all others."""
        system = self._system
        if system is None:
            at, added = self._first, f"{json.dumps({'role': 'system', 'content': block})}, "
        elif isinstance(system.value, str):
            at, added = system.end - 1, json.dumps(f"\n\n{block}" if system.value else block)[1:-1]
        else:
            at, added = system.end, f", {json.dumps({'type': 'text', 'text': block})}"
        return (self._text[:at] + added + self._text[at:]).encode()


def read_body(body: bytes) -> ChatBody | None:
    """Return what a request says, or None where it is none that we understand; the provider says what is wrong then."""
    try:
        return _read(body)
    except (ValueError, RecursionError):
        return None


def _read(body: bytes) -> ChatBody | None:
    text = body.decode()
    messages = _only(_members(text, _skip(text, 0), opened="messages"), "messages")
    if messages is None or not isinstance(messages.value, list) or not messages.value:
        return None
    placed: list[_Placed] = messages.value
    if not all(isinstance(message.value, dict) for message in placed):
        return None
    return ChatBody(
        as_sent=body,
        messages=tuple(message.value for message in placed),
        _text=text,
        _first=placed[0].start,
        _system=_system_content(text, placed),
    )


def _system_content(text: str, messages: list[_Placed]) -> _Placed | None:
    """Return where the system text ends: the content of its last message, or the last part of that."""
    leading = list(takewhile(lambda message: message.value.get("role") in SYSTEM_ROLES, messages))
    content = _only(_members(text, leading[-1].start, opened="content"), "content") if leading else None
    if content is None or not content.value:
        return content if content is not None and content.value == "" else None
    if isinstance(content.value, list):
        return content.value[-1] if all(isinstance(part.value, dict) for part in content.value) else None
    return content if isinstance(content.value, str) else None


def _only(members: Iterator[tuple[str, _Placed]], wanted: str) -> _Placed | None:
    """Return the member of that name; None where it is not there, or twice: readers differ about which counts."""
    found = [placed for name, placed in members if name == wanted]
    return found[0] if len(found) == 1 else None


def _members(text: str, start: int, *, opened: str) -> Iterator[tuple[str, _Placed]]:
    """Yield the members of the object that begins at ``start``; of a list called ``opened`` also its elements' places.

    Raises:
        ValueError: there is no object, or it is broken.
    """
    at = _begin(text, start, "{")
    while text[at : at + 1] != "}":
        name, end = _READ(text, at)
        at = _begin(text, _skip(text, end), ":")
        if name == opened and text[at : at + 1] == "[":
            value, end = _elements(text, at)
        else:
            value, end = _READ(text, at)
        yield name, _Placed(at, end, value)
        at = _go_on(text, end, "}")


def _elements(text: str, start: int) -> tuple[list[_Placed], int]:
    """Return the elements of the list that begins at ``start``, and where it ends.

    Raises:
        ValueError: it is broken.
    """
    found: list[_Placed] = []
    at = _begin(text, start, "[")
    while text[at : at + 1] != "]":
        value, end = _READ(text, at)
        found.append(_Placed(at, end, value))
        at = _go_on(text, end, "]")
    return found, at + 1


def _begin(text: str, at: int, sign: str) -> int:
    """Return where something begins after a sign."""
    if text[at : at + 1] != sign:
        raise ValueError(f"there is no {sign!r} at {at}")
    return _skip(text, at + 1)


def _go_on(text: str, end: int, closing: str) -> int:
    """Return where what follows begins, or where all of it is closed."""
    at = _skip(text, end)
    return at if text[at : at + 1] == closing else _begin(text, at, ",")


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()
