"""What happens in a memory, as it happens: server-sent events, which a client may take up again where it left off."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import aclosing
from itertools import pairwise
from typing import Annotated

import msgspec
from fastapi import Header
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from yesteryear.api.rest.operations import Responses, visit_of
from yesteryear.api.streams import Stream
from yesteryear.consolidate.look import FactView
from yesteryear.core.episode import Episode
from yesteryear.core.plain import Plain
from yesteryear.errors import InputError, YesteryearError

_STREAM = "text/event-stream"
_MOST_DIGITS = 19
_RETRY_MS = 3000
"""After how many milliseconds a client that was cut off comes back."""
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
    visit, since = visit_of(request), _parse(last_event_id)
    stream = visit.streams.open(visit.principal, dict(request.headers))
    try:
        await stream.begin(visit.memory, since)
    except BaseException:
        stream.close()
        raise
    return _Following(stream, _events(stream, visit.policy.heartbeat_s))


class _Following(StreamingResponse):
    """An answer for as long as somebody listens; its stream is closed with it, whether it was begun or not."""

    def __init__(self, stream: Stream, events: AsyncIterator[bytes]) -> None:
        super().__init__(events, 200, {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}, _STREAM)
        self._stream = stream

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._stream:
            await super().__call__(scope, receive, send)


async def _events(stream: Stream, silence_s: float) -> AsyncIterator[bytes]:
    """Give events, and signs of life between them, until the client is gone, or nobody may be told any more."""
    yield f"retry: {_RETRY_MS}\n\n".encode()
    rev = stream.rev
    async with aclosing(stream.follow(silence_s=silence_s)) as happenings:
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


def _parse(last_event_id: str | None) -> int | None:
    if last_event_id is None:
        return None
    if not (last_event_id.isascii() and last_event_id.isdigit() and len(last_event_id) < _MOST_DIGITS):
        raise InputError("Last-Event-ID is the id of an event of this stream, a whole number from 0")
    return int(last_event_id)


FOLLOWED: Responses = {
    200: {
        "description": "Events, for as long as the client stays and is let in",
        "content": {_STREAM: {"schema": {"type": "string"}}},
    }
}
"""As OpenAPI describes it."""
