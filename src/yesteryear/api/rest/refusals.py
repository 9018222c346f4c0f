"""Errors as the REST door answers them: ``application/problem+json`` (RFC 9457), with a stable code and what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from yesteryear.api.problems import PROBLEM_JSON, Problem, problem_of, respond
from yesteryear.errors import YesteryearError

_PLACES_TOLD = 20
"""Most places of which it is told what is wrong there."""
_MALFORMED = "json_invalid"
"""Kind of validation error of a body that is no JSON."""
_CODES: Mapping[int, str] = {
    HTTPStatus.BAD_REQUEST: "malformed",
    HTTPStatus.NOT_FOUND: "no_such_path",
    HTTPStatus.METHOD_NOT_ALLOWED: "no_such_method",
}
"""Codes of what is refused before a verb is called."""
_ADVICE: Mapping[int, str] = {
    HTTPStatus.NOT_FOUND: "nothing is served at this path; /openapi.json lists what is",
    HTTPStatus.METHOD_NOT_ALLOWED: "this path takes another method; the header Allow names it",
}
"""What to do, where the framework gives no more than the name of the status."""
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


def describe_refusals(*, has_result: bool) -> dict[int | str, dict[str, Any]]:
    """Return what every operation may answer beside its result, as OpenAPI describes it.

    FastAPI describes a model with the media type of the operation's results, so only an operation that has none can
    bring the model in; all others refer to it.
    """
    content = {PROBLEM_JSON: {"schema": {"$ref": f"#/components/schemas/{Refusal.__name__}"}}}
    body: dict[str, Any] = {"content": content} if has_result else {"model": Refusal}
    return {status: {"description": words, **body} for status, words in _REFUSALS.items()}


def refuse(error: YesteryearError) -> Response:
    """Return the answer to an error of ours."""
    return respond(problem_of(error))


def refuse_input(error: RequestValidationError) -> Response:
    """Return the answer to a request that does not fit the description, with the places where it does not."""
    found: Sequence[Any] = error.errors()
    status = HTTPStatus.BAD_REQUEST if found and found[0]["type"] == _MALFORMED else HTTPStatus.UNPROCESSABLE_ENTITY
    places = [{"place": _place(each["loc"]), "detail": str(each["msg"])} for each in found[:_PLACES_TOLD]]
    if isinstance(error.body, bytes):  # which was not read, since nothing said that it is JSON
        places = [_NOT_AS_JSON]
    detail = "; ".join(f"{each['place']}: {each['detail']}" for each in places)
    code = "malformed" if status == HTTPStatus.BAD_REQUEST else "input"
    return respond(Problem(status, code, status.phrase, detail), errors=places)


def refuse_request(error: HTTPException) -> Response:
    """Return the answer to a request that no operation takes: no such path, no such method, no JSON."""
    status = HTTPStatus(error.status_code)
    code = _CODES.get(status, status.name.lower())
    detail = _ADVICE.get(status, status.phrase) if error.detail == status.phrase else str(error.detail)
    return respond(Problem(status, code, status.phrase, detail), headers=error.headers)


def problem_handlers() -> dict[int | type[Exception], Any]:
    """Return handlers for an application, so that unknown paths and methods are answered in the same form."""

    async def on_request(request: Request, error: Exception) -> Response:
        del request
        return refuse_request(error) if isinstance(error, HTTPException) else internal_error()

    async def on_input(request: Request, error: Exception) -> Response:
        del request
        return refuse_input(error) if isinstance(error, RequestValidationError) else internal_error()

    async def on_ours(request: Request, error: Exception) -> Response:
        del request
        return refuse(error) if isinstance(error, YesteryearError) else internal_error()

    return {HTTPException: on_request, RequestValidationError: on_input, YesteryearError: on_ours}


def internal_error() -> Response:
    """Return the answer to what nobody foresaw; it tells nothing of the inside."""
    status = HTTPStatus.INTERNAL_SERVER_ERROR
    return respond(Problem(status, "internal", status.phrase, "Something went wrong here; it was written to the log"))


def _place(location: Sequence[int | str]) -> str:
    """Say where in a request something stands: ``body.messages.0.role``."""
    return ".".join(str(step).encode("utf-8", "backslashreplace").decode() for step in location)
