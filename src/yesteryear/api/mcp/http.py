"""The door over streamable HTTP, as an ASGI app for /mcp.

Stateless: every request says anew who asks, so that any process may answer it and no session outlives a key. Whose
memory it is follows from the key, then from the headers, then from the address (``?user=ana&project=thesis``), for
clients that can set nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import parse_qs

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from yesteryear.api.access import Principal, RequestedScope, Right
from yesteryear.api.auth_context import AuthContext
from yesteryear.api.guards import LOOPBACK_NAMES
from yesteryear.api.mcp.server import McpDoor
from yesteryear.api.mcp.tools import offered
from yesteryear.api.problems import problem_of, respond
from yesteryear.errors import NotAdmitted, YesteryearError
from yesteryear.memory.memory import AsyncMemory
from yesteryear.ports import Clock

_PRINCIPAL = "yesteryear.principal"  # where a request keeps who sent it


class McpApp:
    """The door over HTTP: an ASGI app for one address; give its ``lifespan`` to the app that it is a part of.

    It lends to whoever was let in with a request; see ``Lender``. Requests for hosts not among ``hosts``, named without
    ports, and from their pages are refused; with none named, both checks are left to whoever stands before it. With
    ``more`` the tools for what a person says of a fact by hand are offered too.
    """

    def __init__(
        self,
        auth_context: AuthContext,
        *,
        clock: Clock,
        version: str = "",
        hosts: Sequence[str] = LOOPBACK_NAMES,
        read_only: bool = False,
        more: bool = False,
    ) -> None:
        self._auth_context = auth_context
        self._most = Right.READ if read_only else Right.ADMIN
        server = McpDoor(self, offered(more=more, read_only=read_only), clock=clock).server(version)
        security = TransportSecuritySettings(
            enable_dns_rebinding_protection=bool(hosts),
            allowed_hosts=[*hosts, *(f"{host}:*" for host in hosts)],
            allowed_origins=[f"{s}://{host}{port}" for host in hosts for s in ("http", "https") for port in ("", ":*")],
        )
        self._manager = StreamableHTTPSessionManager(
            server, stateless=True, json_response=True, security_settings=security
        )
        self.lifespan = self._manager.run  # serves requests as long as what it returns is open; once

    async def right(self, request: object) -> Right:
        """Return the most that they may do here."""
        return min(_sent(request)[1].right, self._most)

    async def memory(self, request: object, right: Right) -> AsyncMemory:
        """Return the memory that is asked for by headers, and by the address in what they leave open."""
        sent, principal = _sent(request)
        named = RequestedScope.of_headers(sent.headers)
        asked = {name: values[-1] for name, values in parse_qs(sent.url.query).items()}
        parts = (getattr(named, name) or asked.get(name) for name in ("user", "project", "agent"))
        return self._auth_context.lend(principal, right, RequestedScope(*parts))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the caller in, or say why not, and answer their request."""
        try:
            principal = await self._auth_context.gatekeeper.admit(Headers(scope=scope))
        except YesteryearError as exc:
            await respond(problem_of(exc))(scope, receive, send)
            return
        await self._manager.handle_request({**scope, _PRINCIPAL: principal}, receive, send)


mcp_app = McpApp
"""As an application calls it: ``Route("/mcp", endpoint=mcp_app(…))``."""


def _sent(request: object) -> tuple[Request, Principal]:
    """Return a request of HTTP, and who sent it."""
    if not isinstance(request, Request) or _PRINCIPAL not in request.scope:
        raise NotAdmitted
    return request, request.scope[_PRINCIPAL]
