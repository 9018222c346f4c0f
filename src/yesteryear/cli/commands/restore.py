"""``yesteryear restore``."""

from __future__ import annotations

from typing import Annotated

import typer

from yesteryear.cli.invocation import SCOPE, Invocation, command


@command(*SCOPE)
def restore(
    call: Invocation,
    name: Annotated[str, typer.Argument(metavar="ID", help="Of an episode, of a message, or of a fact.")],
) -> None:
    """Bring an archived episode back into recall, believe a fact again, or take a request to forget back.

    An episode comes back with what is left of it: its words where they are still there, else its summary. It fades from
    now on as if it were new. `yesteryear episodes --status archived` lists what can be brought back, `yesteryear recall
    --archived` finds it.

    A fact that was merged, superseded, refuted, given up or resolved stands as it did; what had taken its place stays
    beside it. `yesteryear facts --status all` lists them.

    What was hidden because somebody asked for it in talk is there again as it was: give the id of the message that
    asked, or of one that is hidden. `yesteryear why` says until when that can be done.

    Example:
      yesteryear restore m-17 --user ana
    """
    from yesteryear.cli.believing import show_fact
    from yesteryear.cli.commands.episodes import show_episode
    from yesteryear.cli.dates import read_zone
    from yesteryear.cli.output import count
    from yesteryear.core.episode import Episode
    from yesteryear.forget.seal import TakenBack

    with call.open() as engine:
        memory = call.memory(engine)
        restored, zone = memory.restore(name), read_zone(memory)
    if call.output.is_json:
        call.output.document(restored.to_dict())
    elif isinstance(restored, Episode):
        call.output.say("Back in recall.")
        show_episode(restored, call.output)
        call.output.note("`yesteryear worker --once` makes its vectors; until then it is found by its words")
    elif isinstance(restored, TakenBack):
        told = f"{count(len(restored.messages), 'message')}, {count(len(restored.facts), 'fact')}"
        call.output.say(f"Brought back: {told}.")
    else:
        show_fact(restored, call.output, zone=zone, heading="Believed again: ")
