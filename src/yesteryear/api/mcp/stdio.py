"""The door over stdin and stdout, for the one assistant that started this process.

It answers at once and opens the memory meanwhile, so that no client gives up on it. Nothing but the protocol is
written to stdout: while it serves, whatever else is printed goes to stderr. When stdin ends, what was asked is still
answered; then the memory is closed.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import AsyncIterable, AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
from anyio.abc import ObjectSendStream
from mcp import stdio_server, types
from mcp.server import Server
from mcp.shared.message import SessionMessage

from yesteryear.api.access import Principal, RequestedScope, Right
from yesteryear.errors import YesteryearError

if TYPE_CHECKING:
    from yesteryear.api.auth_context import AuthContext
    from yesteryear.memory.memory import AsyncMemory

log = logging.getLogger("yesteryear.mcp")

_SIGNALLED = 128  # what a shell adds to the number of the signal that ended a process
LAST_ANSWERS_S = 30.0
"""Longest time for which answers that are under way are waited for once stdin has ended, in seconds."""


class LateLender:
    """Lends the memory of one person, once it is open."""

    def __init__(self, principal: Principal, requested: RequestedScope) -> None:
        self._principal = principal
        self._requested = requested
        self._is_wanted = anyio.Event()
        self._is_open = anyio.Event()
        self._auth_context: AuthContext | None = None
        self._error: YesteryearError | None = None

    async def right(self, request: object) -> Right:  # noqa: ARG002 - one person asks
        """Return the most that the assistant may do."""
        return self._principal.right

    async def memory(self, request: object, right: Right) -> AsyncMemory:  # noqa: ARG002
        """Return the person's memory as soon as it is open."""
        self.want()
        await self._is_open.wait()
        if self._auth_context is None:
            raise self._error or YesteryearError
        return self._auth_context.lend(self._principal, right, self._requested)

    def want(self) -> None:
        """Have the memory opened from now on."""
        self._is_wanted.set()

    @asynccontextmanager
    async def opening(self, begin: Callable[[], AuthContext]) -> AsyncIterator[None]:
        """Open the memory in the background once it is wanted, with ``begin`` on a thread, and close it at the end."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._open, begin)
            yield
            await self.aclose()
            tasks.cancel_scope.cancel()

    async def aclose(self) -> None:
        """Close the memory; what was acknowledged is on disk."""
        if self._is_wanted.is_set():
            await self._is_open.wait()
        if self._auth_context is not None:
            await self._auth_context.engine.aclose()

    async def _open(self, begin: Callable[[], AuthContext]) -> None:
        await self._is_wanted.wait()
        try:
            self._auth_context = await anyio.to_thread.run_sync(begin)
        except YesteryearError as exc:
            self._error = exc
            log.error("the memory cannot be opened: %s", exc)  # noqa: TRY400 - what to do stands in the message
        finally:
            self._is_open.set()


async def serve_stdio(server: Server[Any], lender: LateLender, begin: Callable[[], AuthContext]) -> None:
    """Serve until stdin ends; ``begin`` opens the memory, on a thread."""
    async with lender.opening(begin), anyio.create_task_group() as watch:
        watch.start_soon(_end_on_signals, lender)
        async with stdio_server() as (incoming, outgoing):
            await _serve(server, lender, incoming, outgoing)
        watch.cancel_scope.cancel()


async def _serve(
    server: Server[Any],
    lender: LateLender,
    incoming: AsyncIterable[SessionMessage | Exception],
    outgoing: ObjectSendStream[SessionMessage],
) -> None:
    """Serve one client, and answer what it asked before it left."""
    pending: set[types.RequestId] = set()
    settled = anyio.Condition()
    to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_client, from_server = anyio.create_memory_object_stream[SessionMessage](0)

    async def settle(request_id: object) -> None:
        async with settled:
            pending.difference_update({known for known in pending if known == request_id})
            settled.notify_all()

    async def take_in() -> None:
        async with to_server:
            async for item in incoming:
                message = None if isinstance(item, Exception) else item.message
                if isinstance(message, types.JSONRPCRequest):
                    pending.add(message.id)
                elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
                    await settle((message.params or {}).get("requestId"))  # which is not answered
                await to_server.send(item)
            with anyio.move_on_after(LAST_ANSWERS_S):
                async with settled:
                    while pending:
                        await settled.wait()

    async def give_out() -> None:
        async for item in from_server:
            await outgoing.send(item)
            if isinstance(item.message, types.JSONRPCResponse | types.JSONRPCError):
                await settle(item.message.id)
            lender.want()  # not before the first answer: loading all that is needed would delay it
        await outgoing.aclose()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(take_in)
        tasks.start_soon(give_out)
        await server.run(from_client, to_client, server.create_initialization_options())


async def _end_on_signals(lender: LateLender) -> None:
    """End this process when it is told to, with the memory closed."""
    if sys.platform == "win32":  # whose event loop takes no signals
        return
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as received:
        async for number in received:
            await lender.aclose()
            os._exit(_SIGNALLED + number)  # nothing can interrupt the thread that waits for the next line on stdin
