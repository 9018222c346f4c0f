"""Work that waits on a row: when it is due, how often it failed in a row, why, and when it is tried again.

One shape for all rows that wait. The instant is a conversation's and a fact's ``due_at``, an episode's ``next_try`` and
a message's ``vector_due_at``, as files, exports and doors have always called it; nobody else has to tell them apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from types import TracebackType
from typing import TypeVar

from yesteryear.core.episode import Episode
from yesteryear.core.fact import Fact
from yesteryear.core.message import Conversation, Message

DueRow = Conversation | Episode | Message | Fact  # a row that may wait for work
Row = TypeVar("Row", Conversation, Episode, Message, Fact)
Item = TypeVar("Item")
_INSTANT: dict[type, str] = {
    Conversation: "due_at",
    Episode: "next_try",
    Message: "vector_due_at",
    Fact: "due_at",
}


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Patience with work that fails."""

    attempts: int = 5  # after so many failed attempts a row is FAILED: visible, and tried again only when asked
    first_wait_s: float = 2.0  # seconds before the second attempt
    growth: float = 4.0  # by what each further wait is longer than the one before
    lease_s: float = 120.0  # seconds for which a worker may hold an owner without a word; then another may take over


def next_try(attempts: int, now: datetime, policy: RetryPolicy) -> datetime | None:
    """Return when to try again after the ``attempts``-th failure in a row, or None to give up.

    wait = first_wait_s * growth ** (attempts - 1)
    """
    if attempts >= policy.attempts:
        return None
    return now + timedelta(seconds=policy.first_wait_s * policy.growth ** (attempts - 1))


def due_at(row: DueRow) -> datetime | None:
    """Return when a row is due for work; None when nothing is to be done."""
    found: datetime | None = getattr(row, _INSTANT[type(row)])
    return found


def due_from(row: Row, at: datetime | None) -> Row:
    """Return a row that is due from an instant on, or for nothing, and has not failed yet."""
    return replace(row, **{_INSTANT[type(row)]: at, "attempts": 0, "error": None})  # type: ignore[arg-type]


def after_failure(row: Row, error: Exception, again_at: datetime | None) -> Row:
    """Return a row on which work has failed once more, and which is due again at an instant; None to give it up."""
    failed = {_INSTANT[type(row)]: again_at, "attempts": row.attempts + 1, "error": str(error)}
    return replace(row, **failed)  # type: ignore[arg-type]


def waits_after_failure(row: DueRow, now: datetime) -> bool:
    """Tell whether work on a row failed, and the time of the next attempt has not come."""
    again_at = due_at(row)
    return row.attempts > 0 and again_at is not None and again_at > now


def batches(items: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    """Return items in their order, so many at a time: what is worked on between two commits, or calls of a model."""
    return (items[start : start + size] for start in range(0, len(items), size))


class Attempt(AbstractContextManager["Attempt"]):
    """Takes up the exception that ends its block; interrupts and exits pass through."""

    def __init__(self) -> None:
        self.error: Exception | None = None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if isinstance(error, Exception):
            self.error = error
            return True
        return False
