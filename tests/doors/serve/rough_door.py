"""A server with two verbs and some routes that behave badly, as a process of its own: ``rough_door.py STORE``.

The first line on its standard output is its port.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

import yesteryear
from yesteryear.api.access import OpenDoor
from yesteryear.api.app import build_app
from yesteryear.api.auth_context import AuthContext
from yesteryear.api.guards import LOOPBACK_NAMES, GuardPolicy
from yesteryear.api.rest.router import rest_router
from yesteryear.api.serving import ListenPolicy, bind, serve

MOST_BYTES = 50_000
BODY_S = 1.0
IDLE_S = 1.0
SECRET = "my sister Lena lives in Porto"
FRIEND = "https://friend.example"


async def size(request: Request) -> dict[str, int]:
    """Return how long a body is."""
    return {"bytes": len(await request.body())}


async def plain(request: Request) -> Response:
    """Answer, as a route that is not FastAPI's."""
    return Response(request.path_params["name"])


class Echo:
    """An application of its own."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with the path."""
        await Response(scope["path"])(scope, receive, send)


async def careless(request: Request) -> Response:
    """Take whatever goes wrong with a body for nothing."""
    try:
        await request.body()
    except Exception:  # noqa: BLE001 - that is the carelessness
        return Response("fine")
    return Response("whole")


async def fails(name: str) -> Response:
    """Fail with words that nobody should read."""
    raise ValueError(f"{SECRET}: {name}")


async def slow(seconds: float) -> Response:
    """Say that it was asked, and answer later."""
    print("slow", flush=True)
    await asyncio.sleep(seconds)
    return Response("done")


async def stream() -> StreamingResponse:
    """Answer for two seconds."""

    async def parts() -> AsyncIterator[bytes]:
        for number in range(100):
            yield f"{number}\n".encode()
            await asyncio.sleep(0.02)

    return StreamingResponse(parts())


async def breaks() -> StreamingResponse:
    """Fail in the middle of an answer."""

    async def parts() -> AsyncIterator[bytes]:
        yield b"begun\n"
        raise ValueError(SECRET)

    return StreamingResponse(parts())


def rough_doors(auth_context: AuthContext) -> dict[str, APIRouter]:
    """Return the plain doors, and one that behaves badly; what it still has to write it writes when it closes."""
    later: list[str] = []

    @asynccontextmanager
    async def write_down(_: object) -> AsyncIterator[None]:
        yield
        for text in later:
            await auth_context.engine.memory(user="ana").observe(text, conversation="later")

    router = APIRouter(prefix="/rough", lifespan=write_down)

    @router.post("/later")
    async def put_off(request: Request) -> Response:
        later.append((await request.body()).decode())
        return Response("later", 202)

    router.add_route("/rough/plain/{name}", plain, methods=["GET"])
    router.post("/size")(size)
    router.post("/careless")(careless)
    for path, read in (("fails/{name}", fails), ("slow/{seconds}", slow), ("stream", stream), ("breaks", breaks)):
        router.get(f"/{path}")(read)

    alone = APIRouter(routes=[Route("/mcp", Echo())])
    return {"/v1": rest_router(auth_context), "/rough": router, "/mcp": alone}


def main(store: str) -> None:
    """Serve until told to stop."""
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    logging.getLogger("yesteryear.access").setLevel(logging.INFO)
    hosts, most = (*LOOPBACK_NAMES, "memory.example"), MOST_BYTES
    guards = GuardPolicy(hosts=hosts, origins=(FRIEND,), most_body_bytes=most, body_timeout_s=BODY_S)
    engine = yesteryear.open_async(Path(store), embedder="hashing", episode_message_threshold=4)
    app = build_app(AuthContext(engine, OpenDoor()), guards=guards, doors=rough_doors)
    with bind("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        policy = ListenPolicy(idle_s=IDLE_S, stop_s=3)
        serve(app, listener, policy, on_ready=lambda: print(port, flush=True))


if __name__ == "__main__":
    main(sys.argv[1])
