"""The proxy as routes: who is let in, whose memory it is, and what goes back when something is refused.

A chat that is nobody's goes through untouched. Where the caller is refused, or the provider cannot be reached, the
answer is an error in the form that OpenAI's clients know.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace

import httpx
from fastapi import APIRouter, FastAPI
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from yesteryear.api.access import RequestedScope, read_header
from yesteryear.api.auth_context import AuthContext
from yesteryear.api.problems import problem_headers, problem_of
from yesteryear.api.proxy.chat import ChatBody, read_body, read_talk
from yesteryear.api.proxy.relay import (
    CHAT,
    MODELS,
    ChatRelay,
    ChatScope,
    Headers,
    MemoryUse,
    Provider,
    ProxyPolicy,
    Upstream,
    arriving,
    passed_back,
)
from yesteryear.api.verbs import VERBS
from yesteryear.core.scope import check_name
from yesteryear.errors import ProviderUnavailable, YesteryearError

KEY_HEADER = "x-yesteryear-key"  # our key, where ``Authorization`` holds the provider's
CONVERSATION_HEADER = "x-yesteryear-conversation"
"""The name of a conversation; in the answer, the one that a chat was taken down in."""
AUTHOR_HEADER = "x-yesteryear-author"
"""What the person is called, so that facts name them; a name on a message goes before it."""
MEMORY_HEADER = "x-yesteryear-memory"  # in the answer: what the memory did, a word of ``MemoryUse``
log = logging.getLogger("yesteryear.proxy")


def proxy_router(auth_context: AuthContext, upstream: Upstream, *, policy: ProxyPolicy | None = None) -> APIRouter:
    """Return the routes /v1/chat/completions and /v1/models.

    They send to ``upstream`` alone. Their lifespan finishes what is still being taken down, so the engine is to be
    closed after it.
    """
    policy = policy or ProxyPolicy()
    door = _Door(auth_context, upstream, policy)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await door.relay.finish()
            await door.provider.aclose()

    chat = Route(f"/v1{CHAT}", door, methods=["POST"], include_in_schema=False)
    models = Route(f"/v1{MODELS}", door, methods=["GET"], include_in_schema=False)
    return APIRouter(routes=[chat, models], lifespan=lifespan)


class _Door:
    def __init__(self, auth_context: AuthContext, upstream: Upstream, policy: ProxyPolicy) -> None:
        self._auth_context = auth_context
        self._upstream = upstream
        self.provider = Provider(upstream, policy)
        self.relay = ChatRelay(policy)
        self._policy = policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, but not any more when the client goes, also while the provider is silent."""
        request = Request(scope, receive)
        try:
            await request.body()
        except ClientDisconnect:
            return
        serving = asyncio.ensure_future(self._answer(request, send))
        leaving = asyncio.ensure_future(_wait_until_gone(receive))
        try:
            await asyncio.wait((serving, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            leaving.cancel()
            if not serving.done():
                serving.cancel()
                await asyncio.wait((serving,))
        if not serving.cancelled():
            serving.result()

    async def _answer(self, request: Request, send: Send) -> None:
        """Pass a request on; a chat with the memory of whom it is about."""
        try:
            chat, body, raw = await self._admit(request), None, await request.body()
            if chat is not None and request.method == "POST" and len(raw) <= self._policy.most_body_bytes:
                body = read_body(raw)
            if chat is None or body is None:
                is_whole = await self._pass_on(request, send, raw)
            else:
                is_whole = await self._converse(request, send, chat, body)
            if is_whole:  # else the client's connection breaks off where the provider's did
                await send({"type": "http.response.body", "body": b""})
        except YesteryearError as exc:
            await _refuse(request, send, exc)

    async def _admit(self, request: Request) -> ChatScope | None:
        """Let a caller in, and return whose memory a chat of theirs is about; None where they name nobody."""
        headers = self._headers_for_us(request)
        principal = await self._auth_context.gatekeeper.admit(headers)
        requested = RequestedScope.of_headers(headers)
        if principal.user is None and requested.user is None:
            return None
        memory = self._auth_context.lend(principal, min(principal.right, VERBS["observe"].right), requested)
        conversation, author = (
            None if name not in headers else check_name(what, read_header(headers[name]))
            for what, name in (("conversation", CONVERSATION_HEADER), ("author", AUTHOR_HEADER))
        )
        return ChatScope(memory, conversation or "", author, principal.right >= VERBS["observe"].right)

    def _headers_for_us(self, request: Request) -> dict[str, str]:
        """Return the headers with our key where the gate looks for it, and never the provider's."""
        headers = dict(request.headers)
        theirs = headers.pop("authorization", None)
        if (key := headers.get(KEY_HEADER)) is not None:
            headers["authorization"] = f"Bearer {key}"
        elif theirs is not None and self._upstream.key:  # so that theirs is not for the provider
            headers["authorization"] = theirs
        return headers

    async def _pass_on(self, request: Request, send: Send, body: bytes) -> bool:
        """Pass a request on as it is, and the reply back as it is, all but its end; return whether it is whole."""
        path = _with_query(CHAT if request.method == "POST" else MODELS, request)
        added = [(MEMORY_HEADER.encode(), MemoryUse.NONE.encode())]
        sent = self.provider.send(request.method, path, headers=request.headers.raw, body=body)
        async with aclosing(await sent) as response:
            return await _send_on(send, response, arriving(response), added)

    async def _converse(self, request: Request, send: Send, chat: ChatScope, body: ChatBody) -> bool:
        talk = read_talk(body.messages, author=chat.author)
        chat = replace(chat, conversation=chat.conversation or talk.conversation)
        path, headers = _with_query(CHAT, request), request.headers.raw
        async with self.relay.converse(self.provider, chat, body, talk, path=path, headers=headers) as reply:
            added = [
                (MEMORY_HEADER.encode(), reply.recall.use.encode()),
                (CONVERSATION_HEADER.encode(), chat.conversation.encode()),
            ]
            return await _send_on(send, reply.response, reply.chunks(), added)


async def _wait_until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _with_query(path: str, request: Request) -> str:
    query = request.url.query
    return f"{path}?{query}" if query else path


async def _send_on(send: Send, response: httpx.Response, chunks: AsyncIterator[bytes], added: Headers) -> bool:
    """Send a reply as it arrives, all but its end; return whether it is whole."""
    headers = passed_back(response) + added
    await send({"type": "http.response.start", "status": response.status_code, "headers": headers})
    try:
        async for chunk in chunks:
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
    except ProviderUnavailable as exc:
        log.warning("%s", exc)
        return False
    return True


async def _refuse(request: Request, send: Send, error: YesteryearError) -> None:
    """Answer with an error of ours, in the form that OpenAI's clients know."""
    problem = problem_of(error)
    log.info("a request was refused (%s)", problem.code)
    told = {"error": {"message": problem.detail, "type": "yesteryear_error", "param": None, "code": problem.code}}
    answer = JSONResponse(told, problem.status, {MEMORY_HEADER: MemoryUse.NONE, **problem_headers(problem)})
    await answer(request.scope, request.receive, send)
