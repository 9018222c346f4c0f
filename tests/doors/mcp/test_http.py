"""Assistants that come over HTTP: each reaches the memory that their key, header or address names, and no other."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import anyio
import httpx2
import pytest

from tests.doors.mcp.stage import Keys, data_of, play, serving, text_of, visitor
from yesteryear.api.access import Principal, Right
from yesteryear.api.mcp.tools import TOOLS
from yesteryear.errors import TooMany

pytestmark = pytest.mark.sampled

ANA = {"Authorization": "Bearer ana-key"}
BEN = {"Authorization": "Bearer ben-key"}
READER = {"Authorization": "Bearer reader-key"}
SHARED = {"Authorization": "Bearer shared-key"}
KEYS = Keys(
    {
        "ana-key": Principal("k1", "acme", "ana", Right.WRITE),
        "ben-key": Principal("k2", "acme", "ben", Right.WRITE),
        "reader-key": Principal("k3", "acme", "ana", Right.READ),
        "shared-key": Principal("k4", "acme", None, Right.WRITE),
        "other-key": Principal("k5", "umbrella", "ana", Right.WRITE),
    }
)
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_two_people_over_one_server_never_meet(tmp_path: Path, mode: str) -> None:
    """The same words bring each their own; the other's ids answer as ids that there never were."""

    async def story(url: str) -> None:
        ids = {}
        for headers, words in ((ANA, "I hide my keys in the teapot."), (BEN, "I hide my keys in the shed.")):
            async with visitor(url, headers, mode=mode) as client:
                data_of(await client.call_tool("remember", {"content": words}))
                found = data_of(await client.call_tool("search", {"query": "where are my keys hidden?"}))["results"]
                ids[headers["Authorization"]] = found[0]["id"]
        for headers, own, foreign in ((ANA, "teapot", "shed"), (BEN, "shed", "teapot")):
            other = ids[(BEN if headers is ANA else ANA)["Authorization"]]
            async with visitor(url, headers, mode=mode) as client:
                for tool, arguments in (
                    ("recall", {"query": "keys hidden"}),
                    ("get_context", {"message": "keys?"}),
                    ("forget", {"query": "keys"}),
                ):
                    text = text_of(await client.call_tool(tool, arguments))
                    assert own in text
                    assert foreign not in text
                answers = {
                    text_of(await client.call_tool(tool, {argument: name})).replace(name, "ID")
                    for name in (other, "00000000-0000-7000-8000-000000000000")
                    for tool, argument in (("fetch", "id"),)
                }
                assert len(answers) == 1
                assert (await client.call_tool("forget", {"memory_id": other})).is_error

    with serving(tmp_path / "m.db", KEYS) as url:
        play(lambda: story(url))


def test_the_same_name_in_another_tenant_is_somebody_else(tmp_path: Path) -> None:
    """Tenants come from keys alone."""

    async def story(url: str) -> None:
        async with visitor(url, ANA) as client:
            data_of(await client.call_tool("remember", {"content": "I hide my keys in the teapot."}))
        async with visitor(f"{url}?user=ana&tenant=acme", {"Authorization": "Bearer other-key"}) as client:
            assert "teapot" not in text_of(await client.call_tool("recall", {"query": "keys in the teapot"}))

    with serving(tmp_path / "m.db", KEYS) as url:
        play(lambda: story(url))


def test_whose_memory_it_is_may_stand_in_a_header_or_in_the_address(tmp_path: Path) -> None:
    """A key for everybody has to say for whom; a header goes before the address, and neither beats a key for one."""

    async def story(url: str) -> None:
        async with visitor(url, SHARED | {"X-Yesteryear-User": "cho"}) as client:
            data_of(await client.call_tool("remember", {"content": "I hide my keys in the piano."}))
        for address, headers, finds in (
            (f"{url}?user=cho", SHARED, True),
            (f"{url}?user=dan", SHARED | {"X-Yesteryear-User": "cho"}, True),
            (f"{url}?user=dan", SHARED, False),
        ):
            async with visitor(address, headers) as client:
                text = text_of(await client.call_tool("recall", {"query": "keys in the piano"}))
                assert ("piano" in text) is finds
        async with visitor(url, SHARED) as client:
            result = await client.call_tool("recall", {"query": "keys"})
            assert result.is_error
            assert "X-Yesteryear-User" in text_of(result)
        async with visitor(f"{url}?user=cho", ANA) as client:
            result = await client.call_tool("recall", {"query": "keys"})
            assert result.is_error
            assert text_of(result).startswith("not_allowed:")

    with serving(tmp_path / "m.db", KEYS) as url:
        play(lambda: story(url))


def test_who_may_only_look_sees_no_writers(tmp_path: Path) -> None:
    """The right of a key decides what is listed and what is done, and so does a server that is read-only."""

    async def story(url: str, headers: dict[str, str]) -> None:
        async with visitor(url, headers) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            assert names == [tool.name for tool in TOOLS if not tool.is_writer]

    async def write(url: str) -> None:
        async with visitor(url, READER) as client:
            result = await client.call_tool("remember", {"content": "I like figs."})
            assert result.is_error
            assert text_of(result).startswith("not_allowed:")

    with serving(tmp_path / "m.db", KEYS) as url:
        play(lambda: story(url, READER))
        play(lambda: write(url))
    with serving(tmp_path / "m.db", KEYS, read_only=True) as url:
        play(lambda: story(url, ANA))


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic YTpi"}])
def test_a_stranger_is_told_how_to_come_in(tmp_path: Path, headers: dict[str, str]) -> None:
    """Before anything of the protocol is read, whatever the method."""
    with serving(tmp_path / "m.db", KEYS) as url:
        for method in ("POST", "GET", "DELETE"):
            answer = httpx2.request(method, url, headers=ACCEPT | headers)
            assert answer.status_code == 401
            assert answer.headers["www-authenticate"].startswith("Bearer")
            assert answer.json()["code"] == "not_admitted"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 401),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:3000"}, 200),
        ({}, 200),
    ],
)
def test_a_page_of_another_host_reaches_nothing(tmp_path: Path, headers: dict[str, str], status: int) -> None:
    """A name that was bound anew to this machine is refused, though nobody is asked for a key here."""
    with serving(tmp_path / "m.db") as url:
        assert httpx2.post(url, json=HELLO, headers=ACCEPT | headers).status_code == status


def test_broken_bodies_are_answered_and_the_server_goes_on(tmp_path: Path) -> None:
    """Whatever is posted gets a status of the caller's fault, and the next request is served."""
    with serving(tmp_path / "m.db") as url:
        headers = ACCEPT | {"Content-Type": "application/json"}
        for body in (b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"jsonrpc":"2.0"}', b"[" * 100_000, b" " * 5_000_000):
            assert 400 <= httpx2.post(url, content=body, headers=headers).status_code < 500
        assert httpx2.post(url, json=HELLO, headers=ACCEPT).json()["result"]["serverInfo"]["name"] == "yesteryear"


@pytest.mark.heavy
def test_many_assistants_at_once_lose_nothing(tmp_path: Path) -> None:
    """Each acknowledged call is in the memory of the one who made it."""

    async def one(url: str, name: str) -> None:
        async with visitor(f"{url}?user={name}") as client:
            for number in range(5):
                words = {"content": f"I planted {number} rows of {name} beans."}
                assert data_of(await client.call_tool("remember", words))["is_new"]
            text = text_of(await client.call_tool("recall", {"query": "rows of beans"}))
            assert all(f"{number} rows of {name} beans" in text for number in range(5))
            assert not any(f"of {other} beans" in text for other in names if other != name)

    async def story(url: str) -> None:
        async with anyio.create_task_group() as tasks:
            for name in names:
                tasks.start_soon(one, url, name)

    names = [f"person{number}" for number in range(8)]
    with serving(tmp_path / "m.db") as url:
        play(lambda: story(url))


def test_who_knocks_too_often_is_told_when_to_come_back(tmp_path: Path) -> None:
    """As every door says it: a status that clients know, and the time to wait."""

    class Busy:
        async def admit(self, headers: Mapping[str, str]) -> Principal:
            raise TooMany(retry_after_s=7.0)

    with serving(tmp_path / "m.db", Busy()) as url:
        answer = httpx2.post(url, json=HELLO, headers=ACCEPT)
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "7")
