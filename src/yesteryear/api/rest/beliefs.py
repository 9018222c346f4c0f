"""Operations on what is believed, and the person's word on it: facts, memories by id, conflicts, nights."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Query
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from yesteryear.api.rest.operations import Asked, Instant, Name, Operation, Responses, Sought, Text, memory_of, tell
from yesteryear.api.rest.paging import Flag, Page, PageSought, page_of, page_through
from yesteryear.api.rest.versions import HEADERS, IfMatch, IfNoneMatch, etag, is_known, version_to_match
from yesteryear.consolidate.hand import MAX_STATEMENT_CHARS
from yesteryear.consolidate.look import ConflictView, FactsDiff, FactView
from yesteryear.core.arguments import MAX_PAGE
from yesteryear.core.cycle import CycleReport
from yesteryear.core.episode import Episode
from yesteryear.core.fact import FactKind
from yesteryear.errors import NotFound
from yesteryear.forget.propose import Proposal
from yesteryear.forget.seal import TakenBack
from yesteryear.why import Why


class FactsSought(PageSought):
    """Which facts are asked for."""

    kind: list[FactKind] | None = None
    """Only of these kinds."""
    status: Literal["current", "all", "tentative", "stable", "needs_review", "deprecated", "merged", "superseded"] = (
        "current"
    )
    """``current`` for what counts now."""
    subject: Name | None = None
    """Only about this person."""
    open_only: Flag = False
    """Only goals, blockers and decisions that are not settled."""
    as_of: Instant | None = None
    """Only what held in the world at this instant."""
    known_at: Instant | None = None
    """As it was known at this instant."""
    at: Instant | None = None
    """The present, from which confidence is computed and facts are ordered; now where not given."""


class Correction(Asked):
    """What is right in the place of a fact."""

    statement: Annotated[Text, Field(min_length=1, max_length=MAX_STATEMENT_CHARS)]
    """In the third person, such as "Ana lives in Lisbon"."""
    since: Instant | None = None
    """From when it holds, where the other held until then; not given where the other was never right."""


class Settlement(Asked):
    """When something was done."""

    at: Instant | None = None
    """Now where not given."""


class ConflictsSought(PageSought):
    """Which conflicts are asked for."""

    resolved: Flag = False
    """The settled ones too."""


class Span(Sought):
    """Between which moments of our knowledge."""

    since: Instant
    until: Instant | None = None
    """Now where not given."""


class NightAsked(Asked):
    """For when a night is run."""

    at: Instant | None = None
    """Now where not given. Run twice for one instant it changes nothing."""
    dry_run: bool = False
    """Only tell what would be done."""


async def list_facts(request: Request, query: Annotated[FactsSought, Query()]) -> Response:
    """Return a page of what is believed, the surest first."""
    found = await memory_of(request).facts(
        kinds=query.kind,
        status=query.status,
        subject=query.subject,
        open_only=query.open_only,
        as_of=query.as_of,
        known_at=query.known_at,
        at=query.at,
        after=query.after,
        limit=query.limit + 1,
    )
    return tell(page_of(found, query.limit, lambda fact: (fact.id,)))


async def get_fact(request: Request, id: str, if_none_match: IfNoneMatch = None) -> Response:  # noqa: A002
    """Return a fact, whatever its status, with its version as ETag."""
    found = await memory_of(request).facts(ids=[id], status="all")
    if not found:
        raise NotFound(f"there is no fact {id!r} in this scope; ids stand in /v1/facts")
    if is_known(if_none_match, found[0]):
        return Response(status_code=304, headers=etag(found[0]))
    return tell(found[0], headers=etag(found[0]))


async def correct_fact(request: Request, id: str, body: Correction, if_match: IfMatch = None) -> Response:  # noqa: A002
    """Put another statement in the place of a fact, and return the new fact."""
    version = version_to_match(if_match)
    return _tell(await memory_of(request).correct(id, body.statement, since=body.since, version=version))


async def confirm_fact(request: Request, id: str, if_match: IfMatch = None) -> Response:  # noqa: A002
    """Note that the person said yes to a fact."""
    return _tell(await memory_of(request).confirm(id, version=version_to_match(if_match)))


async def hold_both(request: Request, id: str) -> Response:  # noqa: A002 - the field's word
    """Note that the person said that both sides of a conflict hold; it is settled, and neither gives way."""
    return tell(await memory_of(request).both_hold(id))


async def refute_fact(request: Request, id: str, if_match: IfMatch = None) -> Response:  # noqa: A002
    """Note that the person said no to a fact: it is not believed any more."""
    return _tell(await memory_of(request).refute(id, version=version_to_match(if_match)))


async def resolve_fact(
    request: Request,
    id: str,  # noqa: A002 - the field's word
    body: Settlement | None = None,
    if_match: IfMatch = None,
) -> Response:
    """Note that a goal is reached, a blocker gone or a decision reversed."""
    at = None if body is None else body.at
    return _tell(await memory_of(request).resolve(id, at=at, version=version_to_match(if_match)))


async def pin_memory(request: Request, id: str, if_match: IfMatch = None) -> Response:  # noqa: A002
    """Keep an episode or a fact for good."""
    return _tell(await memory_of(request).pin(id, version=version_to_match(if_match)))


async def unpin_memory(request: Request, id: str, if_match: IfMatch = None) -> Response:  # noqa: A002
    """Let an episode or a fact fade again as others do."""
    return _tell(await memory_of(request).unpin(id, version=version_to_match(if_match)))


async def restore_memory(request: Request, id: str, if_match: IfMatch = None) -> Response:  # noqa: A002
    """Bring an archived episode back, believe a fact again, or take back what was asked in talk to be forgotten."""
    return _tell(await memory_of(request).restore(id, version=version_to_match(if_match)))


async def explain_memory(request: Request, id: str, at: Instant | None = None) -> Response:  # noqa: A002
    """Return why a fact is believed, why an episode is remembered and when it fades, or why a message was kept."""
    return tell(await memory_of(request).why(id, at=at))


async def list_conflicts(request: Request, query: Annotated[ConflictsSought, Query()]) -> Response:
    """Return a page of the questions between facts that cannot both hold, the newest first."""
    found = await memory_of(request).conflicts(resolved=query.resolved)
    page = page_through(found, query, lambda row: (row.opened_at.isoformat(), row.id), newest_first=True)
    return tell(page)


async def compare_beliefs(request: Request, query: Annotated[Span, Query()]) -> Response:
    """Return what became believed, ceased to be believed, or changed, between two moments."""
    return tell(await memory_of(request).diff(query.since, query.until))


async def list_nights(request: Request, query: Annotated[PageSought, Query()]) -> Response:
    """Return a page of what the last nights did, newest first; of the last thousand nights."""
    found = await memory_of(request).nights(limit=MAX_PAGE)
    return tell(page_through(found, query, lambda night: (night.id,), newest_first=True))


async def run_night(request: Request, body: NightAsked | None = None) -> Response:
    """Run a night: judge what may be the same or in conflict, settle what is believed, let go what has faded."""
    asked = body or NightAsked()
    return tell(await memory_of(request).consolidate(at=asked.at, dry_run=asked.dry_run))


async def undo_night(request: Request, id: str) -> Response:  # noqa: A002 - the field's word
    """Take back what the last night did to facts; another than the last that stands is refused."""
    return tell(await memory_of(request).undo(id))


async def list_proposals(request: Request, query: Annotated[PageSought, Query()]) -> Response:
    """Return a page of what somebody asked in talk to have forgotten as a whole, and nobody has answered."""
    found = await memory_of(request).proposals()
    return tell(page_through(found, query, lambda row: (row.asked_at.isoformat(), row.id)))


async def confirm_proposal(request: Request, id: str) -> Response:  # noqa: A002 - the field's word
    """Carry out a proposal to forget: what it is about is hidden, and erased when its days are over."""
    await _find_proposal(request, id)
    return _tell(await memory_of(request).confirm(id))


async def refute_proposal(request: Request, id: str) -> Response:  # noqa: A002 - the field's word
    """Withdraw a proposal to forget; nothing goes."""
    await _find_proposal(request, id)
    return _tell(await memory_of(request).refute(id))


async def _find_proposal(request: Request, name: str) -> None:
    """Make sure that an id is a proposal's: ``confirm`` and ``refute`` take those of facts as well.

    Raises:
        NotFound: it is not, or not any more.
    """
    if all(proposal.id != name for proposal in await memory_of(request).proposals()):
        raise NotFound(f"there is no open proposal {name!r}; ids stand in GET /v1/proposals")


def _tell(found: FactView | Episode | Proposal | TakenBack) -> Response:
    if isinstance(found, Proposal | TakenBack):
        return tell(found)
    return tell(found, headers=etag(found))


_VERSIONED: Responses = {200: {"headers": HEADERS}}
_KNOWN: Responses = {304: {"description": "It is still of the version at hand", "headers": HEADERS}}
_MEMORY = "/memories/{id}"
_FACT = "/facts/{id}"
BELIEFS = (
    Operation("facts", "GET", "/facts", list_facts, Page[FactView]),
    Operation("facts", "GET", _FACT, get_fact, FactView, responses={**_VERSIONED, **_KNOWN}),
    Operation("correct", "PATCH", _FACT, correct_fact, FactView, responses=_VERSIONED),
    Operation("confirm", "POST", f"{_FACT}/confirm", confirm_fact, FactView, responses=_VERSIONED),
    Operation("refute", "POST", f"{_FACT}/refute", refute_fact, FactView, responses=_VERSIONED),
    Operation("resolve", "POST", f"{_FACT}/resolve", resolve_fact, FactView, responses=_VERSIONED),
    Operation("pin", "POST", f"{_MEMORY}/pin", pin_memory, Episode | FactView, responses=_VERSIONED),
    Operation("unpin", "POST", f"{_MEMORY}/unpin", unpin_memory, Episode | FactView, responses=_VERSIONED),
    Operation(
        "restore", "POST", f"{_MEMORY}/restore", restore_memory, Episode | FactView | TakenBack, responses=_VERSIONED
    ),
    Operation("why", "GET", f"{_MEMORY}/why", explain_memory, Why),
    Operation("conflicts", "GET", "/conflicts", list_conflicts, Page[ConflictView]),
    Operation("proposals", "GET", "/proposals", list_proposals, Page[Proposal]),
    Operation("confirm", "POST", "/proposals/{id}/confirm", confirm_proposal, Proposal),
    Operation("refute", "POST", "/proposals/{id}/refute", refute_proposal, Proposal),
    Operation("both_hold", "POST", "/conflicts/{id}/both-hold", hold_both, ConflictView),
    Operation("diff", "GET", "/diff", compare_beliefs, FactsDiff),
    Operation("nights", "GET", "/nights", list_nights, Page[CycleReport]),
    Operation("consolidate", "POST", "/nights", run_night, CycleReport),
    Operation("undo", "POST", "/nights/{id}/undo", undo_night, CycleReport),
)
"""See ``router``."""
