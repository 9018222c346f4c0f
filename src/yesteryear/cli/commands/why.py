"""``yesteryear why``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from yesteryear.cli.invocation import SCOPE, Invocation, command
from yesteryear.cli.output import Output

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from yesteryear.why import Why


@command(*SCOPE)
def why(
    call: Invocation,
    name: Annotated[str, typer.Argument(metavar="ID", help="Of a fact, an episode or a message; your own ids too.")],
    *,
    message: Annotated[
        str | None, typer.Option(help="Also why it stands in the context for this message, or why not.")
    ] = None,
    conversation: Annotated[str | None, typer.Option(help="The session that the message is said in.")] = None,
    budget: Annotated[int | None, typer.Option(help="Most tokens of that context; 1000 unless set otherwise.")] = None,
    at: Annotated[str | None, typer.Option(help="The present, as a date or as ISO 8601 with a zone; else now.")] = None,
) -> None:
    """Show why something is remembered or believed, and when it fades.

    Of a fact: what was said for and against it, with quotes and dates; how sure we are, how that came about and when it
    is given up without news; what other facts are to it, and its history. Of an episode: what its importance is the sum
    of, what is left of it now, and when its words go and it leaves recall. Of a message: what the gate decided, by
    which rule or score, from which features, and until when its words stay; then the episode that holds it.

    With --message the context for that message is made, and shown is what stands in it of this: lane, tokens, score and
    signals, and the best memory that would have had room in its place; or why it was left out.

    Example:
      yesteryear why m-17 --user ana
      yesteryear why m-17 --user ana --message "Plan my day"
    """
    from yesteryear.cli.dates import parse_day, read_zone, read_zones
    from yesteryear.cli.reasons import plain_place, show_place
    from yesteryear.providers.clock import SystemClock

    now = parse_day(at) or SystemClock().now()
    with call.open() as engine:
        memory = call.memory(engine)
        found = memory.why(name, at=now)
        zones, zone = read_zones(memory), read_zone(memory)
        context = None
        if message is not None:
            context = memory.context(message, conversation=conversation, budget=budget, at=now)
    if call.output.is_json:
        call.output.document(found.to_dict() | ({} if context is None else {"context": plain_place(context, found)}))
        return
    show_why(found, call.output, zones=zones, zone=zone, now=now)
    if context is not None:
        show_place(context, found, call.output)
        for note in context.notes:
            call.output.note(f"note: {note}", style="yellow")


def show_why(found: Why, output: Output, *, zones: Mapping[str, str | None], zone: str | None, now: datetime) -> None:
    """Print why something is remembered or believed.

    Args:
        found: What was found out.
        output: Where it is shown.
        zones: Of the conversations, by name.
        zone: Of the person.
        now: The present.
    """
    from yesteryear.cli.grounds import show_fact_why
    from yesteryear.cli.reasons import show_episode, show_hidden, show_message

    if found.hidden is not None:
        show_hidden(found.hidden, output, zone=zone, now=now)
    if found.fact is not None:
        show_fact_why(found.fact, output, zone=zone, now=now)
        return
    if found.message is not None:
        show_message(found.message, output, zone=zones.get(found.message.conversation), now=now)
    if found.message is not None and found.episode is not None:
        output.say()
    if found.episode is not None:
        show_episode(found.episode, output, zone=zones.get(found.episode.conversation), now=now)
    elif found.message is not None:
        output.note("no episode holds it")
