"""Whether a request says once who asks and for whom: of two answers one reader takes the first and another the last."""

from __future__ import annotations

from http import HTTPStatus

from starlette.types import ASGIApp, Receive, Scope, Send

from yesteryear.api.access import AGENT_HEADER, PROJECT_HEADER, USER_HEADER
from yesteryear.api.problems import Problem, refuse

_ONCE = ("authorization", USER_HEADER, PROJECT_HEADER, AGENT_HEADER)
"""Headers that decide whose memory is reached."""


class OnceGuard:
    """Refuses requests that say twice who asks or for whom, at every door in the same way."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or refuse it."""
        twice = () if scope["type"] == "lifespan" else [name for name in _ONCE if _is_twice(scope, name.encode())]
        if twice:
            await refuse(scope, send, _said_twice(twice[0]), closes=True)
        else:
            await self._app(scope, receive, send)


def _is_twice(scope: Scope, name: bytes) -> bool:
    said: list[bytes] = [key for key, _ in scope["headers"] if key == name]
    return len(said) > 1


def _said_twice(name: str) -> Problem:
    return Problem(
        int(HTTPStatus.BAD_REQUEST),
        "said_twice",
        "The request says two things at once.",
        f"The header {name.title()} is there more than once; send one.",
    )
