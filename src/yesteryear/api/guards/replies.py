"""What every reply carries, what is told of what nobody foresaw, and what is noted of a request once it is over."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from http import HTTPStatus
from pathlib import PurePath
from traceback import extract_tb
from uuid import uuid4

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from yesteryear.api.problems import Problem, problem_of, refuse
from yesteryear.errors import YesteryearError

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


log = logging.getLogger("yesteryear.api")

_FRAMES = 8
"""How many calls of those under way are named, the innermost ones."""


class FailureGuard:
    """Answers errors that no door has answered; one after the reply has begun cuts the connection."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, and answer for it where it fails."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        has_begun = False

        async def note(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self._app(scope, receive, note)
        except Exception as exc:  # noqa: BLE001 - the edge: whoever asked is told that it was us
            problem = _tell(exc, str(scope["state"][REQUEST_ID]))
            if has_begun:
                raise ReplyCut(problem.code) from None
            await refuse(scope, send, problem)


class ReplyCut(Exception):
    """A reply that has begun cannot be finished; the server closes the connection."""


def _tell(error: Exception, number: str) -> Problem:
    """Log an error with the calls that led to it, but without its words, which may hold what somebody said."""
    if isinstance(error, YesteryearError):
        problem = problem_of(error)
        if problem.status < HTTPStatus.INTERNAL_SERVER_ERROR:
            return problem
    else:
        status = int(HTTPStatus.INTERNAL_SERVER_ERROR)
        detail = f"Nothing is known about it but its number, which the server's log tells more about: {number}"
        problem = Problem(status, "internal", "Something went wrong inside.", detail)
    calls = " < ".join(
        f"{PurePath(frame.filename).name}:{frame.lineno} {frame.name}"
        for frame in reversed(extract_tb(error.__traceback__)[-_FRAMES:])
    )
    log.error("request %s failed: %s in %s", number, type(error).__name__, calls)
    return problem


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
