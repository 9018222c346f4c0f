"""What a door answers to an error: an HTTP status, a stable code, and words that tell what to do."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus

import msgspec
from starlette.responses import Response
from starlette.types import Scope, Send

from yesteryear import errors
from yesteryear.errors import YesteryearError

PROBLEM_JSON = "application/problem+json"  # the media type of RFC 9457
_RETRY_AFTER_S = 1.0
"""Seconds after which a call that failed for a moment may be tried again, where nobody knows better."""
_WEBSOCKET_REFUSED = 1008  # RFC 6455: a policy is violated
_STATUSES: tuple[tuple[type[YesteryearError], HTTPStatus], ...] = (
    (errors.NotAdmitted, HTTPStatus.UNAUTHORIZED),
    (errors.NotAllowed, HTTPStatus.FORBIDDEN),
    (errors.TooMany, HTTPStatus.TOO_MANY_REQUESTS),
    (errors.TooLarge, HTTPStatus.REQUEST_ENTITY_TOO_LARGE),
    (errors.NotFound, HTTPStatus.NOT_FOUND),
    (errors.InvalidTransition, HTTPStatus.CONFLICT),
    (errors.InputError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (errors.Conflict, HTTPStatus.CONFLICT),
    (errors.Stale, HTTPStatus.PRECONDITION_FAILED),
    (errors.RateLimited, HTTPStatus.SERVICE_UNAVAILABLE),
    (errors.StorageUnavailable, HTTPStatus.SERVICE_UNAVAILABLE),
    (errors.ProviderUnavailable, HTTPStatus.SERVICE_UNAVAILABLE),
    (errors.ProviderError, HTTPStatus.BAD_GATEWAY),
    (errors.EngineClosed, HTTPStatus.SERVICE_UNAVAILABLE),
    (errors.MissingExtra, HTTPStatus.NOT_IMPLEMENTED),
)
"""The first class that an error is of tells its status; what is not here is our own fault."""


@dataclass(frozen=True, slots=True)
class Problem:
    """An error as a door tells it."""

    status: int  # the status of HTTP
    code: str  # stable, for machines
    title: str  # what kind of error it is, in words
    detail: str  # what went wrong here, and what to do
    retry_after_s: float | None = None
    """Seconds after which trying again may help; None where it will not, or where nobody knows."""


def problem_of(error: YesteryearError) -> Problem:
    """Return what to answer to an error.

    Of an error that is ours, not the caller's, only its kind is told: its words may name files and hosts.
    """
    status = next((status for kind, status in _STATUSES if isinstance(error, kind)), HTTPStatus.INTERNAL_SERVER_ERROR)
    title = (type(error).__doc__ or error.code).strip().splitlines()[0]
    detail = str(error) if status < HTTPStatus.INTERNAL_SERVER_ERROR else title
    return Problem(int(status), error.code, title, detail, getattr(error, "retry_after_s", None))


def problem_body(problem: Problem, errors: Sequence[Mapping[str, str]] = ()) -> bytes:
    """Return a problem as RFC 9457 writes it, with our code beside it, and what is wrong in which place."""
    detail = problem.detail.encode("utf-8", "backslashreplace").decode()
    told: dict[str, object] = {"type": "about:blank", "title": problem.title, "status": int(problem.status)}
    told |= {"detail": detail, "code": problem.code}
    return msgspec.json.encode(told | {"errors": [dict(each) for each in errors]} if errors else told)


def problem_headers(problem: Problem) -> dict[str, str]:
    """Return the headers of a problem: after how many seconds to come again, and how to say who one is."""
    wait = problem.retry_after_s
    if wait is None and problem.status == HTTPStatus.SERVICE_UNAVAILABLE:
        wait = _RETRY_AFTER_S
    told = {} if wait is None else {"Retry-After": str(math.ceil(wait))}
    return told | ({"WWW-Authenticate": "Bearer"} if problem.status == HTTPStatus.UNAUTHORIZED else {})


def respond(
    problem: Problem, *, errors: Sequence[Mapping[str, str]] = (), headers: Mapping[str, str] | None = None
) -> Response:
    """Return a problem as an answer of HTTP."""
    sent = {**(headers or {}), **problem_headers(problem)}
    return Response(problem_body(problem, errors), problem.status, sent, PROBLEM_JSON)


async def refuse(scope: Scope, send: Send, problem: Problem, *, closes: bool = False) -> None:
    """Answer a request, or the wish for a web socket, of which nothing was answered yet, with a problem.

    Where it ``closes`` the connection, what is left of a body is not worth reading.
    """
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": _WEBSOCKET_REFUSED, "reason": problem.code})
        return
    answer = respond(problem, headers={"Connection": "close"} if closes else None)
    await send({"type": "http.response.start", "status": answer.status_code, "headers": answer.raw_headers})
    await send({"type": "http.response.body", "body": answer.body if scope["method"] != "HEAD" else b""})
