"""A server with nothing but the REST door, on a socket of its own."""

from __future__ import annotations

import asyncio
import gc
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import httpx
import uvicorn
from fastapi import FastAPI

import yesteryear
from tests.concepts import ConceptEmbedder
from tests.script import CONCEPTS, an_analyst
from yesteryear.api.access import OpenDoor, Principal
from yesteryear.api.auth_context import AuthContext
from yesteryear.api.rest.operations import RestPolicy, problem_handlers
from yesteryear.api.rest.router import rest_router
from yesteryear.api.streams import StreamPolicy

QUICK = RestPolicy(max_import_bytes=1_000_000, heartbeat_s=0.1)
"""Limits for tests that wait for events."""
STREAMING = StreamPolicy(readmit_s=0.1, look_s=0.02)

UNREAD = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""For clients that knock at ``http://``: reading the certificates of the system takes longer than most tests."""


@dataclass
class AnyTenant:
    """Lets everybody in, as a tenant that each test has to itself: one house then serves the tests of a module."""

    tenant: str = "default"

    async def admit(self, headers: Mapping[str, str]) -> Principal:
        """Say that it is somebody of the present tenant."""
        return await OpenDoor(self.tenant).admit(headers)


@dataclass
class House:
    """A door that stands open, and what is behind it."""

    url: str
    engine: yesteryear.AsyncEngine
    server: uvicorn.Server
    door: AnyTenant = field(default_factory=AnyTenant)
    clients: list[httpx.Client] = field(default_factory=list)

    def memory(self, user: str) -> yesteryear.AsyncMemory:
        """Return somebody's memory as it is behind the door."""
        return self.engine.memory(user=user, tenant=self.door.tenant)

    def open_streams(self) -> int:
        """Return how many requests are being answered."""
        return len(self.server.server_state.tasks)

    def client(self, user: str, *, project: str | None = None) -> httpx.Client:
        """Return a client that speaks for somebody."""
        headers = {"X-Yesteryear-User": user} | ({"X-Yesteryear-Project": project} if project else {})
        client = httpx.Client(base_url=f"{self.url}/v1", headers=headers, timeout=60, verify=UNREAD)
        self.clients.append(client)
        return client


def build(auth_context: AuthContext, policy: RestPolicy = QUICK) -> FastAPI:
    """Return an application that is nothing but the door."""
    app = FastAPI(exception_handlers=problem_handlers())
    app.include_router(rest_router(auth_context, policy))
    return app


@contextmanager
def open_house(place: Path | str) -> Iterator[House]:
    """Open a memory whose analyst knows what Ana says, and serve it until the end."""
    engine = yesteryear.open_async(place, analyst=an_analyst(), embedder=ConceptEmbedder(CONCEPTS), worker="none")
    door = AnyTenant()
    with serving(AuthContext(engine, door, streaming=STREAMING)) as house:
        house.door = door
        yield house


class _Front:
    """Stands before whichever memory is served, so that one application, which takes long to build, serves many."""

    behind: AuthContext

    def __getattr__(self, name: str) -> object:
        return getattr(self.behind, name)


_IDLE: list[tuple[_Front, FastAPI]] = []
"""Applications whose house is closed."""


def _build_anew() -> tuple[_Front, FastAPI]:
    front = _Front()
    # A build parses many docstrings. CPython before 3.11.8 gives a parse up (gh-106905) where the collector of garbage
    # hands over in its middle to a thread that parses, too.
    gc.disable()
    try:
        return front, build(cast("AuthContext", front))
    finally:
        gc.enable()


@contextmanager
def lent(auth_context: AuthContext) -> Iterator[FastAPI]:
    """Lend an application that is nothing but the door, before a memory."""
    front, app = _IDLE.pop() if _IDLE else _build_anew()
    front.behind = auth_context
    yield app
    _IDLE.append((front, app))


@contextmanager
def serving(auth_context: AuthContext) -> Iterator[House]:
    """Serve a memory until the end, and close it."""
    with lent(auth_context) as app, _listening(app, auth_context) as house:
        yield house


@contextmanager
def _listening(app: FastAPI, auth_context: AuthContext) -> Iterator[House]:
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", timeout_graceful_shutdown=1, lifespan="off"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    house = House(f"http://127.0.0.1:{port}", auth_context.engine, server)
    try:
        yield house
    finally:
        for client in house.clients:
            client.close()
        server.should_exit = True
        thread.join()
        asyncio.run(auth_context.engine.aclose())


def say(client: httpx.Client, text: str, *, conversation: str = "kitchen", flush: bool = True) -> None:
    """Say something, and have it worked through."""
    said = client.post("/messages", json={"content": text, "author": "Ana", "conversation": conversation})
    assert said.status_code == 201, said.text
    if flush:
        assert client.post("/flush").status_code == 200


def the_fact(client: httpx.Client, statement: str) -> dict[str, object]:
    """Return the fact that states this, whatever its status."""
    facts = client.get("/facts", params={"status": "all"}).json()["items"]
    (found,) = [fact for fact in facts if fact["statement"] == statement]
    return found  # type: ignore[no-any-return]
