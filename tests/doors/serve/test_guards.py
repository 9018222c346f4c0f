"""What the guards let pass and what not, at a real server: hosts, origins, bodies, clients who are slow or vanish."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import MutableMapping
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import Message, Receive, Scope, Send

from tests.doors.serve.rough_door import BODY_S, FRIEND, IDLE_S, MOST_BYTES, SECRET
from tests.doors.serve.stage import Running, read_all
from yesteryear.api.access import host_name
from yesteryear.api.guards import ANY, BodyGuard, GuardPolicy, RequestGuard

pytestmark = [pytest.mark.sampled, pytest.mark.heavy]

JSON = {"content-type": "application/json"}
HEAD = b"POST /rough/size HTTP/1.1\r\nHost: localhost\r\n"


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8377", "[::1]:80", "memory.example", "Memory.Example:443"])
def test_our_own_names_are_let_in(server: Running, host: str) -> None:
    """With any port, in capitals too."""
    assert httpx.get(f"{server.url}/health/live", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil:80", "evil/localhost", "", "@"]
)
def test_another_name_is_refused(server: Running, host: str) -> None:
    """A name that somebody else has pointed at this address reaches nothing, and is told so."""
    reply = server.ask(f"GET /health/live HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    assert reply.startswith(b"HTTP/1.1 421 ")
    assert json.loads(reply.partition(b"\r\n\r\n")[2])["code"] == "wrong_host"


def test_two_hosts_are_none(server: Running) -> None:
    """Whoever names two means to be read differently by two readers."""
    assert server.ask(b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n").startswith(b"HTTP/1.1 4")


@pytest.mark.parametrize("path", ["/v1/facts", "/graphql", "/mcp", "/mind", "/v1/chat/completions", "/health/live"])
@pytest.mark.parametrize("name", ["authorization", "x-yesteryear-user", "X-Yesteryear-Project"])
def test_b20_who_asks_is_said_once(server: Running, path: str, name: str) -> None:
    """Of two keys one door took the first and another the last; a proxy may have checked the other one."""
    said = f"{name}: Bearer a\r\n{name}: Bearer b\r\n"
    reply = server.ask(f"POST {path} HTTP/1.1\r\nHost: localhost\r\n{said}Content-Length: 0\r\n\r\n".encode())
    assert reply.startswith(b"HTTP/1.1 400 ")
    assert json.loads(reply.partition(b"\r\n\r\n")[2])["code"] == "said_twice"


@pytest.mark.parametrize(
    ("headers", "is_told"),
    [
        ({}, False),
        ({"x-forwarded-proto": "http"}, False),
        ({"x-forwarded-proto": "https"}, True),
        ({"x-forwarded-proto": "https, http"}, True),
        ({"forwarded": 'for=192.0.2.7;proto="https";by=192.0.2.1, for=192.0.2.1;proto=http'}, True),
        ({"forwarded": "for=192.0.2.7;proto=http"}, False),
        ({"forwarded": 'for="x.proto=https"'}, False),
    ],
)
def test_b16_who_came_over_tls_comes_back_over_tls(server: Running, headers: dict[str, str], is_told: bool) -> None:
    """Where a proxy speaks TLS for us, a browser must not try without it."""
    reply = httpx.get(f"{server.url}/health/live", headers=headers)
    assert ("strict-transport-security" in reply.headers) is is_told


@given(host=st.text(st.characters(min_codepoint=33, max_codepoint=126)))
def test_no_other_host_gets_through(host: str) -> None:
    """Whatever is written there."""
    reached = let_through(("localhost",), headers={"host": host})
    assert reached == (host_name(host) == "localhost")


@pytest.mark.parametrize(
    ("method", "headers", "status"),
    [
        ("POST", {}, 200),
        ("POST", {"origin": "http://127.0.0.1"}, 403),  # another port is another origin
        ("POST", {"origin": "https://evil.example"}, 403),
        ("POST", {"origin": "null"}, 403),
        ("POST", {"origin": FRIEND}, 200),
        ("POST", {"sec-fetch-site": "cross-site"}, 403),
        ("POST", {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}, 403),
        ("POST", {"sec-fetch-site": "same-site"}, 403),
        ("POST", {"sec-fetch-site": "same-origin"}, 200),
    ],
)
def test_pages_of_others_may_not_write(server: Running, method: str, headers: dict[str, str], status: int) -> None:
    """A browser says where a request comes from; a program says nothing and passes."""
    assert httpx.request(method, f"{server.url}/rough/size", headers=headers).status_code == status


def test_our_own_pages_may_write(server: Running) -> None:
    """Also behind a proxy that speaks TLS."""
    for scheme in ("http", "https"):
        own = {"origin": f"{scheme}://127.0.0.1:{server.port}"}
        assert httpx.post(f"{server.url}/rough/size", headers=own).status_code == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}, 200),
        ({"sec-fetch-site": "none", "sec-fetch-mode": "navigate"}, 200),
        ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}, 403),
        ({"origin": "https://evil.example", "sec-fetch-mode": "cors"}, 403),
    ],
)
def test_pages_of_others_may_link_here_and_not_read(server: Running, headers: dict[str, str], status: int) -> None:
    """A link is followed; a script, a picture or a frame of another page gets nothing."""
    assert httpx.get(f"{server.url}/health/live", headers=headers).status_code == status


def test_a_friend_may_read_what_it_asked_for(server: Running) -> None:
    """Its pages are told that they may, those of others never."""
    reply = httpx.post(f"{server.url}/rough/size", headers={"origin": FRIEND})
    assert reply.headers["access-control-allow-origin"] == FRIEND
    asks = {"origin": FRIEND, "access-control-request-method": "POST"}
    assert httpx.options(f"{server.url}/rough/size", headers=asks).status_code == 200
    assert "access-control-allow-origin" not in httpx.get(f"{server.url}/health/live").headers


def test_a_web_socket_passes_the_same_guards() -> None:
    """Browsers open them to any host, and send their origin."""
    assert let_through((ANY,), kind="websocket", headers={"host": "a", "origin": "http://a"})
    assert not let_through((ANY,), kind="websocket", headers={"host": "a", "origin": "http://b"})
    assert not let_through(("a",), kind="websocket", headers={"host": "b"})


@pytest.mark.parametrize("size", [0, 1, MOST_BYTES])
def test_a_body_within_the_limit_is_taken(server: Running, size: int) -> None:
    """Told or counted."""
    assert httpx.post(f"{server.url}/rough/size", content=b"x" * size).json() == {"bytes": size}
    parts = (b"x" * 1000 for _ in range(size // 1000))
    assert httpx.post(f"{server.url}/rough/size", content=parts).json() == {"bytes": size // 1000 * 1000}


def test_a_body_that_is_told_to_be_huge_is_not_waited_for(server: Running) -> None:
    """The refusal comes before the first byte of it, and the connection ends."""
    reply = server.ask(HEAD + b"Content-Length: 10000000000\r\n\r\n")
    assert reply.startswith(b"HTTP/1.1 413 ")
    assert b"connection: close" in reply.lower()


@pytest.mark.parametrize("path", ["/rough/size", "/rough/careless", "/v1/context"])
def test_a_body_of_untold_length_is_counted(server: Running, path: str) -> None:
    """In chunks without an end; a door that swallows errors cannot let it in either."""
    with server.connect() as connection:
        connection.sendall(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nX-Yesteryear-User: ana\r\n".encode())
        connection.sendall(b"Transfer-Encoding: chunked\r\n\r\n")
        sent = 0
        try:
            while sent < 100 * MOST_BYTES:
                connection.sendall(b"2710\r\n" + b"x" * 10_000 + b"\r\n")
                sent += 10_000
        except OSError:
            pass  # the server has hung up
        assert sent < 100 * MOST_BYTES or read_all(connection).startswith(b"HTTP/1.1 413 ")
    assert server.is_alive()


def test_who_sends_too_much_is_told_so(server: Running) -> None:
    """As a problem, with what to do."""
    parts = (b"x" * 10_000 for _ in range(MOST_BYTES // 10_000 + 1))
    reply = httpx.post(f"{server.url}/rough/careless", content=parts)
    assert (reply.status_code, reply.json()["code"]) == (413, "too_large")
    assert reply.headers["content-type"] == "application/problem+json"


def test_a_body_that_trickles_is_given_up(server: Running) -> None:
    """However regularly a byte comes."""
    with server.connect() as connection:
        connection.sendall(HEAD + b"Content-Length: 1000\r\n\r\n")
        begun = time.monotonic()
        connection.settimeout(BODY_S / 10)
        reply = b""
        while not reply and time.monotonic() < begun + 20 * BODY_S:
            connection.sendall(b"x")
            try:
                reply = connection.recv(65536)
            except TimeoutError:
                continue
    assert reply.startswith(b"HTTP/1.1 408 ")


def test_a_body_that_came_while_the_server_was_busy_is_let_in() -> None:
    """The caller is in time; it was the event loop that had no turn to look until the time was over."""

    async def run() -> list[str]:
        loop, has_come = asyncio.get_running_loop(), asyncio.Event()
        told: list[str] = []

        async def receive() -> Message:
            await has_come.wait()
            return {"type": "http.request", "body": b"{}", "more_body": False}

        async def send(message: Message) -> None:
            told.append(str(message.get("status")))

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            told.append((await receive())["body"].decode())

        loop.call_soon(time.sleep, 0.06)
        loop.call_later(0.01, has_come.set)
        await BodyGuard(app, policy=GuardPolicy(body_timeout_s=0.03))({"type": "http", "headers": []}, receive, send)
        return told

    assert asyncio.run(run()) == ["{}"]


@pytest.mark.parametrize("drop", [b"", b"x"])
def test_a_connection_without_a_whole_request_is_closed(server: Running, drop: bytes) -> None:
    """Whether it says nothing, or a byte of a header now and then."""
    with server.connect() as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nX-Long: ")
        begun = time.monotonic()
        connection.settimeout(IDLE_S / 5)
        is_closed = False
        while not is_closed and time.monotonic() < begun + 20 * IDLE_S:
            try:
                connection.sendall(drop)
                is_closed = not connection.recv(65536)
            except TimeoutError:
                continue
            except OSError:
                is_closed = True
    assert is_closed


@pytest.mark.heavy
def test_a_request_under_way_is_not_taken_for_an_idle_connection(server: Running) -> None:
    """It may take longer than a connection may be idle, and the next one on it too."""
    with httpx.Client(base_url=server.url) as client:
        for _ in range(2):
            assert client.get(f"/rough/slow/{2 * IDLE_S}").text == "done"


def test_headers_without_end_are_refused(server: Running) -> None:
    """They do not fill the memory."""
    reply = b""
    with server.connect() as connection:
        try:
            for number in range(10_000):
                connection.sendall(f"X-{number}: {'x' * 1000}\r\n".encode() if number else b"GET / HTTP/1.1\r\n")
            reply = read_all(connection)
        except OSError:
            reply = b"HTTP/1.1 400 "
    assert reply.startswith(b"HTTP/1.1 400 ")
    assert server.is_alive()


def test_clients_who_vanish_hurt_nobody(server: Running) -> None:
    """In the middle of what they say, while they wait, and while they are answered."""
    for said in (
        HEAD + b"Content-Length: 1000\r\n\r\nx",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nabc",
        b"GET /rough/slow/0.3 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /rough/stream HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ):
        for _ in range(5):
            with server.connect() as connection:
                connection.sendall(said)
                if b"stream" in said:
                    connection.recv(200)
                # Hang up with a reset, as a machine does that has gone.
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
    assert server.is_alive()
    assert "Traceback" not in server.log.read_text()


@pytest.mark.heavy
def test_a_stream_is_passed_on_as_it_comes(server: Running) -> None:
    """The first part is there long before the last: no guard waits for the whole."""
    begun = time.monotonic()
    with httpx.stream("GET", f"{server.url}/rough/stream") as reply:
        parts = reply.iter_raw()
        first, first_at = next(parts), time.monotonic() - begun
        rest, all_at = b"".join(parts), time.monotonic() - begun
    assert (first + rest).split() == [str(number).encode() for number in range(100)]
    assert first_at < all_at / 2


def test_what_nobody_thought_of_is_told_without_what_was_said(server: Running) -> None:
    """The caller gets a number, the log tells the same number and where it was, neither tells the words."""
    reply = httpx.get(f"{server.url}/rough/fails/ana-the-patient?q=secret-words")
    assert (reply.status_code, reply.json()["code"]) == (500, "internal")
    number = reply.headers["x-request-id"]
    log = server.log.read_text()
    assert number in reply.text
    assert f"request {number} failed: ValueError in rough_door.py:" in log
    for secret in (SECRET, "ana-the-patient", "secret-words"):
        assert secret not in reply.text + log


def test_a_reply_that_breaks_is_cut_off(server: Running) -> None:
    """It must not look like a whole one, and what went wrong is not told in it."""
    came = server.ask(b"GET /rough/breaks HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert b"begun" in came
    assert not came.endswith(b"0\r\n\r\n")
    assert SECRET.encode() not in came
    assert server.is_alive()
    assert SECRET not in server.log.read_text()


def test_every_reply_tells_browsers_what_they_may_not_do(server: Running) -> None:
    """Refusals, errors and what is not there too; and each has a number of its own."""
    paths = ("/health/live", "/nowhere", "/rough/fails/x", "/metrics")
    replies = [httpx.get(server.url + path) for path in paths]
    replies.append(httpx.get(server.url, headers={"host": "evil.example"}))
    for reply in replies:
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in reply.headers["content-security-policy"]
        assert reply.headers["cache-control"] == "no-store"
        assert "server" not in reply.headers
    assert len({reply.headers["x-request-id"] for reply in replies}) == len(replies)


def let_through(hosts: tuple[str, ...], *, headers: dict[str, str], kind: str = "http") -> bool:
    """Tell whether a request reaches what the guard of these hosts stands before."""
    reached = False

    async def behind(scope: Any, receive: Any, send: Any) -> None:
        nonlocal reached
        reached = True

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request"}

    async def send(message: MutableMapping[str, Any]) -> None:
        answered.append(message["type"])

    answered: list[str] = []
    listed = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    scope = {"type": kind, "method": "POST", "headers": listed, "state": {}}
    asyncio.run(RequestGuard(behind, GuardPolicy(hosts=hosts))(scope, receive, send))
    refused = "websocket.close" if kind == "websocket" else "http.response.start"
    assert reached is (refused not in answered)
    return reached
