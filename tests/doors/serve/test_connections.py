"""Connections that nobody uses take nothing from those who use theirs; and what says so to the log says it once."""

from __future__ import annotations

import asyncio
import errno
import logging
import resource
import socket
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.doors.serve.stage import WAIT_S, Running, yesteryear_serve
from yesteryear.api.serving import Connections, ListenPolicy, LoopErrorLog

MOST_LOG_BYTES = 20_000


def hold(server: Running, count: int, stack: ExitStack) -> list[socket.socket]:
    """Open connections and send nothing."""
    return [stack.enter_context(server.connect()) for _ in range(count)]


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("files", "idle"),
    [(320, 400), pytest.param(1024, 1100, marks=pytest.mark.heavy)],
)
def test_b05_idle_connections_do_not_stop_the_server(tmp_path: Path, files: int, idle: int) -> None:
    """More of them than it may open files: everybody else is served, and the log stays short."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(max(soft, 4 * idle), hard), hard))
    with yesteryear_serve(str(tmp_path / "memory.db"), tmp_path, files=files) as (server, _), ExitStack() as stack:
        hold(server, idle, stack)
        for number in range(5):
            client = httpx.Client(base_url=server.url, headers={"x-yesteryear-user": "ana"}, timeout=WAIT_S)
            with client:
                said = client.post("/v1/messages", json={"content": f"{number} teas"})
            assert said.status_code == 201
            assert server.is_alive()
        assert server.log.stat().st_size < MOST_LOG_BYTES
        assert "Traceback" not in server.log.read_text()


@pytest.mark.heavy
def test_b05_who_asks_keeps_their_connection(tmp_path: Path) -> None:
    """The one that goes has waited longest, and nothing is taken from a request under way."""
    with yesteryear_serve(str(tmp_path / "memory.db"), tmp_path, files=280) as (server, _), ExitStack() as stack:
        headers = {"x-yesteryear-user": "ana"}
        following = stack.enter_context(httpx.stream("GET", f"{server.url}/v1/events", headers=headers, timeout=WAIT_S))
        first = hold(server, 300, stack)[0]
        assert first.recv(1) == b""
        assert following.status_code == 200
        client = stack.enter_context(httpx.Client(base_url=server.url, headers=headers, timeout=WAIT_S))
        for _ in range(3):
            hold(server, 20, stack)
            assert client.get("/v1/facts").status_code == 200
        assert not following.is_closed
        assert next(following.iter_lines()) == "retry: 3000"


class Held:
    """A connection that notes that it was given up."""

    def __init__(self) -> None:
        self.is_given_up = False

    def give_up(self) -> None:
        """Note it."""
        self.is_given_up = True


steps = st.lists(st.tuples(st.sampled_from(["enter", "work", "rest", "leave"]), st.integers(0, 9), st.integers(0, 3)))


@given(steps=steps, room=st.integers(1, 5), of_one=st.integers(1, 5))
def test_there_are_never_more_than_there_is_room_for(steps: list[tuple[str, int, int]], room: int, of_one: int) -> None:
    """Whatever connections do; none that holds a request is given up, and none is refused where one was idle."""
    among, held, busy = Connections(room, min(of_one, room)), dict[int, tuple[Held, str]](), set[int]()
    for what, number, place in steps:
        if what == "enter" and number not in held:
            new, address = Held(), f"address {place}"
            is_in = among.enter(new, address)
            gone = [each for each in held if held[each][0].is_given_up]
            assert not busy.intersection(gone)
            idle = [each for each in held if each not in busy and each not in gone]
            for each in gone:
                del held[each]
            if is_in:
                held[number] = (new, address)
            elif len(held) == room:
                assert not idle
        elif number in held and what != "enter":
            getattr(among, what)(held[number][0])
            if what == "work":
                busy.add(number)
            else:
                busy.discard(number)
            if what == "leave":
                del held[number]
        assert len(among) == len(held) <= room
        counts = [address for _, address in held.values()]
        assert all(counts.count(address) <= of_one for address in counts)


@pytest.mark.parametrize(("files", "room"), [(1024, 768), (256, 128), (100, 50), (1_000_000, 4000), (1, 1)])
def test_files_are_left_to_others(files: int, room: int) -> None:
    """To the store, the models, and servers behind us; in a small process at least half of them."""
    assert ListenPolicy().room(files) == room


def test_b05_missing_files_are_told_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    """Two megabytes of tracebacks a second filled the disk; other trouble is told as ever."""

    async def live() -> None:
        loop, trouble = asyncio.get_running_loop(), LoopErrorLog()
        for _ in range(1000):
            trouble.tell(loop, {"message": "out of system resource", "exception": OSError(errno.EMFILE, "too many")})
        trouble.tell(loop, {"message": "something else"})

    with caplog.at_level(logging.INFO):
        asyncio.run(live())
    assert len(caplog.records) == 2
    assert "ulimit -n" in caplog.records[0].getMessage()
