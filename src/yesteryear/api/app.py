"""The application: all doors that are there, behind the guards, over one engine."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from http import HTTPStatus
from types import MappingProxyType

from fastapi import APIRouter, FastAPI
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import RedirectResponse
from starlette.routing import Route

from yesteryear.api.auth_context import AuthContext
from yesteryear.api.graphql import graphql_router
from yesteryear.api.guards import BodyGuard, GuardPolicy, ReplyGuard, RequestGuard, log_access
from yesteryear.api.inspector.router import inspector_router
from yesteryear.api.mcp.http import mcp_app
from yesteryear.api.monitoring import Metrics, listen_with_spans, monitoring_router
from yesteryear.api.proxy.relay import ProxyPolicy, Upstream
from yesteryear.api.proxy.router import proxy_router
from yesteryear.api.rest.operations import problem_handlers
from yesteryear.api.rest.router import rest_router

DOORS = MappingProxyType(
    {
        "/health": "operator",
        "/metrics": "operator",
        "/v1": "rest",
        "/v1/chat": "proxy",
        "/v1/models": "proxy",
        "/graphql": "graphql",
        "/mcp": "mcp",
        "/mind": "inspector",
    }
)
"""What the doors are called in logs and metrics, by the beginnings of their paths."""
_PAGES = "/mind"  # where a browser is sent that was given nothing but the address


def doors_of(
    auth_context: AuthContext, *, upstream: Upstream | None = None, proxy: ProxyPolicy | None = None, version: str = ""
) -> dict[str, APIRouter]:
    """Return all doors that there are, by where each begins; what has to be open while they are is their lifespan.

    Without an ``upstream``, where chats go on to, there is no proxy.
    """
    mcp = mcp_app(auth_context, clock=auth_context.engine, version=version, hosts=())  # guards look at hosts
    doors = {
        "/v1": rest_router(auth_context),
        "/graphql": graphql_router(auth_context),
        "/mcp": APIRouter(routes=[Route("/mcp", mcp)], lifespan=lambda _: mcp.lifespan()),
        _PAGES: inspector_router(auth_context),
    }
    if upstream is not None:
        doors["/v1/chat/completions"] = proxy_router(auth_context, upstream, policy=proxy)
    return doors


def build_app(
    auth_context: AuthContext,
    *,
    guards: GuardPolicy | None = None,
    doors: Callable[[AuthContext], dict[str, APIRouter]] = doors_of,
) -> FastAPI:
    """Return the application; its ``state.doors`` are the paths at which doors begin.

    It owns the engine: when it ends, the doors are closed first, with all that they still have to write down, then the
    engine. ``doors`` makes the doors, of a context whose memories are watched.
    """
    metrics = Metrics()
    watched = replace(auth_context, listeners=(metrics.listen, listen_with_spans()))
    opened = doors(watched)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with aclosing(auth_context.engine):  # the doors' own lifespans are entered within
            yield

    app = FastAPI(
        title="yesteryear",
        lifespan=lifespan,
        docs_url=None,  # its pages load programs from elsewhere
        redoc_url=None,
        middleware=_stand(guards or GuardPolicy(), metrics),
        exception_handlers=problem_handlers(),
        # FastAPI would tell of addresses, and of what is wrong with a message, with all that it says.
        telemetry={"tracing": False, "metrics": False, "logs": False, "operation_spans": False},
    )
    app.state.doors = tuple(opened)
    for router in (monitoring_router(auth_context.engine, metrics), *opened.values()):
        app.include_router(router)
    if _PAGES in opened:
        app.router.routes.append(Route("/", RedirectResponse(_PAGES, HTTPStatus.SEE_OTHER), methods=["GET"]))
    return app


def _stand(policy: GuardPolicy, metrics: Metrics) -> list[Middleware]:
    """Return the guards, from outside in."""
    stood = [
        Middleware(ReplyGuard, doors=DOORS, tell=(log_access, metrics.count_request)),
        Middleware(RequestGuard, policy=policy),
        Middleware(BodyGuard, policy=policy),
    ]
    if policy.origins:
        stood.append(Middleware(CORSMiddleware, allow_origins=policy.origins, allow_methods=["*"], allow_headers=["*"]))
    return stood
