"""The first page: what is on their mind, what is new, what waits."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.responses import Response

from yesteryear.api.access import Right
from yesteryear.api.inspector.visit import Route, Visit
from yesteryear.core.message import Outcome

_FACTS = 8
_EPISODES = 5
_MOST = 1000


async def show(visit: Visit) -> Response:
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


ROUTES: Sequence[Route] = (Route("GET", "", Right.READ, show),)
