"""Whether a browser may send what it sends: pages of others must neither write nor read here.

Programs send neither ``Origin`` nor ``Sec-Fetch-Site`` and pass; a browser cannot leave them out.
"""

from __future__ import annotations

from collections.abc import Collection
from http import HTTPStatus
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send

from yesteryear.api.guards.hosts import header
from yesteryear.api.problems import Problem, refuse

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
