"""The gate's log: what was said, what was kept of it and why."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta

from starlette.responses import Response

from yesteryear.api.access import Right
from yesteryear.api.inspector.visit import Route, Visit
from yesteryear.errors import InputError

_A_PAGE = 60
_FIRST_LOOK = timedelta(days=7)
"""How far back from the last message the log begins where nobody says from when."""


async def show(visit: Visit) -> Response:
    """Show a page of the journal with the gate's verdicts, oldest first."""
    conversations = sorted({each.key.name for each in await visit.memory.conversations()})
    since = await _since(visit)
    found = await visit.memory.messages(
        conversation=visit.asked("conversation") or None,
        outcome=visit.asked("outcome") or None,
        since=since,
        after=visit.asked("after"),
        limit=_A_PAGE + 1,
    )
    page = found[:_A_PAGE]
    return visit.page(
        "journal",
        messages=page,
        conversations=conversations,
        conversation=visit.asked("conversation"),
        outcome=visit.asked("outcome"),
        since=since,
        after=page[-1].id if len(found) > _A_PAGE else None,
    )


async def show_one(visit: Visit) -> Response:
    """Show why a message was kept or skipped."""
    why = await visit.memory.why(visit.named("id"), at=visit.now)
    return visit.page("message", why=why, message=why.message)


async def _since(visit: Visit) -> datetime | None:
    """Return from when the log is shown: the day that was asked for, or a week before the last message."""
    day = visit.asked("since")
    if day == "all" or visit.asked("after"):
        return None
    if day:
        try:
            return datetime.combine(date.fromisoformat(day), time.min, UTC)
        except ValueError as exc:
            raise InputError(f"since is a day such as 2026-03-12, not {day!r}") from exc
    said = [each.last_at for each in await visit.memory.conversations() if each.last_at is not None]
    return max(said) - _FIRST_LOOK if said else None


ROUTES: Sequence[Route] = (
    Route("GET", "/journal", Right.READ, show),
    Route("GET", "/journal/{id}", Right.READ, show_one),
)
