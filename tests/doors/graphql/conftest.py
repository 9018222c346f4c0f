"""A memory behind the GraphQL door, on a real socket."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
import uvicorn
from fastapi import FastAPI

import yesteryear
from tests.concepts import ConceptEmbedder
from tests.doors.rest.house import AnyTenant
from tests.script import CONCEPTS, GOAL, HATES, LISBON, LOVES, PORTO, an_analyst
from yesteryear.api.access import Gatekeeper, Principal, Right
from yesteryear.api.auth_context import AuthContext
from yesteryear.api.graphql import graphql_router
from yesteryear.api.graphql.limits import QueryLimits
from yesteryear.api.streams import StreamPolicy
from yesteryear.errors import NotAdmitted, TooMany
from yesteryear.memory.engine import AsyncEngine

ANA = {"x-yesteryear-user": "ana"}


@dataclass(frozen=True)
class Keys:
    """A gatekeeper who knows a few keys, until they are taken off the ring."""

    revoked: set[str] = field(default_factory=set)

    async def admit(self, headers: Mapping[str, str]) -> Principal:
        """Return whose key it is."""
        if headers.get("authorization") in self.revoked:
            raise NotAdmitted
        match headers.get("authorization"):
            case "Bearer ana-reads":
                return Principal("k1", "default", "ana", Right.READ)
            case "Bearer ana-writes":
                return Principal("k2", "default", "ana", Right.WRITE)
            case "Bearer operator":
                return Principal("k3", "default", None, Right.ADMIN)
            case "Bearer busy":
                raise TooMany(retry_after_s=7.0)
        raise NotAdmitted


@dataclass
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def data(self) -> dict[str, Any]:
        """What was asked for; there was no error."""
        found = json.loads(self.text)
        assert "errors" not in found, found
        data: dict[str, Any] = found["data"]
        return data

    @property
    def errors(self) -> list[dict[str, Any]]:
        """What went wrong."""
        found: list[dict[str, Any]] = json.loads(self.text)["errors"]
        return found

    @property
    def codes(self) -> list[str]:
        """Codes of what went wrong."""
        return [error["extensions"]["code"] for error in self.errors]


@dataclass
class Stage:
    """A door, and the engine behind it."""

    url: str
    engine: AsyncEngine
    headers: dict[str, str] = field(default_factory=lambda: dict(ANA))
    door: AnyTenant = field(default_factory=AnyTenant)

    def ask(self, query: str, variables: Mapping[str, Any] | None = None, **headers: str) -> Answer:
        """Ask as JSON."""
        body = json.dumps({"query": query, "variables": variables}).encode()
        return self.send(body, **{"content-type": "application/json", **headers})

    def send(self, body: bytes | None, *, path: str = "", **headers: str) -> Answer:
        """Send some bytes; a GET where there are none."""
        request = Request(self.url + path, data=body, headers={**self.headers, **headers})  # noqa: S310 - our own server
        try:
            with urlopen(request, timeout=60) as response:  # noqa: S310 - our own server
                return Answer(response.status, response.headers, response.read().decode())
        except HTTPError as exc:
            with exc:
                return Answer(exc.code, exc.headers, exc.read().decode())


@contextmanager
def listening(app: FastAPI) -> Iterator[str]:
    """Serve an app on a free port of this machine, and return its address."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve()), daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


@contextmanager
def on_stage(
    place: Path | str = ":memory:", *, gatekeeper: Gatekeeper | None = None, limits: QueryLimits | None = None
) -> Iterator[Stage]:
    """Open a memory and its door."""
    engine = yesteryear.open_async(
        place, analyst=an_analyst(), embedder=ConceptEmbedder(CONCEPTS), worker="none", episode_message_threshold=4
    )
    app, door = FastAPI(), AnyTenant()
    auth_context = AuthContext(engine, gatekeeper or door, streaming=StreamPolicy(readmit_s=0.1, look_s=0.02))
    app.include_router(graphql_router(auth_context, limits=limits))
    try:
        with listening(app) as address:
            yield Stage(f"{address}/graphql", engine, door=door)
    finally:
        asyncio.run(engine.aclose())


SAID = (GOAL, LOVES, PORTO, LISBON, HATES)


def tell(
    stage: Stage, *texts: str, conversation: str = "kitchen", project: str | None = "123", at: str | None = None
) -> None:
    """Say some texts through the door, and wait until they have been read."""
    mutation = """
    mutation ($messages: [MessageInput!]!, $project: ID) {
      observeMessages(messages: $messages, projectId: $project) { id isNew }
      flush(projectId: $project) { episodes failures }
    }
    """
    messages = [{"content": text, "author": "Ana", "conversation": conversation, "at": at} for text in texts]
    assert stage.ask(mutation, {"messages": messages, "project": project}).data["flush"]["failures"] == 0


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    """A memory that knows what Ana says."""
    with on_stage() as found:
        for number, text in enumerate(SAID):
            said_at = datetime.now(UTC) - timedelta(days=len(SAID) - number)
            tell(found, text, conversation=f"day {number}", at=said_at.isoformat())
        yield found


@pytest.fixture(scope="module")
def standing() -> Iterator[Stage]:
    """A memory for all tests of a module."""
    with on_stage() as found:
        yield found


@pytest.fixture
def empty_stage(standing: Stage, request: pytest.FixtureRequest) -> Stage:
    """The same, as a tenant finds it for whom nothing was ever said."""
    standing.door.tenant = sha256(request.node.nodeid.encode()).hexdigest()
    return standing
