"""``yesteryear episodes``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from yesteryear.cli.invocation import SCOPE, Invocation, command
from yesteryear.cli.output import Output, count

if TYPE_CHECKING:
    from yesteryear.core.episode import Episode
    from yesteryear.sync import Memory


@command(*SCOPE)
def episodes(
    call: Invocation,
    *,
    conversation: Annotated[str | None, typer.Option(help="Only from this conversation.")] = None,
    status: Annotated[str | None, typer.Option(help="pending, active, failed or archived.")] = None,
    since: Annotated[str | None, typer.Option(help="Only those that ended then or later, as ISO 8601.")] = None,
    until: Annotated[str | None, typer.Option(help="Only those that ended before, as ISO 8601.")] = None,
    limit: Annotated[int, typer.Option(help="Most episodes.", min=1)] = 20,
    after: Annotated[str | None, typer.Option(help="Go on behind the episode with this id.")] = None,
    is_retry: Annotated[bool, typer.Option("--retry", help="Put back what was given up, and stop.")] = False,
) -> None:
    """List episodes, newest first, or put back failed ones.

    Each with its day, topic, how the person stood to it, its importance and its summary.

    With --json an episode a line. With --retry nothing is listed: episodes and messages whose work was given up after
    too many failures become due again.

    Example:
      yesteryear episodes --user ana --status failed
    """
    from yesteryear.cli.pages import take_pages

    with call.open() as engine:
        memory = call.memory(engine)
        if is_retry:
            _retry(memory, call.output)
            return
        last = None
        for last in take_pages(
            lambda behind, size: memory.episodes(
                conversation=conversation, status=status, since=since, until=until, after=behind, limit=size
            ),
            after=after,
            limit=limit,
        ):
            if call.output.is_json:
                call.output.document(last.to_dict())
            else:
                show_episode(last, call.output)
        if last is None:
            call.output.note("no episodes")
        elif memory.episodes(
            conversation=conversation, status=status, since=since, until=until, after=last.id, limit=1
        ):
            call.output.note(f"there are more: --after {last.id}", style="dim")


def show_episode(episode: Episode, output: Output) -> None:
    """Print an episode as a heading, its summary and what went wrong with it, if anything did."""
    from yesteryear.core.time import local

    day = local(episode.ended_at, episode.zone).date().isoformat()
    digest = episode.digest
    topic = (digest and digest.topic) or "(no topic)"
    state = f"{digest.user_state}, " if digest else ""
    status = "" if episode.status == "active" else f"{episode.status}, "
    messages = count(len(episode.message_ids), "message")
    output.say(f"{day}  {topic}", style="bold")
    output.say(f"  {status}{state}importance {episode.importance:.2f}, {messages}, {episode.conversation}", style="dim")
    if digest and digest.summary:
        output.wrap(digest.summary)
    if episode.error:
        output.say(f"  {count(episode.attempts, 'attempt')} failed: {episode.error}", style="red")


def _retry(memory: Memory, output: Output) -> None:
    rows = memory.retry()
    if output.is_json:
        output.document({"retried": rows})
    output.say(f"{count(rows, 'row')} due again" if rows else "nothing was given up")
    if rows:
        output.note("`yesteryear worker --once` tries again now")
