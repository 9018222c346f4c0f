"""How patient the proxy is, and how much it takes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProxyPolicy:
    """What the proxy waits for and what it keeps."""

    recall_deadline_ms: int = 150
    """Milliseconds after which a request goes on without what is remembered. Source: a pause that nobody notices."""
    most_recalls: int = 32
    """Most recalls at once, late ones included; a request beyond them goes on without. From 1."""
    connect_timeout_s: float = 5.0
    """Seconds to reach the provider."""
    read_timeout_s: float = 600.0
    """Seconds of silence after which the provider is given up; what OpenAI's own client waits."""
    most_connections: int = 1000
    """Most connections to the provider at once; callers beyond them wait."""
    most_idle_connections: int = 100
    """Most connections kept open for the next request."""
    most_body_bytes: int = 16 * 1024 * 1024
    """Bytes of a request up to which it is read for what was said; a larger one goes on without memory."""
    most_reply_bytes: int = 16 * 1024 * 1024
    """Bytes of a reply that are kept to be taken down; what comes after them counts as cut off."""
    finish_s: float = 30.0
    """Most seconds that an end waits for what is still being taken down."""
