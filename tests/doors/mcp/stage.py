"""What the tests of the MCP door play with: the official client, before a real process or a real socket."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import httpx2
import uvicorn
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult
from starlette.applications import Starlette
from starlette.routing import Route

import yesteryear
from yesteryear.api.access import ANONYMOUS, Gatekeeper, OpenDoor, Principal, RequestedScope, Right
from yesteryear.api.auth_context import AuthContext
from yesteryear.api.mcp.http import mcp_app
from yesteryear.api.mcp.server import McpDoor
from yesteryear.api.mcp.stdio import LateLender
from yesteryear.api.mcp.tools import offered
from yesteryear.errors import NotAdmitted
from yesteryear.providers.clock import SystemClock

SOURCES = Path(__file__).resolve().parents[3] / "src"
MAIN = [sys.executable, "-c", "from yesteryear.cli import main; main()"]
LONGEST_WAIT_S = 60
"""After which a test gives up on something that happens in the background."""


def fresh(home: Path) -> dict[str, str]:
    """Return the environment of a machine on which nobody has set up anything, and whose network leads nowhere."""
    nowhere = "http://127.0.0.1:9"
    return {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(SOURCES),
        "HTTP_PROXY": nowhere,
        "HTTPS_PROXY": nowhere,
        "ALL_PROXY": nowhere,
    }


def started(home: Path, *options: str) -> subprocess.Popen[bytes]:
    """Start the server as an assistant does, with pipes to all of it."""
    pipe = subprocess.PIPE
    return subprocess.Popen([*MAIN, "mcp", *options], stdin=pipe, stdout=pipe, stderr=pipe, cwd=home, env=fresh(home))


@asynccontextmanager
async def assistant(home: Path, *options: str, mode: str = "legacy") -> AsyncIterator[Client]:
    """Connect the official client to a server of its own."""
    command, *arguments = [*MAIN, "mcp", *options]
    server = StdioServerParameters(command=command, args=arguments, env=fresh(home), cwd=home)
    async with Client(server, mode=mode) as client:
        yield client


@asynccontextmanager
async def inside(folder: Path, *, more: bool = False, author: str | None = None) -> AsyncIterator[Client]:
    """Connect the official client to a server in this process, where a process of its own would tell nothing more."""
    lender = LateLender(Principal(ANONYMOUS, "default", None, Right.ADMIN), RequestedScope("me"))
    door = McpDoor(lender, offered(more=more, read_only=False), clock=SystemClock(), author=author)

    def begin() -> AuthContext:
        return AuthContext(yesteryear.open_async(folder / "memory.db", embedder="hashing"), OpenDoor())

    async with lender.opening(begin), Client(door.server("test"), mode="legacy") as client:
        yield client


@asynccontextmanager
async def visitor(url: str, headers: Mapping[str, str] | None = None, *, mode: str = "legacy") -> AsyncIterator[Client]:
    """Connect the official client over HTTP."""
    async with (
        httpx2.AsyncClient(headers=headers) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        yield client


def play(story: Callable[[], Awaitable[None]]) -> None:
    """Run a story with an event loop of its own."""
    anyio.run(story)


def text_of(result: CallToolResult) -> str:
    """Return the one text of a result."""
    (content,) = result.content
    assert content.type == "text"
    return content.text


def data_of(result: CallToolResult) -> Any:
    """Return what a tool answered, which must not be an error."""
    assert not result.is_error, text_of(result)
    return result.structured_content


async def until(client: Client, tool: str, arguments: dict[str, Any], has: str) -> CallToolResult:
    """Call a tool until its text has some words, which the worker brings about."""
    with anyio.fail_after(LONGEST_WAIT_S):
        while has not in text_of(result := await client.call_tool(tool, arguments)):  # noqa: ASYNC110 - elsewhere
            await anyio.sleep(0.1)
    return result


@dataclass(frozen=True)
class Keys:
    """Lets in whoever has one of these keys."""

    principals: Mapping[str, Principal]

    async def admit(self, headers: Mapping[str, str]) -> Principal:
        """Return whose key it is."""
        found = self.principals.get(headers.get("authorization", "").removeprefix("Bearer "))
        if found is None:
            raise NotAdmitted
        return found


@contextmanager
def serving(store: Path, gatekeeper: Gatekeeper | None = None, **options: Any) -> Iterator[str]:
    """Serve the door on a socket of this machine; yields its address."""
    engine = yesteryear.open_async(store, embedder="hashing")
    door = mcp_app(AuthContext(engine, gatekeeper or OpenDoor()), clock=SystemClock(), **options)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with engine, door.lifespan():
            yield

    app = Starlette(routes=[Route("/mcp", endpoint=door)], lifespan=lifespan)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="on"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
        finally:
            server.should_exit = True
            thread.join()


def lines(messages: Sequence[str]) -> bytes:
    """Return what a client would write."""
    return "".join(f"{message}\n" for message in messages).encode()
