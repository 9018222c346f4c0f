"""Follows a memory: tells what has changed, as often as something has, until nobody listens any more."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass

from yesteryear.consolidate.look import News
from yesteryear.memory import AsyncMemory


@dataclass(frozen=True, slots=True)
class WatchPolicy:
    """How a memory is followed."""

    look_s: float = 0.5
    """Pause between two looks at a memory, in seconds, above 0. A look reads one row; what works on a memory may be
    another process, whose bell nobody here would hear."""
    longest_s: float = 3600.0
    """Longest time that one caller is served, in seconds: whether they still may is asked when they come again."""


async def watch(
    memory: AsyncMemory, *, since: int | None = None, policy: WatchPolicy | None = None
) -> AsyncGenerator[News, None]:
    """Yield what changes in a memory; closing the iterator ends it.

    Args:
        memory: Whose.
        since: ``rev`` of the last that was told, so that nothing is missed; the present one where not given.
        policy: How often is looked, and for how long.

    Raises:
        InputError: that is no number of ours.
    """
    policy = policy or WatchPolicy()
    clock = asyncio.get_running_loop().time
    ends = clock() + policy.longest_s
    rev = (await memory.changes()).rev if since is None else since
    while clock() < ends:
        news = await memory.changes(rev)
        if news.rev != rev:
            rev = news.rev
            yield news
        await asyncio.sleep(policy.look_s)
