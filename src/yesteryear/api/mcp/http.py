"""The door over streamable HTTP, as an ASGI app for /mcp.

Stateless: every request says anew who asks, so that any process may answer it and no session outlives a key. Whose
memory it is follows from the key, then from the headers, then from the address (``?user=ana&project=thesis``), for
clients that can set nothing else.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from yesteryear.api.access import Principal, Right, Wish
from yesteryear.api.mcp.server import McpDoor
from yesteryear.api.mcp.tools import offered
from yesteryear.api.problems import problem_of, respond
from yesteryear.errors import NotAdmitted, YesteryearError
from yesteryear.ports import Clock

if TYPE_CHECKING:
    from yesteryear.api.reception import Reception
    from yesteryear.memory import AsyncMemory

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
"""Hosts that are this machine."""
_PRINCIPAL = "yesteryear.principal"
"""Where a request keeps who sent it."""


@dataclass(frozen=True, slots=True)
class _OverHttp:
    """Lends to whoever was let in with the request."""

    reception: Reception
    most: Right

    async def right(self, request: object) -> Right:
        """Return the most that they may do here."""
        return min(_principal_of(request).right, self.most)

    async def memory(self, request: object, right: Right) -> AsyncMemory:
        """Return the memory that the request is about."""
        principal = _principal_of(request)
        assert isinstance(request, Request)  # noqa: S101 - this transport attaches it to every message
        return self.reception.lend(principal, right, _wish_of(request))


class McpApp:
    """An ASGI app; give its ``lifespan`` to the app that it is a part of."""

    def __init__(self, reception: Reception, door: McpDoor, version: str, security: TransportSecuritySettings) -> None:
        self._reception = reception
        self._door = door
        self._version = version
        self._security = security
        self._manager: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Serve requests as long as this is open."""
        manager = StreamableHTTPSessionManager(
            self._door.server(self._version), stateless=True, json_response=True, security_settings=self._security
        )
        async with manager.run():
            self._manager = manager
            try:
                yield
            finally:
                self._manager = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the caller in, or say why not, and answer their request."""
        if self._manager is None:
            await Response("not ready", status_code=503)(scope, receive, send)
            return
        try:
            principal = await self._reception.gatekeeper.admit(Headers(scope=scope))
        except YesteryearError as exc:
            await respond(problem_of(exc))(scope, receive, send)
            return
        await self._manager.handle_request({**scope, _PRINCIPAL: principal}, receive, send)


def mcp_app(
    reception: Reception,
    *,
    clock: Clock,
    version: str = "",
    hosts: Sequence[str] = LOOPBACK,
    read_only: bool = False,
    more: bool = False,
) -> McpApp:
    """Return the door over HTTP, to be put at one address, such as ``Route("/mcp", endpoint=mcp_app(…))``.

    Args:
        reception: Lets callers in.
        clock: Tells the time.
        version: Of this package.
        hosts: Names under which the server is reached, without ports; requests for other hosts, or from pages of other
            hosts, are refused. Empty leaves both checks to whoever stands before it.
        read_only: Whether nothing can be changed through it.
        more: Whether the tools for what a person says of a fact by hand are offered.
    """
    lender = _OverHttp(reception, Right.READ if read_only else Right.ADMIN)
    door = McpDoor(lender, offered(more=more, read_only=read_only), clock=clock)
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=bool(hosts),
        allowed_hosts=[*hosts, *(f"{host}:*" for host in hosts)],
        allowed_origins=[f"{scheme}://{host}{port}" for host in hosts for scheme in _SCHEMES for port in ("", ":*")],
    )
    return McpApp(reception, door, version, security)


_SCHEMES = ("http", "https")


def _principal_of(request: object) -> Principal:
    principal = request.scope.get(_PRINCIPAL) if isinstance(request, Request) else None
    if not isinstance(principal, Principal):
        raise NotAdmitted
    return principal


def _wish_of(request: Request) -> Wish:
    """Return whose memory a request asks for: by its headers, and what they leave open by its address."""
    named = Wish.of_headers(request.headers)
    asked = {name: values[-1] for name, values in parse_qs(request.url.query).items()}
    return Wish(
        named.user or asked.get("user"), named.project or asked.get("project"), named.agent or asked.get("agent")
    )
