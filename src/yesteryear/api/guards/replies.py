"""What every reply carries: a number to ask about it, and headers that tell browsers what they may not do."""

from __future__ import annotations

from uuid import uuid4

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

REQUEST_ID = "request_id"
"""Where the number of a request lies in its state."""
REQUEST_ID_HEADER = "X-Request-Id"

_UNLESS_SAID = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    # With "no-referrer" a browser would send our own forms from the origin "null".
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Headers of replies whose door says nothing else."""
_OVER_TLS = "max-age=31536000"
"""For how many seconds, a year, a browser that came over TLS comes over nothing else. Other names of the same domain
are not ours to decide about."""


class ReplyGuard:
    """Numbers requests and completes the headers of replies.

    The number is always ours: one that a caller chose might name a person, and goes to the log.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, with a number."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        number = uuid4().hex
        scope.setdefault("state", {})[REQUEST_ID] = number

        async def complete(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers[REQUEST_ID_HEADER] = number
                for name, value in _UNLESS_SAID.items():
                    headers.setdefault(name, value)
                if scope.get("scheme") == "https":
                    headers.setdefault("Strict-Transport-Security", _OVER_TLS)
            await send(message)

        await self._app(scope, receive, complete)
