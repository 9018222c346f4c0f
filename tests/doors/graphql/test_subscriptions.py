"""What changes in a memory is told to who listens."""

from __future__ import annotations

import asyncio
import gc
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import AsyncGeneratorType
from typing import Any

import httpx
import pytest
from gql import Client, gql
from gql.transport.exceptions import TransportClosed, TransportConnectionFailed
from gql.transport.websockets import WebsocketsTransport
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from tests.doors.graphql.conftest import Keys, Stage, on_stage, tell
from tests.script import GOAL, HATES, LOVES, PORTO, RUNS, statement

PROTOCOL = Subprotocol("graphql-transport-ws")
FACTS = "subscription ($since: Long) { factChanged(since: $since) { rev fact { id label isActive } } }"
EPISODES = "subscription ($since: Long) { episodeChanged(since: $since) { rev episode { topic userId } } }"
CONFLICTS = "subscription ($since: Long) { conflictOpened(since: $since) { conflict { id state later { label } } } }"


def _address(stage: Stage) -> str:
    return stage.url.replace("http", "ws", 1)


@asynccontextmanager
async def listening_to(stage: Stage, **init: str) -> AsyncIterator[ClientConnection]:
    """Open a socket that was let in."""
    async with connect(_address(stage), subprotocols=[PROTOCOL], additional_headers=stage.headers) as socket:
        await socket.send(json.dumps({"type": "connection_init", "payload": init}))
        assert json.loads(await socket.recv())["type"] == "connection_ack"
        yield socket


async def _subscribe(socket: ClientConnection, query: str, **variables: Any) -> None:
    payload = {"query": query, "variables": variables}
    await socket.send(json.dumps({"id": "1", "type": "subscribe", "payload": payload}))


async def _next(socket: ClientConnection) -> dict[str, Any]:
    message = json.loads(await asyncio.wait_for(socket.recv(), timeout=30))
    assert message["type"] == "next", message
    found: dict[str, Any] = message["payload"]["data"]
    return found


async def _hear(stage: Stage, query: str, do: Callable[[], None], *, until: Callable[[Any], bool]) -> list[Any]:
    """Return what is told of what is done, up to what is waited for; a question before makes sure that one listens."""
    heard = []
    async with listening_to(stage) as socket:
        await _subscribe(socket, query)
        await socket.send(json.dumps({"id": "2", "type": "subscribe", "payload": {"query": "{ stats }"}}))
        assert "stats" in await _next(socket)
        assert json.loads(await socket.recv()) == {"id": "2", "type": "complete"}
        await asyncio.to_thread(do)
        while not heard or not until(heard[-1]):
            (news,) = (await _next(socket)).values()
            heard.append(news)
    return heard


def test_new_facts_are_told_and_that_they_changed(empty_stage: Stage) -> None:
    """Nothing of before is told; a fact that is refuted is told again."""

    def live() -> None:
        tell(empty_stage, PORTO, project=None)
        (home,) = empty_stage.ask('{ facts(kinds: ["identity"]) { id } }').data["facts"]
        assert empty_stage.ask("mutation ($id: ID!) { refute(id: $id) { isActive } }", home).data

    tell(empty_stage, GOAL, project=None)
    heard = asyncio.run(_hear(empty_stage, FACTS, live, until=lambda news: not news["fact"]["isActive"]))
    assert {news["fact"]["label"] for news in heard} == {statement(PORTO)}
    assert [news["rev"] for news in heard] == sorted(news["rev"] for news in heard)


def test_new_episodes_are_told(empty_stage: Stage) -> None:
    """Once they have been read."""
    say = lambda: tell(empty_stage, RUNS, project=None)  # noqa: E731 - what is done while one listens
    (news,) = asyncio.run(_hear(empty_stage, EPISODES, say, until=bool))
    assert news["episode"]["userId"] == "ana"
    assert news["episode"]["topic"]


def test_new_conflicts_are_told(empty_stage: Stage) -> None:
    """The question that the memory would ask."""
    tell(empty_stage, LOVES, project=None)
    say = lambda: tell(empty_stage, HATES, project=None)  # noqa: E731 - what is done while one listens
    (news,) = asyncio.run(_hear(empty_stage, CONFLICTS, say, until=bool))
    assert news["conflict"]["later"]["label"] == statement(HATES)


def test_who_comes_back_misses_nothing(empty_stage: Stage) -> None:
    """From the `rev` that they were told last; with the official client."""
    before = empty_stage.ask("{ changes { rev } }").data["changes"]["rev"]
    tell(empty_stage, GOAL, project=None)

    async def hear() -> dict[str, Any]:
        transport = WebsocketsTransport(url=_address(empty_stage), headers=empty_stage.headers)
        async with Client(transport=transport, fetch_schema_from_transport=True) as client:
            request = gql(FACTS)
            request.variable_values = {"since": before}
            async for news in client.subscribe(request):
                return dict(news)
        raise AssertionError("nothing was told")

    news = asyncio.run(hear())
    assert news["factChanged"]["fact"]["label"] == statement(GOAL)
    missed = empty_stage.ask("query ($since: Long) { changes(since: $since) { facts { label } } }", {"since": before})
    assert missed.data["changes"]["facts"] == [{"label": statement(GOAL)}]


def test_a_wrong_place_to_go_on_from_is_refused(empty_stage: Stage) -> None:
    """The stream ends with the reason."""

    async def hear() -> dict[str, Any]:
        async with listening_to(empty_stage) as socket:
            await _subscribe(socket, FACTS, since=-1)
            found: dict[str, Any] = json.loads(await socket.recv())
            return found

    payload = asyncio.run(hear())["payload"]
    errors = payload if isinstance(payload, list) else payload["errors"]
    assert errors[0]["extensions"]["code"] == "input"


def test_server_sent_events_tell_the_same(empty_stage: Stage) -> None:
    """For who has no sockets."""
    tell(empty_stage, GOAL, project=None)
    body = {"query": FACTS, "variables": {"since": 0}}
    headers = {**empty_stage.headers, "accept": "text/event-stream"}
    with httpx.stream("POST", empty_stage.url, json=body, headers=headers, timeout=30) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        lines = response.iter_lines()
        assert next(lines) == "event: next"
        data = json.loads(next(lines).removeprefix("data: "))
    assert data["data"]["factChanged"]["fact"]["label"] == statement(GOAL)


def test_who_vanishes_is_not_served_any_more(empty_stage: Stage) -> None:
    """The door stops looking at the memory."""
    body = {"query": FACTS, "variables": {"since": None}}
    for _ in range(3):
        with httpx.stream(
            "POST",
            empty_stage.url,
            json=body,
            headers={**empty_stage.headers, "accept": "text/event-stream"},
            timeout=30,
        ):
            pass

    async def vanish() -> None:
        async with listening_to(empty_stage) as socket:
            await _subscribe(socket, FACTS)
            socket.transport.abort()

    asyncio.run(vanish())
    while _count_served():
        time.sleep(0.05)


def _count_served() -> int:
    """Return how many subscriptions are followed in this process."""
    running = [found for found in gc.get_objects() if type(found) is AsyncGeneratorType]  # proxies may be dead
    return sum(found.__name__ == "follow" and found.ag_frame is not None for found in running)


def test_a_socket_is_opened_with_a_key() -> None:
    """In the first message, since a browser sets no headers there; without one it is closed."""
    with on_stage(gatekeeper=Keys()) as stage:
        stage.headers = {}

        async def ask(key: str, query: str) -> dict[str, Any]:
            async with listening_to(stage, Authorization=f"Bearer {key}") as socket:
                await _subscribe(socket, query)
                found: dict[str, Any] = json.loads(await socket.recv())
                return found

        assert asyncio.run(ask("ana-reads", "{ facts { id } }"))["payload"] == {"data": {"facts": []}}
        foreign = 'subscription { factChanged(userId: "ben") { rev } }'
        assert asyncio.run(ask("ana-reads", foreign))["payload"]["errors"][0]["extensions"]["code"] == "not_allowed"

        async def knock() -> None:
            transport = WebsocketsTransport(url=_address(stage), init_payload={"Authorization": "Bearer stolen"})
            async with Client(transport=transport):
                pass

        with pytest.raises((TransportClosed, TransportConnectionFailed, ConnectionClosed)):
            asyncio.run(knock())


@pytest.mark.parametrize(
    "message",
    [
        *("{", "[]", "1", "null", '{"type": []}', '{"type": "nothing"}', '{"type": "subscribe", "id": "1"}'),
        '{"type": "subscribe", "id": [], "payload": {"query": "{ stats }"}}',
        '{"type": "subscribe", "id": "1", "payload": {"query": {}}}',
        '{"type": "subscribe", "id": "1", "payload": {"query": "{ stats }", "variables": 3}}',
        *('{"type": "complete"}', '{"type": "connection_init"}', "[" * 50_000),
    ],
)
def test_a_socket_closes_at_what_is_no_message(stage: Stage, message: str) -> None:
    """With a code of the protocol, not with an error of the server."""

    async def send() -> int:
        async with listening_to(stage) as socket:
            await socket.send(message)
            with pytest.raises(ConnectionClosed) as closed:
                await asyncio.wait_for(socket.recv(), timeout=30)
            return closed.value.rcvd.code if closed.value.rcvd else 1006

    assert asyncio.run(send()) in (4400, 4429)


def test_a_page_of_another_site_opens_no_socket(stage: Stage) -> None:
    """A browser says where it comes from."""

    async def knock() -> None:
        headers = {**stage.headers, "origin": "https://elsewhere.example"}
        async with connect(_address(stage), subprotocols=[PROTOCOL], additional_headers=headers, origin=None):
            pass

    with pytest.raises(Exception, match="403"):
        asyncio.run(knock())


WRONG = {
    "{": "input",
    "{ nothing }": "input",
    "{ a" * 600 + "}" * 600: "too_large",
    "{ episodes " + "{ facts { sourceEpisode " * 50 + "{ id }" + " } }" * 50 + " }": "too_large",
    "{ stats } # " + "x" * 60_000: "too_large",
    "{ " + " ".join(f"a{number}: stats" for number in range(40)) + " }": "too_large",
    "{ why(id: 3) { id } }": "not_found",
}
"""Queries that cannot be answered, and the code that says why."""


@pytest.mark.parametrize("query", WRONG, ids=range(len(WRONG)))
def test_wrong_queries_are_answered_alike_on_all_ways(stage: Stage, query: str) -> None:
    """Masked in the same way, whether something is streamed or not; a socket stays open."""

    async def ask() -> dict[str, Any]:
        async with listening_to(stage) as socket:
            await _subscribe(socket, "{")
            assert json.loads(await socket.recv())["type"] == "error"
            await _subscribe(socket, query)
            found: dict[str, Any] = json.loads(await socket.recv())
            return found

    payload = asyncio.run(ask())["payload"]
    on_socket = payload if isinstance(payload, list) else payload["errors"]
    streamed = stage.ask(query, accept="text/event-stream").text
    events = [line.removeprefix("data: ") for line in streamed.splitlines() if line.startswith("data: {")]
    found = [on_socket, json.loads(events[0])["errors"], stage.ask(query).errors]
    assert [errors[0]["extensions"]["code"] for errors in found] == [WRONG[query]] * 3


def test_a_stream_is_opened_with_a_key_too() -> None:
    """Who has none is told so in the first event, and the stream ends."""
    with on_stage(gatekeeper=Keys()) as stage:
        answer = stage.ask(FACTS, accept="text/event-stream")
        assert '"code":"not_admitted"' in answer.text
        assert answer.text.endswith("event: complete\r\ndata: \r\n\r\n")


@pytest.mark.parametrize("way", ["socket", "stream"])
def test_b03_a_revoked_key_ends_its_subscriptions(way: str) -> None:
    """On an open socket, and in a stream of events: else whoever was thrown out goes on listening for an hour."""
    keys = Keys()
    with on_stage(gatekeeper=keys) as stage:
        stage.headers = {"authorization": "Bearer ana-reads"}

        async def on_socket() -> None:
            async with listening_to(stage) as socket:
                await _subscribe(socket, FACTS)
                await socket.send(json.dumps({"id": "2", "type": "subscribe", "payload": {"query": "{ stats }"}}))
                await _next(socket)
                keys.revoked.add("Bearer ana-reads")
                ended = [json.loads(await asyncio.wait_for(socket.recv(), timeout=30)) for _ in range(2)]
                assert [message["type"] for message in ended] == ["complete", "complete"]

        def in_stream() -> None:
            body = {"query": FACTS, "variables": {"since": None}}
            headers = {**stage.headers, "accept": "text/event-stream"}
            with httpx.stream("POST", stage.url, json=body, headers=headers, timeout=30) as stream:
                keys.revoked.add("Bearer ana-reads")
                assert "complete" in "".join(stream.iter_text())

        if way == "socket":
            asyncio.run(on_socket())
        else:
            in_stream()


def test_b20_a_socket_says_once_who_opens_it() -> None:
    """In its headers or in its first message: of two keys nobody should have to guess which one counts."""
    with on_stage(gatekeeper=Keys()) as stage:
        stage.headers = {"authorization": "Bearer ana-reads"}

        async def ask() -> None:
            async with listening_to(stage, Authorization="Bearer operator"):
                pass

        with pytest.raises(ConnectionClosed):
            asyncio.run(ask())
