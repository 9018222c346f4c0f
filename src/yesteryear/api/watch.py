"""Follows memories: one look at the store for all who listen, and those whose memory has changed are woken."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from yesteryear.consolidate.look import ConflictView, News
from yesteryear.core.scope import Owner
from yesteryear.engine import AsyncEngine
from yesteryear.errors import YesteryearError
from yesteryear.memory import AsyncMemory


@dataclass(frozen=True, slots=True)
class WatchPolicy:
    """How memories are followed."""

    look_s: float = 0.5
    """Pause between two looks at the store, in seconds, above 0. A look reads whether anybody has written; what works
    on a memory may be another process, whose bell nobody here would hear."""
    rest: float = 4.0
    """How many times as long as a look took is rested after it, at least 0: where others write without a pause, looks
    take a fifth of one thread at most, however many memories are followed."""
    longest_s: float = 3600.0
    """Longest time that one caller is served, in seconds; they come again and go on where they were."""


class Listener(asyncio.Event):
    """Somebody who follows a memory: set to wake them."""

    _is_over = False

    def is_over(self) -> bool:
        """Tell whether nothing more is told to them."""
        return self._is_over

    def dismiss(self) -> None:
        """Tell them nothing more."""
        self._is_over = True
        self.set()


class Watcher:
    """Looks at a store for everybody who follows a memory in it. For one event loop.

    Args:
        engine: Whose memories.
        policy: How often is looked, and for how long.
    """

    def __init__(self, engine: AsyncEngine, policy: WatchPolicy | None = None) -> None:
        self._engine = engine
        self._policy = policy or WatchPolicy()
        self._listeners: dict[Owner, set[Listener]] = {}
        self._revs: dict[Owner, int] = {}
        self._arrivals = 0
        self._asked: dict[Hashable, asyncio.Future[Any]] = {}
        self._looking: asyncio.Task[None] | None = None

    async def follow(
        self,
        memory: AsyncMemory,
        *,
        since: int | None = None,
        silence_s: float | None = None,
        listener: Listener | None = None,
    ) -> AsyncGenerator[News, None]:
        """Yield what changes in a memory; closing the iterator ends it.

        Args:
            memory: Whose.
            since: ``rev`` of the last that was told, so that nothing is missed; the present one where not given.
            silence_s: Seconds after which, when nothing has changed, the same ``rev`` is told again, with nothing new.
            listener: Who listens; dismissing them ends it.

        Raises:
            InputError: that is no number of ours.
        """
        clock = asyncio.get_running_loop().time
        ends = clock() + self._policy.longest_s
        listener = listener or Listener()
        with self._waking(memory.scope.owner, listener):
            rev = (await memory.changes()).rev if since is None else since
            while clock() < ends:
                listener.clear()
                news = await self._shared(memory, rev, partial(memory.changes, rev))
                if listener.is_over():
                    return
                if news.rev != rev:
                    rev = news.rev
                    yield news
                while not await _is_woken(listener, min(silence_s or ends, ends - clock())) and clock() < ends:
                    yield News(rev)
                if listener.is_over():
                    return

    async def conflicts(self, memory: AsyncMemory) -> list[ConflictView]:
        """Return the questions that are open in a memory; who asks at the same moment shares one look."""
        found: list[ConflictView] = await self._shared(memory, "conflicts", memory.conflicts)
        return found

    async def _shared(self, memory: AsyncMemory, what: Hashable, ask: Callable[[], Awaitable[Any]]) -> Any:  # noqa: ANN401 - whatever is asked for
        """Ask once for all who stand at the same place, as they do when they were woken together.

        What was asked before the last change was seen is not what they want to know.
        """
        key = (memory.scope, what, self._revs.get(memory.scope.owner))
        asked = self._asked.get(key)
        if asked is None:
            asked = self._asked[key] = asyncio.ensure_future(ask())
            asked.add_done_callback(lambda _: self._asked.pop(key, None))
        return await asyncio.shield(asked)

    @contextmanager
    def _waking(self, owner: Owner, listener: Listener) -> Iterator[None]:
        """Wake somebody whenever the owner's memory has changed, from before the first look of their own on."""
        self._listeners.setdefault(owner, set()).add(listener)
        self._arrivals += 1
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        try:
            yield
        finally:
            self._listeners[owner].discard(listener)
            if not self._listeners[owner]:
                del self._listeners[owner]
                self._revs.pop(owner, None)

    async def _look(self) -> None:
        """Look for as long as somebody listens."""
        clock, pulse = asyncio.get_running_loop().time, ""
        while self._listeners:
            begun, arrivals = clock(), self._arrivals
            try:
                pulse, revs = await self._engine.revs(list(self._listeners), unless=pulse)
            except YesteryearError:  # closed, or out of reach: whoever is woken asks, and is told why
                pulse, revs = "", dict.fromkeys(self._listeners, -1)
            if arrivals != self._arrivals:  # of those who came meanwhile nobody knows whether this look was too early
                pulse = ""
            for owner, rev in revs.items():
                if owner in self._listeners and self._revs.get(owner) != rev:
                    self._revs[owner] = rev
                    for listener in self._listeners[owner]:
                        listener.set()
            await asyncio.sleep(max(self._policy.look_s, self._policy.rest * (clock() - begun)))


async def _is_woken(listener: Listener, at_most_s: float) -> bool:
    """Wait until somebody is woken; tell whether they were in time."""
    try:
        async with asyncio.timeout(max(at_most_s, 0)):
            await listener.wait()
    except TimeoutError:
        return False
    return True
