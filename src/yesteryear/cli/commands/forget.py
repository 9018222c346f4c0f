"""``yesteryear forget``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from yesteryear.cli.invocation import SCOPE, Interrupted, Invocation, command
from yesteryear.cli.output import Output, count

if TYPE_CHECKING:
    from yesteryear.forget.forget import Forgotten
    from yesteryear.sync.memory import Memory


@command(*SCOPE)
def forget(
    call: Invocation,
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="ID", help="Of messages, episodes or facts; your own ids too.")
    ] = None,
    *,
    conversation: Annotated[str | None, typer.Option(help="All of this conversation.")] = None,
    since: Annotated[
        str | None, typer.Option(help="What was said then or later: a date (midnight UTC) or ISO 8601 with a zone.")
    ] = None,
    until: Annotated[str | None, typer.Option(help="What was said before then; likewise.")] = None,
    about: Annotated[str | None, typer.Option(help="What bears on this; look at what is found.")] = None,
    is_dry: Annotated[bool, typer.Option("--dry-run", help="Only show what would be forgotten.")] = False,
    is_agreed: Annotated[bool, typer.Option("--yes", help="Forget what is found without asking.")] = False,
) -> None:
    """Forget messages and all that was made of them, or facts.

    Their words, their vectors, what contexts have shown of them, what summaries tell of them, in the files too; there
    is no way back. What stays is that something was said. An episode that loses some of its messages is digested anew
    without them, or forgotten as a whole where its words are gone already. Facts that rested on them alone go with
    them. Of a fact named by its id the statement and the quotes go, with what was inferred from it alone; the messages
    that it was told in stay.

    First it is shown what would go, then asked. With --about what is found may be more than was meant: --dry-run --json
    gives the ids, and those that are meant can be passed alone.

    Example:
      yesteryear forget m-17 m-18 --user ana
      yesteryear forget --conversation day-2 --since 2026-03-02 --until 2026-03-03 --user ana
      yesteryear forget --about "my knee" --user ana --dry-run
    """
    from yesteryear.cli.consent import ask, check_askable
    from yesteryear.cli.dates import parse_day, read_zones
    from yesteryear.cli.removal import say_forgotten, show_leaving

    with call.open() as engine:
        memory = call.memory(engine)
        chosen = memory.forget(
            *(ids or ()),
            conversation=conversation,
            since=parse_day(since),
            until=parse_day(until),
            about=about,
            dry_run=True,
        )
        show_leaving(chosen, memory, read_zones(memory), call.output)
        if is_dry or not chosen.ids:
            _end_dry(chosen, call.output)
            return
        if not is_agreed:
            check_askable(call.output, otherwise="pass --yes, or --dry-run to see what would go")
            ask(f"Forget {say_forgotten(chosen)}, for good?", call.output)
        forgotten = _forget(memory, chosen, call.output)
    if call.output.is_json:
        call.output.document(forgotten.to_dict())
    else:
        _show(forgotten, call.output)


def _end_dry(chosen: Forgotten, output: Output) -> None:
    from yesteryear.cli.removal import say_forgotten

    if output.is_json:
        output.document(chosen.to_dict())
    elif chosen.ids:
        output.note(f"nothing was done: that is what would be forgotten, {say_forgotten(chosen)}")
    else:
        output.note("there is nothing to forget")


def _forget(memory: Memory, chosen: Forgotten, output: Output) -> Forgotten:
    """Forget what was agreed to, no more, and show how far it is."""
    number, done = len(chosen.messages), 0
    try:
        with output.progress(f"forgetting {count(number, 'message')}") as advance:

            def tell(messages: int) -> None:
                nonlocal done
                done = messages
                advance(messages / max(number, 1), count(messages, "message"))

            # An episode's id would stand for all that was said in its time, also what was not shown.
            ids = chosen.ids or chosen.episodes
            return memory.forget(*ids, on_progress=tell)
    except KeyboardInterrupt as exc:
        raise Interrupted(
            f"interrupted: {done:,} of {count(number, 'message')} were forgotten, and the files may still hold words "
            "of them; the same command again forgets the rest"
        ) from exc


def _show(forgotten: Forgotten, output: Output) -> None:
    from yesteryear.cli.removal import say_forgotten, say_scrubbed

    output.say(f"Forgotten: {say_forgotten(forgotten)}.")
    for line in say_scrubbed(forgotten.scrubbed):
        output.say(f"  {line}", style="dim")
    if forgotten.scrubbed.waits_for:
        output.say(f"  Not gone from the files yet: {forgotten.scrubbed.waits_for}.", style="yellow")
    if forgotten.reduced:
        output.note("`yesteryear worker --once` digests anew what has lost some of its messages")
