"""Serves an application at one address until it is told to stop: uvicorn, with patience that ends."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType

import uvicorn
from h11 import Request
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from yesteryear.errors import ConfigError

_BACKLOG = 2048
"""How many connections may wait until they are taken."""


@dataclass(frozen=True, slots=True)
class ListenPolicy:
    """How patient the server is with its clients."""

    idle_s: float = 15.0
    """Longest time in which a connection may hold no whole request, in seconds: idle, or with headers that trickle."""
    stop_s: float = 10.0
    """Longest time for requests under way to end when the server stops, in seconds; they are cut off then."""
    header_bytes: int = 64 * 1024
    """Longest head of a request, in bytes."""


def bind(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address; nobody is answered before it is served.

    Args:
        host: A name or an address of this machine.
        port: A number from 0 to 65535; 0 takes any that is free.

    Raises:
        ConfigError: the address is taken, or not of this machine.
    """
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

    A second signal ends the process at once.

    Args:
        app: The application, with a lifespan.
        listener: From ``bind``.
        policy: How patient the server is.
        on_ready: Called once requests are answered.
    """
    config = uvicorn.Config(
        app,
        http=_Protocol,
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
        await super().startup(sockets)
        self._on_ready()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002 - uvicorn's signature
        if self.should_exit:
            # What was acknowledged is on disk; nothing else may hold up whoever asks twice.
            os._exit(128 + signal.Signals(sig))
        self.should_exit = True


class _Protocol(H11Protocol):
    """Closes connections that hold no whole request for too long; uvicorn's own timer stops with every byte."""

    _hurry: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._is_busy:
            self._rest()

    def handle_websocket_upgrade(self, event: Request) -> None:
        self._rest()
        super().handle_websocket_upgrade(event)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._rest()
        super().connection_lost(exc)

    @property
    def _is_busy(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _wait(self) -> None:
        self._rest()
        self._hurry = self.loop.call_later(self.timeout_keep_alive, self._leave)

    def _rest(self) -> None:
        if self._hurry is not None:
            self._hurry.cancel()
            self._hurry = None

    def _leave(self) -> None:
        if not self._is_busy:
            self.transport.close()
