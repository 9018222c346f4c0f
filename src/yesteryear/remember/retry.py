"""When failed work is tried again, and when it is given up."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Patience with work that fails."""

    attempts: int = 5
    """After so many failed attempts a row is FAILED: visible, and tried again only when asked."""
    first_wait_s: float = 2.0
    """Seconds before the second attempt."""
    growth: float = 4.0
    """By what each further wait is longer than the one before."""
    lease_s: float = 120.0
    """Seconds for which a worker may hold an owner without a word; then another may take over."""


def next_try(attempts: int, now: datetime, policy: RetryPolicy) -> datetime | None:
    """Return when to try again after the ``attempts``-th failure in a row, or None to give up.

    wait = first_wait_s * growth ** (attempts - 1)
    """
    if attempts >= policy.attempts:
        return None
    return now + timedelta(seconds=policy.first_wait_s * policy.growth ** (attempts - 1))
