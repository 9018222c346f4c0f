"""Operations on the memory as a whole: work that is due, settings, costs; what a person may do with what is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from fastapi import Header, Query
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from yesteryear.api.access import read_header
from yesteryear.api.rest.operations import (
    Asked,
    Instant,
    Name,
    Operation,
    Responses,
    Sought,
    Text,
    memory_of,
    tell,
    visit_of,
)
from yesteryear.consolidate.letting_go import Faded
from yesteryear.core.erasure import Erasure
from yesteryear.core.usage import UsageSum
from yesteryear.drain import Drained
from yesteryear.errors import InputError, TooLarge
from yesteryear.forget.forget import Forgotten
from yesteryear.takeout.import_export import Imported

_ZIP = "application/zip"
_PIECE_BYTES = 65_536
_BINARY = {"schema": {"type": "string", "contentMediaType": _ZIP}}
_CONFIRM = "X-Yesteryear-Confirm"


class FadeAsked(Asked):
    """From when fading is seen."""

    at: Instant | None = None
    """Now where not given."""
    dry_run: bool = False
    """Only tell what would be let go."""


class ForgetAsked(Asked):
    """What is to be forgotten: ids, or a conversation and a span of time, or a subject; one of the three."""

    ids: Annotated[list[Name], Field(min_length=1, max_length=1000)] | None = None
    """Of messages, episodes or facts."""
    conversation: Name | None = None
    """All of this conversation, or with the next two what of it was said then."""
    since: Instant | None = None
    until: Instant | None = None
    about: Text | None = None
    """What bears on this is only proposed; pass ``messages`` and ``facts`` of the answer by their ids."""
    dry_run: bool = False
    """Only tell what would be forgotten."""


class SettingsAsked(Asked):
    """What is to hold for this person, or for one project of theirs."""

    settings: Mapping[str, int | float | bool | str | None]
    """Values by name; null takes a setting back."""
    project: Name | None = None
    """The project they are for; that of the request where not given."""


class Retried(Asked):
    """What was made due again."""

    rows: int


class DaysSought(Sought):
    """Which days are asked for."""

    since: Instant | None = None
    """Only calls that were begun at or after this instant."""
    until: Instant | None = None
    """Only calls that were begun before this instant."""


async def read_stats(request: Request) -> Response:
    """Return numbers of rows by kind and status, and the embedding models in use."""
    return tell(await memory_of(request).stats())


async def read_usage(request: Request, query: Annotated[DaysSought, Query()]) -> Response:
    """Return what calls of models have cost this person's memory, by day (UTC), purpose and model."""
    return tell(await memory_of(request).usage(since=query.since, until=query.until))


async def change_settings(request: Request, body: SettingsAsked) -> Response:
    """Set what holds for this person or project, and return all that is set there now."""
    return tell(await memory_of(request).configure(project=body.project, **body.settings))


async def flush(request: Request) -> Response:
    """End the open episodes and wait until everything that is due has been done."""
    return tell(await memory_of(request).flush())


async def retry_failed(request: Request) -> Response:
    """Make everything due again that was given up after too many failures."""
    return tell({"rows": await memory_of(request).retry()})


async def fade(request: Request, body: FadeAsked | None = None) -> Response:
    """Let go what has faded, what exceeds the limits, and skipped text whose days are over."""
    asked = body or FadeAsked()
    return tell(await memory_of(request).fade(at=asked.at, dry_run=asked.dry_run))


async def forget(request: Request, body: ForgetAsked) -> Response:
    """Forget messages and all that was made of them."""
    asked = body.model_dump(exclude={"ids"})
    return tell(await memory_of(request).forget(*(body.ids or ()), **asked))


async def forget_memory(request: Request, id: str) -> Response:  # noqa: A002 - the field's word
    """Forget a message, an episode or a fact, and all that was made of it."""
    return tell(await memory_of(request).forget(id))


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


_EXPORT: Responses = {200: {"description": "The export", "content": {_ZIP: _BINARY}}}
_IMPORT: dict[str, Any] = {"requestBody": {"required": True, "content": {_ZIP: _BINARY}}}
KEEPING = (
    Operation("stats", "GET", "/stats", read_stats, dict[str, Any]),
    Operation("usage", "GET", "/usage", read_usage, list[UsageSum]),
    Operation("configure", "PATCH", "/settings", change_settings, dict[str, int | float | bool | str]),
    Operation("flush", "POST", "/flush", flush, Drained),
    Operation("retry", "POST", "/retry", retry_failed, Retried),
    Operation("fade", "POST", "/fade", fade, Faded),
    Operation("forget", "POST", "/forget", forget, Forgotten),
    Operation("forget", "DELETE", "/memories/{id}", forget_memory, Forgotten),
    Operation("export", "GET", "/export", export, responses=_EXPORT),
    Operation("import_", "POST", "/import", import_export, Imported, extra=_IMPORT),
    Operation("erase", "DELETE", "/mind", erase, Erasure),
)
"""See ``router``."""
