"""What changes in a memory, as it changes; each answer carries the version from which on to ask when it broke off."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

import strawberry

from yesteryear.api.graphql.shapes import Long
from yesteryear.api.graphql.visit import Info, lend
from yesteryear.api.watch import watch
from yesteryear.consolidate.look import ConflictView, FactView, News
from yesteryear.core.episode import Episode, EpisodeStatus

ID = strawberry.ID
_READ = frozenset({EpisodeStatus.ACTIVE, EpisodeStatus.ARCHIVED})
"""Statuses of episodes whose digest stands; those that are still being worked on change again soon."""


@dataclass(frozen=True, slots=True)
class EpisodeNews:
    """An episode that is new or has changed."""

    version: int
    """Of the memory: given as ``since``, nothing after this is missed."""
    episode: Episode


@dataclass(frozen=True, slots=True)
class FactNews:
    """A fact that is new or has changed."""

    version: int
    """Of the memory: given as ``since``, nothing after this is missed."""
    fact: FactView


@dataclass(frozen=True, slots=True)
class ConflictNews:
    """A question between two facts that is open."""

    version: int
    """Of the memory: given as ``since``, nothing after this is missed."""
    conflict: ConflictView


async def episode_changed(
    info: Info, *, since: Long | None = None, user_id: str | None = None, project_id: ID | None = None
) -> AsyncGenerator[EpisodeNews, None]:
    """Tell each episode once it has been read, and again when it changes; from a version on, or from now on."""
    async with aclosing(_changes(info, since, user_id, project_id)) as changes:
        async for changed in changes:
            for episode in changed.episodes:
                if episode.status in _READ:
                    yield EpisodeNews(changed.rev, episode)


async def fact_changed(
    info: Info, *, since: Long | None = None, user_id: str | None = None, project_id: ID | None = None
) -> AsyncGenerator[FactNews, None]:
    """Tell each fact that is new, and again when it changes; from a version on, or from now on."""
    async with aclosing(_changes(info, since, user_id, project_id)) as changes:
        async for changed in changes:
            for fact in changed.facts:
                yield FactNews(changed.rev, fact)


async def conflict_opened(
    info: Info, *, since: Long | None = None, user_id: str | None = None, project_id: ID | None = None
) -> AsyncGenerator[ConflictNews, None]:
    """Tell each question between facts once it opens; with a version, those that are open already too."""
    memory = lend(info, "changes", user=user_id, project=project_id)
    told = {conflict.id for conflict in await memory.conflicts()} if since is None else set()
    async with aclosing(_changes(info, since, user_id, project_id)) as changes:
        async for changed in changes:
            news = [conflict for conflict in changed.open_conflicts if conflict.id not in told]
            told = {conflict.id for conflict in changed.open_conflicts}
            for conflict in news:
                yield ConflictNews(changed.rev, conflict)


async def _changes(
    info: Info, since: Long | None, user_id: str | None, project_id: ID | None
) -> AsyncGenerator[News, None]:
    memory = lend(info, "changes", user=user_id, project=project_id)
    async with aclosing(watch(memory, since=since, policy=info.context.watching)) as changes:
        async for changed in changes:
            info.context.begin(info.path, memory)
            yield changed


SUBSCRIPTIONS = (episode_changed, fact_changed, conflict_opened)
