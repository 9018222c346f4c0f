"""Days as options give them, and in whose zone they are shown."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING, overload

from yesteryear.core.time import EPOCH, parse_instant

if TYPE_CHECKING:
    from yesteryear.sync.memory import Memory


@overload
def parse_day(text: str) -> datetime: ...


@overload
def parse_day(text: None) -> None: ...


@overload
def parse_day(text: str | None) -> datetime | None: ...


def parse_day(text: str | None) -> datetime | None:
    """Return the instant that an option names: an instant with its zone, or a date, which begins at midnight UTC.

    Raises:
        InputError: it is neither.
    """
    if text is None:
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return parse_instant(text)
    return datetime.combine(day, time.min, UTC)


def read_zones(memory: Memory) -> dict[str, str | None]:
    """Return the zone of each conversation by its name; None where it is not known."""
    return {conversation.key.name: conversation.zone for conversation in memory.conversations()}


def read_zone(memory: Memory) -> str | None:
    """Return the person's zone: the one of the latest conversation that has one; None where none is known."""
    known = [conversation for conversation in memory.conversations() if conversation.zone]
    return max(known, key=lambda conversation: conversation.last_at or EPOCH).zone if known else None
