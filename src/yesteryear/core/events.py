"""What happened to memories: which of them a context showed to a model."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from yesteryear.core.scope import ConversationKey


@dataclass(frozen=True, slots=True)
class RecallEvent:
    """What one context put before a model; for the echo mask and for useful recall."""

    id: str
    key: ConversationKey
    """For which conversation; its name is empty for a context without one."""
    at: datetime
    items: tuple[str, ...]
    """Ids of the episodes and messages shown."""
    fingerprints: tuple[int, ...]
    """64-bit hashes of the shown sentences."""
    asked: tuple[int, ...] = ()
    """64-bit hashes of the sentences of the message that it was for."""
    settled: bool = False
    """Whether it was decided what of it was useful."""
