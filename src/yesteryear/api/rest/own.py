"""Answers that are more than a call of a verb: messages taken down again, files that come and go, what asks twice."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from fastapi import Header
from pydantic import BaseModel, Discriminator, Field, PlainValidator, Tag
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from yesteryear.api.access import read_header
from yesteryear.api.rest.operations import Responses, memory_of, tell, visit_of
from yesteryear.api.rest.requests import Asked, IfNoneMatch, body_of, etag, is_known, mended
from yesteryear.core.scope import MAX_NAME_CHARS
from yesteryear.core.secrets.redact import redact_name
from yesteryear.errors import Conflict, InputError, NotFound, TooLarge
from yesteryear.memory import AsyncMemory
from yesteryear.why import MessageWhy

_MOST_CHARS = 190
"""Longest key, in characters; with the number of a message it makes an id of at most 200."""


async def name_messages(memory: AsyncMemory, key: str, messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return messages with ids made from the key of their request, so that taking them down again changes nothing.

    What they say is compared when they are taken down; here only whether they are as many as before.

    Raises:
        InputError: the key cannot be used, or a message has an id already.
        Conflict: it was used before for more or fewer messages, or in another conversation.
    """
    if not key.strip() or len(key) > _MOST_CHARS:
        raise InputError(f"an Idempotency-Key has 1 to {_MOST_CHARS} characters, got {len(key)}")
    if any(message.get("id") is not None for message in messages):
        raise InputError("messages with an id may be sent again as they are; leave either their ids or the key out")
    named = [{**message, "id": _name(key, number)} for number, message in enumerate(messages)]
    first = await _find(memory, _name(key, 0)) if named else None
    if first is not None:
        asked = str(named[0].get("conversation", "default"))
        is_there = first.conversation in (asked, redact_name(asked))
        is_whole = await _find(memory, named[-1]["id"]) is not None
        if not (is_there and is_whole) or await _find(memory, _name(key, len(named))) is not None:
            raise Conflict("this Idempotency-Key was used before for other messages; give each request one of its own")
    return named


async def _find(memory: AsyncMemory, name: str) -> MessageWhy | None:
    try:
        return (await memory.why(name)).message
    except NotFound:
        return None


def _name(key: str, number: int) -> str:
    return f"{key}:{number}"


_ZIP = "application/zip"
_PIECE_BYTES = 65_536
_BINARY = {"schema": {"type": "string", "contentMediaType": _ZIP}}
_CONFIRM = "X-Yesteryear-Confirm"
_MOST_MESSAGES = 1000
"""Most messages of one request."""


def _parse_content(value: object) -> object:
    """Return a text, or parts as they are; the journal checks them. One type, so that a problem names one place."""
    if isinstance(value, str):
        return mended(value)
    if isinstance(value, list) and all(isinstance(part, dict) for part in value):
        return value
    raise ValueError("content is a text, or a list of parts")


class _Content(Asked):
    """What a message is besides what ``observe`` takes for all messages alike."""

    content: Annotated[Any, PlainValidator(_parse_content, json_schema_input_type=str | list[dict[str, Any]])] = Field(
        description="What was said; or parts of it as chat APIs write them, of which text is taken and other kinds are "
        "named."
    )
    name: Annotated[str, Field(min_length=1, max_length=MAX_NAME_CHARS)] | None = Field(
        None, description="As `author`, by the name it has in chat APIs."
    )


def _kind(body: object) -> str:
    return "messages" if isinstance(body, list) else "message"


if TYPE_CHECKING:
    OneOrMore: TypeAlias = BaseModel | list[BaseModel]
else:
    _Said = body_of("observe", base=_Content)
    OneOrMore = Annotated[
        Annotated[_Said, Tag("message")] | Annotated[list[_Said], Tag("messages"), Field(max_length=_MOST_MESSAGES)],
        Discriminator(_kind),
    ]
"""A message, or a list of them."""


class SettingsAsked(body_of("configure")):  # type: ignore[misc] # made from what the verb takes
    """What is to hold for this person, or for one project of theirs."""

    settings: Mapping[str, int | float | bool | str | None] = Field(
        description="Values by name; null takes a setting back."
    )


class Retried(BaseModel):
    """What was made due again."""

    rows: int


async def observe(
    request: Request,
    body: OneOrMore,
    idempotency_key: Annotated[
        str | None, Header(alias="Idempotency-Key", description="Your name for this request, which you may then repeat")
    ] = None,
) -> Response:
    """Take down one message or several; several are taken down together or not at all.

    When this returns, they are on disk; everything else happens later. Messages with an `id` may be sent again; a
    request without ids may be sent again with the same `Idempotency-Key`, and gives the same receipts. The same id or
    key with other messages is a conflict.
    """
    memory, said = memory_of(request), body if isinstance(body, list) else [body]
    messages = [each.model_dump(exclude_unset=True) for each in said]
    if idempotency_key is not None:
        messages = await name_messages(memory, idempotency_key, messages)
    return tell(await memory.observe(messages), 201)


async def get_fact(request: Request, id: str, if_none_match: IfNoneMatch = None) -> Response:  # noqa: A002
    """Return a fact, whatever its status, with its version as ETag."""
    found = await memory_of(request).facts(ids=[id], status="all")
    if not found:
        raise NotFound(f"there is no fact {id!r} in this scope; ids stand in /v1/facts")
    if is_known(if_none_match, found[0]):
        return Response(status_code=304, headers=etag(found[0]))
    return tell(found[0], headers=etag(found[0]))


async def forget_memory(request: Request, id: str) -> Response:  # noqa: A002 - the field's word
    """Forget a message, an episode or a fact, and all that was made of it."""
    return tell(await memory_of(request).forget(id))


async def change_settings(request: Request, body: SettingsAsked) -> Response:
    """Set what holds for this person or project, and return all that is set there now."""
    return tell(await memory_of(request).configure(project=body.project, **body.settings))


async def export(request: Request) -> Response:
    """Return everything that is kept in this scope as a zip: JSON Lines, a manifest with hashes, a page to read."""
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory(prefix="yesteryear-export-"))
        exported = await memory_of(request).export(Path(folder) / "memory.zip")
        headers = {
            "Content-Disposition": 'attachment; filename="memory.zip"',
            "Content-Length": str(exported.nbytes),
            "Cache-Control": "no-store",
        }
        return StreamingResponse(_pieces(stack.pop_all(), exported.path), 200, headers, _ZIP)


async def import_export(request: Request) -> Response:
    """Read an export back, into this scope. All of it is checked before anything is written; twice changes nothing."""
    visit = visit_of(request)
    with TemporaryDirectory(prefix="yesteryear-import-") as folder:
        path = Path(folder) / "memory.zip"
        await _receive(request, path, most=visit.policy.max_import_bytes)
        return tell(await visit.memory.import_(path))


async def erase(request: Request, confirm: Annotated[str, Header(alias=_CONFIRM)]) -> Response:
    """Erase the person: all of their memory, whatever the project. There is no way back.

    `X-Yesteryear-Confirm` repeats the person's name, so that nobody is erased by mistake.
    """
    memory = memory_of(request)
    if read_header(confirm) != memory.scope.user:
        raise InputError(f"to erase all of a person's memory, repeat the person's name in the header {_CONFIRM}")
    return tell(await memory.erase())


def _pieces(stack: ExitStack, path: str) -> Iterator[bytes]:
    """Give a file piece by piece; its folder, on the stack, goes when it was sent, or when the client is gone."""
    with stack, Path(path).open("rb") as file:
        while piece := file.read(_PIECE_BYTES):
            yield piece


async def _receive(request: Request, path: Path, *, most: int) -> None:
    """Write the body of a request to a file, piece by piece.

    Raises:
        TooLarge: it is longer than ``most`` bytes.
    """
    nbytes = 0
    with path.open("wb") as file:
        async for piece in request.stream():
            nbytes += len(piece)
            if nbytes > most:
                raise TooLarge(f"an export may have {most:,} bytes here; read a larger one with `yesteryear import`")
            await asyncio.to_thread(file.write, piece)


EXPORTED: Responses = {200: {"description": "The export", "content": {_ZIP: _BINARY}}}
IMPORTED: Mapping[str, Any] = {"requestBody": {"required": True, "content": {_ZIP: _BINARY}}}
"""As OpenAPI describes them."""
