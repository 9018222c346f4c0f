"""Which verb stands where at the REST door, and the answers that are more than a call of it: files, events, repeats."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, aclosing, closing
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import msgspec
from fastapi import APIRouter, Depends, Header
from pydantic import BaseModel, Discriminator, Field, PlainValidator, Tag
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from yesteryear.api.access import read_header
from yesteryear.api.auth_context import AuthContext
from yesteryear.api.rest.operations import (
    Operation,
    Responses,
    RestPolicy,
    add_operations,
    name_scope,
    route_class,
    tell,
    visit_of,
)
from yesteryear.api.rest.requests import HEADERS, Asked, IfNoneMatch, etag, is_known, mended, request_of
from yesteryear.api.streams import Stream
from yesteryear.api.verbs import describe_results
from yesteryear.consolidate.belief.queries import FactView
from yesteryear.core.episode import Episode
from yesteryear.core.erasure import Erasure
from yesteryear.core.message import Receipt
from yesteryear.core.results import Plain
from yesteryear.core.scope import MAX_NAME_CHARS
from yesteryear.core.secrets.redact import redact_name
from yesteryear.errors import Conflict, InputError, NotFound, TooLarge, YesteryearError
from yesteryear.forget.forget import Forgotten
from yesteryear.forget.propose import Proposal
from yesteryear.memory.memory import AsyncMemory
from yesteryear.transfer.import_export import Imported

_MOST_CHARS = 190  # longest key, in characters; with the number of a message it makes an id of at most 200


async def name_messages(memory: AsyncMemory, key: str, messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return messages with ids made from the key of their request, so that taking them down again changes nothing.

    What they say is compared when they are taken down; here only whether they are as many as before.
    """
    if not key.strip() or len(key) > _MOST_CHARS:
        raise InputError(f"an Idempotency-Key has 1 to {_MOST_CHARS} characters, got {len(key)}")
    if any(message.get("id") is not None for message in messages):
        raise InputError("messages with an id may be sent again as they are; leave either their ids or the key out")
    first, last, more = f"{key}:0", f"{key}:{len(messages) - 1}", f"{key}:{len(messages)}"
    known = await memory.messages(ids=[first, last, more]) if messages else []
    held_in = {row.external_id: row.conversation for row in reversed(known)}
    if first in held_in:
        asked = str(messages[0].get("conversation", "default"))
        if held_in[first] not in (asked, redact_name(asked)) or last not in held_in or more in held_in:
            raise Conflict("this Idempotency-Key was used before for other messages; give each request one of its own")
    return [{**message, "id": f"{key}:{number}"} for number, message in enumerate(messages)]


_ZIP = "application/zip"
_PIECE_BYTES = 65_536
_CONFIRM = "X-Yesteryear-Confirm"
_MOST_MESSAGES = 1000  # most messages of one request


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


if TYPE_CHECKING:
    OneOrMore: TypeAlias = BaseModel | list[BaseModel]
else:
    _Said = request_of("observe", base=_Content)
    OneOrMore = Annotated[
        Annotated[_Said, Tag("message")] | Annotated[list[_Said], Tag("messages"), Field(max_length=_MOST_MESSAGES)],
        Discriminator(lambda body: "messages" if isinstance(body, list) else "message"),
    ]
"""A message, or a list of them."""


class SettingsAsked(request_of("configure")):  # type: ignore[misc] # made from what the verb takes
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
    memory, said = visit_of(request).memory, body if isinstance(body, list) else [body]
    messages = [each.model_dump(exclude_unset=True) for each in said]
    if idempotency_key is not None:
        messages = await name_messages(memory, idempotency_key, messages)
    return tell(await memory.observe(messages), 201)


async def get_fact(request: Request, id: str, if_none_match: IfNoneMatch = None) -> Response:
    """Return a fact, whatever its status, with its version as ETag."""
    found = await visit_of(request).memory.facts(ids=[id], status="all")
    if not found:
        raise NotFound(f"there is no fact {id!r} in this scope; ids stand in /v1/facts")
    if is_known(if_none_match, found[0]):
        return Response(status_code=304, headers=etag(found[0]))
    return tell(found[0], headers=etag(found[0]))


async def forget_memory(request: Request, id: str) -> Response:
    """Forget a message, an episode or a fact, and all that was made of it."""
    return tell(await visit_of(request).memory.forget(id))


async def change_settings(request: Request, body: SettingsAsked) -> Response:
    """Set what holds for this person or project, and return all that is set there now."""
    return tell(await visit_of(request).memory.configure(project=body.project, **body.settings))


async def export(request: Request) -> Response:
    """Return everything that is kept in this scope as a zip: JSON Lines, a manifest with hashes, a page to read."""
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory(prefix="yesteryear-export-"))
        exported = await visit_of(request).memory.export(Path(folder) / "memory.zip")
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
    memory = visit_of(request).memory
    if read_header(confirm) != memory.scope.user:
        raise InputError(f"to erase all of a person's memory, repeat the person's name in the header {_CONFIRM}")
    return tell(await memory.erase())


def _pieces(stack: ExitStack, path: str) -> Iterator[bytes]:
    """Give a file piece by piece; its folder, on the stack, goes when it was sent, or when the client is gone."""
    with stack, Path(path).open("rb") as file:
        while piece := file.read(_PIECE_BYTES):
            yield piece


async def _receive(request: Request, path: Path, *, most: int) -> None:
    """Write the body of a request to a file, piece by piece, up to so many bytes."""
    nbytes = 0
    with path.open("wb") as file:
        async for piece in request.stream():
            nbytes += len(piece)
            if nbytes > most:
                raise TooLarge(f"an export may have {most:,} bytes here; read a larger one with `yesteryear import`")
            await asyncio.to_thread(file.write, piece)


_STREAM = "text/event-stream"
_RETRY_MS = 3000  # after how many milliseconds a client that was cut off comes back
_SIGN_OF_LIFE = b": still here\n\n"


async def follow(
    request: Request,
    last_event_id: Annotated[
        str | None, Header(alias="Last-Event-ID", description="`id` of the last event that was received")
    ] = None,
) -> Response:
    """Follow what happens: events `episode`, `fact` and `conflict`, each with what it is now, as JSON.

    An event says that something is new or has changed. Without `Last-Event-ID` they begin now, with `0` with all there
    is. They end when who listens is not let in any more, and after an hour. Who was cut off goes on with the last `id`;
    some events may come twice then, none is left out.
    """
    if last_event_id is not None and not re.fullmatch(r"[0-9]{1,18}", last_event_id):
        raise InputError("Last-Event-ID is the id of an event of this stream, a whole number from 0")
    visit, since = visit_of(request), None if last_event_id is None else int(last_event_id)
    stream = await visit.streams.open(visit.principal, dict(request.headers), visit.memory, since)
    return _Events(stream, visit.policy.heartbeat_s)


class _Events(StreamingResponse):
    """An answer for as long as somebody listens; its stream is closed with it, whether it was begun or not."""

    def __init__(self, stream: Stream, silence_s: float) -> None:
        self._stream = stream
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(self._events(silence_s), 200, headers, _STREAM)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with closing(self._stream):
            await super().__call__(scope, receive, send)

    async def _events(self, silence_s: float) -> AsyncIterator[bytes]:
        """Give events, and signs of life between them, until the client is gone, or nobody may be told any more."""
        yield f"retry: {_RETRY_MS}\n\n".encode()
        rev = self._stream.rev
        async with aclosing(self._stream.follow(silence_s=silence_s)) as happenings:
            try:
                async for happened in happenings:
                    if happened.rev == rev:
                        yield _SIGN_OF_LIFE
                        continue
                    rev = happened.rev
                    rows: list[Episode | FactView] = [*happened.episodes, *happened.facts]
                    rows.sort(key=lambda row: row.version)
                    for row, number in zip(rows, _numbers([row.version for row in rows]), strict=True):
                        yield _event("episode" if isinstance(row, Episode) else "fact", number, row)
                    for conflict in happened.conflicts:
                        yield _event("conflict", rev, conflict)
            except YesteryearError:
                return  # closed, or out of reach: the client comes back and is told why


def _numbers(versions: Iterable[int]) -> Iterator[int]:
    """Return the id of each event: its version where it is the last of that, else the one before, to be safe."""
    for version, following in pairwise([*versions, -1]):
        yield version if version != following else version - 1


def _event(kind: str, number: int, row: Plain) -> bytes:
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (number, kind.encode(), msgspec.json.encode(row.to_dict()))


# What operations answer beside what their verbs give, as OpenAPI describes it.
_ETAG: Responses = {
    200: {"headers": HEADERS},
    304: {"description": "It is still of the version at hand", "headers": HEADERS},
}
_ZIPPED = {_ZIP: {"schema": {"type": "string", "contentMediaType": _ZIP}}}
_EXPORTED: Responses = {200: {"description": "The export", "content": _ZIPPED}}
_IMPORTED = {"requestBody": {"required": True, "content": _ZIPPED}}
_FOLLOWED: Responses = {
    200: {
        "description": "Events, for as long as the client stays and is let in",
        "content": {_STREAM: {"schema": {"type": "string"}}},
    }
}
_CONVERSATION = ("key.project", "key.agent", "key.name")  # by which conversations stand in order
_SETTINGS = dict[str, int | float | bool | str]
_TALK = (
    Operation("observe", "POST", "/messages", "observe", observe, list[Receipt], status=201),
    Operation("messages", "GET", "/messages", "list_messages"),
    Operation("keep", "POST", "/messages/{id}/keep", "keep_message"),
    Operation("conversations", "GET", "/conversations", "list_conversations", place=_CONVERSATION),
    Operation("close_episode", "POST", "/conversations/{conversation}/close", "close_episode", status=204),
    Operation("context", "POST", "/context", "make_context"),
    Operation("recall", "POST", "/recall", "recall"),
    Operation("episodes", "GET", "/episodes", "list_episodes"),
    Operation("extract", "POST", "/episodes/{id}/extract", "extract_facts"),
)
_BELIEFS = (
    Operation("facts", "GET", "/facts", "list_facts"),
    Operation("facts", "GET", "/facts/{id}", "get_fact", get_fact, FactView, responses=_ETAG),
    Operation("people", "GET", "/people", "list_people"),
    Operation("same", "POST", "/people/same", "join_people"),
    Operation("not_same", "POST", "/people/not-same", "part_people"),
    Operation("open_loops", "GET", "/open-loops", "list_open_loops"),
    Operation("metrics", "GET", "/metrics", "list_metrics"),
    Operation("correlations", "GET", "/correlations", "list_correlations"),
    Operation("graph", "GET", "/graph", "ask_graph"),
    Operation("dismiss", "POST", "/graph/edges/{id}/dismiss", "dismiss_edge"),
    Operation("correct", "PATCH", "/facts/{id}", "correct_fact"),
    Operation("confirm", "POST", "/facts/{id}/confirm", "confirm_fact", only=FactView),
    Operation("refute", "POST", "/facts/{id}/refute", "refute_fact", only=FactView),
    Operation("resolve", "POST", "/facts/{id}/resolve", "resolve_fact"),
    Operation("pin", "POST", "/memories/{id}/pin", "pin_memory"),
    Operation("unpin", "POST", "/memories/{id}/unpin", "unpin_memory"),
    Operation("restore", "POST", "/memories/{id}/restore", "restore_memory"),
    Operation("why", "GET", "/memories/{id}/why", "explain_memory"),
    Operation("conflicts", "GET", "/conflicts", "list_conflicts", place=("opened_at", "id"), newest_first=True),
    Operation("proposals", "GET", "/proposals", "list_proposals", place=("asked_at", "id")),
    Operation("confirm", "POST", "/proposals/{id}/confirm", "confirm_proposal", only=Proposal),
    Operation("refute", "POST", "/proposals/{id}/refute", "refute_proposal", only=Proposal),
    Operation("both_hold", "POST", "/conflicts/{id}/both-hold", "hold_both"),
    Operation("diff", "GET", "/diff", "compare_beliefs"),
    Operation("nights", "GET", "/nights", "list_nights", place=("id",), newest_first=True),
    Operation("consolidate", "POST", "/nights", "run_night"),
    Operation("undo", "POST", "/nights/{cycle}/undo", "undo_night"),
)
_KEEPING = (
    Operation("stats", "GET", "/stats", "read_stats"),
    Operation("usage", "GET", "/usage", "read_usage"),
    Operation("configure", "PATCH", "/settings", "change_settings", change_settings, _SETTINGS),
    Operation("flush", "POST", "/flush", "flush"),
    Operation("retry", "POST", "/retry", "retry_failed", gives=Retried, shows=lambda rows: {"rows": rows}),
    Operation("reread", "POST", "/reread", "reread"),
    Operation("fade", "POST", "/fade", "fade"),
    Operation("forget", "POST", "/forget", "forget"),
    Operation("forget", "DELETE", "/memories/{id}", "forget_memory", forget_memory, Forgotten),
    Operation("export", "GET", "/export", "export", export, responses=_EXPORTED),
    Operation("import_", "POST", "/import", "import_export", import_export, Imported, extra=_IMPORTED),
    Operation("erase", "DELETE", "/mind", "erase", erase, Erasure),
)
_EVENTS = (Operation("changes", "GET", "/events", "follow", follow, responses=_FOLLOWED),)
OPERATIONS: Mapping[str, tuple[Operation, ...]] = MappingProxyType(
    {"talk": _TALK, "beliefs": _BELIEFS, "keeping": _KEEPING, "events": _EVENTS}
)
"""All operations by the title under which they are described. The first of a verb is the one it is known by."""


def rest_router(auth_context: AuthContext, policy: RestPolicy | None = None) -> APIRouter:
    """Return the operations on memories, all below ``/v1``.

    An application that takes them in should take ``problem_handlers`` too, so that unknown paths and methods are
    answered in the same form.
    """
    describe_results()
    router = APIRouter(
        prefix="/v1", route_class=route_class(auth_context, policy or RestPolicy()), dependencies=[Depends(name_scope)]
    )
    for tag, operations in OPERATIONS.items():
        add_operations(router, operations, tag=tag)
    return router
