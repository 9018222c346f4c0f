"""The servers of the proxy suite, each a process of its own: a provider, a bare reverse proxy, and ours.

Run as ``python -m yesteryear_lab.bench.proxy_servers ROLE UPSTREAM STORE``. It prints its port once it listens, and
ends when its standard input does.
"""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import httpx
import uvicorn
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

import yesteryear
from yesteryear.api.access import OpenDoor
from yesteryear.api.proxy.provider import Upstream
from yesteryear.api.proxy.router import proxy_router
from yesteryear.api.reception import Reception

PATH = "/v1/chat/completions"
PIECES = 40
"""Events of a reply."""
_PIECE = {"choices": [{"index": 0, "delta": {"content": "some words "}, "finish_reason": None}]}
_EVENT = f"data: {json.dumps(_PIECE)}\n\n".encode()
_DONE = b"data: [DONE]\n\n"
_DROPPED = frozenset({b"host", b"content-length", b"connection", b"transfer-encoding", b"date", b"server"})


def build_provider(upstream: str, store: str) -> Starlette:
    """Return a provider that answers at once, event by event."""
    del upstream, store

    async def events() -> AsyncIterator[bytes]:
        for _ in range(PIECES):
            yield _EVENT
            await asyncio.sleep(0)
        yield _DONE

    async def answer(request: Request) -> StreamingResponse:
        await request.body()
        return StreamingResponse(events(), media_type="text/event-stream")

    return Starlette(routes=[Route(PATH, answer, methods=["POST"])])


def build_bare(upstream: str, store: str) -> Starlette:
    """Return a reverse proxy that does nothing else, with the libraries that ours uses."""
    del store
    limits = httpx.Limits(max_connections=1000, max_keepalive_connections=100)
    client = httpx.AsyncClient(timeout=httpx.Timeout(600, connect=5), limits=limits)

    async def pass_on(request: Request) -> StreamingResponse:
        headers = [pair for pair in request.headers.raw if pair[0] not in _DROPPED]
        passed = httpx.Request("POST", upstream + PATH, headers=headers, content=await request.body())
        response = await client.send(passed, stream=True)

        async def chunks() -> AsyncIterator[bytes]:
            try:
                async for chunk in response.aiter_raw():
                    yield chunk
            finally:
                await response.aclose()

        answer = StreamingResponse(chunks(), response.status_code)
        answer.raw_headers = [(k.lower(), v) for k, v in response.headers.raw if k.lower() not in _DROPPED]
        return answer

    return Starlette(routes=[Route(PATH, pass_on, methods=["POST"])])


def build_ours(upstream: str, store: str) -> FastAPI:
    """Return our proxy with a memory behind it."""
    engine = yesteryear.open_async(store, worker="none")

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with engine:
            yield

    app = FastAPI(lifespan=lifespan)
    app.include_router(proxy_router(Reception(engine, OpenDoor()), Upstream(f"{upstream}/v1")))
    return app


ROLES: dict[str, Callable[[str, str], Starlette]] = {
    "provider": build_provider,
    "bare": build_bare,
    "ours": build_ours,
}


def main(role: str, upstream: str, store: str) -> None:
    """Serve until standard input ends."""
    server = uvicorn.Server(uvicorn.Config(ROLES[role](upstream, store), port=0, log_level="error"))

    def tell() -> None:
        while not server.started:
            threading.Event().wait(0.01)
        print(server.servers[0].sockets[0].getsockname()[1], flush=True)  # noqa: T201 - for whoever started this
        sys.stdin.read()
        server.should_exit = True

    threading.Thread(target=tell, daemon=True).start()
    server.run()


if __name__ == "__main__":
    main(*sys.argv[1:])
