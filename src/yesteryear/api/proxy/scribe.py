"""Asks the memory, sends a chat on, and takes down both sides of it, without ever holding a reply up for long.

What fails here is logged and told in one word; the chat goes on. Work that outlives its request is kept track of, and
``finish`` waits for it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any, Final, Protocol, TypeVar

import httpx

from yesteryear.api.proxy.chat import CUT_OFF, ChatBody, ProxyTalk, ReplyReader, Turn, without_block
from yesteryear.api.proxy.provider import Provider, ProxyPolicy, arriving
from yesteryear.core.scope import Scope
from yesteryear.errors import YesteryearError
from yesteryear.recall.context import MAX_BUDGET, Context

T = TypeVar("T")

log = logging.getLogger("yesteryear.proxy")


class Memories(Protocol):
    """As much of a memory as a chat needs."""

    @property
    def scope(self) -> Scope:
        """Whose it is."""
        ...

    async def context(
        self, message: str, *, conversation: str | None = None, recent_budget: int | None = None
    ) -> Context:
        """Return what to put before the model."""
        ...

    async def observe(self, content: Sequence[Mapping[str, Any]], *, conversation: str) -> object:
        """Take down what was said."""
        ...


class Use(StrEnum):
    """What the memory did for a request."""

    USED = "used"
    """The model sees what is remembered."""
    NONE = "none"
    """Nothing is remembered that bears on it, or it is nobody's chat."""
    LATE = "late"
    """Recall took too long, and the request went on without it."""
    ERROR = "error"
    """Recall failed, or what the person said could not be taken down."""


@dataclass(frozen=True, slots=True)
class Sitting:
    """Whose memory a chat is about."""

    memory: Memories
    conversation: str
    may_record: bool = True
    """Whether what is said is taken down."""


@dataclass(frozen=True, slots=True)
class Attended:
    """What came of a request, so far as the memory goes."""

    use: Use
    context: Context | None = None


class Scribe:
    """Serves all chats of a process."""

    def __init__(self, policy: ProxyPolicy) -> None:
        self._policy = policy
        self._tasks: set[asyncio.Task[Any]] = set()
        self._recalls: set[asyncio.Task[Context]] = set()
        self._recording: dict[tuple[Scope, str], asyncio.Task[None]] = {}
        """By conversation the last turn that is being taken down."""

    async def attend(self, sitting: Sitting, talk: ProxyTalk) -> Attended:
        """Take down what the person said and recall what bears on it, both within the deadline or behind its back."""
        recording = recalling = None
        if talk.new and sitting.may_record:
            recording = self._take_down(sitting, partial(_observe, sitting, talk.new))
        if len(self._recalls) < self._policy.most_recalls:
            recalling = self._begin(_recall(sitting, talk))
            self._recalls.add(recalling)
            recalling.add_done_callback(self._recalls.discard)
        if waiting := {task for task in (recording, recalling) if task is not None}:
            await asyncio.wait(waiting, timeout=self._policy.recall_deadline_ms / 1000)
        context = recalling.result() if recalling is not None and _is_well(recalling) else None
        if _has_failed(recording) or _has_failed(recalling):
            use = Use.ERROR
        elif context is None:
            use = Use.LATE
        else:
            use = Use.USED if context.text else Use.NONE
        return Attended(use, context)

    def take_down_reply(self, sitting: Sitting, chunks: Sequence[bytes], *, index: int, reader: ReplyReader) -> None:
        """Take down what the model has said, after what the person said; returns at once."""
        if sitting.may_record:
            self._take_down(sitting, partial(_observe_reply, sitting, chunks, index=index, reader=reader))

    async def finish(self) -> None:
        """Wait until everything is taken down, for a while."""
        try:
            async with asyncio.timeout(self._policy.finish_s):
                while self._tasks:
                    await asyncio.wait(self._tasks)
        except TimeoutError:
            log.warning("ended while %d pieces of work were under way", len(self._tasks))

    def _take_down(self, sitting: Sitting, work: Callable[[], Coroutine[Any, Any, None]]) -> asyncio.Task[None]:
        """Take a turn down after those before it, so that a quick answer does not overtake what it answers."""
        key = (sitting.memory.scope, sitting.conversation)
        task = self._begin(_after(self._recording.get(key), work))
        self._recording[key] = task
        task.add_done_callback(partial(self._forget_recording, key))
        return task

    def _forget_recording(self, key: tuple[Scope, str], done: asyncio.Task[None]) -> None:
        if self._recording.get(key) is done:
            del self._recording[key]

    def _begin(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._end)
        return task

    def _end(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, YesteryearError):
            log.warning("the memory of a chat failed (%s)", error.code)
        elif error is not None:
            log.error("the memory of a chat failed", exc_info=error)


async def _recall(sitting: Sitting, talk: ProxyTalk) -> Context:
    """Recall what bears on a talk, leaving out as much of its own past as the model sees anyway."""
    earlier = min(talk.earlier_tokens, MAX_BUDGET)
    return await sitting.memory.context(talk.question, conversation=sitting.conversation, recent_budget=earlier)


async def _after(before: asyncio.Task[None] | None, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    if before is not None:
        await asyncio.wait({before})
    await work()


async def _observe(sitting: Sitting, turns: Sequence[Turn]) -> None:
    messages = [turn.message(sitting.conversation) for turn in turns]
    await sitting.memory.observe(messages, conversation=sitting.conversation)


async def _observe_reply(sitting: Sitting, chunks: Sequence[bytes], *, index: int, reader: ReplyReader) -> None:
    await asyncio.to_thread(_read, reader, chunks)
    text = without_block(reader.text)
    if text:
        await _observe(sitting, [Turn(index, "assistant", text if reader.is_whole else text.rstrip() + CUT_OFF)])


def _read(reader: ReplyReader, chunks: Sequence[bytes]) -> None:
    reader.feed(b"".join(chunks))
    reader.end()


def _is_well(task: asyncio.Task[Any]) -> bool:
    return task.done() and not task.cancelled() and task.exception() is None


def _has_failed(task: asyncio.Task[Any] | None) -> bool:
    return task is not None and task.done() and not _is_well(task)


CHAT: Final = "/chat/completions"
MODELS: Final = "/models"
_OK = 200


class Passing:
    """A reply on its way to the client."""

    def __init__(self, response: httpx.Response, attended: Attended, most_kept: int) -> None:
        self.response = response
        self.attended = attended
        self._left = most_kept
        self.kept: list[bytes] = []
        """What has arrived, up to a limit."""

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the bytes of the reply as they arrive.

        Raises:
            ProviderUnavailable: the provider broke off.
        """
        async for chunk in arriving(self.response):
            if self._left > 0:
                self.kept.append(chunk)
                self._left -= len(chunk)
            yield chunk


class Relay:
    """What the proxy and the terminal have in common."""

    def __init__(self, provider: Provider, scribe: Scribe, policy: ProxyPolicy) -> None:
        self.provider = provider
        self.scribe = scribe
        self._policy = policy

    @asynccontextmanager
    async def converse(
        self,
        sitting: Sitting,
        body: ChatBody,
        talk: ProxyTalk,
        *,
        path: str = CHAT,
        headers: Iterable[tuple[bytes, bytes]],
    ) -> AsyncIterator[Passing]:
        """Send a chat on with what is remembered, and lend the reply; what came of it is taken down behind it.

        Raises:
            ProviderUnavailable: the provider cannot be reached.
        """
        attended = await self.scribe.attend(sitting, talk)
        sent = body.as_sent
        if attended.context is not None and attended.context.text:
            sent = body.with_block(attended.context.text)
        response = await self.provider.send("POST", path, headers=headers, body=sent, is_read=True)
        passing = Passing(response, attended, self._policy.most_reply_bytes)
        try:
            yield passing
        finally:
            if response.status_code == _OK and "content-encoding" not in response.headers:
                reader = ReplyReader(response.headers.get("content-type", ""))
                self.scribe.take_down_reply(sitting, passing.kept, index=talk.length, reader=reader)
            await response.aclose()
