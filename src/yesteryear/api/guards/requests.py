"""Whether a request is meant for us, whether a page may send it, and what it says of itself; else it is refused."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send

from yesteryear.api.access import AGENT_HEADER, PEER_HEADER, PROJECT_HEADER, USER_HEADER, host_name
from yesteryear.api.problems import Problem, refuse

ANY = "*"
"""Stands for every host, where something in front of us checks them."""
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
"""What a machine calls itself."""

_NOT_HERE = Problem(
    int(HTTPStatus.MISDIRECTED_REQUEST),
    "wrong_host",
    "This server does not go by that name.",
    "The name in the request's Host is not among those served here; add it to the setting serve_hosts.",
)


def header(scope: Scope, name: bytes) -> str | None:
    """Return a header of a request, None where it is not there, and "" where it is there more than once."""
    found: list[bytes] = [value for key, value in scope["headers"] if key == name]
    if len(found) > 1:
        return ""
    return found[0].decode("latin-1").strip() if found else None


class HostGuard:
    """Refuses what is addressed to others.

    Args:
        app: What it stands before.
        hosts: Names without ports that are ours, or ``ANY``.
    """

    def __init__(self, app: ASGIApp, *, hosts: Collection[str]) -> None:
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or refuse it."""
        is_ours = scope["type"] == "lifespan" or ANY in self._hosts
        if is_ours or host_name(header(scope, b"host") or "") in self._hosts:
            await self._app(scope, receive, send)
        else:
            await refuse(scope, send, _NOT_HERE, closes=True)


_SAFE = ("GET", "HEAD")
_OWN_SITES = (None, "same-origin", "none")
"""What ``Sec-Fetch-Site`` says of a request from our own pages, or from the address bar; None where there is none."""

_NOT_FROM_THERE = Problem(
    int(HTTPStatus.FORBIDDEN),
    "wrong_origin",
    "A page of another site may not do this.",
    "The request comes from a page that is not ours; add its origin to the setting serve_origins.",
)


class OriginGuard:
    """Refuses what pages of others send, but for following a link to a page.

    Args:
        app: What it stands before.
        origins: Those of others that may, such as "https://app.example".
    """

    def __init__(self, app: ASGIApp, *, origins: Collection[str]) -> None:
        self._app = app
        self._origins = frozenset(origin.lower().rstrip("/") for origin in origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or refuse it."""
        if scope["type"] == "lifespan" or self._may_pass(scope):
            await self._app(scope, receive, send)
        else:
            await refuse(scope, send, _NOT_FROM_THERE, closes=True)

    def _may_pass(self, scope: Scope) -> bool:
        origin = header(scope, b"origin")
        if origin is not None:
            return self._is_ours(origin.lower(), scope)
        if header(scope, b"sec-fetch-site") in _OWN_SITES:
            return True
        return scope["type"] == "http" and scope["method"] in _SAFE and header(scope, b"sec-fetch-mode") == "navigate"

    def _is_ours(self, origin: str, scope: Scope) -> bool:
        """Tell whether a page is ours, whatever scheme the proxy before us speaks, or of a site that is let in."""
        return origin in self._origins or urlsplit(origin).netloc == (header(scope, b"host") or "").lower() != ""


_ONCE = ("authorization", USER_HEADER, PROJECT_HEADER, AGENT_HEADER)
"""Headers that decide whose memory is reached."""


class OnceGuard:
    """Refuses requests that say twice who asks or for whom, at every door in the same way."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or refuse it."""
        twice = () if scope["type"] == "lifespan" else [name for name in _ONCE if _is_twice(scope, name.encode())]
        if twice:
            await refuse(scope, send, _said_twice(twice[0]), closes=True)
        else:
            await self._app(scope, receive, send)


def _is_twice(scope: Scope, name: bytes) -> bool:
    said: list[bytes] = [key for key, _ in scope["headers"] if key == name]
    return len(said) > 1


def _said_twice(name: str) -> Problem:
    return Problem(
        int(HTTPStatus.BAD_REQUEST),
        "said_twice",
        "The request says two things at once.",
        f"The header {name.title()} is there more than once; send one.",
    )


_SCHEMES = {"http": "https", "websocket": "wss"}
_PROTO = re.compile(r"(?:^|[;,\s])proto=\"?https\"?(?:$|[;,\s])", re.IGNORECASE)
"""How ``Forwarded`` (RFC 7239) says it."""


class EncryptedGuard:
    """Gives a request the scheme that its caller used.

    Args:
        app: What it stands before.
        is_public: Whether every caller comes over TLS, since the setting ``serve_url`` says so.
    """

    def __init__(self, app: ASGIApp, *, is_public: bool = False) -> None:
        self._app = app
        self._is_public = is_public

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] in _SCHEMES and (self._is_public or _was_encrypted(scope)):
            scope["scheme"] = _SCHEMES[scope["type"]]
        await self._app(scope, receive, send)


def _was_encrypted(scope: Scope) -> bool:
    told = (header(scope, b"x-forwarded-proto") or "").partition(",")[0].strip().lower()
    return told in ("https", "wss") or _PROTO.search((header(scope, b"forwarded") or "").partition(",")[0]) is not None


Message = MutableMapping[str, Any]
Application = Callable[
    [Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]
]
"""An application as ASGI has it."""


class TellPeer:
    """An ASGI guard that puts the address of the caller into ``PEER_HEADER`` and drops what they wrote there.

    Args:
        app: What is guarded.
    """

    def __init__(self, app: Application) -> None:
        self._app = app

    async def __call__(
        self,
        scope: Message,
        receive: Callable[[], Awaitable[Message]],
        send: Callable[[Message], Awaitable[None]],
    ) -> None:
        """Pass a request on."""
        if scope["type"] in ("http", "websocket"):
            name = PEER_HEADER.encode()
            headers = [pair for pair in scope["headers"] if pair[0] != name]
            if scope.get("client"):
                headers.append((name, str(scope["client"][0]).encode("ascii", "replace")))
            scope["headers"] = headers  # in place: guards before this one read what routing adds to the scope
        await self._app(scope, receive, send)
