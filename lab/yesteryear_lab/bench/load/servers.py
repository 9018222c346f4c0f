"""Servers to be measured, each a process of its own.

One is run as ``python -m yesteryear_lab.bench.load.servers ROLE …``. The first line on its standard output is its port;
it ends with SIGTERM.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import uvicorn
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

import yesteryear
from yesteryear.api.access import OpenDoor
from yesteryear.api.app import build_app
from yesteryear.api.auth_context import AuthContext
from yesteryear.api.proxy.relay import Upstream
from yesteryear.api.proxy.router import proxy_router
from yesteryear.api.serving import ListenPolicy, bind, serve
from yesteryear_lab.bench.load.processes import CHAT, HOST, PIECES

_PIECE = {"choices": [{"index": 0, "delta": {"content": "some words "}, "finish_reason": None}]}
_EVENT = f"data: {json.dumps(_PIECE)}\n\n".encode()
_DONE = b"data: [DONE]\n\n"
_IDLE_S = 600
"""How long a connection stays open without a request, in seconds: a client waits while other ways are measured."""
_DROPPED = frozenset({b"host", b"content-length", b"connection", b"transfer-encoding", b"date", b"server"})


def _serve_doors(store: str = "", worker: str = "thread", embedder: str = "auto") -> None:
    """Serve all doors behind all guards; without a store, an endpoint that takes a body and gives it back."""
    with bind(HOST, 0) as listener:
        if store:
            engine = yesteryear.open_async(store, worker=worker, embedder=embedder)
            app = build_app(AuthContext(engine, OpenDoor()))
        else:
            app = _bare_app()
        port = listener.getsockname()[1]
        serve(app, listener, ListenPolicy(), on_ready=lambda: print(port, flush=True))  # noqa: T201 - read by who started us


def _bare_app() -> FastAPI:
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)

    @app.post("/v1/context")
    async def echo(request: Request) -> Response:
        return Response(await request.body(), media_type="application/json")

    return app


def _serve(app: Starlette) -> None:
    """Serve an application without any of our guards."""
    with bind(HOST, 0) as listener:
        print(listener.getsockname()[1], flush=True)  # noqa: T201 - read by who started us
        config = uvicorn.Config(app, log_level="error", timeout_keep_alive=_IDLE_S)
        uvicorn.Server(config).run(sockets=[listener])


def _chat_app(answer: Callable[[Request], Any]) -> Starlette:
    return Starlette(routes=[Route(CHAT, answer, methods=["POST"])])


def _serve_provider() -> None:
    """Answer chats at once, event by event."""

    async def events() -> AsyncIterator[bytes]:
        for _ in range(PIECES):
            yield _EVENT
            await asyncio.sleep(0)
        yield _DONE

    async def answer(request: Request) -> StreamingResponse:
        await request.body()
        return StreamingResponse(events(), media_type="text/event-stream")

    _serve(_chat_app(answer))


def _serve_bare_proxy(upstream: str) -> None:
    """Pass chats on and do nothing else, with the libraries that our proxy uses."""
    limits = httpx.Limits(max_connections=1000, max_keepalive_connections=100)
    client = httpx.AsyncClient(timeout=httpx.Timeout(600, connect=5), limits=limits)

    async def pass_on(request: Request) -> StreamingResponse:
        headers = [pair for pair in request.headers.raw if pair[0] not in _DROPPED]
        passed = httpx.Request("POST", upstream + CHAT, headers=headers, content=await request.body())
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

    _serve(_chat_app(pass_on))


def _serve_proxy(upstream: str, store: str) -> None:
    """Serve our proxy with a memory behind it."""
    engine = yesteryear.open_async(store, worker="none")

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with engine:
            yield

    app = FastAPI(lifespan=lifespan)
    app.include_router(proxy_router(AuthContext(engine, OpenDoor()), Upstream(f"{upstream}/v1")))
    _serve(app)


ROLES: dict[str, Callable[..., None]] = {
    "doors": _serve_doors,
    "provider": _serve_provider,
    "bare-proxy": _serve_bare_proxy,
    "proxy": _serve_proxy,
}

if __name__ == "__main__":
    ROLES[sys.argv[1]](*sys.argv[2:])
