"""``yesteryear recall``."""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING, Annotated

import typer

from yesteryear.cli.asking import Speaker
from yesteryear.cli.invocation import SCOPE, Invocation, command
from yesteryear.cli.output import Output

if TYPE_CHECKING:
    from yesteryear.core.scored import Hit
    from yesteryear.recall.retrieve import Recalled


@command(*SCOPE)
def recall(
    call: Invocation,
    text: Annotated[str, typer.Argument(help="A question, or a few words.")],
    *,
    limit: Annotated[int, typer.Option(help="Most hits, 1 to 1000.")] = 10,
    kind: Annotated[list[str] | None, typer.Option(help="excerpt, episode or fact; all where not given.")] = None,
    since: Annotated[str | None, typer.Option(help="Only what was said then or later, as ISO 8601.")] = None,
    until: Annotated[str | None, typer.Option(help="Only what was said before, as ISO 8601.")] = None,
    author: Annotated[str | None, typer.Option(help="Only what this author said.")] = None,
    conversation: Annotated[str | None, typer.Option(help="Only from this conversation.")] = None,
    speaker: Annotated[
        Speaker, typer.Option(help="Whose words come first where a person talks with an assistant.")
    ] = Speaker.USER,
    is_archived: Annotated[bool, typer.Option("--archived", help="Find what has left recall, too.")] = False,
    at: Annotated[
        str | None, typer.Option(help="The present, from which 'last week' and ages count, as ISO 8601; else now.")
    ] = None,
    is_explained: Annotated[
        bool, typer.Option("--explain", help="Show how the question was read, and each score signal by signal.")
    ] = False,
) -> None:
    """Find memories that bear on a question, best first.

    Each hit stands with its score and the signals it is made of; scores compare within one recall only. With --explain:
    what was read from the question, and for each hit what every signal adds or takes, and the messages behind it. With
    --json all of that is there anyway.

    Example:
      yesteryear recall "when do I run?" --user ana --limit 5 --explain
    """
    with call.open() as engine:
        found = call.memory(engine).recall(
            text,
            limit=limit,
            kinds=kind or None,
            since=since,
            until=until,
            author=author,
            conversation=conversation,
            speaker=speaker.role,
            archived=is_archived,
            at=at,
        )
    if call.output.is_json:
        call.output.document(found.to_dict())
        return
    if is_explained:
        _explain(found, text, call.output)
    else:
        for number, hit in enumerate(found.hits, start=1):
            _show_hit(number, hit, call.output)
    if not found.hits:
        hint = "" if is_archived else "; --archived looks into what has left recall, too"
        call.output.note(f"nothing that is remembered bears on this{hint}")
    for note in found.notes:
        call.output.note(f"note: {note}", style="yellow")


def _show_hit(number: int, hit: Hit, output: Output) -> None:
    signals = ", ".join(f"{name} {value:.2f}" for name, value in hit.signals.items())
    source = "  ".join(filter(None, [hit.grain, hit.conversation]))
    output.say(f"{number}. {hit.score:.2f}  {_day(hit)}  {source}  ({signals})", style="dim")
    output.say(indent(hit.text if hit.grain == "fact" or not hit.author else f"{hit.author}: {hit.text}", "   "))


def _explain(found: Recalled, asked: str, output: Output) -> None:
    from yesteryear.cli.asking import MARGIN, largest, show_field, show_reading, show_signals

    show_reading(found.reading, asked, output)
    scale = largest(hit.signals for hit in found.hits)
    for number, hit in enumerate(found.hits, start=1):
        output.say()
        source = hit.grain if hit.grain == "fact" or not hit.author else hit.author
        output.wrap(f"{number}. score {hit.score:.2f}  {source}, {_day(hit)}", style="bold", indent=0, hanging=MARGIN)
        output.wrap(hit.text, indent=MARGIN)
        if hit.is_earlier:
            earlier = "another fact took its place" if hit.grain == "fact" else "another hit states it anew"
            output.wrap(f"an earlier value: {earlier}", indent=MARGIN, style="yellow")
        show_signals(hit.signals, output, scale=scale)
        place = f" in {hit.conversation}" if hit.conversation else ""
        show_field("messages", f"{', '.join(hit.messages)}{place}", output, style="dim")


def _day(hit: Hit) -> str:
    from yesteryear.core.time import local

    return local(hit.at, hit.zone).date().isoformat()
