"""``yesteryear messages``."""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING, Annotated

import typer

from yesteryear.cli.invocation import SCOPE, Invocation, command
from yesteryear.cli.output import Output

if TYPE_CHECKING:
    from yesteryear.core.message import Message


@command(*SCOPE)
def messages(
    call: Invocation,
    *,
    conversation: Annotated[str | None, typer.Option(help="Only from this conversation.")] = None,
    author: Annotated[str | None, typer.Option(help="Only what this author said.")] = None,
    since: Annotated[str | None, typer.Option(help="Only what was said then or later, as ISO 8601.")] = None,
    until: Annotated[str | None, typer.Option(help="Only what was said before, as ISO 8601.")] = None,
    limit: Annotated[int, typer.Option(help="Most messages.", min=1)] = 100,
    after: Annotated[str, typer.Option(help="Go on behind the message with this id.")] = "",
) -> None:
    """List what was said, oldest first.

    Each message stands with its time, its id and whether the gate kept it and why. With --json a message a line.

    Example:
      yesteryear messages --user ana --since 2026-03-01T00:00:00+00:00
    """
    from yesteryear.cli.pages import take_pages

    with call.open() as engine:
        memory = call.memory(engine)
        page = take_pages(
            lambda last, size: memory.messages(
                conversation=conversation, author=author, since=since, until=until, after=last or "", limit=size
            ),
            after=after,
            limit=limit,
        )
        last = None
        for last in page:
            if call.output.is_json:
                call.output.document(last.to_dict())
            else:
                show_message(last, call.output)
        if last is None:
            call.output.note("no messages")
        elif memory.messages(
            conversation=conversation, author=author, since=since, until=until, after=last.id, limit=1
        ):
            call.output.note(f"there are more: --after {last.id}", style="dim")


def show_message(message: Message, output: Output) -> None:
    """Print a message with its verdict."""
    from yesteryear.cli.verdicts import ERASED
    from yesteryear.core.time import local

    said = local(message.at, message.zone)
    verdict = f"{message.verdict.outcome}: {message.verdict.reason}" if message.verdict else "not yet worked in"
    output.say(f"{said:%Y-%m-%d %H:%M}  {message.conversation}  {message.name}  ({verdict})", style="dim")
    output.say(indent(f"{message.author}: {message.content or ERASED}", "  "))
