"""What changes in a memory, as it changes; each answer carries the `rev` from which on to ask when it broke off."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

import strawberry

from yesteryear.api.graphql.shapes import Long
from yesteryear.api.graphql.visit import Info, lend
from yesteryear.consolidate.look import ConflictView, FactView, News
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
    async with aclosing(_changes(info, since, user_id, project_id)) as changes:
        async for news in changes:
            for episode in news.episodes:
                yield EpisodeNews(news.rev, episode)


async def fact_changed(
    info: Info, *, since: Long | None = None, user_id: str | None = None, project_id: ID | None = None
) -> AsyncGenerator[FactNews, None]:
    """Tell each fact that is new, and again when it changes; from a `rev` on, or from now on."""
    async with aclosing(_changes(info, since, user_id, project_id)) as changes:
        async for news in changes:
            for fact in news.facts:
                yield FactNews(news.rev, fact)


async def conflict_opened(
    info: Info, *, since: Long | None = None, user_id: str | None = None, project_id: ID | None = None
) -> AsyncGenerator[ConflictNews, None]:
    """Tell each question between facts once it opens; with a `rev`, those that are open already too."""
    memory = lend(info, "changes", user=user_id, project=project_id)
    told = {conflict.id for conflict in await memory.conflicts()} if since is None else set()
    async with aclosing(_changes(info, since, user_id, project_id)) as changes:
        async for news in changes:
            open_now = await info.context.reception.streams.watcher.conflicts(memory)
            for conflict in open_now:
                if conflict.id not in told:
                    yield ConflictNews(news.rev, conflict)
            told = {conflict.id for conflict in open_now}


async def _changes(
    info: Info, since: Long | None, user_id: str | None, project_id: ID | None
) -> AsyncGenerator[News, None]:
    memory = lend(info, "changes", user=user_id, project=project_id)
    with info.context.stream() as stream:
        async with aclosing(stream.follow(memory, since=since)) as changes:
            async for news in changes:
                info.context.begin(info.path, memory)
                yield news


SUBSCRIPTIONS = (episode_changed, fact_changed, conflict_opened)
