"""Days as options give them, and in whose zone they are shown."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING

from yesteryear.core.time import parse_instant

if TYPE_CHECKING:
    from yesteryear.sync.memory import Memory


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


def read_zones(memory: Memory) -> Mapping[str, str | None]:
    """Return the zone of each conversation by its name; None where it is not known."""
    return {conversation.key.name: conversation.zone for conversation in memory.conversations()}
