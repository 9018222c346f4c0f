"""What is believed and how surely: facts, their conflicts, what is to be forgotten, and the person's word on it."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus

from starlette.responses import Response

from yesteryear.api.access import Right
from yesteryear.api.inspector.charts import belief_curve
from yesteryear.api.inspector.visit import PageVisit, Route, by_hand, forgetting
from yesteryear.core.confidence import ConfidencePolicy
from yesteryear.core.fact import OPEN_KINDS, FactKind, FactStatus
from yesteryear.errors import NotFound, Stale
from yesteryear.why_fact import FactWhy

_MOST = 1000
_SAID_HERE = "pages"
"""Name of the conversation that holds what is told on the pages."""
_STATUSES = ("current", "all", *(status.value for status in FactStatus))


async def show_all(visit: PageVisit) -> Response:
    """Show what is believed, the surest first, by kind, status and words."""
    kind, status, text = visit.asked("kind"), visit.asked("status") or "current", visit.asked("text")
    found = await visit.memory.facts(kinds=[kind] if kind else None, status=status, limit=_MOST)
    if text:
        found = [fact for fact in found if text.casefold() in fact.statement.casefold()]
    return visit.page(
        "facts",
        facts=found,
        kind=kind,
        status=status,
        text=text,
        kinds=[each.value for each in FactKind],
        statuses=_STATUSES,
        is_cut=len(found) == _MOST,
    )


async def show_one(visit: PageVisit) -> Response:
    """Show a fact with its evidence, its curve and its versions."""
    return await _show(visit, HTTPStatus.OK)


async def _show(visit: PageVisit, status: int, *, meant: str = "") -> Response:
    why = await _why(visit)
    return visit.page(
        "fact",
        status,
        fact=why,
        chart=belief_curve(why, now=visit.now, floor=ConfidencePolicy().deprecate_below),
        can_resolve=why.kind in OPEN_KINDS and why.resolved_at is None,
        version=why.version,
        meant=meant,
    )


async def add(visit: PageVisit) -> Response:
    """Take down what the person wants remembered; it is said like anything else, so that it has its words behind it."""
    await visit.memory.observe(f"Remember: {visit.said('statement')}", conversation=_SAID_HERE)
    await visit.memory.close_episode(_SAID_HERE)
    return visit.go("/facts", done="told")


async def correct(visit: PageVisit) -> Response:
    """Put another statement in its place, unless somebody else changed it meanwhile."""
    meant = visit.said("statement")
    try:
        corrected = await visit.memory.correct(visit.named("id"), meant, version=visit.version())
    except Stale:
        return await _show(visit, HTTPStatus.CONFLICT, meant=meant)
    return visit.go(f"/facts/{corrected.id}", done="corrected")


async def _why(visit: PageVisit) -> FactWhy:
    name = visit.named("id")
    found = (await visit.memory.why(name, at=visit.now)).fact
    if found is None:
        raise NotFound(f"there is no fact {name!r}")
    return found


async def show_conflicts(visit: PageVisit) -> Response:
    """Show open conflicts with both sides, and what was settled before."""
    found = await visit.memory.conflicts(resolved=True)
    return visit.page(
        "conflicts",
        conflicts=[conflict for conflict in found if conflict.settled_at is None],
        settled=[conflict for conflict in found if conflict.settled_at is not None],
    )


async def settle(visit: PageVisit) -> Response:
    """Confirm the side that holds; the other one gives way."""
    await visit.memory.confirm(visit.said("holds"))
    return visit.go("/conflicts", done="confirmed")


async def keep_both(visit: PageVisit) -> Response:
    """Note that both sides hold; neither gives way."""
    await visit.memory.both_hold(visit.said("both"))
    return visit.go("/conflicts", done="both-hold")


async def show_proposals(visit: PageVisit) -> Response:
    """Show each proposal to forget with what would go."""
    return visit.page("proposals", proposals=await visit.memory.proposals())


_WORDS = {
    "confirm": "confirmed",
    "refute": "refuted",
    "resolve": "resolved",
    "pin": "pinned",
    "unpin": "unpinned",
    "restore": "restored",
}
"""What a person can say of a fact by a button, and what is told then."""
ROUTES: Sequence[Route] = (
    Route("GET", "/facts", Right.READ, show_all),
    Route("POST", "/facts", Right.WRITE, add),
    Route("GET", "/facts/{id}", Right.READ, show_one),
    *forgetting("/facts"),
    Route("POST", "/facts/{id}/correct", Right.WRITE, correct),
    *(by_hand("/facts", verb, done) for verb, done in _WORDS.items()),
    Route("GET", "/conflicts", Right.READ, show_conflicts),
    Route("POST", "/conflicts", Right.WRITE, settle),
    Route("POST", "/conflicts/both", Right.WRITE, keep_both),
    Route("GET", "/proposals", Right.READ, show_proposals),
    by_hand("/proposals", "confirm", "hidden", back="/proposals"),
    by_hand("/proposals", "refute", "withdrawn", back="/proposals"),
)
