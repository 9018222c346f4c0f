"""Streams end with the credential that opened them, are counted, and cost next to nothing while nothing happens."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, aclosing, closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

import yesteryear
from tests.doors.access.provider import AUDIENCE, ISSUER, PRIVATE, public_jwk, sign
from tests.doors.rest.house import House, serving
from tests.doors.rest.test_events import wait_until_nobody_follows
from yesteryear.api.access import OpenDoor, Principal, Right
from yesteryear.api.keyring import KeyGate, KeyPolicy, KeyRing
from yesteryear.api.limits import LimitedGate, LimitPolicy
from yesteryear.api.streams import StreamPolicy, Streams
from yesteryear.api.tokens import TokenGate, TokenPolicy, read_jwks
from yesteryear.bootstrap.doors import open_auth_context
from yesteryear.core.scope import Owner
from yesteryear.errors import NotAdmitted, TooMany
from yesteryear.providers.clock import ReplayClock
from yesteryear.results import ChangeFeed
from yesteryear.testing.builders import NOON

LOOK_S = 0.01
ANYBODY = asyncio.run(OpenDoor().admit({}))
WAIT_S = 60.0
"""Longest wait for what has to come, in seconds."""


@pytest.fixture
def keyed(tmp_path: Path) -> Iterator[tuple[House, KeyRing]]:
    """Return a server that asks for keys, and the keys."""
    auth_context = open_auth_context(tmp_path / "memory.db", loopback=False, embedder="hashing", worker="none")
    assert auth_context.audit_log is not None
    ring = KeyRing(auth_context.audit_log.store, auth_context.audit_log.clock)
    gate = LimitedGate(
        KeyGate(ring, auth_context.audit_log, KeyPolicy(trusted_s=0)), ring.clock, LimitPolicy(requests_per_minute=60)
    )
    streaming = StreamPolicy(most=3, readmit_s=0.05, look_s=LOOK_S)
    with serving(replace(auth_context, gatekeeper=gate, streaming=streaming)) as house:
        yield house, ring


def test_b03_a_revoked_key_stops_its_open_stream(keyed: tuple[House, KeyRing]) -> None:
    """Whoever lost the right to look would go on reading for as long as they stay; the stream of others goes on."""
    house, ring = keyed
    token, key = ring.create("default", "ana", name="lost", right=Right.READ)
    other, _ = ring.create("default", "ana", name="kept", right=Right.READ)
    with ExitStack() as stack:
        lost, kept = (
            stack.enter_context(
                httpx.stream(
                    "GET", f"{house.url}/v1/events", headers={"authorization": f"Bearer {each.text}"}, timeout=WAIT_S
                )
            )
            for each in (token, other)
        )
        ring.revoke("default", key.id)
        assert "retry" in "".join(lost.iter_text())  # to its end
        assert next(kept.iter_lines()) == "retry: 3000"


def test_b03_streams_are_counted_by_principal(keyed: tuple[House, KeyRing]) -> None:
    """One key could take all that the server has; what is closed is free again, and others are not kept out."""
    house, ring = keyed
    keys = [ring.create("default", "ana", name="k", right=Right.READ)[0].text for _ in range(2)]
    headers = [{"authorization": f"Bearer {key}"} for key in keys]
    with ExitStack() as stack:
        client = stack.enter_context(httpx.Client(base_url=house.url, timeout=WAIT_S))
        for _ in range(3):
            stack.enter_context(client.stream("GET", "/v1/events", headers=headers[0]))
        refused = client.get("/v1/events", headers=headers[0])
        assert (refused.status_code, refused.headers["content-type"]) == (429, "application/problem+json")
        assert "serve_streams" in refused.json()["detail"]
        with client.stream("GET", "/v1/events", headers=headers[1]) as stream:
            assert stream.status_code == 200
    wait_until_nobody_follows(house)
    with httpx.stream("GET", f"{house.url}/v1/events", headers=headers[0], timeout=WAIT_S) as stream:
        assert stream.status_code == 200


def test_b03_being_let_in_anew_is_no_request(keyed: tuple[House, KeyRing]) -> None:
    """Else an open stream would use up the requests of its key: here one a second, ten at once."""
    house, ring = keyed
    headers = {"authorization": f"Bearer {ring.create('default', 'ana', name='k', right=Right.READ)[0].text}"}
    with httpx.stream("GET", f"{house.url}/v1/events", headers=headers, timeout=WAIT_S) as stream:
        lines = stream.iter_lines()
        while next(lines) != ": still here":  # twice the pause after which they are let in anew
            pass
        answers = [httpx.get(f"{house.url}/v1/facts", headers=headers, timeout=WAIT_S).status_code for _ in range(8)]
    assert set(answers) == {200}


class Published:
    """The keys of a provider."""

    async def find(self, kid: str | None) -> object:
        """Return one."""
        return next(key for key in read_jwks({"keys": [public_jwk(name) for name in PRIVATE]}) if key.key_id == kid)


def test_b03_a_stream_ends_when_its_token_is_over() -> None:
    """A token holds for an hour, a stream would not end."""
    clock = ReplayClock(NOON)
    gate = TokenGate(Published(), clock, TokenPolicy(issuer=ISSUER, audience=AUDIENCE))  # type: ignore[arg-type]
    headers = {"authorization": f"Bearer {sign()}"}

    async def live() -> None:
        async with yesteryear.open_async(":memory:", embedder="hashing", worker="none") as engine:
            streams = Streams(engine, gate, StreamPolicy(readmit_s=0.01, look_s=LOOK_S))
            principal = await gate.admit(headers)
            memory = engine.memory(user="ana", tenant="acme")
            with closing(await streams.open(principal, headers, memory)) as stream:
                news = stream.follow(silence_s=0.05)
                async with asyncio.timeout(WAIT_S), aclosing(news):
                    await anext(news)
                    clock.advance(timedelta(hours=2))
                    async for _ in news:
                        pass

    asyncio.run(live())


def test_b03_whoever_cannot_be_asked_lets_nobody_stay() -> None:
    """A gate that hangs or fails must not keep a revoked key reading."""

    class Silent:
        async def admit(self, headers: Mapping[str, str]) -> Principal:
            await asyncio.Event().wait()
            raise NotAdmitted

    async def live() -> None:
        async with yesteryear.open_async(":memory:", embedder="hashing", worker="none") as engine:
            streams = Streams(engine, Silent(), StreamPolicy(readmit_s=0.01, answer_s=0.01, look_s=LOOK_S))
            with closing(await streams.open(ANYBODY, {}, engine.memory(user="ana"))) as stream:
                async with asyncio.timeout(WAIT_S):
                    assert [news async for news in stream.follow()] == []

    asyncio.run(live())


def test_b08_streams_are_woken_and_do_not_look() -> None:
    """Of many who follow one memory nobody looks while nothing happens, and one looks for all when something has."""
    looks: list[str] = []

    async def live() -> None:
        async with yesteryear.open_async(":memory:", embedder="hashing", worker="none") as engine:
            memory, look = engine.memory(user="ana"), engine.revs
            changes = memory.changes

            async def counted(since: int | None = None) -> ChangeFeed:
                looks.append("memory")
                return await changes(since)

            async def noticed(owners: list[Owner], *, unless: str = "") -> tuple[str, dict[Owner, int]]:
                pulse, found = await look(owners, unless=unless)
                looks.extend("owner" for _ in found)
                return pulse, found

            memory.changes, engine.revs = counted, noticed  # type: ignore[method-assign,assignment]
            streams = Streams(engine, OpenDoor(), StreamPolicy(look_s=LOOK_S))
            opened = [await streams.open(ANYBODY, {}, memory, 0, tells_conflicts=False) for _ in range(100)]
            following = [stream.follow() for stream in opened]
            waiting = [asyncio.ensure_future(anext(each)) for each in following]
            async with asyncio.timeout(WAIT_S):
                while len(looks) != await later(looks):  # the first looks may take long on a busy machine
                    pass
            assert looks.count("owner") < 10
            looks.clear()
            await memory.observe("I like tea.")
            assert {news.rev for news in await asyncio.gather(*waiting)} == {(await changes()).rev}
            assert 0 < looks.count("memory") <= 3
            for each in following:
                await each.aclose()

    asyncio.run(live())


async def later(looks: list[str]) -> int:
    """Return how many looks there were after the time of thirty."""
    await asyncio.sleep(30 * LOOK_S)
    return len(looks)


def test_b08_a_change_between_two_looks_is_not_missed() -> None:
    """Whoever comes while somebody looks, and whatever is written while somebody reads."""

    async def live() -> int:
        async with yesteryear.open_async(":memory:", embedder="hashing", worker="none") as engine:
            streams, told = Streams(engine, OpenDoor(), StreamPolicy(look_s=0.001, rest=0)), 0
            for number in range(30):
                memory = engine.memory(user=f"user {number % 3}")
                changes = (await streams.open(ANYBODY, {}, memory)).follow()
                following = asyncio.ensure_future(anext(changes))
                await asyncio.sleep(0.001 * (number % 5))
                async with asyncio.timeout(WAIT_S):
                    while not following.done():  # what was said before they listened is not told to them
                        await memory.observe("I like tea.")
                        await asyncio.wait([following], timeout=0.5)
                    told += bool(following.result().rev)
                await changes.aclose()
            return told

    assert asyncio.run(live()) == 30


def test_a_streams_place_is_given_back_where_it_never_began() -> None:
    """A client that is gone before the first byte would be counted for ever."""

    async def live() -> None:
        async with yesteryear.open_async(":memory:", embedder="hashing", worker="none") as engine:
            streams = Streams(engine, OpenDoor(), StreamPolicy(most=1))
            memory = engine.memory(user="ana")
            for _ in range(3):
                stream = await streams.open(ANYBODY, {}, memory)
                with pytest.raises(TooMany, match="serve_streams"):
                    await streams.open(ANYBODY, {}, memory)
                stream.close()
                stream.close()

    asyncio.run(live())
