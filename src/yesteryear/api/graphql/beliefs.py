"""What is believed, in document A's words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import strawberry

from yesteryear.api.graphql.shapes import Long, Plain, of, resolved
from yesteryear.api.graphql.talk import read_message
from yesteryear.api.graphql.visit import Info, reads
from yesteryear.consolidate.look import FactView
from yesteryear.core.episode import Episode
from yesteryear.core.fact import LIVE, Evidence, Slot


def _properties(fact: FactView) -> dict[str, object]:
    said = {"subject": fact.subject, "slot": fact.slot, "review": fact.review}
    return {name: value for name, value in said.items() if value}


def _first(names: Sequence[str]) -> str | None:
    return next(iter(names), None)


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
    found = _first(root.episodes)
    return await reads(info).episode.load(found) if found else None


@strawberry.type(description="What one message, or the person's own hand, says for or against a fact.")
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

    message = resolved(read_message)


@strawberry.type(description="A fact: one statement believed about a person.")
class KnowledgeNode:
    """A fact: one statement believed about a person."""

    id: strawberry.ID
    project_id: strawberry.ID | None = of("project", "Null for what belongs to the person, whatever the project.")
    node_type: str = of("kind", "Such as preference, goal or blocker.")
    label: str = of("statement", "The statement itself.")
    properties: Plain = of(_properties, "What else is known: the subject, the slot, why it needs review.")
    subject: str = of("subject", "The person it is about.")
    slot = of("slot", "What it fills in, where that can be told.", kind=Slot | None)
    confidence: float = of("confidence", "How sure we are now, in [0, 1].")
    times_mentioned: int = of("told", "How often it was said.")
    sessions: int = of("sessions", "In how many conversations it was said.")
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
    source_episode_id: strawberry.ID | None = of(lambda fact: _first(fact.episodes))
    source_message_id: strawberry.ID | None = of(lambda fact: _first(fact.messages))
    message_ids: list[strawberry.ID] = of("messages", "All messages it rests on; the caller's ids where given.")
    version: Long = of("version", "Given to a mutation, it is done only while the fact is still of this version.")

    user_id = resolved(_user)
    contradicted_by = resolved(_opponent)
    evidence = resolved(_evidence)
    source_episode = resolved(_source_episode)
