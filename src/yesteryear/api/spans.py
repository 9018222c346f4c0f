"""A span for each verb that a door calls, for whoever collects them; nothing is told of people or of what they said."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry import trace

from yesteryear.api.guard import VerbCall, VerbListener


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
