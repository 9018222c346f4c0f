"""``yesteryear context``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from yesteryear.cli.invocation import SCOPE, Invocation, command
from yesteryear.cli.output import Output, count

if TYPE_CHECKING:
    from yesteryear.recall.context import Context


@command(*SCOPE)
def context(
    call: Invocation,
    text: Annotated[str, typer.Argument(help="What the person just said.")] = "",
    *,
    conversation: Annotated[
        str | None, typer.Option(help="The session it is said in; its last messages are shown too.")
    ] = None,
    budget: Annotated[int | None, typer.Option(help="Most tokens of the context; 1000 unless set otherwise.")] = None,
    recent_budget: Annotated[int | None, typer.Option(help="Most tokens of the session's last messages.")] = None,
    at: Annotated[
        str | None,
        typer.Option(help="The present, for how dates are said, as ISO 8601; else now. Hides nothing said later."),
    ] = None,
) -> None:
    """Print what to put before a model for its next reply.

    The context goes to stdout and never costs more tokens than its budget; how many it costs, how many memories it
    holds and how many found no room goes to stderr. With --json: all of it, with the messages behind each memory.

    Example:
      yesteryear context "Plan my day" --user ana --budget 500
    """
    with call.open() as engine:
        found = call.memory(engine).context(
            text, conversation=conversation, budget=budget, recent_budget=recent_budget, at=at
        )
    if call.output.is_json:
        call.output.document(found.to_dict())
        return
    _show_context(found, call.output)


def _show_context(found: Context, output: Output) -> None:
    if found.text:
        output.say(found.text)
    if found.recent:
        output.heading("This session so far")
        for line in found.recent:
            output.say(line)
    if not found.text and not found.dropped:
        output.note("nothing that is remembered bears on this")
    output.note(
        f"{found.tokens} of {count(found.budget, 'token')}; {count(len(found.items), 'memory', 'memories')}; "
        f"{len(found.dropped)} more found no room",
        style="dim",
    )
    for note in found.notes:
        output.note(f"note: {note}", style="yellow")
