"""What an operation of the REST door is: how its verb answers it, who may call it, and what is refused."""

from __future__ import annotations

import inspect
import logging
import re
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Annotated, Any, TypeAlias, get_args

import msgspec
from fastapi import APIRouter, Header, Query
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from yesteryear.api.access import AGENT_HEADER, PROJECT_HEADER, USER_HEADER, Principal, RequestedScope
from yesteryear.api.auth_context import AuthContext
from yesteryear.api.problems import PROBLEM_JSON, Problem, problem_of, respond
from yesteryear.api.rest.requests import (
    HEADERS,
    Asked,
    IfMatch,
    Page,
    PageSought,
    Sought,
    etag,
    page_of,
    page_through,
    read_cursor,
    request_of,
    version_to_match,
)
from yesteryear.api.streams import Streams
from yesteryear.api.verbs import SAYS, VERBS, check_is, keyword
from yesteryear.core.access.arguments import MAX_PAGE
from yesteryear.core.results import to_plain
from yesteryear.errors import YesteryearError
from yesteryear.lifecycle.failures import log_failure
from yesteryear.memory.memory import AsyncMemory

log = logging.getLogger("yesteryear.api.rest")

VERB = "x-yesteryear-verb"  # where the description of an operation names the verb that it calls
_PRIVATE = {"Cache-Control": "private, no-cache"}  # what is remembered of a person is for nobody's shared cache
_SAID_ELSEWHERE = frozenset({"version"})  # parameters that are headers at this door

Answer: TypeAlias = Callable[..., Coroutine[Any, Any, Response]]
Responses: TypeAlias = Mapping[int | str, dict[str, Any]]
"""What an operation may answer, by status, as OpenAPI describes it."""


@dataclass(frozen=True, slots=True)
class RestPolicy:
    """How much is taken, and when a silent stream gives a sign of life."""

    max_import_bytes: int = 1_073_741_824
    """Largest export that is read back, in bytes; 1 GiB holds some 500,000 messages."""
    heartbeat_s: float = 15.0
    """Seconds of silence after which a stream of events gives a sign of life; usual proxies wait for 60."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: which verb it calls, and where it stands. All else follows from the verb, unless it is said."""

    verb: str
    method: str
    path: str
    """Below /v1. What stands in braces are parameters of the verb."""
    name: str  # as clients call it that are made from the description
    answer: Answer | None = None  # where more is to be done than to call the verb
    gives: Any = None  # type of the result; the verb's where not given
    shows: Callable[[Any], object] = to_plain  # makes of the verb's result what is told
    only: type | None = None  # of what the path's id has to be the name, where the verb takes names of several things
    place: tuple[str, ...] = ()
    """Attributes that tell where a row stands in a list that comes all at once and is told page by page."""
    newest_first: bool = False  # whether the last place comes first
    status: int = HTTPStatus.OK
    responses: Responses = field(default_factory=dict)  # what else it may answer
    extra: Mapping[str, Any] = field(default_factory=dict)  # what else stands in the description

    @property
    def has_pages(self) -> bool:
        """Whether it is told page by page."""
        return bool(self.place) or (self.answer is None and "after" in VERBS[self.verb].parameters)

    @property
    def has_version(self) -> bool:
        """Whether it changes what has a version, which the caller may name."""
        is_kept = self.only is None or hasattr(self.only, "version")
        return self.answer is None and is_kept and "version" in VERBS[self.verb].parameters


@dataclass(frozen=True, slots=True)
class RestVisit:
    """What an operation has to do with: whose memory, who asks, and the limits of the door."""

    memory: AsyncMemory
    policy: RestPolicy
    principal: Principal
    streams: Streams


def visit_of(request: Request) -> RestVisit:
    """Return whose memory a request is about; its caller was let in."""
    found: RestVisit = request.state.visit
    return found


def tell(result: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a result as JSON."""
    body = msgspec.json.encode(to_plain(result))
    return Response(body, status, {**_PRIVATE, **(headers or {})}, "application/json")


def add_operations(router: APIRouter, operations: tuple[Operation, ...], *, tag: str) -> None:
    """Add operations to a router, each with its description."""
    for operation in operations:
        gives, is_empty = _gives(operation), operation.status == HTTPStatus.NO_CONTENT
        versioned: Responses = {200: {"headers": HEADERS}} if operation.has_version else {}
        router.add_api_route(
            operation.path,
            operation.answer or _answer_of(operation),
            methods=[operation.method],
            operation_id=operation.name,
            summary=operation.name.replace("_", " ").capitalize(),
            tags=[tag],
            status_code=operation.status,
            response_model=gives,
            response_class=JSONResponse if gives is not None else ProblemResponse if is_empty else Response,
            responses={**_describe_refusals(has_result=not is_empty), **versioned, **operation.responses},
            openapi_extra={VERB: operation.verb, **operation.extra},
        )


def _answer_of(operation: Operation) -> Answer:
    """Return what answers an operation by calling its verb, with a signature that describes what is sent."""
    verb = VERBS[operation.verb]
    in_path = re.findall(r"{(\w+)}", operation.path)
    base = PageSought if operation.has_pages else Sought if operation.method == "GET" else Asked
    model = request_of(operation.verb, _SAID_ELSEWHERE.union(in_path), base)

    async def answer(request: Request, **sent: Any) -> Response:
        memory, asked = visit_of(request).memory, sent.get("asked")
        given = {name: sent[name] for name in in_path}
        if operation.has_version:
            given["version"] = version_to_match(sent["if_match"])
        if operation.only is not None:
            await check_is(memory, operation.only, given["id"])
        if operation.has_pages:
            return tell(await _page(operation, memory, asked))
        result = await verb.call(memory, given | (asked.model_dump(exclude_unset=True) if asked is not None else {}))
        if operation.status == HTTPStatus.NO_CONTENT:
            return Response(status_code=operation.status)
        is_versioned = operation.has_version and hasattr(result, "version")
        return tell(operation.shows(result), operation.status, etag(result) if is_versioned else None)

    answer.__doc__ = SAYS.get((operation.verb, operation.only), verb.about)
    answer.__signature__ = inspect.Signature(_sent(operation, in_path, model))  # type: ignore[attr-defined]
    return answer


def _sent(operation: Operation, in_path: list[str], model: type[BaseModel]) -> list[inspect.Parameter]:
    found = [keyword("request", Request), *(keyword(name, str) for name in in_path)]
    if operation.method == "GET" and model.model_fields:
        found.append(keyword("asked", Annotated[model, Query()]))
    elif model.model_fields:
        is_needed = any(each.is_required() for each in model.model_fields.values())
        found.append(keyword("asked", model) if is_needed else keyword("asked", model | None, None))
    if operation.has_version:
        found.append(keyword("if_match", IfMatch, None))
    return found


async def _page(operation: Operation, memory: AsyncMemory, asked: Any) -> dict[str, object]:  # noqa: ANN401 - a model
    """Return a page: as the verb gives it, or of all that it gives."""
    verb, given = VERBS[operation.verb], asked.model_dump(exclude_unset=True, exclude={"limit", "cursor"})
    if operation.place:
        if "limit" in verb.parameters:
            given["limit"] = MAX_PAGE
        found = await verb.call(memory, given)
        return page_through(found, asked.limit, asked.cursor, operation.place, newest_first=operation.newest_first)
    if given.get("ids") is not None:  # which are told whole, whatever else is asked for
        found = await verb.call(memory, given | {"limit": MAX_PAGE})
        return page_of(found, MAX_PAGE)
    if asked.cursor is not None:
        (given["after"],) = read_cursor(asked.cursor, parts=1)
    found = await verb.call(memory, given | {"limit": asked.limit + 1})
    return page_of(found, asked.limit)


def _gives(operation: Operation) -> Any:  # noqa: ANN401 - annotations have no better type
    if operation.gives is not None or operation.answer is not None:
        return operation.gives
    if operation.status == HTTPStatus.NO_CONTENT:
        return None
    gives = operation.only or VERBS[operation.verb].gives
    return Page[get_args(gives)[0]] if operation.has_pages else gives  # type: ignore[misc] # made at run time


def route_class(auth_context: AuthContext, policy: RestPolicy) -> type[APIRoute]:
    """Return the class of the routes of a door: it lets callers in before anything of a request is read."""

    class Route(APIRoute):
        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            answer, right = super().get_route_handler(), VERBS[(self.openapi_extra or {})[VERB]].right

            async def handle(request: Request) -> Response:
                try:
                    principal = await auth_context.gatekeeper.admit(request.headers)
                    memory = auth_context.lend(principal, right, RequestedScope.of_headers(request.headers))
                    request.state.visit = RestVisit(memory, policy, principal, auth_context.streams)
                    return await answer(request)
                except Exception as exc:  # noqa: BLE001 - the edge: whoever asked is told that it was us
                    if not isinstance(exc, _FORESEEN):
                        log_failure(log, str(self.operation_id), exc)
                    return refuse(exc)

            return handle

    return Route


async def name_scope(
    user: Annotated[str | None, Header(alias=USER_HEADER.title())] = None,
    project: Annotated[str | None, Header(alias=PROJECT_HEADER.title())] = None,
    agent: Annotated[str | None, Header(alias=AGENT_HEADER.title())] = None,
) -> None:
    """Describe the headers that say whose memory is meant; the gate has read them."""
    del user, project, agent


_PLACES_TOLD = 20  # most places of which it is told what is wrong there
_MALFORMED = "json_invalid"  # kind of validation error of a body that is no JSON
_REFUSED_EARLY: Mapping[int, tuple[str, str]] = {
    HTTPStatus.BAD_REQUEST: ("malformed", HTTPStatus.BAD_REQUEST.phrase),
    HTTPStatus.NOT_FOUND: ("no_such_path", "nothing is served at this path; /openapi.json lists what is"),
    HTTPStatus.METHOD_NOT_ALLOWED: ("no_such_method", "this path takes another method; the header Allow names it"),
}
"""Codes of what is refused before a verb is called, and what to do where the framework gives only a status's name."""
_NOT_AS_JSON = {"place": "header.Content-Type", "detail": "send the body as application/json"}
_REFUSALS = {"4XX": "It cannot be done as asked", "5XX": "It failed; perhaps only for a moment"}


class WrongPlace(BaseModel):
    """What is wrong in one place of a request."""

    place: str = Field(description="Such as body.statement")
    detail: str


class Refusal(BaseModel):
    """The body of every refusal (RFC 9457)."""

    type: str = Field(description="about:blank; `code` tells the kind")
    title: str = Field(description="The kind of error, in words")
    status: int
    detail: str = Field(description="What went wrong here, and what to do")
    code: str = Field(description="Stable, for machines")
    errors: list[WrongPlace] = Field(default=[], description="What is wrong in which place of the request")


class ProblemResponse(JSONResponse):
    """A refusal."""

    media_type = PROBLEM_JSON


def _describe_refusals(*, has_result: bool) -> dict[int | str, dict[str, Any]]:
    """Return what every operation may answer beside its result, as OpenAPI describes it."""
    # FastAPI describes a model with the media type of the operation's results, so only an operation that has none can
    # bring the model in; all others refer to it.
    content = {PROBLEM_JSON: {"schema": {"$ref": f"#/components/schemas/{Refusal.__name__}"}}}
    body: dict[str, Any] = {"content": content} if has_result else {"model": Refusal}
    return {status: {"description": words, **body} for status, words in _REFUSALS.items()}


_FORESEEN = (HTTPException, RequestValidationError, YesteryearError)


def problem_handlers() -> dict[int | type[Exception], Any]:
    """Return handlers for an application, so that unknown paths and methods are answered in the same form."""

    async def answer(_: Request, error: Exception) -> Response:
        return refuse(error)

    return dict.fromkeys(_FORESEEN, answer)


def refuse(error: Exception) -> Response:
    """Return the answer to an error; of what nobody foresaw it tells nothing."""
    if isinstance(error, YesteryearError):
        return respond(problem_of(error))
    if isinstance(error, RequestValidationError):
        return _refuse_input(error)
    if isinstance(error, HTTPException):  # no such path, no such method, no JSON
        status = HTTPStatus(error.status_code)
        code, advice = _REFUSED_EARLY.get(status, (status.name.lower(), status.phrase))
        detail = advice if error.detail == status.phrase else str(error.detail)
        return respond(Problem(status, code, status.phrase, detail), headers=error.headers)
    status = HTTPStatus.INTERNAL_SERVER_ERROR
    return respond(Problem(status, "internal", status.phrase, "Something went wrong here; it was written to the log"))


def _refuse_input(error: RequestValidationError) -> Response:
    """Return the answer to a request that does not fit the description, with the places where it does not."""
    found: Sequence[Any] = error.errors()
    status = HTTPStatus.BAD_REQUEST if found and found[0]["type"] == _MALFORMED else HTTPStatus.UNPROCESSABLE_ENTITY
    places = [{"place": _place(each["loc"]), "detail": str(each["msg"])} for each in found[:_PLACES_TOLD]]
    if isinstance(error.body, bytes):  # which was not read, since nothing said that it is JSON
        places = [_NOT_AS_JSON]
    detail = "; ".join(f"{each['place']}: {each['detail']}" for each in places)
    code = "malformed" if status == HTTPStatus.BAD_REQUEST else "input"
    return respond(Problem(status, code, status.phrase, detail), errors=places)


def _place(location: Sequence[int | str]) -> str:
    """Say where in a request something stands: ``body.messages.0.role``."""
    return ".".join(str(step).encode("utf-8", "backslashreplace").decode() for step in location)
