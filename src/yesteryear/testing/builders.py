"""Messages and ids for tests: name what the test is about, the rest has plain defaults."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count

from yesteryear.core.ids import format_uuid7
from yesteryear.core.message import Message, Role
from yesteryear.core.scope import Scope

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
"""When built messages are said unless told otherwise."""


def a_message(
    content: str = "I moved my runs to the morning",
    *,
    seq: int = 1,
    role: Role = Role.USER,
    author: str | None = None,
    conversation: str = "c1",
    at: datetime = NOON,
    minutes: float = 0,
    **changes: object,
) -> Message:
    """Return a message of the journal, said some ``minutes`` after ``at``, with ``changes`` of any other field.

    Its position in the conversation, from 1, also makes the id; a user is called Ana, anybody else by their role.
    """
    said = at + timedelta(minutes=minutes)
    message = Message(
        id=f"{conversation}-{seq}",
        scope=Scope(user="ana"),
        conversation=conversation,
        seq=seq,
        role=role,
        author=author or ("Ana" if role is Role.USER else role.value),
        content=content,
        at=said,
        recorded_at=said,
    )
    return replace(message, **changes)  # type: ignore[arg-type]


class CountedIds:
    """Counts up, so that any two runs that ask for ids in the same order share them."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def new(self, milliseconds: int) -> str:
        """Return the next id."""
        return format_uuid7(milliseconds, 0, next(self._numbers))
