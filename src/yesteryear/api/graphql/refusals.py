"""What a query is told about what went wrong: a code, a status, and words that name nothing inside."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Any

from graphql import GraphQLError

from yesteryear.api.problems import problem_of
from yesteryear.errors import InputError, TooLarge, YesteryearError

log = logging.getLogger("yesteryear.api")

INTERNAL = "internal"
"""Code of what is our own fault."""
TIMEOUT = "timeout"
"""Code of what took too long."""


def refusal_of(error: GraphQLError) -> GraphQLError:
    """Return an error as the caller is told it; what they cannot know already is not in it.

    What has no cause inside is about the query itself, in words of the library that has read it.
    """
    cause = error.original_error
    if cause is None or isinstance(cause, GraphQLError):
        return _told(error, error.message, {"code": InputError.code, "status": int(HTTPStatus.UNPROCESSABLE_ENTITY)})
    if isinstance(cause, RecursionError):
        cause = TooLarge("the query is nested too deeply; ask for less at once")
    if isinstance(cause, YesteryearError):
        problem = problem_of(cause)
        more: dict[str, Any] = {"code": problem.code, "status": problem.status}
        if problem.retry_after_s is not None:
            more["retryAfter"] = problem.retry_after_s
        return _told(error, problem.detail, more)
    if isinstance(cause, TimeoutError):
        words = "this takes too long; ask for less at once"
        return _told(error, words, {"code": TIMEOUT, "status": int(HTTPStatus.GATEWAY_TIMEOUT)})
    log.error("a query failed with %s at %s", type(cause).__name__, error.path)
    log.debug("it was", exc_info=cause)  # its words may be somebody's
    words = "something went wrong inside; the log of the server says more"
    return _told(error, words, {"code": INTERNAL, "status": int(HTTPStatus.INTERNAL_SERVER_ERROR)})


def _told(error: GraphQLError, message: str, extensions: dict[str, Any]) -> GraphQLError:
    return GraphQLError(
        message,
        nodes=error.nodes,
        source=error.source,
        positions=error.positions,
        path=error.path,
        extensions=extensions,
    )
