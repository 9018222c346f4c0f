"""The schema: what can be asked, who is let in to ask, and what is told of what went wrong; over HTTP and sockets."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from datetime import timedelta
from functools import cache, partial
from http import HTTPStatus
from math import ceil
from typing import Any

import strawberry
from cross_web import HTTPException
from fastapi import APIRouter
from graphql import GraphQLError
from starlette.requests import HTTPConnection
from starlette.responses import Response
from strawberry.exceptions import ConnectionRejectionError
from strawberry.extensions import ParserCache, SchemaExtension, ValidationCache
from strawberry.fastapi import GraphQLRouter
from strawberry.subscriptions import GRAPHQL_SSE_PROTOCOL, GRAPHQL_TRANSPORT_WS_PROTOCOL
from strawberry.subscriptions.protocols.graphql_transport_ws.handlers import BaseGraphQLTransportWSHandler
from strawberry.types import ExecutionContext, ExecutionResult
from strawberry.types.execution import PreExecutionError

from yesteryear.api.auth_context import AuthContext
from yesteryear.api.graphql.fields import MUTATIONS, QUERIES, SUBSCRIPTIONS
from yesteryear.api.graphql.limits import LimitsExtension, QueryLimits
from yesteryear.api.graphql.result_types import CONFIG, resolved
from yesteryear.api.graphql.visit import GraphqlVisit
from yesteryear.api.problems import problem_of
from yesteryear.errors import AccessError, InputError, TooLarge, YesteryearError

log = logging.getLogger("yesteryear.api")

TIMEOUT = "timeout"  # code of what took too long


def refusal_of(error: GraphQLError) -> GraphQLError:
    """Return an error as the caller is told it; what they cannot know already is not in it.

    What has no cause inside is about the query itself, in words of the library that has read it.
    """
    cause, words, told = error.original_error, error.message, {"code": InputError.code, "status": 422}
    if isinstance(cause, RecursionError):
        cause = TooLarge("the query is nested too deeply; ask for less at once")
    if isinstance(cause, YesteryearError):
        problem = problem_of(cause)
        words, told = problem.detail, {"code": problem.code, "status": problem.status}
        if problem.retry_after_s is not None:
            told["retryAfter"] = problem.retry_after_s
    elif isinstance(cause, TimeoutError):
        words, told = "this takes too long; ask for less at once", {"code": TIMEOUT, "status": 504}
    elif cause is not None and not isinstance(cause, GraphQLError):
        log.error("a query failed with %s at %s", type(cause).__name__, error.path)
        log.debug("it was", exc_info=cause)  # its words may be somebody's
        words = "something went wrong inside; the log of the server says more"
        told = {"code": "internal", "status": 500}
    return GraphQLError(words, error.nodes, error.source, error.positions, error.path, extensions=told)


class AdmissionExtension(SchemaExtension):
    """Lets the caller in, for each operation anew."""

    async def on_operation(self) -> AsyncIterator[None]:
        """Ask who it is."""
        self.execution_context.context = await self.execution_context.context.admitted()
        yield


class MemorySchema(strawberry.Schema):
    """A schema whose errors tell nothing of what is inside, whichever way they go out."""

    async def execute(self, *args: Any, **kwargs: Any) -> ExecutionResult:
        """Run an operation that has one result."""
        result = await super().execute(*args, **kwargs)
        result.errors = [refusal_of(error) for error in result.errors or ()] or None
        return result

    async def stream(self, *args: Any, **kwargs: Any) -> Any:
        """Run an operation whose results come one by one."""
        return _tell_all(await super().stream(*args, **kwargs))

    def process_errors(self, errors: list[GraphQLError], execution_context: ExecutionContext | None = None) -> None:
        """Log nothing here: ``refusal_of`` logs what is our own fault, and nobody's words."""


def build_schema(limits: QueryLimits | None = None) -> MemorySchema:
    """Return the schema, whose operations are held to limits."""
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


@cache
def _root(name: str, calls: tuple[Callable[..., Any], ...]) -> type:
    fields = {call.__name__: resolved(call) for call in calls}
    return strawberry.type(type(name, (), fields))


async def _tell_all(results: Any) -> AsyncIterator[Any]:
    """Pass results on; what an extension refuses before there are any, strawberry does not turn into one by itself."""
    async with aclosing(results):
        try:
            async for result in results:
                result.errors = [refusal_of(error) for error in result.errors or ()] or None
                yield result
        except (GraphQLError, RecursionError, YesteryearError) as exc:
            error = exc if isinstance(exc, GraphQLError) else GraphQLError(str(exc), original_error=exc)
            yield PreExecutionError(data=None, errors=[refusal_of(error)])


PATH = "/graphql"
_AT_THE_GATE = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.TOO_MANY_REQUESTS})
"""What HTTP says too, since what stands before a server acts on it; all else is told in the answer alone."""


def graphql_router(auth_context: AuthContext, *, limits: QueryLimits | None = None) -> APIRouter:
    """Return the GraphQL door, at ``/graphql``, whose operations are held to limits."""
    limits = limits or QueryLimits()

    def arrive(connection: HTTPConnection) -> GraphqlVisit:
        return GraphqlVisit(auth_context, dict(connection.headers))

    return GraphqlDoor(
        build_schema(limits),
        prefix=PATH,
        tags=["GraphQL"],
        include_in_schema=False,  # of OpenAPI, which tells of REST
        graphql_ide=None,
        context_getter=arrive,
        subscription_protocols=(GRAPHQL_TRANSPORT_WS_PROTOCOL, GRAPHQL_SSE_PROTOCOL),
        connection_init_wait_timeout=timedelta(seconds=limits.greeting_s),
        max_subscriptions_per_connection=limits.subscriptions,
    )


class Socket(BaseGraphQLTransportWSHandler[GraphqlVisit, None]):
    """A socket that also bears messages of a wrong shape."""

    async def handle_message(self, message: Any) -> None:
        """Do what a message says, or close the socket where it says nothing."""
        if not _is_message(message):
            await self.handle_invalid_message("this is no message of graphql-transport-ws")
        else:
            await super().handle_message(message)


class GraphqlDoor(GraphQLRouter[GraphqlVisit, None]):
    """Takes queries as JSON, and by GET where they only look; uploads and several at once it does not take."""

    graphql_transport_ws_handler_class = Socket

    async def on_ws_connect(self, context: GraphqlVisit) -> None:
        """Let in who opens a socket."""
        try:
            await context.admitted()
        except AccessError as exc:
            raise ConnectionRejectionError from exc

    def decode_json(self, data: str | bytes) -> object:
        """Return an object of JSON; what is nested too deeply is none."""
        try:
            found = json.loads(data)
        except (UnicodeDecodeError, RecursionError) as exc:
            raise json.JSONDecodeError("no JSON that can be read", "", 0) from exc
        if not isinstance(found, dict):
            raise json.JSONDecodeError("no object", "", 0)
        return found

    def should_render_graphql_ide(self, request: Any) -> bool:  # noqa: ARG002 - passed on
        """Tell that there is no page to try queries: a GET without a query is told so."""
        return False

    async def parse_http_body(self, request: Any) -> Any:
        """Return what a request asks for, if it is one of GraphQL."""
        media = (request.content_type or "").partition(";")[0].strip().lower()
        if request.method == "POST" and media != "application/json":  # which no form of another site can send
            raise HTTPException(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "send a query as application/json")
        found: Any = await super().parse_http_body(request)
        if not isinstance(found.operation_name, str | None):
            raise HTTPException(HTTPStatus.BAD_REQUEST, "the operation's name is a string")
        return found

    def create_response(self, response_data: Any, sub_response: Response) -> Response:
        """Return an answer, with the status of HTTP where nobody was let in."""
        response = super().create_response(response_data, sub_response)
        refused = [error["extensions"] for error in response_data.get("errors", ())]
        if response_data.get("data") is None and refused and refused[0]["status"] in _AT_THE_GATE:
            response.status_code = refused[0]["status"]
            if "retryAfter" in refused[0]:
                response.headers["retry-after"] = str(ceil(refused[0]["retryAfter"]))
        return response


def _is_message(message: object) -> bool:
    """Tell whether something that came through a socket has the shape of a message."""
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        return False
    payload = message.get("payload")
    if message["type"] == "subscribe":
        shapes = {"query": str, "variables": dict | None, "operationName": str | None}
        is_request = isinstance(payload, dict) and all(isinstance(payload.get(key), shapes[key]) for key in shapes)
        return isinstance(message.get("id"), str) and is_request
    return message["type"] != "complete" or isinstance(message.get("id"), str)
