"""What becomes of a memory: nights and the way back, settings of one's own, all of it to take away, and its end."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response

from yesteryear.api.access import Right
from yesteryear.api.inspector.visit import PageVisit, Route
from yesteryear.core.cycle import CycleReport, CycleState
from yesteryear.errors import InputError, NotFound
from yesteryear.policies import OVERRIDABLE
from yesteryear.ports import Setting

_MOST_NIGHTS = 60


async def show_nights(visit: PageVisit) -> Response:
    """Show the latest nights."""
    found = await visit.memory.nights(limit=_MOST_NIGHTS)
    return visit.page("nights", nights=found, undoable=_undoable(found))


async def show_night(visit: PageVisit) -> Response:
    """Show what a night did to each fact."""
    found = await visit.memory.nights(limit=_MOST_NIGHTS)
    night = next((each for each in found if each.id == visit.named("id")), None)
    if night is None:
        raise NotFound("there is no such night among the latest")
    return visit.page(
        "night", night=night, said=await _statements(visit, night), is_undoable=night.id == _undoable(found)
    )


async def plan(visit: PageVisit) -> Response:
    """Show what a night would do now."""
    night = await visit.memory.consolidate(dry_run=True)
    return visit.page("night", night=night, said=await _statements(visit, night), is_undoable=False)


async def run(visit: PageVisit) -> Response:
    """Run a night now."""
    night = await visit.memory.consolidate()
    return visit.go(f"/nights/{night.id}", done="night") if not night.is_empty else visit.go("/nights", done="nothing")


async def undo(visit: PageVisit) -> Response:
    """Take the last night back."""
    night = await visit.memory.undo(visit.named("id"))
    return visit.go(f"/nights/{night.id}", done="undone")


def _undoable(nights: Sequence[CycleReport]) -> str | None:
    """Return the id of the night that can be taken back: the last one that is not undone."""
    return next((night.id for night in nights if night.state is CycleState.DONE), None)


async def _statements(visit: PageVisit, night: CycleReport) -> dict[str, str]:
    """Return what the facts of a night say by now; those that are gone are left out."""
    facts = await visit.memory.facts(status="all", limit=1000)
    known = {fact.id: fact.statement for fact in facts}
    return known | {change.fact_id: change.statement for change in night.changes if change.statement}


async def show_rights(visit: PageVisit) -> Response:
    """Show the person's own settings, and how to take everything away or erase it."""
    return visit.page("rights", settings=OVERRIDABLE, own=await visit.memory.configure())


async def save(visit: PageVisit) -> Response:
    """Set what the form says; an empty field takes a setting back."""
    values = {name: _parse(name, visit.form[name]) for name in OVERRIDABLE if name in visit.form}
    await visit.memory.configure(project=None, **values)
    return visit.go("/rights", done="saved")


async def export(visit: PageVisit) -> Response:
    """Hand over everything as one zip."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="yesteryear-export-")))
        path = folder / "memory.zip"
        await visit.memory.export(path)
        kept = stack.pop_all()
    return FileResponse(
        path,
        media_type="application/zip",
        filename="yesteryear-memory.zip",
        background=BackgroundTask(kept.close),
    )


async def erase(visit: PageVisit) -> Response:
    """Erase the person, once they have typed their name."""
    if visit.said("name") != visit.user:
        raise InputError("nothing was erased: the name does not match; type it exactly as it stands there")
    return visit.page("erased", receipt=await visit.memory.erase())


def _parse(name: str, text: str) -> Setting | None:
    """Return a setting from a form.

    Raises:
        InputError: it is no number.
    """
    text = text.strip()
    if not text:
        return None
    if OVERRIDABLE[name].is_flag:
        return text == "true"
    try:
        return int(text) if OVERRIDABLE[name].is_whole else float(text)
    except ValueError as exc:
        raise InputError(f"{name} is a number, not {text!r}") from exc


ROUTES: Sequence[Route] = (
    Route("GET", "/nights", Right.READ, show_nights),
    Route("POST", "/nights", Right.WRITE, run),
    Route("GET", "/nights/plan", Right.WRITE, plan),
    Route("GET", "/nights/{id}", Right.READ, show_night),
    Route("POST", "/nights/{id}/undo", Right.WRITE, undo),
    Route("GET", "/rights", Right.ADMIN, show_rights),
    Route("POST", "/rights", Right.ADMIN, save),
    Route("POST", "/rights/export", Right.ADMIN, export),
    Route("POST", "/rights/erase", Right.ADMIN, erase),
)
