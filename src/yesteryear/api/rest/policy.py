"""Limits of the REST door."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RestPolicy:
    """How much is taken, and when a silent stream gives a sign of life."""

    max_import_bytes: int = 1_073_741_824
    """Largest export that is read back, in bytes; 1 GiB holds some 500,000 messages."""
    heartbeat_s: float = 15.0
    """Seconds of silence after which a stream of events gives a sign of life; usual proxies wait for 60."""
