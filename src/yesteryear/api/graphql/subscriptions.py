"""What changes in a memory, as it changes; each answer carries the `rev` from which on to ask when it broke off."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

import strawberry

from yesteryear.api.graphql.shapes import Long
from yesteryear.api.graphql.visit import Info, lend
from yesteryear.api.streams import Happened
from yesteryear.consolidate.look import ConflictView, FactView
from yesteryear.core.episode import Episode

ID = strawberry.ID


@dataclass(frozen=True, slots=True)
class EpisodeNews:
    """An episode that is new or has changed."""

    rev: int
    """Where the memory is: given as ``since``, nothing after this is missed."""
    episode: Episode


@dataclass(frozen=True, slots=True)
class FactNews:
    """A fact that is new or has changed."""

    rev: int
    """Where the memory is: given as ``since``, nothing after this is missed."""
    fact: FactView


@dataclass(frozen=True, slots=True)
class ConflictNews:
    """A question between two facts that is open."""

    rev: int
    """Where the memory is: given as ``since``, nothing after this is missed."""
    conflict: ConflictView


async def episode_changed(
    info: Info, *, since: Long | None = None, user_id: str | None = None, project_id: ID | None = None
) -> AsyncGenerator[EpisodeNews, None]:
    """Tell each episode that is new, and again when it changes; from a `rev` on, or from now on."""
    async with aclosing(_happenings(info, since, user_id, project_id)) as happenings:
        async for happened in happenings:
            for episode in happened.episodes:
                yield EpisodeNews(happened.rev, episode)


async def fact_changed(
    info: Info, *, since: Long | None = None, user_id: str | None = None, project_id: ID | None = None
) -> AsyncGenerator[FactNews, None]:
    """Tell each fact that is new, and again when it changes; from a `rev` on, or from now on."""
    async with aclosing(_happenings(info, since, user_id, project_id)) as happenings:
        async for happened in happenings:
            for fact in happened.facts:
                yield FactNews(happened.rev, fact)


async def conflict_opened(
    info: Info, *, since: Long | None = None, user_id: str | None = None, project_id: ID | None = None
) -> AsyncGenerator[ConflictNews, None]:
    """Tell each question between facts once it opens; with a `rev`, those that are open already too."""
    async with aclosing(_happenings(info, since, user_id, project_id, tells_conflicts=True)) as happenings:
        async for happened in happenings:
            for conflict in happened.conflicts:
                yield ConflictNews(happened.rev, conflict)


async def _happenings(
    info: Info, since: Long | None, user_id: str | None, project_id: ID | None, *, tells_conflicts: bool = False
) -> AsyncGenerator[Happened, None]:
    memory = lend(info, "changes", user=user_id, project=project_id)
    with info.context.stream() as stream:
        await stream.begin(memory, since, tells_conflicts=tells_conflicts)
        async with aclosing(stream.follow()) as happenings:
            async for happened in happenings:
                info.context.begin(info.path, memory)
                yield happened


SUBSCRIPTIONS = (episode_changed, fact_changed, conflict_opened)
