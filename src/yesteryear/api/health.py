"""Whether this process lives, and whether it can serve."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from fastapi import APIRouter, Response
from fastapi.responses import JSONResponse

from yesteryear.api.metrics import MEDIA_TYPE, Metrics
from yesteryear.engine import AsyncEngine
from yesteryear.errors import YesteryearError

log = logging.getLogger("yesteryear.api")


@dataclass(frozen=True, slots=True)
class HealthPolicy:
    """How long the store may take to answer."""

    timeout_s: float = 3.0
    """Longest wait for the store, in seconds; probes give up after some themselves."""


def health_router(engine: AsyncEngine, metrics: Metrics, policy: HealthPolicy | None = None) -> APIRouter:
    """Return the routes for those who keep the process running: ``/health/live``, ``/health/ready``, ``/metrics``."""
    router = APIRouter(include_in_schema=False)
    timeout_s = (policy or HealthPolicy()).timeout_s

    @router.get("/health/live")
    async def live() -> Response:
        """Answer; that is all there is to it."""
        return JSONResponse({"status": "ok"})

    @router.get("/health/ready")
    async def ready() -> Response:
        """Tell whether the store answers, its tables fit and the worker works."""
        checks = _check(await _describe(engine, timeout_s))
        is_ready = all(checks.values())
        status = HTTPStatus.OK if is_ready else HTTPStatus.SERVICE_UNAVAILABLE
        return JSONResponse({"status": "ok" if is_ready else "unready", "checks": checks}, int(status))

    @router.get("/metrics")
    async def show_metrics() -> Response:
        """Return all figures; 503 where the store does not answer."""
        described = await _describe(engine, timeout_s)
        if described is None:
            return Response(status_code=int(HTTPStatus.SERVICE_UNAVAILABLE))
        return Response(metrics.render(described), media_type=MEDIA_TYPE)

    return router


async def _describe(engine: AsyncEngine, timeout_s: float) -> Mapping[str, Any] | None:
    """Return what the engine says of itself, or None where it cannot or takes too long."""
    try:
        async with asyncio.timeout(timeout_s):
            return await engine.describe()
    except (YesteryearError, TimeoutError) as exc:
        log.warning("the store does not answer: %s", type(exc).__name__)
        return None


def _check(described: Mapping[str, Any] | None) -> dict[str, bool]:
    """Return what must be so, by name; a store that keeps no versions of its tables fits."""
    if described is None:
        return {"store": False}
    stores = described.get("shards", {"": described}).values()
    fits = all(store.get("schema") == store.get("newest_schema") for store in stores)
    return {"store": True, "schema": fits, "worker": described["worker"] != "gone"}
