"""The way of a chat to the provider and back: the memory is asked, both sides are taken down, no reply is held up.

The provider's address is a setting and nothing a client sends can change it. What fails of the memory is logged and
told in one word; the chat goes on. Work that outlives its request is kept track of, and ``finish`` waits for it.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, partial
from http import HTTPStatus
from typing import Any, Final, TypeVar

import httpx

from yesteryear.api.proxy.chat import CUT_OFF, ChatBody, ProxyTalk, ReplyReader, Turn, without_block
from yesteryear.core.scope import Scope
from yesteryear.errors import ConfigError, ProviderUnavailable, YesteryearError
from yesteryear.lifecycle.failures import log_failure
from yesteryear.memory.memory import AsyncMemory
from yesteryear.recall.context import MAX_BUDGET, Context

T = TypeVar("T")

log = logging.getLogger("yesteryear.proxy")

CHAT: Final = "/chat/completions"
MODELS: Final = "/models"


@dataclass(frozen=True, slots=True)
class ProxyPolicy:
    """What the proxy waits for and what it keeps."""

    recall_deadline_ms: int = 150
    """Milliseconds after which a request goes on without what is remembered. Source: a pause that nobody notices."""
    most_recalls: int = 32
    """Most recalls at once, late ones included; a request beyond them goes on without. From 1."""
    connect_timeout_s: float = 5.0  # seconds to reach the provider
    read_timeout_s: float = 600.0
    """Seconds of silence after which the provider is given up; what OpenAI's own client waits."""
    most_connections: int = 1000  # most connections to the provider at once; callers beyond them wait
    most_idle_connections: int = 100  # most connections kept open for the next request
    most_body_bytes: int = 16 * 1024 * 1024
    """Bytes of a request up to which it is read for what was said; a larger one goes on without memory."""
    most_reply_bytes: int = 16 * 1024 * 1024
    """Bytes of a reply that are kept to be taken down; what comes after them counts as cut off."""
    finish_s: float = 30.0  # most seconds that an end waits for what is still being taken down


Headers = list[tuple[bytes, bytes]]  # as ASGI has them: names in lower case

_OF_ONE_CONNECTION = frozenset(
    b"connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding "
    b"upgrade".split()
)
_NOT_UPSTREAM = _OF_ONE_CONNECTION | frozenset(b"host content-length cookie expect".split())
"""What is ours, such as the cookie of our pages, or is written anew."""
_NOT_DOWNSTREAM = _OF_ONE_CONNECTION | frozenset(b"set-cookie date server".split())
_OURS = b"x-yesteryear-"


@dataclass(frozen=True, slots=True)
class Upstream:
    """A server that speaks as OpenAI's does."""

    base_url: str  # ends with /v1 as a rule
    key: str = field(default="", repr=False)
    """What is shown to it in every request; empty where each client brings a key of its own."""

    def __post_init__(self) -> None:
        if not self.base_url.startswith(("http://", "https://")):
            raise ConfigError(
                f"proxy_url = {self.base_url!r} is no base URL; it begins with http:// and often ends with /v1"
            )


@cache
def _certificates() -> ssl.SSLContext:
    """Read whom to trust, once: it takes longer than all else that a door needs to open."""
    return httpx.create_ssl_context()


class Provider:
    """An upstream, and the connections to it."""

    def __init__(self, upstream: Upstream, policy: ProxyPolicy) -> None:
        self._base, self._key = upstream.base_url.rstrip("/"), upstream.key
        timeout = httpx.Timeout(policy.read_timeout_s, connect=policy.connect_timeout_s)
        self._timeout = timeout.as_dict()
        most, most_idle = policy.most_connections, policy.most_idle_connections
        limits = httpx.Limits(max_connections=most, max_keepalive_connections=most_idle)
        self._client = httpx.AsyncClient(timeout=timeout, limits=limits, verify=_certificates())

    async def send(
        self, method: str, path: str, *, headers: Iterable[tuple[bytes, bytes]], body: bytes, is_read: bool = False
    ) -> httpx.Response:
        """Send a request on, without what is not for the provider, and return the reply as soon as it begins; close it.

        The path, below the base URL, has its query. A reply that ``is_read`` here must not be compressed.
        """
        ours = {b"authorization": f"Bearer {self._key}".encode()} if self._key else {}
        ours |= {b"accept-encoding": b"identity"} if is_read else {}
        dropped = _NOT_UPSTREAM | ours.keys()
        passed = [(name, value) for name, value in headers if name not in dropped and not name.startswith(_OURS)]
        request = httpx.Request(method, self._base + path, headers=[*passed, *ours.items()], content=body)
        request.extensions["timeout"] = self._timeout
        try:
            return await self._client.send(request, stream=True)
        except httpx.TransportError as exc:
            words = f"the model's server cannot be reached ({type(exc).__name__}); try again"
            raise ProviderUnavailable(words) from exc

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()


async def arriving(response: httpx.Response) -> AsyncIterator[bytes]:
    """Yield the bytes of a reply as they arrive."""
    try:
        async for chunk in response.aiter_raw():
            yield chunk
    except httpx.TransportError as exc:
        raise ProviderUnavailable(f"the model's server broke off ({type(exc).__name__}); try again") from exc


def passed_back(response: httpx.Response) -> Headers:
    """Return the headers of a reply that are for the client."""
    named = {name.strip().lower() for name in response.headers.get("connection", "").encode().split(b",")}
    lowered = [(name.lower(), value) for name, value in response.headers.raw]
    return [
        (name, value) for name, value in lowered if name not in _NOT_DOWNSTREAM | named and not name.startswith(_OURS)
    ]


class MemoryUse(StrEnum):
    """What the memory did for a request."""

    USED = "used"  # the model sees what is remembered
    NONE = "none"  # nothing is remembered that bears on it, or it is nobody's chat
    LATE = "late"  # recall took too long, and the request went on without it
    ERROR = "error"  # recall failed, or what the person said could not be taken down


@dataclass(frozen=True, slots=True)
class ChatScope:
    """Whose memory a chat is about, and in which conversation."""

    memory: AsyncMemory
    conversation: str = ""  # empty where nobody has given it a name
    author: str | None = None  # what the person is called, where the client says
    may_record: bool = True  # whether what is said is taken down


@dataclass(frozen=True, slots=True)
class ChatRecall:
    """What came of a request, so far as the memory goes."""

    use: MemoryUse
    context: Context | None = None


@dataclass
class ChatReply:
    """A reply on its way to the client."""

    response: httpx.Response
    recall: ChatRecall
    _left: int
    kept: list[bytes] = field(default_factory=list)  # what has arrived, up to a limit

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the bytes of the reply as they arrive, until the provider has done or breaks off."""
        async for chunk in arriving(self.response):
            if self._left > 0:
                self.kept.append(chunk)
                self._left -= len(chunk)
            yield chunk


class ChatRelay:
    """Serves all chats of a process, of the proxy and at the terminal."""

    def __init__(self, policy: ProxyPolicy) -> None:
        self._policy = policy
        self._tasks: set[asyncio.Task[Any]] = set()
        self._recalls: set[asyncio.Task[Context]] = set()
        self._recording: dict[tuple[Scope, str], asyncio.Task[None]] = {}
        """By conversation the last turn that is being taken down."""

    async def attend(self, chat: ChatScope, talk: ProxyTalk) -> ChatRecall:
        """Take down what the person said and recall what bears on it, both within the deadline or behind its back."""
        recording = recalling = None
        if talk.new and chat.may_record:
            recording = self._take_down(chat, partial(_observe, chat, talk.new))
        if len(self._recalls) < self._policy.most_recalls:
            earlier = min(talk.earlier_tokens, MAX_BUDGET)  # which the model sees anyway
            recalling = self._begin(
                chat.memory.context(talk.question, conversation=chat.conversation, recent_budget=earlier)
            )
            self._recalls.add(recalling)
            recalling.add_done_callback(self._recalls.discard)
        if waiting := {task for task in (recording, recalling) if task is not None}:
            await asyncio.wait(waiting, timeout=self._policy.recall_deadline_ms / 1000)
        context = recalling.result() if recalling is not None and _is_well(recalling) else None
        if any(task.done() and not _is_well(task) for task in waiting):
            use = MemoryUse.ERROR
        elif context is None:
            use = MemoryUse.LATE
        else:
            use = MemoryUse.USED if context.text else MemoryUse.NONE
        return ChatRecall(use, context)

    @asynccontextmanager
    async def converse(
        self,
        provider: Provider,
        chat: ChatScope,
        body: ChatBody,
        talk: ProxyTalk,
        *,
        path: str = CHAT,
        headers: Iterable[tuple[bytes, bytes]],
    ) -> AsyncIterator[ChatReply]:
        """Send a chat on with what is remembered, and lend the reply; what came of it is taken down behind it."""
        recall = await self.attend(chat, talk)
        context = recall.context
        sent = body.with_context(context.prefix, context.tail) if context is not None and context.text else body.as_sent
        response = await provider.send("POST", path, headers=headers, body=sent, is_read=True)
        reply = ChatReply(response, recall, self._policy.most_reply_bytes)
        try:
            yield reply
        finally:
            is_readable = response.status_code == HTTPStatus.OK and "content-encoding" not in response.headers
            if is_readable and chat.may_record:
                reader = ReplyReader(response.headers.get("content-type", ""))
                self._take_down(chat, partial(_observe_reply, chat, reply.kept, index=talk.length, reader=reader))
            await response.aclose()

    async def finish(self) -> None:
        """Wait until everything is taken down, for a while."""
        try:
            async with asyncio.timeout(self._policy.finish_s):
                while self._tasks:
                    await asyncio.wait(self._tasks)
        except TimeoutError:
            log.warning("ended while %d pieces of work were under way", len(self._tasks))

    def _take_down(self, chat: ChatScope, work: Callable[[], Coroutine[Any, Any, None]]) -> asyncio.Task[None]:
        """Take a turn down after those before it, so that a quick answer does not overtake what it answers."""
        key = (chat.memory.scope, chat.conversation)
        before = self._recording.get(key)

        async def run() -> None:
            if before is not None:
                await asyncio.wait({before})
            await work()

        def forget(done: asyncio.Task[None]) -> None:
            if self._recording.get(key) is done:
                del self._recording[key]

        task = self._recording[key] = self._begin(run())
        task.add_done_callback(forget)
        return task

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
            log_failure(log, "the memory of a chat", error)


async def _observe(chat: ChatScope, turns: Sequence[Turn]) -> None:
    messages = [turn.message(chat.conversation) for turn in turns]
    await chat.memory.observe(messages, conversation=chat.conversation)


async def _observe_reply(chat: ChatScope, chunks: Sequence[bytes], *, index: int, reader: ReplyReader) -> None:
    def read() -> None:
        reader.feed(b"".join(chunks))
        reader.end()

    await asyncio.to_thread(read)
    text = without_block(reader.text)
    if text:
        await _observe(chat, [Turn(index, "assistant", text if reader.is_whole else text.rstrip() + CUT_OFF)])


def _is_well(task: asyncio.Task[Any]) -> bool:
    return task.done() and not task.cancelled() and task.exception() is None
