"""What was said, and the episodes it became, in document A's words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

import strawberry

from yesteryear.api.graphql.shapes import Long, Plain, of, resolved
from yesteryear.api.graphql.visit import Info, reads
from yesteryear.consolidate.look import FactView
from yesteryear.core.episode import Digest, Episode, UserState
from yesteryear.core.message import Message

_UNREAD = Digest(topic="", summary="", user_state=UserState.NEUTRAL)
"""Stands in for the digest of an episode that could not be read yet."""


class NamesMessage(Protocol):
    """What rests on a message."""

    @property
    def message_id(self) -> str | None:
        """Its id."""
        ...


async def read_message(root: strawberry.Parent[NamesMessage], info: Info) -> Message | None:
    """The message it rests on."""
    return await reads(info).message.load(root.message_id) if root.message_id else None


async def _messages(root: strawberry.Parent[Episode], info: Info) -> Sequence[Message]:
    """Its kept messages, in order."""
    found = await reads(info).message.load_many(list(root.message_ids))
    return [message for message in found if message is not None]


async def _facts(root: strawberry.Parent[Episode], info: Info) -> Sequence[FactView]:
    """What is believed now and was told in it."""
    return await reads(info).facts_of.load(root.id)


def _digest(episode: Episode) -> Digest:
    return episode.digest or _UNREAD


@strawberry.type(description="One utterance in the journal.")
class JournalMessage:
    """One utterance in the journal."""

    id: strawberry.ID
    external_id: strawberry.ID | None = of("external_id", "The caller's own id.")
    conversation_id: strawberry.ID = of("conversation")
    project_id: strawberry.ID | None = of("scope.project")
    seq: int = of("seq", "Position within its conversation, from 1.")
    role: str
    author: str
    content: str = of("content", "The text; empty once it was erased.")
    at: datetime = of("at", "When it was said.")
    recorded_at: datetime
    zone: str | None
    verdict: Plain | None = of("verdict", "What the gate decided and why; null until it has seen it.")
    episode_id: strawberry.ID | None
    expires_at: datetime | None = of("expires_at", "When the text of a skipped message goes.")


@strawberry.type(description="How far a conversation goes and has been worked through.")
class JournalConversation:
    """How far a conversation goes and has been worked through."""

    id: strawberry.ID = of("key.name")
    project_id: strawberry.ID | None = of("key.project")
    agent: str | None = of("key.agent")
    zone: str | None
    message_count: int = of("last_seq")
    open_messages: int = of("open_messages", "How many messages are not yet in an episode.")
    last_at: datetime | None
    error: str | None


@strawberry.type(description="A remembered stretch of talk.")
class ConversationEpisode:
    """A remembered stretch of talk."""

    id: strawberry.ID
    conversation_id: strawberry.ID = of("conversation")
    project_id: strawberry.ID | None = of("scope.project")
    user_id: str = of("scope.user")
    start_message_id: strawberry.ID | None = of(lambda episode: next(iter(episode.message_ids), None))
    end_message_id: strawberry.ID | None = of(lambda episode: next(reversed(episode.message_ids), None))
    message_count: int = of(lambda episode: len(episode.message_ids), "How many messages were kept.")
    topic: str = of(lambda episode: _digest(episode).topic, "A brief title, at most 500 characters.")
    summary: str = of(lambda episode: _digest(episode).summary)
    key_points: list[str] = of(lambda episode: _digest(episode).key_points)
    decisions_made: list[str] = of(lambda episode: _digest(episode).decisions)
    emotions_detected: str = of(lambda episode: ", ".join(_digest(episode).emotions), "Strongest first.")
    user_state: str = of(lambda episode: _digest(episode).user_state, "Such as blocked, progressing or planning.")
    created_at: datetime = of("recorded_at")
    started_at: datetime
    ended_at: datetime
    status: str
    detail: str = of("detail", "vivid, dim or gist: how much of its words is left.")
    importance: float = of("importance", "Given when written, in [0, 1].")
    pinned: bool
    recalls: list[datetime] = of("recalls", "When it was usefully recalled.")
    fades_at: datetime | None
    version: Long = of("version", "Given to a mutation, it is done only while the episode is still of this version.")
    messages = resolved(_messages)
    facts = resolved(_facts)
