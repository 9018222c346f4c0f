"""``yesteryear extract``."""

from __future__ import annotations

from typing import Annotated

import typer

from yesteryear.cli.invocation import SCOPE, Invocation, command


@command(*SCOPE)
def extract(
    call: Invocation,
    episode_id: Annotated[str, typer.Argument(metavar="ID", help="Of an episode, or of a message in it.")],
) -> None:
    """Draw facts from an episode by hand.

    As is done by itself when an episode is written; for episodes that were written before there were facts, or while
    that was switched off. What is known already is not told twice by it. With --json a fact a line.

    Example:
      yesteryear extract m-17 --user ana
    """
    from yesteryear.cli.believing import fact_table
    from yesteryear.cli.dates import read_zone

    with call.open() as engine:
        memory = call.memory(engine)
        found = memory.extract(episode_id)
        zone = read_zone(memory)
    if call.output.is_json:
        for fact in found:
            call.output.document(fact.to_dict())
    elif found:
        call.output.show(fact_table(found, zone=zone))
    else:
        call.output.note("it states no facts")
