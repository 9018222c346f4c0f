"""Types that document A names, in its words: what was said, what is believed, what goes before a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import Field, make_dataclass
from datetime import datetime
from operator import attrgetter
from typing import Any, TypeVar

import strawberry

from yesteryear.api.graphql.result_types import Long, Plain, of, resolved, sentence
from yesteryear.api.graphql.visit import Info, reads
from yesteryear.consolidate.belief.queries import FactView
from yesteryear.core.episode import Digest, Episode, UserState
from yesteryear.core.fact import LIVE, Evidence, Slot
from yesteryear.core.message import Message
from yesteryear.core.ruling import Question
from yesteryear.policies import OVERRIDABLE
from yesteryear.recall.context import Context, ContextItem, Dropped

T = TypeVar("T")

_UNREAD = Digest(topic="", summary="", user_state=UserState.NEUTRAL)
"""Stands in for the digest of an episode that could not be read yet."""


def described(kind: type[T]) -> type[T]:
    """Make a type of GraphQL of a class whose docstring says what it is."""
    return strawberry.type(kind, description=sentence(kind))


async def _message(root: strawberry.Parent[Evidence], info: Info) -> Message | None:
    """The message it rests on."""
    return await reads(info).message.load(root.message_id) if root.message_id else None


async def _messages(root: strawberry.Parent[Episode], info: Info) -> Sequence[Message]:
    """Its kept messages, in order."""
    found = await reads(info).message.load_many(list(root.message_ids))
    return [message for message in found if message is not None]


async def _facts(root: strawberry.Parent[Episode], info: Info) -> Sequence[FactView]:
    """What is believed now and was told in it."""
    return await reads(info).facts_of.load(root.id)


def _of_digest(read: Callable[[Digest], object], description: str | None = None) -> Any:  # noqa: ANN401 - a field
    return of(lambda episode: read(episode.digest or _UNREAD), description)


@described
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


@described
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


@described
class ConversationEpisode:
    """A remembered stretch of talk."""

    id: strawberry.ID
    conversation_id: strawberry.ID = of("conversation")
    project_id: strawberry.ID | None = of("scope.project")
    user_id: str = of("scope.user")
    start_message_id: strawberry.ID | None = of(lambda episode: next(iter(episode.message_ids), None))
    end_message_id: strawberry.ID | None = of(lambda episode: next(reversed(episode.message_ids), None))
    message_count: int = of(lambda episode: len(episode.message_ids), "How many messages were kept.")
    topic: str = _of_digest(attrgetter("topic"), "A brief title, at most 500 characters.")
    summary: str = _of_digest(attrgetter("summary"))
    key_points: list[str] = _of_digest(attrgetter("key_points"))
    decisions_made: list[str] = _of_digest(attrgetter("decisions"))
    emotions_detected: str = _of_digest(lambda digest: ", ".join(digest.emotions), "Strongest first.")
    user_state: str = _of_digest(attrgetter("user_state"), "Such as blocked, progressing or planning.")
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


def _properties(fact: FactView) -> dict[str, object]:
    said = {"subject": fact.subject, "slot": fact.slot, "review": fact.review}
    return {name: value for name, value in said.items() if value}


def _user(info: Info) -> str:
    """Whose memory it is in."""
    return reads(info).memory.scope.user


async def _opponent(root: strawberry.Parent[FactView], info: Info) -> strawberry.ID | None:
    """The fact that took its place, or with which it is in open conflict."""
    found = root.superseded_by or await reads(info).opponent.load(root.id)
    return strawberry.ID(found) if found else None


async def _evidence(root: strawberry.Parent[FactView], info: Info) -> Sequence[Evidence]:
    """What speaks for and against it, by when it was said."""
    return await reads(info).evidence.load(root.id)


async def _source_episode(root: strawberry.Parent[FactView], info: Info) -> Episode | None:
    """The first episode that it was told in."""
    return await reads(info).episode.load(root.episodes[0]) if root.episodes else None


@described
class FactEvidence:
    """What one message, or the person's own hand, says for or against a fact."""

    id: strawberry.ID
    stance: str = of("stance", "supports, contradicts or echo.")
    quote: str = of("quote", "The words it rests on; empty for what was done by hand, or where words are not kept.")
    author: str
    said_at: datetime
    recorded_at: datetime
    conversation_id: strawberry.ID = of("session")
    episode_id: strawberry.ID | None
    message_id: strawberry.ID | None
    weight: float = of("weight", "How sure the analyst was, in [0, 1].")

    message = resolved(_message)


@described
class KnowledgeNode:
    """A fact: one statement believed about a person."""

    id: strawberry.ID
    project_id: strawberry.ID | None = of("project", "Null for what belongs to the person, whatever the project.")
    node_type: str = of("kind", "Such as preference, goal or blocker.")
    label: str = of("statement", "The statement itself.")
    properties: Plain = of(_properties, "What else is known: the subject, the slot, why it needs review.")
    subject: str = of("subject", "The person it is about.")
    slot = of("slot", "What it fills in, where that can be told.", kind=Slot | None)
    attribute: str = of("attribute", "What of the holder it tells, such as diet; empty where no attribute fits.")
    holder: str = of("holder", "Whose it is, by name or tie as it was said; empty where it is the subject's own.")
    form: str = of("form", "How it is worded: plain, answer or quote.")
    confidence: float = of("confidence", "How sure we are now, in [0, 1].")
    times_mentioned: int = of("told", "How often it was said.")
    sessions: int = of("sessions", "At how many sittings it was said.")
    status: str
    is_active: bool = of(lambda fact: fact.status in LIVE, "Whether it counts now.")
    pinned: bool
    review: str = of("review", "Why it needs review; empty where it does not.")
    first_observed_at: datetime = of("first_observed")
    last_reinforced_at: datetime | None = of("last_confirmed")
    created_at: datetime = of("recorded_at", "When it became known to us.")
    valid_from: datetime | None
    valid_to: datetime | None = of("valid_to", "Until when it held, exclusive; null while it does.")
    resolved_at: datetime | None
    merged_into_id: strawberry.ID | None = of("canonical_id", "The fact that says the same or more.")
    superseded_by_id: strawberry.ID | None = of("superseded_by", "The fact that holds since.")
    source_episode_id: strawberry.ID | None = of(lambda fact: next(iter(fact.episodes), None))
    source_message_id: strawberry.ID | None = of(lambda fact: next(iter(fact.messages), None))
    message_ids: list[strawberry.ID] = of("messages", "All messages it rests on; the caller's ids where given.")
    version: Long = of("version", "Given to a mutation, it is done only while the fact is still of this version.")

    user_id = resolved(_user)
    contradicted_by = resolved(_opponent)
    evidence = resolved(_evidence)
    source_episode = resolved(_source_episode)


async def _shown_episodes(root: strawberry.Parent[Context], info: Info) -> Sequence[Episode]:
    """The episodes that are shown, and those from which words are."""
    lent = reads(info)
    messages = await lent.message.load_many([name for item in root.items for name in item.messages])
    behind = [message.episode_id for message in messages if message is not None and message.episode_id is not None]
    found = await lent.episode.load_many(list(dict.fromkeys([*(item.id for item in root.items), *behind])))
    return [episode for episode in found if episode is not None]


async def _shown_facts(root: strawberry.Parent[Context], info: Info) -> Sequence[FactView]:
    """The facts that are shown."""
    found = await reads(info).fact.load_many([item.id for item in root.items])
    return [fact for fact in found if fact is not None]


@described
class MemoryContext:
    """What to put before a model: a framed text within a budget of tokens, and what it is made of."""

    text: str = of("text", "The framed context; empty when there is nothing to say, or no room to say it.")
    tokens: int = of("tokens", "Cost of the text; never above the budget.")
    budget: int
    items = of("items", kind=list[ContextItem])
    dropped = of("dropped", "What found no place, and why.", kind=list[Dropped])
    recent: list[str] = of("recent", "The session's last messages, one line each, oldest first; outside the budget.")
    recent_tokens: int
    questions = of("questions", "What may be asked of the person, to settle what is unsure.", kind=list[Question])
    notes: list[str] = of("notes", "In which way this is less than it could be.")
    episodes = resolved(_shown_episodes)
    facts = resolved(_shown_facts)


def _settings() -> type:
    """Return a class with a field for each setting that a user or project may have of their own."""
    described_as: list[tuple[str, Any, Field[Any]]] = []
    for name, setting in OVERRIDABLE.items():
        kind = bool if setting.is_flag else int if setting.is_whole else float
        field = strawberry.field(description=setting.meaning, default=strawberry.UNSET)
        described_as.append((name, kind | None, field))
    return make_dataclass("Settings", described_as, kw_only=True)


@strawberry.type(description="What is set for a person or a project of theirs; null where the default holds.")
class MemoryConfig(_settings()):  # type: ignore[misc] # made from what can be set
    """What is set."""


@strawberry.input(description="What to set; null takes a setting back, what is not named stays as it is.")
class MemoryConfigInput(_settings()):  # type: ignore[misc] # made from what can be set
    """What to set."""
