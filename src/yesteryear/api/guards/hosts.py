"""Whether a request is meant for us: a page elsewhere can point its own name at our address (DNS rebinding)."""

from __future__ import annotations

from collections.abc import Collection
from http import HTTPStatus

from starlette.types import ASGIApp, Receive, Scope, Send

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


def host_name(host: str) -> str:
    """Return a host without its port, in lower case; an IPv6 address keeps its brackets."""
    bare, sign, port = host.lower().rpartition(":")
    return bare if sign and port.isdecimal() else host.lower()


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
