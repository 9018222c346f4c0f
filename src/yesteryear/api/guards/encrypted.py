"""Whether the way here is encrypted, as far as the caller's side of a proxy goes; who says so is believed.

To be told so changes nothing but what a browser may do with the answer: it sends our cookies over TLS alone, and comes
back over TLS. Nobody can have that said of somebody else's request.
"""

from __future__ import annotations

import re

from starlette.types import ASGIApp, Receive, Scope, Send

from yesteryear.api.guards.hosts import header

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
