"""``yesteryear keep``."""

from __future__ import annotations

from typing import Annotated

import typer

from yesteryear.cli.invocation import SCOPE, Invocation, command


@command(*SCOPE)
def keep(
    call: Invocation, name: Annotated[str, typer.Argument(metavar="ID", help="Of a message that was skipped.")]
) -> None:
    """Keep a message after all that the gate skipped.

    What was judged together with it, such as the reply, is kept with it. It becomes an episode of its own, and facts
    where it states some. `yesteryear gate --skipped` and `yesteryear messages` show what was skipped; `yesteryear
    forget` takes it back.

    Example:
      yesteryear keep m-17 --user ana
    """
    from yesteryear.cli.commands.messages import show_message

    with call.open() as engine:
        kept = call.memory(engine).keep(name)
    if call.output.is_json:
        call.output.document(kept.to_dict())
        return
    call.output.say("Kept.")
    show_message(kept, call.output)
    call.output.note("`yesteryear worker --once` works it in; until then it is found by its words")
