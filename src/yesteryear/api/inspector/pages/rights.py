"""What is the person's: settings of their own, all of their memory to take away, and its end."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response

from yesteryear.api.access import Right
from yesteryear.api.inspector.visit import Route, Visit
from yesteryear.errors import InputError
from yesteryear.policies import OVERRIDABLE
from yesteryear.ports import Setting


async def show(visit: Visit) -> Response:
    """Show the person's own settings, and how to take everything away or erase it."""
    return visit.page("rights", settings=OVERRIDABLE, own=await visit.memory.configure())


async def save(visit: Visit) -> Response:
    """Set what the form says; an empty field takes a setting back."""
    values = {name: _parse(name, visit.form[name]) for name in OVERRIDABLE if name in visit.form}
    await visit.memory.configure(project=None, **values)
    return visit.go("/rights", done="saved")


async def export(visit: Visit) -> Response:
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


async def erase(visit: Visit) -> Response:
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
    Route("GET", "/rights", Right.ADMIN, show),
    Route("POST", "/rights", Right.ADMIN, save),
    Route("POST", "/rights/export", Right.ADMIN, export),
    Route("POST", "/rights/erase", Right.ADMIN, erase),
)
