"""What the journal knows of a conversation: how far it goes and how far it has been worked through."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from yesteryear.core.plain import Plain
from yesteryear.core.scope import ConversationKey


@dataclass(frozen=True, slots=True)
class Conversation(Plain):
    """One conversation, which is also the queue entry for cutting it into episodes."""

    key: ConversationKey
    zone: str | None = None
    """IANA zone last given, or None."""
    last_seq: int = 0
    """Position of the newest message; 0 before the first."""
    settled_seq: int = 0
    """All messages up to here have been through the gate; never above ``last_seq``."""
    closed_seq: int = 0
    """Episodes up to here were closed by hand."""
    last_at: datetime | None = None
    """When the newest message was said."""
    last_recorded_at: datetime | None = None
    """When the newest message was recorded."""
    due_at: datetime | None = None
    """When the open tail is due for a look; None when nothing is open."""
    attempts: int = 0
    """Failed attempts since the last success."""
    error: str | None = None
    """Why the last attempt failed."""

    @property
    def open_messages(self) -> int:
        """How many messages are not yet in an episode."""
        return self.last_seq - self.settled_seq
