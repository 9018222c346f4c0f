"""Figures for Prometheus and spans for whoever collects them, of requests and verbs; nothing in them names a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from opentelemetry import trace
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from yesteryear.api.guard import VerbCall, VerbListener
from yesteryear.api.guards.replies import Seen

MEDIA_TYPE = CONTENT_TYPE_LATEST
_BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper ends of the buckets of times, in seconds."""


class Metrics:
    """The figures of one application, in a registry of their own."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "yesteryear_requests",
            "Requests that are over",
            ("door", "method", "route", "status"),
            registry=self._registry,
        )
        self._request_seconds = self._times("yesteryear_request_seconds", "How long requests took", "door", "route")
        self._verb_seconds = self._times("yesteryear_verb_seconds", "How long verbs took", "verb")
        self._verb_errors = Counter(
            "yesteryear_verb_errors", "Verbs that ended with an error", ("verb", "code"), registry=self._registry
        )
        self._contexts = Counter("yesteryear_contexts", "Contexts that were made", registry=self._registry)
        self._tokens = Counter("yesteryear_context_tokens", "Tokens of all contexts", registry=self._registry)
        self._waiting = self._gauge("yesteryear_waiting_owners", "People whose rows wait for a worker")
        self._waiting_s = self._gauge("yesteryear_waiting_seconds", "For how long the first of them waits")
        self._index_bytes = self._gauge("yesteryear_index_bytes", "Memory that indexes of recall take")
        self._worker = self._gauge("yesteryear_worker_alive", "Whether a thread of this process works: 1 or 0")

    def count_request(self, seen: Seen) -> None:
        """Count a request that is over."""
        self._requests.labels(seen.door, seen.method, seen.route, str(seen.status)).inc()
        self._request_seconds.labels(seen.door, seen.route).observe(seen.seconds)

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
        """Return all figures as Prometheus reads them.

        Args:
            described: What the engine says of itself at present.
        """
        self._waiting.set(described["waiting_owners"])
        self._waiting_s.set(described["waiting_s"])
        self._index_bytes.set(described["index_bytes"])
        self._worker.set(described["worker"] == "alive")
        return generate_latest(self._registry)

    def _times(self, name: str, about: str, *labels: str) -> Histogram:
        return Histogram(name, about, labels, buckets=_BUCKETS_S, registry=self._registry)

    def _gauge(self, name: str, about: str) -> Gauge:
        return Gauge(name, about, registry=self._registry)


def listen_with_spans(provider: trace.TracerProvider | None = None) -> VerbListener:
    """Return a listener that makes a span of each call.

    Args:
        provider: Who takes them; the one that is installed in this process where not given.
    """
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
