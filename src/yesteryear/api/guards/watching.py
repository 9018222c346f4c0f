"""What is noted of a request once it is over: which door, how it went and how long it took, never who or what."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from http import HTTPStatus

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from yesteryear.api.guards.replies import REQUEST_ID

access_log = logging.getLogger("yesteryear.access")

_METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
_OTHER = "other"
"""Stands for what nobody has named: methods that do not exist, paths that lead nowhere."""
_CUT_OFF = 499
"""Status of a request that got no reply, as nginx counts those whose client has gone."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A request that is over."""

    request_id: str
    door: str
    """Which of the doors it came to, or "other"."""
    method: str
    route: str
    """The path with names of parameters in place of what was asked for; of a route that does not tell, its door's."""
    status: int
    """Of the reply; 499 where there was none."""
    seconds: float
    """From its beginning to the end of its reply."""
    bytes_sent: int
    """Of the reply, without headers."""


class Watch:
    """Tells of requests that are over.

    Args:
        app: What it stands before.
        doors: Names of doors by the beginnings of their paths; the longest that fits counts.
        tell: Who is told.
    """

    def __init__(self, app: ASGIApp, *, doors: Mapping[str, str], tell: Sequence[Callable[[Seen], None]]) -> None:
        self._app = app
        self._doors = sorted(doors.items(), key=lambda door: -len(door[0]))
        self._tell = tell

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, and tell of it afterwards."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        begun, status, sent = time.perf_counter(), _CUT_OFF, 0

        async def count(message: Message) -> None:
            nonlocal status, sent
            if message["type"] == "http.response.start":
                status = message["status"]
            elif message["type"] == "websocket.accept":
                status = int(HTTPStatus.SWITCHING_PROTOCOLS)
            sent += len(message.get("body", b""))
            await send(message)

        path = scope["path"]  # a mounted application changes it
        prefix, door = next((door for door in self._doors if _leads_to(path, door[0])), (_OTHER, _OTHER))
        try:
            await self._app(scope, receive, count)
        finally:
            at = prefix if "endpoint" in scope else _OTHER
            seen = Seen(
                request_id=scope["state"][REQUEST_ID],
                door=door,
                method=scope["method"] if scope.get("method") in _METHODS else _OTHER,
                route=getattr(scope.get("route"), "path", None) or at,
                status=status,
                seconds=time.perf_counter() - begun,
                bytes_sent=sent,
            )
            for tell in self._tell:
                tell(seen)


def log_access(seen: Seen) -> None:
    """Write a line of JSON about a request."""
    if access_log.isEnabledFor(logging.INFO):
        access_log.info("%s", json.dumps({**asdict(seen), "seconds": round(seen.seconds, 6)}))


def _leads_to(path: str, prefix: str) -> bool:
    return path == prefix or path.startswith(f"{prefix}/")
