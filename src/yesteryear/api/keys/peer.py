"""Tells the doors from which address a request comes, in a header that callers cannot write."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from yesteryear.api.access import PEER_HEADER

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
