"""Which verb stands where at the REST door, and the routes that are made of that."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from fastapi import APIRouter, Depends

from yesteryear.api.reception import Reception
from yesteryear.api.rest import own
from yesteryear.api.rest.events import FOLLOWED, follow
from yesteryear.api.rest.operations import Operation, Responses, RestPolicy, add_operations, name_scope, route_class
from yesteryear.api.rest.requests import HEADERS
from yesteryear.consolidate.look import FactView
from yesteryear.core.erasure import Erasure
from yesteryear.core.message import Receipt
from yesteryear.forget.forget import Forgotten
from yesteryear.forget.propose import Proposal
from yesteryear.takeout.import_export import Imported

_ETAG: Responses = {
    200: {"headers": HEADERS},
    304: {"description": "It is still of the version at hand", "headers": HEADERS},
}
_TALK = (
    Operation("observe", "POST", "/messages", "observe", own.observe, list[Receipt], status=201),
    Operation("messages", "GET", "/messages", "list_messages"),
    Operation("keep", "POST", "/messages/{id}/keep", "keep_message"),
    Operation(
        "conversations",
        "GET",
        "/conversations",
        "list_conversations",
        place=lambda row: (row.key.project or "", row.key.agent or "", row.key.name),
    ),
    Operation("close_episode", "POST", "/conversations/{conversation}/close", "close_episode", status=204),
    Operation("context", "POST", "/context", "make_context"),
    Operation("recall", "POST", "/recall", "recall"),
    Operation("episodes", "GET", "/episodes", "list_episodes"),
    Operation("extract", "POST", "/episodes/{id}/extract", "extract_facts"),
)
_BELIEFS = (
    Operation("facts", "GET", "/facts", "list_facts"),
    Operation("facts", "GET", "/facts/{id}", "get_fact", own.get_fact, FactView, responses=_ETAG),
    Operation("correct", "PATCH", "/facts/{id}", "correct_fact"),
    Operation("confirm", "POST", "/facts/{id}/confirm", "confirm_fact", only=FactView),
    Operation("refute", "POST", "/facts/{id}/refute", "refute_fact", only=FactView),
    Operation("resolve", "POST", "/facts/{id}/resolve", "resolve_fact"),
    Operation("pin", "POST", "/memories/{id}/pin", "pin_memory"),
    Operation("unpin", "POST", "/memories/{id}/unpin", "unpin_memory"),
    Operation("restore", "POST", "/memories/{id}/restore", "restore_memory"),
    Operation("why", "GET", "/memories/{id}/why", "explain_memory"),
    Operation(
        "conflicts",
        "GET",
        "/conflicts",
        "list_conflicts",
        place=lambda row: (row.opened_at.isoformat(), row.id),
        newest_first=True,
    ),
    Operation("proposals", "GET", "/proposals", "list_proposals", place=lambda row: (row.asked_at.isoformat(), row.id)),
    Operation("confirm", "POST", "/proposals/{id}/confirm", "confirm_proposal", only=Proposal),
    Operation("refute", "POST", "/proposals/{id}/refute", "refute_proposal", only=Proposal),
    Operation("both_hold", "POST", "/conflicts/{id}/both-hold", "hold_both"),
    Operation("diff", "GET", "/diff", "compare_beliefs"),
    Operation("nights", "GET", "/nights", "list_nights", place=lambda night: (night.id,), newest_first=True),
    Operation("consolidate", "POST", "/nights", "run_night"),
    Operation("undo", "POST", "/nights/{cycle}/undo", "undo_night"),
)
_KEEPING = (
    Operation("stats", "GET", "/stats", "read_stats"),
    Operation("usage", "GET", "/usage", "read_usage"),
    Operation(
        "configure", "PATCH", "/settings", "change_settings", own.change_settings, dict[str, int | float | bool | str]
    ),
    Operation("flush", "POST", "/flush", "flush"),
    Operation("retry", "POST", "/retry", "retry_failed", gives=own.Retried, shows=lambda rows: {"rows": rows}),
    Operation("fade", "POST", "/fade", "fade"),
    Operation("forget", "POST", "/forget", "forget"),
    Operation("forget", "DELETE", "/memories/{id}", "forget_memory", own.forget_memory, Forgotten),
    Operation("export", "GET", "/export", "export", own.export, responses=own.EXPORTED),
    Operation("import_", "POST", "/import", "import_export", own.import_export, Imported, extra=own.IMPORTED),
    Operation("erase", "DELETE", "/mind", "erase", own.erase, Erasure),
)
_EVENTS = (Operation("changes", "GET", "/events", "follow", follow, responses=FOLLOWED),)
OPERATIONS: Mapping[str, tuple[Operation, ...]] = MappingProxyType(
    {"talk": _TALK, "beliefs": _BELIEFS, "keeping": _KEEPING, "events": _EVENTS}
)
"""All operations by the title under which they are described. The first of a verb is the one it is known by."""


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
    for tag, operations in OPERATIONS.items():
        add_operations(router, operations, tag=tag)
    return router
