"""Sends requests into an application, without a socket between."""

from __future__ import annotations

import asyncio
import io
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count

from starlette.types import ASGIApp, Message

_ADDRESSES = count(0x0A000000)
"""Each request comes from an address of its own: failed attempts of one address are soon not looked at any more."""
_SILENCE_S = 0.03
"""After so long without a word somebody who follows a memory has heard what there is to hear, and goes."""


@dataclass(frozen=True)
class Ask:
    """A request."""

    door: str
    method: str
    path: str
    """With its query."""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = ""
    follows: bool = False
    """Whether the answer has no end."""

    def bytes(self) -> bytes:
        """Return all that was said in it."""
        return " ".join((self.path, *self.headers.values(), self.body)).encode()


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes

    @property
    def is_archive(self) -> bool:
        """Whether it is a zip."""
        return self.body.startswith(b"PK")

    def bytes(self) -> bytes:
        """Return all that was said in it; of an archive what is packed in it."""
        parts = [b" ".join(pair) for pair in self.headers]
        if self.is_archive:
            with zipfile.ZipFile(io.BytesIO(self.body)) as archive:
                parts += [archive.read(name) for name in archive.namelist()]
        return b"\n".join((*parts, self.body))


class _Line:
    """The connection of one request."""

    def __init__(self, ask: Ask) -> None:
        self._messages: list[Message] = [{"type": "http.request", "body": ask.body.encode(), "more_body": False}]
        self._gone = asyncio.Event()
        self.heard = asyncio.Event()
        self.status = 0
        self.headers: tuple[tuple[bytes, bytes], ...] = ()
        self.body = b""

    async def receive(self) -> Message:
        if self._messages:
            return self._messages.pop()
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], tuple(map(tuple, message["headers"]))
        else:
            self.body += message.get("body", b"")
        self.heard.set()

    def leave(self) -> None:
        self._gone.set()


async def knock(app: ASGIApp, ask: Ask) -> Answer:
    """Send a request and return the answer; of one without an end what came at once."""
    path, _, query = ask.path.partition("?")
    address = next(_ADDRESSES)
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": ask.method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [
            (b"host", b"localhost"),
            (b"content-length", str(len(ask.body.encode())).encode()),
            *((name.encode(), value.encode("latin-1")) for name, value in ask.headers.items()),
        ],
        "client": (".".join(str(address >> shift & 255) for shift in (24, 16, 8, 0)), 1),
        "server": ("localhost", 80),
    }
    line = _Line(ask)
    if ask.follows:
        await _follow(app(scope, line.receive, line.send), line)  # type: ignore[arg-type]
    else:
        await app(scope, line.receive, line.send)
    return Answer(line.status, line.headers, line.body)


async def _follow(serving: object, line: _Line) -> None:
    task = asyncio.ensure_future(serving)  # type: ignore[arg-type]
    await asyncio.wait((task, asyncio.ensure_future(line.heard.wait())), return_when=asyncio.FIRST_COMPLETED)
    with suppress(TimeoutError):
        while not task.done():
            line.heard.clear()
            await asyncio.wait_for(line.heard.wait(), _SILENCE_S)
    line.leave()
    await task
