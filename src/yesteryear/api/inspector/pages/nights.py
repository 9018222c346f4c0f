"""Nights: what each changed, one that is run by hand, and the way back."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.responses import Response

from yesteryear.api.access import Right
from yesteryear.api.inspector.visit import Route, Visit
from yesteryear.core.cycle import CycleReport, CycleState
from yesteryear.errors import NotFound

_MOST = 60


async def show_all(visit: Visit) -> Response:
    """Show the latest nights."""
    found = await visit.memory.nights(limit=_MOST)
    return visit.page("nights", nights=found, undoable=_undoable(found))


async def show_one(visit: Visit) -> Response:
    """Show what a night did to each fact."""
    found = await visit.memory.nights(limit=_MOST)
    night = next((each for each in found if each.id == visit.named("id")), None)
    if night is None:
        raise NotFound("there is no such night among the latest")
    return visit.page(
        "night", night=night, said=await _statements(visit, night), is_undoable=night.id == _undoable(found)
    )


async def plan(visit: Visit) -> Response:
    """Show what a night would do now."""
    night = await visit.memory.consolidate(dry_run=True)
    return visit.page("night", night=night, said=await _statements(visit, night), is_undoable=False)


async def run(visit: Visit) -> Response:
    """Run a night now."""
    night = await visit.memory.consolidate()
    return visit.go(f"/nights/{night.id}", done="night") if not night.is_empty else visit.go("/nights", done="nothing")


async def undo(visit: Visit) -> Response:
    """Take the last night back."""
    night = await visit.memory.undo(visit.named("id"))
    return visit.go(f"/nights/{night.id}", done="undone")


def _undoable(nights: Sequence[CycleReport]) -> str | None:
    """Return the id of the night that can be taken back: the last one that is not undone."""
    return next((night.id for night in nights if night.state is CycleState.DONE), None)


async def _statements(visit: Visit, night: CycleReport) -> dict[str, str]:
    """Return what the facts of a night say by now; those that are gone are left out."""
    facts = await visit.memory.facts(status="all", limit=1000)
    known = {fact.id: fact.statement for fact in facts}
    return known | {change.fact_id: change.statement for change in night.changes if change.statement}


ROUTES: Sequence[Route] = (
    Route("GET", "/nights", Right.READ, show_all),
    Route("POST", "/nights", Right.WRITE, run),
    Route("GET", "/nights/plan", Right.WRITE, plan),
    Route("GET", "/nights/{id}", Right.READ, show_one),
    Route("POST", "/nights/{id}/undo", Right.WRITE, undo),
)
