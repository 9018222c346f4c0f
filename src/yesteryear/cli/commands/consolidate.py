"""``yesteryear consolidate`` and ``yesteryear undo``."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from yesteryear.cli.invocation import PERSON, Invocation, command
from yesteryear.cli.output import count

if TYPE_CHECKING:
    from yesteryear.sync.memory import Memory


@command(*PERSON)
def consolidate(
    call: Invocation,
    *,
    is_dry: Annotated[bool, typer.Option("--dry-run", help="Only show what would be done.")] = False,
    at: Annotated[
        str | None,
        typer.Option(help="The present, such as 2027-01-31 (midnight UTC) or ISO 8601 with a zone; else now."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask where --at lies ahead.")] = False,
    is_list: Annotated[bool, typer.Option("--list", help="Only list the last nights, newest first.")] = False,
    limit: Annotated[int, typer.Option(help="Most nights that are listed.", min=1)] = 30,
) -> None:
    """Run a night: settle what is believed, let fade what is due.

    Facts that may be the same or in conflict are compared; what was said twice becomes stable, what says the same is
    merged, what was said later takes the place of what it changes, and what cannot be ordered becomes a question. Then
    fades what is due. A worker does it every night; twice is the same as once.

    `yesteryear undo` takes back what the last night did to facts. With --at in the future words fade now that would
    have faded by then, for good, after asking. With --list --json a night a line.

    Example:
      yesteryear consolidate --user ana --dry-run
      yesteryear consolidate --user ana --list
    """
    from yesteryear.cli.consent import ask, check_askable
    from yesteryear.cli.dates import parse_day, read_zone
    from yesteryear.cli.nights import run_night, show_night

    day = parse_day(at)
    is_asked = day is not None and day > datetime.now(UTC) and not (is_dry or is_list or yes)
    if is_asked:
        check_askable(call.output, otherwise="pass --yes, or see with --dry-run what would be done")
    with call.open() as engine:
        memory = call.memory(engine)
        if is_list:
            _list(call, memory, limit)
            return
        if is_asked:
            show_night(run_night(memory, call.output, at=day, is_dry=True), memory, call.output, zone=read_zone(memory))
            ask("Let all that fades by then go now, for good?", call.output)
        report = run_night(memory, call.output, at=day, is_dry=is_dry)
        if call.output.is_json:
            call.output.document(report.to_dict())
            return
        show_night(report, memory, call.output, zone=read_zone(memory))
    if is_dry:
        call.output.note("nothing was done: that is how it would be")


@command(*PERSON)
def undo(
    call: Invocation,
    cycle: Annotated[
        str | None, typer.Argument(metavar="[NIGHT]", help="Its id; refused where it is not the last one that stands.")
    ] = None,
) -> None:
    """Take back what the last night did to facts.

    They stand again as before, and its verdicts are not given again. Undoing once more takes back the night before.
    Words that faded do not come back. `yesteryear consolidate --list` shows the nights and their ids.

    Example:
      yesteryear undo --user ana
    """
    from yesteryear.cli.dates import read_zone
    from yesteryear.cli.nights import show_night

    with call.open() as engine:
        memory = call.memory(engine)
        report = memory.undo(cycle)
        if call.output.is_json:
            call.output.document(report.to_dict())
            return
        call.output.say("Undone; the facts below stand as they did before.")
        of_facts = replace(report, faded=0, facts={})  # words stay gone, and the numbers were those of then
        show_night(of_facts, memory, call.output, zone=read_zone(memory))


def _list(call: Invocation, memory: Memory, limit: int) -> None:
    from yesteryear.cli.dates import read_zone
    from yesteryear.cli.nights import say_facts, say_night

    found, zone = memory.nights(limit=limit), read_zone(memory)
    for report in found:
        if call.output.is_json:
            call.output.document(report.to_dict())
            continue
        call.output.say(say_night(report, zone=zone), style="bold")
        changed = len([change for change in report.changes if change.what != "confidence"])
        call.output.wrap(f"{count(changed, 'fact')} changed; then {say_facts(report.facts)}")
        call.output.say(f"  {report.id}", style="dim")
    if not found:
        call.output.note("there was no night yet")
