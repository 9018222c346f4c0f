"""The schema: what can be asked, who is let in to ask, and what is told of what went wrong."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import aclosing
from functools import partial
from http import HTTPStatus
from typing import Any

import strawberry
from graphql import GraphQLError
from strawberry.extensions import ParserCache, SchemaExtension, ValidationCache
from strawberry.types import ExecutionContext, ExecutionResult
from strawberry.types.execution import PreExecutionError

from yesteryear.api.graphql.fields import MUTATIONS, QUERIES
from yesteryear.api.graphql.limits import LimitsExtension, QueryLimits
from yesteryear.api.graphql.shapes import CONFIG, resolved
from yesteryear.api.graphql.subscriptions import SUBSCRIPTIONS
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


class AdmissionExtension(SchemaExtension):
    """Lets the caller in, for each operation anew."""

    async def on_operation(self) -> AsyncIterator[None]:
        """Ask who it is."""
        self.execution_context.context = await self.execution_context.context.admitted()
        yield


class MemorySchema(strawberry.Schema):
    """A schema whose errors tell nothing of what is inside, whichever way they go out."""

    async def execute(self, *args: Any, **kwargs: Any) -> ExecutionResult:  # noqa: ANN401 - passed on
        """Run an operation that has one result."""
        result = await super().execute(*args, **kwargs)
        _tell(result)
        return result

    async def stream(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - passed on
        """Run an operation whose results come one by one."""
        return _tell_all(await super().stream(*args, **kwargs))

    def process_errors(self, errors: list[GraphQLError], execution_context: ExecutionContext | None = None) -> None:
        """Log nothing here: ``refusal_of`` logs what is our own fault, and nobody's words."""


def build_schema(limits: QueryLimits | None = None) -> MemorySchema:
    """Return the schema.

    Args:
        limits: How much one operation may ask for.
    """
    limits = limits or QueryLimits()
    return MemorySchema(
        query=_root("Query", QUERIES),
        mutation=_root("Mutation", MUTATIONS),
        subscription=_root("Subscription", SUBSCRIPTIONS),
        extensions=[
            AdmissionExtension,
            partial(LimitsExtension, limits),
            partial(ParserCache, limits.queries_kept),
            partial(ValidationCache, limits.queries_kept),
        ],
        config=CONFIG,
    )


def _root(name: str, calls: Iterable[Callable[..., Any]]) -> type:
    fields = {call.__name__: resolved(call) for call in calls}
    return strawberry.type(type(name, (), fields))


def _tell(result: Any) -> None:  # noqa: ANN401 - one of several kinds of results
    if result.errors:
        result.errors = [refusal_of(error) for error in result.errors]


async def _tell_all(results: Any) -> AsyncIterator[Any]:  # noqa: ANN401 - passed on
    """Pass results on; what an extension refuses before there are any, strawberry does not turn into one by itself."""
    async with aclosing(results):
        try:
            async for result in results:
                _tell(result)
                yield result
        except (GraphQLError, RecursionError, YesteryearError) as exc:
            error = exc if isinstance(exc, GraphQLError) else GraphQLError(str(exc), original_error=exc)
            yield PreExecutionError(data=None, errors=[refusal_of(error)])
