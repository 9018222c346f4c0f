"""Limits of the REST door."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RestPolicy:
    """How much is taken and how often is looked."""

    max_import_bytes: int = 1_073_741_824
    """Largest export that is read back, in bytes; 1 GiB holds some 500,000 messages."""
    look_s: float = 0.5
    """Seconds between two looks for events; at least 0.01. A look that finds nothing reads one row."""
    heartbeat_s: float = 15.0
    """Seconds of silence after which a stream of events gives a sign of life; usual proxies wait for 60."""
