"""What nobody thought of: told to the caller in general words, and to the log without what people said."""

from __future__ import annotations

import logging
from http import HTTPStatus
from pathlib import PurePath
from traceback import extract_tb

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from yesteryear.api.guards.replies import REQUEST_ID
from yesteryear.api.problems import Problem, problem_of, refuse
from yesteryear.errors import YesteryearError

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
