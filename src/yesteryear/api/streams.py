"""Who follows memories: so many at a time, while their credential opens the door; one look at the store for all."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from yesteryear.api.access import Gatekeeper, Principal
from yesteryear.consolidate.belief.queries import ChangeFeed, ConflictView, FactView
from yesteryear.core.episode import Episode
from yesteryear.core.scope import Owner
from yesteryear.errors import TooMany, YesteryearError
from yesteryear.memory.engine import AsyncEngine
from yesteryear.memory.memory import AsyncMemory


@dataclass(frozen=True, slots=True)
class StreamPolicy:
    """How memories are followed, how many streams there may be, and how often their callers are let in anew."""

    most: int = 100
    """Streams at a time of one principal, at least 1. A choice: a hundred windows of one application."""
    readmit_s: float = 1.5  # pause after which a credential is looked at again, in seconds, above 0
    answer_s: float = 1.5
    """How long whoever keeps the gate may take to answer, in seconds, above 0; a stream of whom nobody can tell ends.
    With the two seconds for which a gate trusts a key, a stream ends within five of its revocation."""
    look_s: float = 0.5
    """Pause between two looks at the store, in seconds, above 0. A look reads whether anybody has written; what works
    on a memory may be another process, whose bell nobody here would hear."""
    rest: float = 4.0
    """How many times as long as a look took is rested after it, at least 0: where others write without a pause, looks
    take a fifth of one thread at most, however many memories are followed."""
    longest_s: float = 3600.0
    """Longest time that one caller is served, in seconds; they come again and go on where they were."""


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """What is new or has changed in a memory since the last that was told of it; nothing, after a silence."""

    rev: int  # where the memory is
    episodes: Sequence[Episode] = ()
    facts: Sequence[FactView] = ()
    conflicts: Sequence[ConflictView] = ()  # questions that were opened


class Streams:
    """All streams of a server, whose gatekeeper says who still may follow. For one event loop."""

    def __init__(self, engine: AsyncEngine, gatekeeper: Gatekeeper, policy: StreamPolicy | None = None) -> None:
        self.policy = policy or StreamPolicy()
        self._engine = engine
        self._gatekeeper = gatekeeper
        self.opened: set[Stream] = set()  # all that count
        self._readmitting: asyncio.Task[None] | None = None
        self._listening: dict[Owner, set[Stream]] = {}
        self._revs: dict[Owner, int] = {}
        self._arrivals = 0
        self._asked: dict[Hashable, asyncio.Future[Any]] = {}
        self._looking: asyncio.Task[None] | None = None

    async def open(
        self,
        principal: Principal,
        headers: Mapping[str, str],
        memory: AsyncMemory,
        since: int | None = None,
        *,
        tells_conflicts: bool = True,
    ) -> Stream:
        """Return a stream for somebody who was let in with these headers; it counts until it is closed.

        It tells what happens from now on, or from ``since`` on, with the questions that are open then.
        """
        if sum(stream.principal == principal for stream in self.opened) >= self.policy.most:
            raise TooMany(
                f"you follow {self.policy.most} streams already, which is the most: close one, use keys of their own "
                "for several programs, or raise the setting serve_streams"
            )
        stream = Stream(self, principal, headers, memory, tells_conflicts)
        self.opened.add(stream)
        if self._readmitting is None or self._readmitting.done():
            self._readmitting = asyncio.create_task(self._readmit_all())
        try:
            await stream.begin(since)
        except BaseException:
            stream.close()
            raise
        return stream

    async def _readmit_all(self) -> None:
        """Let everybody in anew, for as long as there are streams; each credential is looked at once."""
        while self.opened:
            await asyncio.sleep(self.policy.readmit_s)
            alike: dict[tuple[Principal, str], list[Stream]] = {}
            for stream in self.opened:
                alike.setdefault((stream.principal, stream.headers.get("authorization", "")), []).append(stream)
            await asyncio.gather(*(self._readmit(streams) for streams in alike.values()))

    async def _readmit(self, streams: list[Stream]) -> None:
        """Dismiss who is not let in any more, or not as who they were, or of whom nobody can tell in time."""
        again = None
        with suppress(YesteryearError, TimeoutError):
            async with asyncio.timeout(self.policy.answer_s):
                again = await self._gatekeeper.admit(streams[0].headers)
        if again != streams[0].principal:
            for stream in streams:
                stream.dismiss()

    async def ask(self, memory: AsyncMemory, what: Hashable, ask: Callable[[], Awaitable[Any]]) -> Any:  # noqa: ANN401 - whatever is asked for
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
    def waking(self, owner: Owner, stream: Stream) -> Iterator[None]:
        """Wake a stream whenever the owner's memory has changed, from before the first look of its own on."""
        self._listening.setdefault(owner, set()).add(stream)
        self._arrivals += 1
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        try:
            yield
        finally:
            self._listening[owner].discard(stream)
            if not self._listening[owner]:
                del self._listening[owner]
                self._revs.pop(owner, None)

    async def _look(self) -> None:
        """Look for as long as somebody listens."""
        clock, pulse = asyncio.get_running_loop().time, ""
        while self._listening:
            begun, arrivals = clock(), self._arrivals
            try:
                pulse, revs = await self._engine.revs(list(self._listening), unless=pulse)
            except YesteryearError:  # closed, or out of reach: whoever is woken asks, and is told why
                pulse, revs = "", dict.fromkeys(self._listening, -1)
            if arrivals != self._arrivals:  # of those who came meanwhile nobody knows whether this look was too early
                pulse = ""
            for owner, rev in revs.items():
                if owner in self._listening and self._revs.get(owner) != rev:
                    self._revs[owner] = rev
                    for stream in self._listening[owner]:
                        stream.woken.set()
            await asyncio.sleep(max(self.policy.look_s, self.policy.rest * (clock() - begun)))


@dataclass(eq=False, slots=True)
class Stream:
    """One stream of what changes in a memory, for somebody who was let in with some headers."""

    _streams: Streams
    principal: Principal
    headers: Mapping[str, str]
    _memory: AsyncMemory
    _tells_conflicts: bool
    rev: int = 0  # where they are: what came until then was told
    woken: asyncio.Event = field(default_factory=asyncio.Event)  # set when there may be something to tell
    _is_over: bool = False
    _told: set[str] = field(default_factory=set)

    async def begin(self, since: int | None) -> None:
        """Find the place from which on is told."""
        self.rev = (await self._memory.changes()).rev if since is None else since
        if since is None and self._tells_conflicts:
            self._told = {conflict.id for conflict in await self._memory.conflicts()}

    async def follow(self, *, silence_s: float | None = None) -> AsyncGenerator[StreamEvent, None]:
        """Yield what happens from the place on where it begins, until they are not let in any more.

        When nothing has changed for ``silence_s``, the same ``rev`` is told again, with nothing new.
        """
        memory, clock = self._memory, asyncio.get_running_loop().time
        ends = clock() + self._streams.policy.longest_s
        with self._streams.waking(memory.scope.owner, self):
            while not self._is_over and clock() < ends:
                self.woken.clear()
                news = await self._streams.ask(memory, self.rev, partial(memory.changes, self.rev))
                if not self._is_over and news.rev != self.rev:
                    yield await self._tell(news)
                while not await self._is_woken(min(silence_s or ends, ends - clock())) and clock() < ends:
                    yield StreamEvent(self.rev)

    async def _tell(self, news: ChangeFeed) -> StreamEvent:
        opened: list[ConflictView] = []
        if self._tells_conflicts:
            open_now = await self._streams.ask(self._memory, "conflicts", self._memory.conflicts)
            opened = [conflict for conflict in open_now if conflict.id not in self._told]
            self._told = {conflict.id for conflict in open_now}
        self.rev = news.rev
        return StreamEvent(news.rev, news.episodes, news.facts, opened)

    async def _is_woken(self, at_most_s: float) -> bool:
        """Wait until there may be something to tell; tell whether that was in time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(max(at_most_s, 0)):
                return await self.woken.wait()
        return False

    def dismiss(self) -> None:
        """Tell them nothing more."""
        self._is_over = True
        self.woken.set()

    def close(self) -> None:
        """Count no more. Closing twice is harmless."""
        self._streams.opened.discard(self)
