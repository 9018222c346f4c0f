"""Serves an application at one address until it is told to stop: uvicorn, with patience that ends."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import resource
import signal
import socket
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from types import FrameType
from typing import Any

import uvicorn
from h11 import Request
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from yesteryear.api.problems import Problem, problem_body
from yesteryear.errors import ConfigError


@dataclass(frozen=True, slots=True)
class ListenPolicy:
    """How patient the server is with its clients, and how many connections there may be."""

    idle_s: float = 15.0
    """Longest time in which a connection may hold no whole request, in seconds: idle, or with headers that trickle."""
    stop_s: float = 10.0
    """Longest time for requests under way to end when the server stops, in seconds; they are cut off then."""
    header_bytes: int = 64 * 1024  # longest head of a request, in bytes
    connections: int = 4000
    """Connections at a time, at least 1. A choice: each takes some 30 kB."""
    reserve: int = 256
    """Files left to stores, models and servers behind us, at most half of those that the process may have open."""
    share: float = 0.75
    """Part of the connections that one address may hold, above 0 and at most 1. A choice: a proxy has most callers
    behind one address, and a stranger must not hold all there are."""

    def room(self, files: int) -> int:
        """Return how many connections there may be in a process that may have so many files open."""
        return max(1, min(self.connections, max(files - self.reserve, files // 2)))


class Connections:
    """All connections of a server. For one event loop.

    Where there is no room for another one, the one goes that has waited longest without a whole request, of the address
    that has most of these: whoever only holds connections loses them to whoever uses theirs. There may be as many as
    there is ``room``; one address may hold ``of_one`` of them.
    """

    def __init__(self, room: int, of_one: int) -> None:
        self._room = room
        self._of_one = of_one
        self._held: dict[_Protocol, str] = {}
        self._counts: Counter[str] = Counter()
        self._idle: dict[_Protocol, None] = {}  # those that wait for a request, the longest first

    @classmethod
    def of_process(cls, policy: ListenPolicy) -> Connections:
        """Return room for as many as this process can have."""
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        room = policy.room(policy.connections * 2 if files == resource.RLIM_INFINITY else files)
        return cls(room, max(1, int(room * policy.share)))

    def __len__(self) -> int:
        return len(self._held)

    def enter(self, connection: _Protocol, address: str) -> bool:
        """Take a connection up, idle as yet; tell whether there is room for it."""
        if self._counts[address] >= self._of_one and not self._make_room(address):
            return False
        if len(self._held) >= self._room and not self._make_room():
            return False
        self._held[connection] = address
        self._counts[address] += 1
        self.rest(connection)
        return True

    def rest(self, connection: _Protocol) -> None:
        """Note that a connection waits for a request from now on."""
        if connection in self._held:
            self._idle.setdefault(connection)

    def work(self, connection: _Protocol) -> None:
        """Note that a connection holds a request."""
        self._idle.pop(connection, None)

    def leave(self, connection: _Protocol) -> None:
        """Let go of a connection. Twice is harmless."""
        self.work(connection)
        address = self._held.pop(connection, None)
        if address is not None:
            self._counts[address] -= 1
            if not self._counts[address]:
                del self._counts[address]

    def _make_room(self, address: str | None = None) -> bool:
        """Give up one that is idle, of an address or of the one that has most of them; tell whether there was one."""
        if address is None and self._idle:
            ((address, _),) = Counter(self._held[each] for each in self._idle).most_common(1)
        longest = next((each for each in self._idle if self._held[each] == address), None)
        if longest is None:
            return False
        self.leave(longest)
        longest.give_up()
        return True


log = logging.getLogger("yesteryear.api")

_BACKLOG = 128
"""How many connections may wait until they are taken, and are taken at one go: so many are quickly done, and the others
are not made to wait."""
_TOLD_EVERY_S = 60.0  # how often the log tells of the same trouble, in seconds
_FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\nRetry-After: 5\r\n"
    b"Connection: close\r\nContent-Length: %d\r\n\r\n%s"
)
_NO_ROOM = Problem(
    HTTPStatus.SERVICE_UNAVAILABLE,
    "too_many_connections",
    "There is no room for another connection.",
    "All connections are in use; try again in some seconds. Whoever runs the server may raise `ulimit -n`.",
)


def bind(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address; nobody is answered before it is served. Port 0 is any free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as exc:
        reason = str(exc.strerror).partition(" (")[0]
        advice = "end the program that listens there, or name another port with --port"
        raise ConfigError(f"cannot listen at {host}, port {port}: {reason}; {advice}") from exc
    # Head and body of a reply are written one after the other; without this the body waits 40 ms for a receipt of the
    # head. Connections inherit it; asyncio sets it only on sockets that name their protocol.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def serve(
    app: ASGIApp, listener: socket.socket, policy: ListenPolicy, *, on_ready: Callable[[], None] = lambda: None
) -> None:
    """Serve an application until SIGINT or SIGTERM, then let requests under way end, and the application close.

    A second signal ends the process at once. ``on_ready`` is called once requests are answered.
    """
    config = uvicorn.Config(
        app,
        http=partial(_Protocol, connections=Connections.of_process(policy)),  # type: ignore[arg-type]
        lifespan="on",
        access_log=False,  # its lines hold queries and addresses
        log_config=None,
        server_header=False,
        proxy_headers=False,
        backlog=_BACKLOG,
        timeout_keep_alive=max(1, round(policy.idle_s)),
        timeout_graceful_shutdown=max(1, round(policy.stop_s)),
        h11_max_incomplete_event_size=policy.header_bytes,
    )
    asyncio.run(_Server(config, on_ready).serve(sockets=[listener]))


class _Server(uvicorn.Server):
    """Ends without dying of the signal that told it to, and at once with the second one."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        asyncio.get_running_loop().set_exception_handler(LoopErrorLog().tell)
        await super().startup(sockets)
        self._on_ready()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002 - uvicorn's signature
        if self.should_exit:
            # What was acknowledged is on disk; nothing else may hold up whoever asks twice.
            os._exit(128 + signal.Signals(sig))
        self.should_exit = True


class LoopErrorLog:
    """Tells the log of what goes wrong between connections: of no free files once a minute, not at each attempt."""

    def __init__(self) -> None:
        self._told_at = float("-inf")
        self._untold = 0

    def tell(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Write a line, or nothing."""
        error = context.get("exception")
        if not isinstance(error, OSError) or error.errno not in (errno.EMFILE, errno.ENFILE):
            loop.default_exception_handler(context)
            return
        self._untold += 1
        if loop.time() - self._told_at >= _TOLD_EVERY_S:
            log.error("no file is left to take a connection with (%d times): raise `ulimit -n`", self._untold)
            self._told_at, self._untold = loop.time(), 0


class _Protocol(H11Protocol):
    """Closes connections that hold no whole request for too long; uvicorn's own timer stops with every byte."""

    _hurry: asyncio.TimerHandle | None = None

    def __init__(self, *args: Any, connections: Connections, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._among = connections

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if self._among.enter(self, self.client[0] if self.client else ""):
            self._wait()
            return
        body = problem_body(_NO_ROOM)
        transport.write(_FULL % (len(body), body))
        transport.close()

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self._is_busy:
            self._rest()

    def handle_websocket_upgrade(self, event: Request) -> None:
        self._rest()
        super().handle_websocket_upgrade(event)
        socket = self.transport.get_protocol()  # which is told of the end in our place
        lost = socket.connection_lost

        def leave(exc: Exception | None) -> None:
            self._among.leave(self)
            lost(exc)

        socket.connection_lost = leave  # type: ignore[method-assign]

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self._is_busy and not self.transport.is_closing():
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._rest()
        self._among.leave(self)
        super().connection_lost(exc)

    def give_up(self) -> None:
        """Close the connection, of which ``Connections`` has let go: another one has more use for its place."""
        self._rest()
        self.transport.abort()

    @property
    def _is_busy(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _wait(self) -> None:
        self._rest()
        self._among.rest(self)
        self._hurry = self.loop.call_later(self.timeout_keep_alive, self._leave)

    def _rest(self) -> None:
        self._among.work(self)
        if self._hurry is not None:
            self._hurry.cancel()
            self._hurry = None

    def _leave(self) -> None:
        if not self._is_busy:
            self.transport.close()
