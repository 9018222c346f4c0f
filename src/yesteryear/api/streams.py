"""Who follows memories: so many at a time, while their credential opens the door; one look at the store for all."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Self

from yesteryear.api.access import Gatekeeper, Principal
from yesteryear.consolidate.belief.queries import ChangeFeed, ConflictView, FactView
from yesteryear.core.episode import Episode
from yesteryear.core.scope import Owner
from yesteryear.errors import TooMany, YesteryearError
from yesteryear.memory.engine import AsyncEngine
from yesteryear.memory.memory import AsyncMemory


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
    """Looks at a store for everybody who follows a memory in it. For one event loop."""

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
    ) -> AsyncGenerator[ChangeFeed, None]:
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
                    yield ChangeFeed(rev)
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
    with suppress(TimeoutError):
        async with asyncio.timeout(max(at_most_s, 0)):
            return await listener.wait()
    return False


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
class StreamEvent:
    """What is new or has changed in a memory since the last that was told of it; nothing, after a silence."""

    rev: int
    """Where the memory is."""
    episodes: Sequence[Episode] = ()
    facts: Sequence[FactView] = ()
    conflicts: Sequence[ConflictView] = ()
    """Questions that were opened."""


class Streams:
    """All streams of a server, whose gatekeeper says who still may follow. For one event loop."""

    def __init__(self, engine: AsyncEngine, gatekeeper: Gatekeeper, policy: StreamPolicy | None = None) -> None:
        self._gatekeeper = gatekeeper
        self._policy = policy or StreamPolicy()
        self.watcher = Watcher(engine, self._policy.watch)
        """Looks for all of them."""
        self._open: set[Stream] = set()
        self._counts: Counter[Principal] = Counter()
        self._asking: asyncio.Task[None] | None = None

    def open(self, principal: Principal, headers: Mapping[str, str]) -> Stream:
        """Return a stream for somebody who was let in with these headers; it counts until it is closed."""
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
        again = None
        with suppress(YesteryearError, TimeoutError):
            async with asyncio.timeout(self._policy.answer_s):
                again = await self._gatekeeper.admit(streams[0].headers)
        if again != streams[0].principal:
            for stream in streams:
                stream.listener.dismiss()


class Stream:
    """One stream of what changes in a memory, for somebody who was let in with some headers."""

    def __init__(self, streams: Streams, principal: Principal, headers: Mapping[str, str]) -> None:
        self._streams = streams
        self.principal = principal
        self.headers = headers
        self.listener = Listener()
        self.rev = 0
        """Where they are: what came until then was told."""
        self._told: set[str] = set()

    async def begin(self, memory: AsyncMemory, since: int | None = None, *, tells_conflicts: bool = True) -> None:
        """Find the place from which on is told: now, or ``since``, with the questions that are open then."""
        self._memory, self._tells_conflicts = memory, tells_conflicts
        self.rev = (await memory.changes()).rev if since is None else since
        is_new = since is None and tells_conflicts
        self._told = {conflict.id for conflict in await memory.conflicts()} if is_new else set()

    async def follow(self, *, silence_s: float | None = None) -> AsyncGenerator[StreamEvent, None]:
        """Yield what happens from the place on where it was begun, until they are not let in any more.

        When nothing has changed for ``silence_s``, the same ``rev`` is told again, with nothing new.
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
                yield StreamEvent(news.rev, news.episodes, news.facts, opened)

    def close(self) -> None:
        """Count no more. Closing twice is harmless."""
        self._streams.drop(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
