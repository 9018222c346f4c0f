"""How much a request may carry, and how slowly: what is said about its length is checked, what comes is counted."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from yesteryear.api.guards.requests import header
from yesteryear.api.problems import Problem, refuse


@dataclass(frozen=True, slots=True)
class BodyPolicy:
    """What the body of a request may be."""

    most_bytes: int = 10 * 1024 * 1024
    """Longest body, in bytes, at least 0: a chat with a few pictures in it."""
    timeout_s: float = 30.0
    """Longest time from the beginning of a request to the end of its body, in seconds."""


class BodyGuard:
    """Refuses bodies that are too long or come too slowly; what has been answered already goes on.

    Args:
        app: What it stands before.
        policy: How long and how slow a body may be.
    """

    def __init__(self, app: ASGIApp, *, policy: BodyPolicy) -> None:
        self._app = app
        self._policy = policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass as far as its body does."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        told = header(scope, b"content-length")
        if told is not None and told.isdecimal() and int(told) > self._policy.most_bytes:
            await refuse(scope, send, _too_long(self._policy), closes=True)
            return
        passage = _Passage(self._policy, receive, send)
        with suppress(_NotLetIn):
            await self._app(scope, passage.receive, passage.send)
        if passage.problem is not None and not passage.has_begun:
            await refuse(scope, send, passage.problem, closes=True)


class _NotLetIn(Exception):
    """The rest of a body is not read; ends whatever waits for it."""


class _Passage:
    """One request on its way in, and its reply on the way out."""

    def __init__(self, policy: BodyPolicy, receive: Receive, send: Send) -> None:
        self._policy = policy
        self._receive = receive
        self._send = send
        self._bytes = 0
        self._is_whole = False
        self._ends_at = asyncio.get_running_loop().time() + policy.timeout_s
        self.has_begun = False
        """Whether a reply is on its way."""
        self.problem: Problem | None = None
        """Why the body is not let in."""

    async def receive(self) -> Message:
        """Return the next part of the body.

        Raises:
            _NotLetIn: it is too long, or did not come in time.
        """
        if self.problem is not None:
            raise _NotLetIn
        if self._is_whole:
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._ends_at):
                message = await self._receive()
        except TimeoutError as exc:
            self.problem = _TOO_SLOW
            raise _NotLetIn from exc
        self._is_whole = not message.get("more_body", False)
        self._bytes += len(message.get("body", b""))
        if self._bytes > self._policy.most_bytes:
            self.problem = _too_long(self._policy)
            raise _NotLetIn
        return message

    async def send(self, message: Message) -> None:
        """Pass a part of the reply on, unless the body was not let in: what is said then is about half of it."""
        if self.problem is not None and not self.has_begun:
            return
        self.has_begun = True
        await self._send(message)


_TOO_SLOW = Problem(
    int(HTTPStatus.REQUEST_TIMEOUT),
    "too_slow",
    "The body did not come in time.",
    "Send the request again, all of it at once.",
)


def _too_long(policy: BodyPolicy) -> Problem:
    return Problem(
        int(HTTPStatus.REQUEST_ENTITY_TOO_LARGE),
        "too_large",
        "The body is too long.",
        f"At most {policy.most_bytes} bytes are taken; send less at once, or raise the setting serve_body_mb.",
    )
