"""``yesteryear conflicts``."""

from __future__ import annotations

from typing import Annotated

import typer

from yesteryear.cli.invocation import SCOPE, Invocation, command


@command(*SCOPE)
def conflicts(
    call: Invocation,
    *,
    is_resolved: Annotated[bool, typer.Option("--resolved", help="Show the settled ones, too.")] = False,
) -> None:
    """List facts that cannot both hold, newest first.

    Nobody but the person knows which one does. Contexts offer the agent one short question at a time; what is said next
    about it settles it, and so do `yesteryear confirm`, `refute`, `correct` and `both-hold`. With --json a pair a line.

    Example:
      yesteryear conflicts --user ana --resolved
    """
    from yesteryear.cli.believing import show_conflict
    from yesteryear.cli.dates import read_zone

    with call.open() as engine:
        memory = call.memory(engine)
        found = memory.conflicts(resolved=is_resolved)
        zone = read_zone(memory)
    for number, conflict in enumerate(found):
        if call.output.is_json:
            call.output.document(conflict.to_dict())
            continue
        if number:
            call.output.say()
        show_conflict(conflict, call.output, zone=zone)
    if not found:
        call.output.note("nothing is in conflict")
