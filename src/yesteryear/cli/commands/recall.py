"""``yesteryear recall``."""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING, Annotated

import typer

from yesteryear.cli.invocation import SCOPE, Invocation, command
from yesteryear.cli.output import Output

if TYPE_CHECKING:
    from yesteryear.core.scored import Hit


@command(*SCOPE)
def recall(
    call: Invocation,
    text: Annotated[str, typer.Argument(help="A question, or a few words.")],
    *,
    limit: Annotated[int, typer.Option(help="Most hits, 1 to 1000.")] = 10,
    kind: Annotated[list[str] | None, typer.Option(help="excerpt or episode; both where not given.")] = None,
    since: Annotated[str | None, typer.Option(help="Only what was said then or later, as ISO 8601.")] = None,
    until: Annotated[str | None, typer.Option(help="Only what was said before, as ISO 8601.")] = None,
    author: Annotated[str | None, typer.Option(help="Only what this author said.")] = None,
    conversation: Annotated[str | None, typer.Option(help="Only from this conversation.")] = None,
) -> None:
    """Find memories that bear on a question, best first.

    Each hit stands with its score and the signals it is made of; scores compare within one recall only.

    Example:
      yesteryear recall "when do I run?" --user ana --limit 5
    """
    with call.open() as engine:
        found = call.memory(engine).recall(
            text, limit=limit, kinds=kind or None, since=since, until=until, author=author, conversation=conversation
        )
    if call.output.is_json:
        call.output.document(found.to_dict())
        return
    for number, hit in enumerate(found.hits, start=1):
        _show_hit(number, hit, call.output)
    if not found.hits:
        call.output.note("nothing that is remembered bears on this")
    for note in found.notes:
        call.output.note(f"note: {note}", style="yellow")


def _show_hit(number: int, hit: Hit, output: Output) -> None:
    from yesteryear.core.time import local

    signals = ", ".join(f"{name} {value:.2f}" for name, value in hit.signals.items())
    day = local(hit.at, hit.zone).date().isoformat()
    output.say(f"{number}. {hit.score:.2f}  {day}  {hit.grain}  {hit.conversation}  ({signals})", style="dim")
    output.say(indent(f"{hit.author}: {hit.text}" if hit.author else hit.text, "   "))
