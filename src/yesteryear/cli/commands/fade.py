"""``yesteryear fade``."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from yesteryear.cli.invocation import PERSON, Interrupted, Invocation, command
from yesteryear.cli.output import Output, cell, count, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from yesteryear.consolidate.letting_go import Faded
    from yesteryear.sync.memory import Memory

_MOST_SHOWN = 20
"""Episodes, and messages, of each kind that are listed."""


@command(*PERSON)
def fade(
    call: Invocation,
    *,
    is_dry: Annotated[bool, typer.Option("--dry-run", help="Only show what would fade.")] = False,
    at: Annotated[
        str | None,
        typer.Option(help="The present, such as 2027-01-31 (midnight UTC) or ISO 8601 with a zone; else now."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask where --at lies ahead.")] = False,
) -> None:
    """Let fade what is due to fade.

    Of weak episodes the words go and the gist stays; of still weaker ones nothing is found any more, unless it is asked
    for. What was skipped loses its words when its days are over, and what is too much gives way. The worker does the
    same by itself; running it twice, or late, makes no difference. Words that have gone cannot be brought back:
    `yesteryear pin` keeps them.

    With --at in the future it fades now what would have faded by then, after asking; with --dry-run it is only shown.

    Example:
      yesteryear fade --user ana --dry-run --at 2027-01-31
    """
    from yesteryear.cli.consent import ask, check_askable
    from yesteryear.cli.dates import parse_day

    day = parse_day(at)
    is_ahead = day is not None and day > datetime.now(UTC) and not is_dry
    if is_ahead and not yes:
        check_askable(call.output, otherwise="pass --yes, or see with --dry-run what would fade")
    with call.open() as engine:
        memory = call.memory(engine)
        try:
            if is_ahead and not yes:
                _show(memory.fade(at=day, dry_run=True), memory, call.output)
                ask("Let all of it go now, for good?", call.output)
            faded = memory.fade(at=day, dry_run=is_dry)
        except KeyboardInterrupt as exc:
            raise Interrupted("interrupted; what has faded so far stays so, the same command does the rest") from exc
        if call.output.is_json:
            call.output.document(faded.to_dict())
        else:
            _show(faded, memory, call.output)


def _show(faded: Faded, memory: Memory, output: Output) -> None:
    for title, ids in (("The words go, the gist stays", faded.to_gist), ("Leave recall", faded.archived)):
        if ids:
            output.say(f"{title}: {count(len(ids), 'episode')}", style="bold")
            _show_episodes(ids, faded, memory, output)
    if faded.expired:
        output.say(f"Lose their words by themselves: {count(len(faded.expired), 'message')}", style="bold")
        _show_messages(faded.expired, memory, output)
    if not (faded.to_gist or faded.archived or faded.expired):
        output.say(f"nothing fades: nothing is due by {faded.at:%Y-%m-%d %H:%M} UTC")
    elif faded.is_dry:
        output.note(f"nothing was done: that is how it would be by {faded.at:%Y-%m-%d %H:%M} UTC")


def _show_episodes(ids: Sequence[str], faded: Faded, memory: Memory, output: Output) -> None:
    from yesteryear.cli.dates import read_zones
    from yesteryear.core.time import local

    zones = read_zones(memory)
    rows = table("since", "strength", "of", "topic", "id", rest="topic")
    for episode in filter(None, (memory.why(episode_id, at=faded.at).episode for episode_id in ids[:_MOST_SHOWN])):
        since = local(episode.strengthened_at, zones.get(episode.conversation)).date()
        strength, importance = f"{episode.strength:.2f}", f"{episode.importance:.2f}"
        rows.add_row(cell(since), cell(strength), cell(importance), cell(episode.topic), cell(episode.id, "dim"))
    output.show(rows)
    _say_more(len(ids), output)


def _show_messages(ids: Sequence[str], memory: Memory, output: Output) -> None:
    from yesteryear.cli.dates import read_zones
    from yesteryear.cli.verdicts import ERASED
    from yesteryear.core.time import local

    zones = read_zones(memory)
    rows = table("said", "by", "reason", "text", rest="text")
    for message in filter(None, (memory.why(message_id).message for message_id in ids[:_MOST_SHOWN])):
        said = local(message.at, zones.get(message.conversation))
        rows.add_row(
            cell(f"{said:%Y-%m-%d %H:%M}"), cell(message.said_by), cell(message.reason), cell(message.text or ERASED)
        )
    output.show(rows)
    _say_more(len(ids), output)


def _say_more(number: int, output: Output) -> None:
    if number > _MOST_SHOWN:
        output.say(f"and {number - _MOST_SHOWN:,} more: --json names them all")
