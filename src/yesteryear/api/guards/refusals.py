"""How a guard says no."""

from __future__ import annotations

import json
from math import ceil

from starlette.types import Scope, Send

from yesteryear.api.problems import Problem

PROBLEM_JSON = b"application/problem+json"
"""The media type of RFC 9457."""
_WEBSOCKET_REFUSED = 1008
"""RFC 6455: a policy is violated."""


def problem_body(problem: Problem) -> bytes:
    """Return a problem as RFC 9457 writes it, with our code beside it."""
    told = {"type": "about:blank", "title": problem.title, "status": problem.status, "detail": problem.detail}
    return json.dumps({**told, "code": problem.code}, ensure_ascii=False).encode()


async def refuse(scope: Scope, send: Send, problem: Problem, *, closes: bool = False) -> None:
    """Answer a request, or the wish for a web socket, with a problem.

    Args:
        scope, send: Of the request; nothing was answered yet.
        problem: What is wrong.
        closes: Whether the connection ends: what is left of a body is not worth reading.
    """
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": _WEBSOCKET_REFUSED, "reason": problem.code})
        return
    body = problem_body(problem)
    headers = [(b"content-type", PROBLEM_JSON), (b"content-length", str(len(body)).encode())]
    if problem.retry_after_s is not None:
        headers.append((b"retry-after", str(ceil(problem.retry_after_s)).encode()))
    if closes:
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": body if scope["method"] != "HEAD" else b""})
