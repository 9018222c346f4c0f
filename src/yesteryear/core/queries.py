"""What can be asked of a store."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from yesteryear.core.episode import Episode, EpisodeStatus
from yesteryear.core.fact import Fact
from yesteryear.core.message import Message, Outcome, Reason, Role
from yesteryear.core.scope import ConversationKey


@dataclass(frozen=True, slots=True)
class MessageQuery:
    """A page of messages; every filter that is None lets all pass."""

    limit: int = 100
    after: str = ""
    """Id of the last message of the page before."""
    newest_first: bool = False
    conversation: str | None = None
    author: str | None = None
    has_error: bool = False
    """Only those whose work failed."""
    outcome: Outcome | None = None
    since: datetime | None = None
    """Said at or after this instant."""
    until: datetime | None = None
    """Said before this instant."""


@dataclass(frozen=True, slots=True)
class EpisodeQuery:
    """A page of episodes, newest first; every filter that is None lets all pass."""

    limit: int = 100
    after: str | None = None
    """Id of the last episode of the page before."""
    conversation: str | None = None
    status: EpisodeStatus | None = None
    has_error: bool = False
    """Only those whose work failed."""
    since: datetime | None = None
    """Ended at or after this instant."""
    until: datetime | None = None
    """Ended before this instant."""


class IndexedMessage(NamedTuple):
    """What an index keeps of a message. Thousands are read at once, so it is a tuple and leaves the features out."""

    id: str
    key: ConversationKey
    seq: int
    role: Role
    author: str
    content: str
    """The text; empty once it was erased."""
    at: datetime
    """When it was said (UTC)."""
    zone: str | None
    name: str
    """The id that the caller knows: their own where given, else ours."""
    reason: Reason | None
    """Why the gate kept or skipped it; None until the gate has seen it."""
    brought: float = 0.0
    """The share of it, in [0, 1], that was quoted, pasted or brought along."""

    @classmethod
    def of(cls, message: Message) -> IndexedMessage:
        """Return what an index keeps of ``message``."""
        return cls(
            id=message.id,
            key=message.key,
            seq=message.seq,
            role=message.role,
            author=message.author,
            content=message.content,
            at=message.at,
            zone=message.zone,
            name=message.name,
            reason=None if message.verdict is None else message.verdict.reason,
            brought=0.0 if message.verdict is None else round(message.verdict.brought, 6),
        )


class Verbatim(NamedTuple):
    """A message that has been through the gate and whose words are still kept."""

    id: str
    episode_id: str | None
    """The episode that holds it; None for a skipped one."""
    told_at: datetime
    """When it was said or recorded, whichever is later (UTC)."""
    is_users: bool
    """Whether somebody in the role of a user said it."""
    score: float
    """What the gate found to speak for keeping it, in [0, 1]."""
    text: str


@dataclass(frozen=True, slots=True)
class Changes:
    """What changed in an owner's rows since some ``rev``."""

    rev: int
    """The owner's counter now."""
    generation: int
    """Another generation than before means: forget all and start again from 0."""
    messages: tuple[IndexedMessage, ...] = ()
    """Ordered by (conversation, seq)."""
    episodes: tuple[Episode, ...] = ()
    """Ordered by id."""
    facts: tuple[Fact, ...] = ()
    """Ordered by id; those that were forgotten too, empty."""
