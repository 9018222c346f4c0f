"""One chat's way through: ask the memory, send on, pass the reply back as it arrives, take both sides down."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Final

import httpx

from yesteryear.api.proxy.chat import ChatBody, ReplyReader, Talk
from yesteryear.api.proxy.policy import ProxyPolicy
from yesteryear.api.proxy.provider import Provider, arriving
from yesteryear.api.proxy.scribe import Attended, Scribe, Sitting

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
        self, sitting: Sitting, body: ChatBody, talk: Talk, *, path: str = CHAT, headers: Iterable[tuple[bytes, bytes]]
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
