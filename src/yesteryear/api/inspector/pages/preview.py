"""What an agent would be given for a message, and why."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.responses import Response

from yesteryear.api.access import Right
from yesteryear.api.inspector.charts import bar
from yesteryear.api.inspector.visit import Route, Visit
from yesteryear.errors import InputError
from yesteryear.recall.explain import spent_by_lane

_BUDGET = 1000
_MOST_DROPPED = 40
"""Of what was left out, what is listed."""


async def show(visit: Visit) -> Response:
    """Show the context for a message, lane by lane; it is only looked at and counts as shown to nobody."""
    message, budget = visit.asked("message"), _number(visit.asked("budget") or str(_BUDGET))
    found = await visit.memory.context(message, budget=budget, at=visit.now, dry_run=True)
    spent = spent_by_lane(found)
    return visit.page(
        "context",
        message=message,
        budget=budget,
        found=found,
        spent=spent,
        parts_of_bar=bar(spent.items(), whole=max(found.budget, found.tokens)),
        dropped=found.dropped[:_MOST_DROPPED],
    )


def _number(text: str) -> int:
    if not text.isdecimal() or len(text) > len("1000000"):
        raise InputError(f"a budget is a whole number of tokens, not {text!r}")
    return int(text)


ROUTES: Sequence[Route] = (Route("GET", "/context", Right.READ, show),)
