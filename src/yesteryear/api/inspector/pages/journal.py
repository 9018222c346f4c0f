"""The gate's log: what was said, what was kept of it and why."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time

from starlette.responses import Response

from yesteryear.api.access import Right
from yesteryear.api.inspector.visit import Route, Visit
from yesteryear.errors import InputError

_A_PAGE = 60


async def show(visit: Visit) -> Response:
    """Show a page of the journal with the gate's verdicts, newest first."""
    conversations = sorted({each.key.name for each in await visit.memory.conversations()})
    since = _since(visit)
    found = await visit.memory.messages(
        conversation=visit.asked("conversation") or None,
        outcome=visit.asked("outcome") or None,
        since=since,
        after=visit.asked("after"),
        newest_first=True,
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
        is_first=not visit.asked("after"),
        after=page[-1].id if len(found) > _A_PAGE else None,
    )


async def show_one(visit: Visit) -> Response:
    """Show why a message was kept or skipped."""
    why = await visit.memory.why(visit.named("id"), at=visit.now)
    return visit.page("message", why=why, message=why.message)


async def keep(visit: Visit) -> Response:
    """Keep a skipped message after all."""
    kept = await visit.memory.keep(visit.named("id"))
    return visit.go(f"/journal/{kept.id}", done="kept")


def _since(visit: Visit) -> datetime | None:
    """Return the day from which on the log is shown, where one was asked for."""
    day = visit.asked("since")
    try:
        return datetime.combine(date.fromisoformat(day), time.min, UTC) if day and day != "all" else None
    except ValueError as exc:
        raise InputError(f"since is a day such as 2026-03-12, not {day!r}") from exc


ROUTES: Sequence[Route] = (
    Route("GET", "/journal", Right.READ, show),
    Route("GET", "/journal/{id}", Right.READ, show_one),
    Route("POST", "/journal/{id}/keep", Right.WRITE, keep),
)
