"""Requests that are sent again: an Idempotency-Key gives each message of a request an id of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from yesteryear.core.secrets.redact import redact_name
from yesteryear.errors import Conflict, InputError, NotFound
from yesteryear.memory import AsyncMemory
from yesteryear.why import MessageWhy

_MOST_CHARS = 190
"""Longest key, in characters; with the number of a message it makes an id of at most 200."""


async def name_messages(memory: AsyncMemory, key: str, messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return messages with ids made from the key of their request, so that taking them down again changes nothing.

    What they say is compared when they are taken down; here only whether they are as many as before.

    Raises:
        InputError: the key cannot be used, or a message has an id already.
        Conflict: it was used before for more or fewer messages, or in another conversation.
    """
    if not key.strip() or len(key) > _MOST_CHARS:
        raise InputError(f"an Idempotency-Key has 1 to {_MOST_CHARS} characters, got {len(key)}")
    if any(message.get("id") is not None for message in messages):
        raise InputError("messages with an id may be sent again as they are; leave either their ids or the key out")
    named = [{**message, "id": _name(key, number)} for number, message in enumerate(messages)]
    first = await _find(memory, _name(key, 0)) if named else None
    if first is not None:
        asked = str(named[0].get("conversation", "default"))
        is_there = first.conversation in (asked, redact_name(asked))
        is_whole = await _find(memory, named[-1]["id"]) is not None
        if not (is_there and is_whole) or await _find(memory, _name(key, len(named))) is not None:
            raise Conflict("this Idempotency-Key was used before for other messages; give each request one of its own")
    return named


async def _find(memory: AsyncMemory, name: str) -> MessageWhy | None:
    try:
        return (await memory.why(name)).message
    except NotFound:
        return None


def _name(key: str, number: int) -> str:
    return f"{key}:{number}"
