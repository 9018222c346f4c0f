"""A server of its own process, to be measured: ``observe`` and ``context`` behind all guards, or a bare endpoint.

Run as ``python -m yesteryear.bench.door STORE WORKER EMBEDDER``, or without arguments for the bare one. The first line
on its standard output is its port; it ends with SIGTERM.
"""

from __future__ import annotations

import sys
from http import HTTPStatus

import msgspec
from fastapi import APIRouter, FastAPI, Request, Response

import yesteryear
from yesteryear.api.access import OpenDoor, Right
from yesteryear.api.app import Door, build_app
from yesteryear.api.listening import ListenPolicy, bind, serve
from yesteryear.api.reception import Reception

_JSON = "application/json"


class Said(msgspec.Struct):
    """A message."""

    content: str
    conversation: str = "default"
    id: str | None = None
    at: str | None = None


class Asked(msgspec.Struct):
    """What a context is asked for."""

    message: str
    conversation: str | None = None
    budget: int | None = None
    at: str | None = None


def plain_doors(reception: Reception) -> tuple[Door, ...]:
    """Return a door that knows two verbs, and does no more for them than is needed."""
    router = APIRouter()

    @router.post("/v1/messages")
    async def observe(request: Request) -> Response:
        memory = await reception.memory(request.headers, Right.WRITE)
        said = msgspec.json.decode(await request.body(), type=Said)
        receipt = await memory.observe(said.content, conversation=said.conversation, id=said.id, at=said.at)
        return _answer(receipt, HTTPStatus.CREATED)

    @router.post("/v1/context")
    async def context(request: Request) -> Response:
        memory = await reception.memory(request.headers, Right.READ)
        asked = msgspec.json.decode(await request.body(), type=Asked)
        found = await memory.context(asked.message, conversation=asked.conversation, budget=asked.budget, at=asked.at)
        return _answer(found, HTTPStatus.OK)

    return (Door("rest", "/v1", router),)


def bare_app() -> FastAPI:
    """Return an application that takes a body and gives it back: what no endpoint can do without."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)

    @app.post("/v1/context")
    async def echo(request: Request) -> Response:
        return Response(await request.body(), media_type=_JSON)

    return app


def main(store: str = "", worker: str = "thread", embedder: str = "auto") -> None:
    """Serve until told to stop."""
    with bind("127.0.0.1", 0) as listener:
        app = bare_app()
        if store:
            engine = yesteryear.open_async(store, worker=worker, embedder=embedder)
            app = build_app(Reception(engine, OpenDoor()), doors=plain_doors)
        port = listener.getsockname()[1]
        serve(app, listener, ListenPolicy(), on_ready=lambda: print(port, flush=True))  # noqa: T201 - read by who started us


def _answer(found: yesteryear.Receipt | yesteryear.Context | list[yesteryear.Receipt], status: HTTPStatus) -> Response:
    """Return bytes as they are: nothing is checked again that was made here."""
    plain = [each.to_dict() for each in found] if isinstance(found, list) else found.to_dict()
    return Response(msgspec.json.encode(plain), int(status), media_type=_JSON)


if __name__ == "__main__":
    main(*sys.argv[1:])
