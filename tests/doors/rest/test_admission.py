"""Who is let in is decided before anything of a request is read, for every operation alike."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import httpx
import pytest
from fastapi import FastAPI

import yesteryear
from tests.doors.rest.description import describe
from tests.doors.rest.house import lent
from tests.each import each
from yesteryear.api.access import Principal, Right
from yesteryear.api.auth_context import AuthContext
from yesteryear.api.rest.operations import VERB
from yesteryear.api.verbs import VERBS
from yesteryear.errors import NotAdmitted, TooMany, YesteryearError

OPERATIONS = [
    (method.upper(), path, operation[VERB])
    for path, operations in describe()["paths"].items()
    for method, operation in operations.items()
]


@dataclass
class Door:
    """A door, and what its keeper says to everybody."""

    app: FastAPI = field(init=False)
    says: YesteryearError | Principal = field(default_factory=NotAdmitted)

    async def admit(self, headers: Mapping[str, str]) -> Principal:
        """Say it."""
        if isinstance(self.says, YesteryearError):
            raise self.says
        return self.says

    def knock(self, method: str, path: str, **headers: str) -> httpx.Response:
        """Send what is no JSON."""
        headers = {"Content-Type": "application/json", **headers}

        async def send() -> httpx.Response:
            async with httpx.AsyncClient(transport=httpx.ASGITransport(self.app), base_url="http://door") as client:
                return await client.request(method, path, content=b"{", headers=headers)

        return asyncio.run(send())


@pytest.fixture(scope="module")
def door() -> Iterator[Door]:
    """Return a door to an empty memory."""
    made = Door()
    engine = yesteryear.open_async(":memory:", embedder="hashing", worker="none")
    with lent(AuthContext(engine, made)) as made.app:
        yield made
    asyncio.run(engine.aclose())


def anas(right: Right) -> Principal:
    """Return somebody who speaks for Ana alone, and may do so much."""
    return Principal("k1", "acme", "ana", right)


@each(("method", "path", "verb"), OPERATIONS)
def test_nobody_is_heard_before_they_are_let_in(door: Door, method: str, path: str, verb: str) -> None:
    """401 whatever the body is, and how to say who one is."""
    door.says = NotAdmitted()
    answer = door.knock(method, path)
    assert (answer.status_code, answer.json()["code"]) == (401, "not_admitted")
    assert answer.headers["www-authenticate"] == "Bearer"


@each(("method", "path", "verb"), [asked for asked in OPERATIONS if VERBS[asked[2]].right > Right.READ])
def test_an_operation_takes_the_right_of_its_verb(door: Door, method: str, path: str, verb: str) -> None:
    """One right less is not enough; somebody else's memory is out of reach with any right."""
    door.says = anas(Right(VERBS[verb].right - 1))
    assert door.knock(method, path).status_code == 403
    door.says = anas(Right.ADMIN)
    assert door.knock(method, path, **{"X-Yesteryear-User": "ben"}).status_code == 403


def test_who_knocks_too_often_is_told_how_long_to_wait(door: Door) -> None:
    """In whole seconds, rounded up."""
    door.says = TooMany(retry_after_s=2.1)
    answer = door.knock("GET", "/v1/stats")
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "3")


def test_an_error_nobody_foresaw_tells_nothing_of_the_inside(door: Door, caplog: pytest.LogCaptureFixture) -> None:
    """The caller gets a plain 500; the log tells where it was, without the error's words: they may be somebody's."""
    door.says = None  # type: ignore[assignment]
    answer = door.knock("GET", "/v1/stats")
    assert (answer.status_code, answer.json()["code"]) == (500, "internal")
    assert "NoneType" not in answer.text
    assert "read_stats failed: AttributeError in auth_context.py:" in caplog.text
    assert "NoneType" not in caplog.text
