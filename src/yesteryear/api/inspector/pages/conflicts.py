"""What cannot both be true: both sides, and the person's word on which one holds."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.responses import Response

from yesteryear.api.access import Right
from yesteryear.api.inspector.visit import Route, Visit


async def show(visit: Visit) -> Response:
    """Show open conflicts with both sides, and what was settled before."""
    found = await visit.memory.conflicts(resolved=True)
    return visit.page(
        "conflicts",
        conflicts=[conflict for conflict in found if conflict.settled_at is None],
        settled=[conflict for conflict in found if conflict.settled_at is not None],
    )


async def settle(visit: Visit) -> Response:
    """Confirm the side that holds; the other one gives way."""
    await visit.memory.confirm(visit.said("holds"))
    return visit.go("/conflicts", done="confirmed")


async def keep_both(visit: Visit) -> Response:
    """Note that both sides hold; neither gives way."""
    await visit.memory.both_hold(visit.said("both"))
    return visit.go("/conflicts", done="both-hold")


ROUTES: Sequence[Route] = (
    Route("GET", "/conflicts", Right.READ, show),
    Route("POST", "/conflicts", Right.WRITE, settle),
    Route("POST", "/conflicts/both", Right.WRITE, keep_both),
)
