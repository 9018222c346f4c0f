"""The routes of the REST door."""

from __future__ import annotations

from fastapi import APIRouter, Depends

from yesteryear.api.reception import Reception
from yesteryear.api.rest.beliefs import BELIEFS
from yesteryear.api.rest.events import EVENTS
from yesteryear.api.rest.keeping import KEEPING
from yesteryear.api.rest.operations import add_operations, name_scope, route_class
from yesteryear.api.rest.policy import RestPolicy
from yesteryear.api.rest.talk import TALK

_TITLES = {"talk": TALK, "beliefs": BELIEFS, "keeping": KEEPING, "events": EVENTS}


def rest_router(reception: Reception, policy: RestPolicy | None = None) -> APIRouter:
    """Return the operations on memories, all below ``/v1``.

    An application that takes them in should take ``problem_handlers`` too, so that unknown paths and methods are
    answered in the same form.

    Args:
        reception: Lets callers in.
        policy: Limits.
    """
    router = APIRouter(
        prefix="/v1", route_class=route_class(reception, policy or RestPolicy()), dependencies=[Depends(name_scope)]
    )
    for tag, operations in _TITLES.items():
        add_operations(router, operations, tag=tag)
    return router
