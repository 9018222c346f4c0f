"""``yesteryear confirm``, ``refute``, ``correct`` and ``resolve``: the person's word on a fact."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from yesteryear.cli.invocation import SCOPE, Invocation, command

if TYPE_CHECKING:
    from yesteryear.consolidate.look import FactView
    from yesteryear.sync.memory import Memory

_ID = Annotated[str, typer.Argument(metavar="ID", help="Of a fact.")]
_DAY = "a date (midnight UTC) or ISO 8601 with a zone"


@command(*SCOPE)
def confirm(call: Invocation, fact_id: _ID) -> None:
    """Note that the person said yes to a fact.

    It counts as told once more, and settles the questions in which the fact takes part.

    Example:
      yesteryear confirm 01a201db-788a-7000-b165-d0cdeca606e4 --user ana
    """
    with call.open() as engine:
        memory = call.memory(engine)
        _show(call, memory, memory.confirm(fact_id), "Confirmed: ")


@command(*SCOPE)
def refute(call: Invocation, fact_id: _ID) -> None:
    """Note that the person said no to a fact.

    It is not believed any more, and what rested on it needs review. It is kept, so that `yesteryear why` can say what
    happened; `yesteryear restore` takes it back, `yesteryear forget` leaves nothing of it.

    Example:
      yesteryear refute 01a201db-788a-7000-b165-d0cdeca606e4 --user ana
    """
    with call.open() as engine:
        memory = call.memory(engine)
        _show(call, memory, memory.refute(fact_id), "Refuted: ")


@command(*SCOPE)
def correct(
    call: Invocation,
    fact_id: _ID,
    statement: Annotated[str, typer.Argument(metavar="TEXT", help='What is right, such as "Ana lives in Lisbon".')],
    *,
    since: Annotated[
        str | None, typer.Option(help=f"From when it holds, where the other held until then: {_DAY}.")
    ] = None,
) -> None:
    """Put another statement in the place of a fact.

    Without --since the fact was never right; with it the fact held until that day, and contexts say so where they are
    asked about the past.

    Example:
      yesteryear correct 01a201db-788a-7000-b165-d0cdeca606e4 "Ana lives in Lisbon" --since 2026-05-01 --user ana
    """
    from yesteryear.cli.dates import parse_day

    day = parse_day(since)
    with call.open() as engine:
        memory = call.memory(engine)
        _show(call, memory, memory.correct(fact_id, statement, since=day), "Now believed: ")


@command(*SCOPE)
def resolve(
    call: Invocation,
    fact_id: _ID,
    *,
    at: Annotated[str | None, typer.Option(help=f"When it was: {_DAY}; else now.")] = None,
) -> None:
    """Note that a goal is reached, a blocker gone or a decision reversed.

    Contexts do not show it as open any more; `yesteryear restore` takes that back.

    Example:
      yesteryear resolve 01a201db-788a-7000-b165-d0cdeca606e4 --at 2026-05-01 --user ana
    """
    from yesteryear.cli.dates import parse_day

    day = parse_day(at)
    with call.open() as engine:
        memory = call.memory(engine)
        _show(call, memory, memory.resolve(fact_id, at=day), "Resolved: ")


def _show(call: Invocation, memory: Memory, fact: FactView, heading: str) -> None:
    from yesteryear.cli.believing import show_fact
    from yesteryear.cli.dates import read_zone

    if call.output.is_json:
        call.output.document(fact.to_dict())
        return
    show_fact(fact, call.output, zone=read_zone(memory), heading=heading)
