"""What somebody asked in talk to have forgotten as a whole, and the person's yes or no to it."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.responses import Response

from yesteryear.api.access import Right
from yesteryear.api.inspector.visit import Handler, Route, Visit


async def show(visit: Visit) -> Response:
    """Show each proposal with what would go."""
    return visit.page("proposals", proposals=await visit.memory.proposals())


def _answer(verb: str, done: str) -> Handler:
    async def act(visit: Visit) -> Response:
        await getattr(visit.memory, verb)(visit.named("id"))
        return visit.go("/proposals", done=done)

    return act


async def take_back(visit: Visit) -> Response:
    """Bring back what is hidden with a message."""
    name = visit.named("id")
    await visit.memory.restore(name)
    return visit.go(f"/journal/{name}", done="restored")


ROUTES: Sequence[Route] = (
    Route("GET", "/proposals", Right.READ, show),
    Route("POST", "/proposals/{id}/confirm", Right.WRITE, _answer("confirm", "hidden")),
    Route("POST", "/proposals/{id}/refute", Right.WRITE, _answer("refute", "withdrawn")),
    Route("POST", "/journal/{id}/restore", Right.WRITE, take_back),
)
