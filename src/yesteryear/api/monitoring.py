"""What operators see: figures for Prometheus, spans, and health; nothing in them names a person."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from typing import Any

from fastapi import APIRouter, Response
from fastapi.responses import JSONResponse
from opentelemetry import trace
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from yesteryear.api.auth_context import VerbCall, VerbListener
from yesteryear.api.guards import AccessRecord
from yesteryear.errors import YesteryearError
from yesteryear.memory.engine import AsyncEngine

log = logging.getLogger("yesteryear.api")

_BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper ends of the buckets of times, in seconds."""
_PATIENCE_S = 3.0  # longest wait for the store, in seconds; probes give up after some themselves


class Metrics:
    """The figures of one application, in a registry of their own."""

    def __init__(self) -> None:
        self._registry = own = CollectorRegistry()
        counter, gauge = partial(Counter, registry=own), partial(Gauge, registry=own)
        times = partial(Histogram, buckets=_BUCKETS_S, registry=own)
        by_request = ("door", "method", "route", "status")
        self._requests = counter("yesteryear_requests", "Requests that are over", by_request)
        self._request_seconds = times("yesteryear_request_seconds", "How long requests took", ("door", "route"))
        self._verb_seconds = times("yesteryear_verb_seconds", "How long verbs took", ("verb",))
        self._verb_errors = counter("yesteryear_verb_errors", "Verbs that ended with an error", ("verb", "code"))
        self._contexts = counter("yesteryear_contexts", "Contexts that were made")
        self._tokens = counter("yesteryear_context_tokens", "Tokens of all contexts")
        self._waiting = gauge("yesteryear_waiting_owners", "People whose rows wait for a worker")
        self._waiting_s = gauge("yesteryear_waiting_seconds", "For how long the first of them waits")
        self._index_bytes = gauge("yesteryear_index_bytes", "Memory that indexes of recall take")
        self._worker = gauge("yesteryear_worker_alive", "Whether a thread of this process works: 1 or 0")

    def count_request(self, record: AccessRecord) -> None:
        """Count a request that is over."""
        self._requests.labels(record.door, record.method, record.route, str(record.status)).inc()
        self._request_seconds.labels(record.door, record.route).observe(record.seconds)

    @contextmanager
    def listen(self, call: VerbCall) -> Iterator[None]:
        """Count a call of a verb once it is over."""
        try:
            yield
        finally:
            self._verb_seconds.labels(call.verb).observe(call.seconds)
            if call.error is not None:
                self._verb_errors.labels(call.verb, call.error).inc()
            elif call.verb == "context":
                self._contexts.inc()
                self._tokens.inc(call.tokens)

    def render(self, described: Mapping[str, Any]) -> bytes:
        """Return all figures as Prometheus reads them, with what the engine says of itself at present."""
        self._waiting.set(described["waiting_owners"])
        self._waiting_s.set(described["waiting_s"])
        self._index_bytes.set(described["index_bytes"])
        self._worker.set(described["worker"] == "alive")
        return generate_latest(self._registry)


def listen_with_spans(provider: trace.TracerProvider | None = None) -> VerbListener:
    """Return a listener that makes a span of each call, for the provider that is installed where none is given."""
    tracer = trace.get_tracer("yesteryear", tracer_provider=provider)

    @contextmanager
    def listen(call: VerbCall) -> Iterator[None]:
        # What was raised may hold what somebody said, so only its kind is told.
        with tracer.start_as_current_span(
            f"memory.{call.verb}", record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                yield
            finally:
                span.set_attributes({"yesteryear.verb": call.verb, "yesteryear.items": call.items})
                if call.tokens:
                    span.set_attribute("yesteryear.tokens", call.tokens)
                if call.error is not None:
                    span.set_attribute("error.type", call.error)
                    span.set_status(trace.StatusCode.ERROR)

    return listen


def monitoring_router(engine: AsyncEngine, metrics: Metrics) -> APIRouter:
    """Return the routes for those who keep the process running: ``/health/live``, ``/health/ready``, ``/metrics``."""
    router = APIRouter(include_in_schema=False)

    @router.get("/health/live")
    async def live() -> Response:
        return JSONResponse({"status": "ok"})

    @router.get("/health/ready")
    async def ready() -> Response:
        """Tell whether the store answers, its tables fit and the worker works."""
        described = await _describe(engine)
        checks = {"store": described is not None}
        if described is not None:  # a store that keeps no versions of its tables fits
            stores = described.get("shards", {"": described}).values()
            checks["schema"] = all(store.get("schema") == store.get("newest_schema") for store in stores)
            checks["worker"] = described["worker"] != "gone"
        is_ready = all(checks.values())
        status = HTTPStatus.OK if is_ready else HTTPStatus.SERVICE_UNAVAILABLE
        return JSONResponse({"status": "ok" if is_ready else "unready", "checks": checks}, int(status))

    @router.get("/metrics")
    async def show_metrics() -> Response:
        """Return all figures; 503 where the store does not answer."""
        described = await _describe(engine)
        if described is None:
            return Response(status_code=int(HTTPStatus.SERVICE_UNAVAILABLE))
        return Response(metrics.render(described), media_type=CONTENT_TYPE_LATEST)

    return router


async def _describe(engine: AsyncEngine) -> Mapping[str, Any] | None:
    """Return what the engine says of itself, or None where it cannot or takes too long."""
    try:
        async with asyncio.timeout(_PATIENCE_S):
            return await engine.describe()
    except (YesteryearError, TimeoutError) as exc:
        log.warning("the store does not answer: %s", type(exc).__name__)
        return None
