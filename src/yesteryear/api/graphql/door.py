"""GraphQL over HTTP, server-sent events and sockets."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import timedelta
from http import HTTPStatus
from math import ceil
from typing import Any

from cross_web import HTTPException
from fastapi import APIRouter
from starlette.requests import HTTPConnection
from starlette.responses import Response
from strawberry.exceptions import ConnectionRejectionError
from strawberry.fastapi import GraphQLRouter
from strawberry.subscriptions import GRAPHQL_SSE_PROTOCOL, GRAPHQL_TRANSPORT_WS_PROTOCOL
from strawberry.subscriptions.protocols.graphql_transport_ws.handlers import BaseGraphQLTransportWSHandler

from yesteryear.api.graphql.limits import QueryLimits
from yesteryear.api.graphql.schema import build_schema
from yesteryear.api.graphql.visit import GraphqlVisit
from yesteryear.api.reception import Reception
from yesteryear.errors import AccessError

PATH = "/graphql"
_AT_THE_GATE = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.TOO_MANY_REQUESTS})
"""What HTTP says too, since what stands before a server acts on it; all else is told in the answer alone."""


def graphql_router(reception: Reception, *, limits: QueryLimits | None = None) -> APIRouter:
    """Return the GraphQL door, at ``/graphql``.

    Args:
        reception: Lets callers in and lends memories.
        limits: How much one operation may ask for.
    """
    limits = limits or QueryLimits()

    def arrive(connection: HTTPConnection) -> GraphqlVisit:
        return GraphqlVisit(reception, dict(connection.headers))

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

    async def handle_message(self, message: Any) -> None:  # noqa: ANN401 - whatever came
        """Do what a message says, or close the socket where it says nothing."""
        if not _is_message(message):
            await self.handle_invalid_message("this is no message of graphql-transport-ws")
        else:
            await super().handle_message(message)


class GraphqlDoor(GraphQLRouter[GraphqlVisit, None]):
    """Takes queries as JSON, and by GET where they only look; uploads and several at once it does not take."""

    graphql_transport_ws_handler_class = Socket

    async def on_ws_connect(self, context: GraphqlVisit) -> None:
        """Let in who opens a socket.

        Raises:
            ConnectionRejectionError: they may not.
        """
        try:
            await context.admitted()
        except AccessError as exc:
            raise ConnectionRejectionError from exc

    def decode_json(self, data: str | bytes) -> object:
        """Return an object of JSON.

        Raises:
            JSONDecodeError: it is none, or nested too deeply.
        """
        try:
            found = json.loads(data)
        except (UnicodeDecodeError, RecursionError) as exc:
            raise json.JSONDecodeError("no JSON that can be read", "", 0) from exc
        if not isinstance(found, dict):
            raise json.JSONDecodeError("no object", "", 0)
        return found

    def should_render_graphql_ide(self, request: Any) -> bool:  # noqa: ANN401 - passed on
        """Tell that there is no page to try queries: a GET without a query is told so."""
        del request
        return False

    async def parse_http_body(self, request: Any) -> Any:  # noqa: ANN401 - passed on
        """Return what a request asks for.

        Raises:
            HTTPException: it is no request of GraphQL.
        """
        media = (request.content_type or "").partition(";")[0].strip().lower()
        if request.method == "POST" and media != "application/json":  # which no form of another site can send
            raise HTTPException(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "send a query as application/json")
        found: Any = await super().parse_http_body(request)
        if not isinstance(found.operation_name, str | None):
            raise HTTPException(HTTPStatus.BAD_REQUEST, "the operation's name is a string")
        return found

    def create_response(self, response_data: Any, sub_response: Response) -> Response:  # noqa: ANN401 - passed on
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
    if message["type"] not in ("subscribe", "complete"):
        return True
    payload = message.get("payload")
    is_whole = message["type"] == "complete" or (isinstance(payload, dict) and _is_request(payload))
    return isinstance(message.get("id"), str) and is_whole


def _is_request(payload: Mapping[str, object]) -> bool:
    """Tell whether something can be read as a query and what belongs to it."""
    shapes = {"query": str, "variables": dict | None, "operationName": str | None}
    return all(isinstance(payload.get(name), shape) for name, shape in shapes.items())
