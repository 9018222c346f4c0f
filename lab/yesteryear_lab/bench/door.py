"""A server of its own process, to be measured: all doors behind all guards, or a bare endpoint.

Run as ``python -m yesteryear_lab.bench.door STORE WORKER EMBEDDER``, or without arguments for the bare one. The first
line on its standard output is its port; it ends with SIGTERM.
"""

from __future__ import annotations

import sys

from fastapi import FastAPI, Request, Response

import yesteryear
from yesteryear.api.access import OpenDoor
from yesteryear.api.app import build_app
from yesteryear.api.listening import ListenPolicy, bind, serve
from yesteryear.api.reception import Reception

_JSON = "application/json"


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
            app = build_app(Reception(engine, OpenDoor()))
        port = listener.getsockname()[1]
        serve(app, listener, ListenPolicy(), on_ready=lambda: print(port, flush=True))  # noqa: T201 - read by who started us


if __name__ == "__main__":
    main(*sys.argv[1:])
