"""``yesteryear confirm``, ``refute``, ``correct`` and ``resolve``: the person's word on a fact, or on a proposal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from yesteryear.cli.invocation import SCOPE, Invocation, command

if TYPE_CHECKING:
    from yesteryear.consolidate.look import FactView
    from yesteryear.forget.propose import Proposal
    from yesteryear.sync.memory import Memory

_ID = Annotated[str, typer.Argument(metavar="ID", help="Of a fact.")]
_EITHER = Annotated[str, typer.Argument(metavar="ID", help="Of a fact, or of a proposal to forget.")]
_DAY = "a date (midnight UTC) or ISO 8601 with a zone"


@command(*SCOPE)
def confirm(call: Invocation, name: _EITHER) -> None:
    """Note that the person said yes to a fact, or to a proposal to forget.

    A fact counts as told once more, and the questions in which it takes part are settled. What a proposal is about is
    hidden at once and erased after some days; until then `yesteryear restore` brings it back. `yesteryear proposals`
    lists them.

    Example:
      yesteryear confirm 01a201db-788a-7000-b165-d0cdeca606e4 --user ana
    """
    with call.open() as engine:
        memory = call.memory(engine)
        _show(call, memory, memory.confirm(name), "Confirmed: ")


@command(*SCOPE)
def refute(call: Invocation, name: _EITHER) -> None:
    """Note that the person said no to a fact, or to a proposal to forget, which is withdrawn.

    The fact is not believed any more, and what rested on it needs review. It is kept, so that `yesteryear why` can say
    what happened; `yesteryear restore` takes it back, `yesteryear forget` leaves nothing of it.

    Example:
      yesteryear refute 01a201db-788a-7000-b165-d0cdeca606e4 --user ana
    """
    with call.open() as engine:
        memory = call.memory(engine)
        _show(call, memory, memory.refute(name), "Refuted: ")


@command(*SCOPE)
def both_hold(call: Invocation, fact_id: _ID, other_id: _ID) -> None:
    """Note that two facts in conflict both hold.

    The question between them is settled, neither gives way, and it is not asked again. `yesteryear conflicts` lists the
    two ids of each.

    Example:
      yesteryear both-hold 01a201db-788a-7000-b165-d0cdeca606e4 01a201db-788a-7000-b165-d0cdeca606e5 --user ana
    """
    from yesteryear.cli.believing import show_conflict
    from yesteryear.cli.dates import read_zone

    with call.open() as engine:
        memory = call.memory(engine)
        conflict = memory.both_hold("|".join(sorted((fact_id, other_id))))
        if call.output.is_json:
            call.output.document(conflict.to_dict())
        else:
            show_conflict(conflict, call.output, zone=read_zone(memory))


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


def _show(call: Invocation, memory: Memory, fact: FactView | Proposal, heading: str) -> None:
    from yesteryear.cli.believing import show_fact
    from yesteryear.cli.dates import read_zone
    from yesteryear.cli.removal import show_answered
    from yesteryear.forget.propose import Proposal

    if call.output.is_json:
        call.output.document(fact.to_dict())
        return
    if isinstance(fact, Proposal):
        show_answered(fact, call.output)
        return
    show_fact(fact, call.output, zone=read_zone(memory), heading=heading)
