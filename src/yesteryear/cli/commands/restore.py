"""``yesteryear restore``."""

from __future__ import annotations

from typing import Annotated

import typer

from yesteryear.cli.invocation import SCOPE, Invocation, command


@command(*SCOPE)
def restore(
    call: Invocation,
    episode_id: Annotated[str, typer.Argument(metavar="ID", help="Of an episode, or of a message in it.")],
) -> None:
    """Bring an archived episode back into recall.

    With what is left of it: its words where they are still there, else its summary. It fades from now on as if it were
    new. `yesteryear episodes --status archived` lists what can be brought back, `yesteryear recall --archived` finds
    it.

    Example:
      yesteryear restore m-17 --user ana
    """
    from yesteryear.cli.commands.episodes import show_episode

    with call.open() as engine:
        restored = call.memory(engine).restore(episode_id)
    if call.output.is_json:
        call.output.document(restored.to_dict())
        return
    call.output.say("Back in recall.")
    show_episode(restored, call.output)
    call.output.note("`yesteryear worker --once` makes its vectors; until then it is found by its words")
