"""Who is being told of changes: so many at a time of one principal, and only while their credential opens the door."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from yesteryear.api.access import Gatekeeper, Principal
from yesteryear.api.watch import Listener, Watcher, WatchPolicy
from yesteryear.consolidate.look import ConflictView, FactView
from yesteryear.core.episode import Episode
from yesteryear.engine import AsyncEngine
from yesteryear.errors import TooMany, YesteryearError
from yesteryear.memory import AsyncMemory


@dataclass(frozen=True, slots=True)
class StreamPolicy:
    """How many streams there may be, and how often their callers are let in anew."""

    most: int = 100
    """Streams at a time of one principal, at least 1. A choice: a hundred windows of one application."""
    readmit_s: float = 1.5
    """Pause after which a credential is looked at again, in seconds, above 0."""
    answer_s: float = 1.5
    """How long whoever keeps the gate may take to answer, in seconds, above 0; a stream of whom nobody can tell ends.
    With the two seconds for which a gate trusts a key, a stream ends within five of its revocation."""
    watch: WatchPolicy = field(default_factory=WatchPolicy)


@dataclass(frozen=True, slots=True)
class Happened:
    """What is new or has changed in a memory since the last that was told of it; nothing, after a silence."""

    rev: int
    """Where the memory is."""
    episodes: Sequence[Episode] = ()
    facts: Sequence[FactView] = ()
    conflicts: Sequence[ConflictView] = ()
    """Questions that were opened."""


class Streams:
    """All streams of a server. For one event loop.

    Args:
        engine: Whose memories are followed.
        gatekeeper: Says who still may; asking it counts for nobody as a request.
        policy: Limits.
    """

    def __init__(self, engine: AsyncEngine, gatekeeper: Gatekeeper, policy: StreamPolicy | None = None) -> None:
        self._gatekeeper = gatekeeper
        self._policy = policy or StreamPolicy()
        self.watcher = Watcher(engine, self._policy.watch)
        """Looks for all of them."""
        self._open: set[Stream] = set()
        self._counts: Counter[Principal] = Counter()
        self._asking: asyncio.Task[None] | None = None

    def open(self, principal: Principal, headers: Mapping[str, str]) -> Stream:
        """Return a stream for somebody who was let in with these headers; it counts until it is closed.

        Raises:
            TooMany: they have as many as they may.
        """
        if self._counts[principal] >= self._policy.most:
            raise TooMany(
                f"you follow {self._policy.most} streams already, which is the most: close one, use keys of their own "
                "for several programs, or raise the setting serve_streams"
            )
        stream = Stream(self, principal, headers)
        self._counts[principal] += 1
        self._open.add(stream)
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._ask())
        return stream

    def drop(self, stream: Stream) -> None:
        """Let go of a stream; twice is harmless."""
        if stream in self._open:
            self._open.remove(stream)
            self._counts[stream.principal] -= 1
            if not self._counts[stream.principal]:
                del self._counts[stream.principal]

    async def _ask(self) -> None:
        """Let everybody in anew, for as long as there are streams; each credential is looked at once."""
        while self._open:
            await asyncio.sleep(self._policy.readmit_s)
            alike: dict[tuple[Principal, str], list[Stream]] = {}
            for stream in self._open:
                alike.setdefault((stream.principal, stream.headers.get("authorization", "")), []).append(stream)
            await asyncio.gather(*(self._readmit(streams) for streams in alike.values()))

    async def _readmit(self, streams: list[Stream]) -> None:
        """Dismiss who is not let in any more, or not as who they were, or of whom nobody can tell in time."""
        first, again = streams[0], None
        try:
            async with asyncio.timeout(self._policy.answer_s):
                again = await self._gatekeeper.admit(first.headers)
        except (YesteryearError, TimeoutError):
            pass
        if again != first.principal:
            for stream in streams:
                stream.listener.dismiss()


class Stream:
    """One stream of what changes in a memory.

    Args:
        streams: All of them.
        principal: Who is told.
        headers: With which they were let in.
    """

    def __init__(self, streams: Streams, principal: Principal, headers: Mapping[str, str]) -> None:
        self._streams = streams
        self.principal = principal
        self.headers = headers
        self.listener = Listener()
        self.rev = 0
        """Where they are: what came until then was told."""
        self._told: set[str] = set()

    async def begin(self, memory: AsyncMemory, since: int | None = None, *, tells_conflicts: bool = True) -> None:
        """Find the place in a memory from which on is told, before anything is.

        Args:
            memory: Whose.
            since: ``rev`` of the last that was told, so that nothing is missed; the present one where not given.
            tells_conflicts: Whether questions are told too, once they open; with ``since`` those that are open already.

        Raises:
            InputError: that is no number of ours.
        """
        self._memory, self._tells_conflicts = memory, tells_conflicts
        self.rev = (await memory.changes()).rev if since is None else since
        is_new = since is None and tells_conflicts
        self._told = {conflict.id for conflict in await memory.conflicts()} if is_new else set()

    async def follow(self, *, silence_s: float | None = None) -> AsyncGenerator[Happened, None]:
        """Yield what happens from the place on where it was begun, until they are not let in any more.

        Args:
            silence_s: Seconds after which, when nothing has changed, the same ``rev`` is told again, with nothing new.
        """
        watcher = self._streams.watcher
        changes = watcher.follow(self._memory, since=self.rev, silence_s=silence_s, listener=self.listener)
        async with aclosing(changes):
            async for news in changes:
                opened: list[ConflictView] = []
                if self._tells_conflicts and news.rev != self.rev:
                    open_now = await watcher.conflicts(self._memory)
                    opened = [conflict for conflict in open_now if conflict.id not in self._told]
                    self._told = {conflict.id for conflict in open_now}
                self.rev = news.rev
                yield Happened(news.rev, news.episodes, news.facts, opened)

    def close(self) -> None:
        """Count no more. Closing twice is harmless."""
        self._streams.drop(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
