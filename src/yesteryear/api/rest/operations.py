"""What an operation of the REST door is, who may call it, and how results and errors leave it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Annotated, Any, TypeAlias

import msgspec
from fastapi import APIRouter, Header
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from yesteryear.api.access import AGENT_HEADER, PROJECT_HEADER, USER_HEADER, Principal, Wish
from yesteryear.api.reception import Reception
from yesteryear.api.rest.policy import RestPolicy
from yesteryear.api.rest.refusals import (
    ProblemResponse,
    describe_refusals,
    internal_error,
    refuse,
    refuse_input,
    refuse_request,
)
from yesteryear.api.streams import Streams
from yesteryear.api.verbs import VERBS
from yesteryear.core.plain import to_plain
from yesteryear.core.scope import MAX_NAME_CHARS
from yesteryear.errors import YesteryearError
from yesteryear.memory import AsyncMemory

log = logging.getLogger("yesteryear.api.rest")

VERB = "x-yesteryear-verb"
"""Where the description of an operation names the verb that it calls."""
_PRIVATE = {"Cache-Control": "private, no-cache"}
"""What is remembered of a person is for nobody's shared cache."""


def mended(text: str) -> str:
    """Return text that can be sent back and stored: what JSON can hold of broken Unicode becomes U+FFFD."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


Text = Annotated[str, AfterValidator(mended)]
"""What somebody says, asks or states."""
Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME_CHARS)]
"""Of a person, a conversation, an author; or an id."""
Instant = Annotated[str, Field(json_schema_extra={"format": "date-time"})]
"""ISO 8601 with a time zone."""


class Asked(BaseModel):
    """What a caller sends: exactly the fields that there are, each of exactly its type."""

    model_config = ConfigDict(extra="forbid", strict=True, use_attribute_docstrings=True)


class Sought(BaseModel):
    """What a caller asks for in the address, where everything is text: still no field that there is not."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


Responses: TypeAlias = Mapping[int | str, dict[str, Any]]
"""What an operation may answer, by status, as OpenAPI describes it."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: which verb it calls, where it stands, and what it answers."""

    verb: str
    method: str
    path: str
    """Below /v1."""
    answer: Callable[..., Coroutine[Any, Any, Response]]
    """Its name and docstring stand in the description."""
    gives: Any = None
    """Type of the result; None for none, or where ``extra`` describes it."""
    status: int = 200
    responses: Responses = field(default_factory=dict)
    """What else it may answer."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """What else stands in the description."""


@dataclass(frozen=True, slots=True)
class Visit:
    """What an operation has to do with: whose memory, who asks, and the limits of the door."""

    memory: AsyncMemory
    policy: RestPolicy
    principal: Principal
    streams: Streams


def visit_of(request: Request) -> Visit:
    """Return whose memory a request is about; its caller was let in."""
    found: Visit = request.state.visit
    return found


def memory_of(request: Request) -> AsyncMemory:
    """Return the memory that a request is about; its caller was let in."""
    return visit_of(request).memory


def tell(result: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a result as JSON."""
    body = msgspec.json.encode(to_plain(result))
    return Response(body, status, {**_PRIVATE, **(headers or {})}, "application/json")


def route_class(reception: Reception, policy: RestPolicy) -> type[APIRoute]:
    """Return the class of the routes of a door: it lets callers in before anything of a request is read."""

    class Route(APIRoute):
        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            answer, right = super().get_route_handler(), VERBS[(self.openapi_extra or {})[VERB]].right

            async def handle(request: Request) -> Response:
                try:
                    principal = await reception.gatekeeper.admit(request.headers)
                    memory = reception.lend(principal, right, Wish.of_headers(request.headers))
                    request.state.visit = Visit(memory, policy, principal, reception.streams)
                    return await answer(request)
                except YesteryearError as exc:
                    return refuse(exc)
                except RequestValidationError as exc:
                    return refuse_input(exc)
                except HTTPException as exc:
                    return refuse_request(exc)
                except Exception:  # the edge: whatever it was, the caller gets an answer and we get to know
                    log.exception("an operation failed", extra={"operation": self.operation_id})
                    return internal_error()

            return handle

    return Route


async def name_scope(
    user: Annotated[str | None, Header(alias=USER_HEADER.title())] = None,
    project: Annotated[str | None, Header(alias=PROJECT_HEADER.title())] = None,
    agent: Annotated[str | None, Header(alias=AGENT_HEADER.title())] = None,
) -> None:
    """Describe the headers that say whose memory is meant; the reception has read them."""
    del user, project, agent


def add_operations(router: APIRouter, operations: tuple[Operation, ...], *, tag: str) -> None:
    """Add operations to a router, each with its description."""
    for operation in operations:
        name = operation.answer.__name__
        router.add_api_route(
            operation.path,
            operation.answer,
            methods=[operation.method],
            operation_id=name,
            summary=name.replace("_", " ").capitalize(),
            tags=[tag],
            status_code=operation.status,
            response_model=operation.gives,
            response_class=_response_class(operation),
            responses={
                **describe_refusals(has_result=operation.status != HTTPStatus.NO_CONTENT),
                **operation.responses,
            },
            openapi_extra={VERB: operation.verb, **operation.extra},
        )


def _response_class(operation: Operation) -> type[Response]:
    if operation.gives is not None:
        return JSONResponse
    return ProblemResponse if operation.status == HTTPStatus.NO_CONTENT else Response
