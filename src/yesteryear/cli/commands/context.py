"""``yesteryear context``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from yesteryear.cli.asking import Speaker
from yesteryear.cli.invocation import SCOPE, Invocation, command
from yesteryear.cli.output import Output, count
from yesteryear.recall.render import Layout

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
    recent_budget: Annotated[
        int | None, typer.Option(help="Most tokens of the session's last messages; 0 leaves them out.")
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(help="The present, for how dates are said, as ISO 8601; else now. Hides nothing said later."),
    ] = None,
    speaker: Annotated[
        Speaker, typer.Option(help="Whose words come first where a person talks with an assistant.")
    ] = Speaker.USER,
    layout: Annotated[Layout, typer.Option(help="How the context is written.")] = Layout.TEXT,
    is_explained: Annotated[
        bool, typer.Option("--explain", help="Show why each memory is in it, what it kept out, and what was left out.")
    ] = False,
) -> None:
    """Print what to put before a model for its next reply.

    The context goes to stdout and never costs more tokens than its budget; how many it costs, how many memories it
    holds and how many were left out goes to stderr. With --json: all of it, with the messages behind each memory.

    With --explain its memories are shown one by one instead, in the order in which they were given room: lane, tokens,
    score and signals, and the best memory that would have had room in its place; then what was left out and why, and
    how the budget was spent.

    Example:
      yesteryear context "Plan my day" --user ana --budget 500 --explain
    """
    from yesteryear.cli.packing import explain, plain_explanation

    with call.open() as engine:
        found = call.memory(engine).context(
            text,
            conversation=conversation,
            budget=budget,
            recent_budget=recent_budget,
            at=at,
            speaker=speaker.role,
            layout=layout,
        )
    if call.output.is_json:
        call.output.document(found.to_dict() | (plain_explanation(found) if is_explained else {}))
        return
    if is_explained:
        explain(found, text, call.output)
    else:
        _show(found, call.output)
    _show_figures(found, call.output)


def _show(found: Context, output: Output) -> None:
    if found.text:
        output.say(found.text)
    if found.recent:
        output.heading("This session so far")
        for line in found.recent:
            output.say(line)


def _show_figures(found: Context, output: Output) -> None:
    if not found.text and not found.dropped:
        output.note("nothing that is remembered bears on this")
    output.note(
        f"{found.tokens} of {count(found.budget, 'token')}; {count(len(found.items), 'memory', 'memories')}; "
        f"{len(found.dropped)} more left out",
        style="dim",
    )
    for note in found.notes:
        output.note(f"note: {note}", style="yellow")
