"""The first page, with what is new and what waits; and what an agent would be given for a message, and why."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.responses import Response

from yesteryear.api.access import Right
from yesteryear.api.inspector.charts import bar
from yesteryear.api.inspector.visit import PageVisit, Route
from yesteryear.core.message import Outcome
from yesteryear.errors import InputError
from yesteryear.recall.explain import spent_by_lane

_FACTS = 8
_EPISODES = 5
_MOST = 1000


async def show_overview(visit: PageVisit) -> Response:
    """Show numbers, open goals, the surest facts and the latest episodes."""
    facts = await visit.memory.facts(limit=_MOST)
    stats = await visit.memory.stats()
    return visit.page(
        "overview",
        stats=stats,
        messages=stats["messages.open"] + sum(stats.get(f"messages.{outcome.value}", 0) for outcome in Outcome),
        facts=facts[:_FACTS],
        believed=len(facts),
        open_facts=await visit.memory.facts(open_only=True, limit=_FACTS),
        episodes=await visit.memory.episodes(status="active", limit=_EPISODES),
        conflicts=await visit.memory.conflicts(),
        proposals=await visit.memory.proposals(),
    )


_BUDGET = 1000
_MOST_DROPPED = 40
"""Of what was left out, what is listed."""


async def show_preview(visit: PageVisit) -> Response:
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


ROUTES: Sequence[Route] = (
    Route("GET", "", Right.READ, show_overview),
    Route("GET", "/context", Right.READ, show_preview),
)
