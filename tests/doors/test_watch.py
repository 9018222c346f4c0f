"""Following a memory, for every door that tells of changes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, closing

import pytest

import yesteryear
from yesteryear.api.access import OpenDoor
from yesteryear.api.streams import StreamEvent, StreamPolicy, Streams
from yesteryear.errors import EngineClosed, InputError

QUICK = StreamPolicy(look_s=0.01)


async def following(
    engine: yesteryear.AsyncEngine, memory: yesteryear.AsyncMemory, policy: StreamPolicy, since: int | None = None
) -> AsyncGenerator[StreamEvent, None]:
    """Yield what changes in a memory."""
    anybody = await OpenDoor().admit({})
    with closing(await Streams(engine, OpenDoor(), policy).open(anybody, {}, memory, since)) as stream:
        async with aclosing(stream.follow()) as changes:
            async for news in changes:
                yield news


def test_every_change_is_told() -> None:
    """From the place that was given on, each with the place from which to go on."""

    async def follow() -> list[int]:
        told: list[int] = []
        async with yesteryear.open_async(":memory:", embedder="hashing", worker="none") as engine:
            memory = engine.memory(user="ana")
            await memory.observe("I like tea.")
            async with aclosing(following(engine, memory, QUICK, 0)) as changes:
                async for news in changes:
                    told.append(news.rev)
                    if len(told) == 3:
                        break
                    await memory.observe("I like tea very much.")
            assert told[-1] == (await memory.changes()).rev
        return told

    told = asyncio.run(follow())
    assert told == sorted(set(told))


def test_a_caller_is_served_for_so_long_only() -> None:
    """Then they have to come again, and are asked again who they are."""

    async def follow() -> list[StreamEvent]:
        async with yesteryear.open_async(":memory:", embedder="hashing", worker="none") as engine:
            policy = StreamPolicy(look_s=0.01, longest_s=0.05)
            return [news async for news in following(engine, engine.memory(user="ana"), policy)]

    assert asyncio.run(follow()) == []


def test_a_wrong_place_to_go_on_from_is_refused() -> None:
    """Where a memory is, is a whole number from 0."""

    async def follow() -> None:
        async with yesteryear.open_async(":memory:", embedder="hashing", worker="none") as engine:
            async for _ in following(engine, engine.memory(user="ana"), QUICK, -1):
                pass

    with pytest.raises(InputError):
        asyncio.run(follow())


def test_it_ends_with_the_engine() -> None:
    """Whoever listens is told that nobody is there any more."""

    async def follow() -> None:
        engine = yesteryear.open_async(":memory:", embedder="hashing", worker="none")
        memory = engine.memory(user="ana")
        await memory.observe("I like tea.")
        async for _ in following(engine, memory, QUICK, 0):
            await engine.aclose()

    with pytest.raises(EngineClosed):
        asyncio.run(follow())
