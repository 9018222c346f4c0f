"""``yesteryear episodes``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from yesteryear.cli.invocation import SCOPE, Invocation, command
from yesteryear.cli.output import Output, count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from yesteryear.core.episode import Episode
    from yesteryear.sync.memory import Memory


@command(*SCOPE)
def episodes(
    call: Invocation,
    *,
    conversation: Annotated[str | None, typer.Option(help="Only from this conversation.")] = None,
    status: Annotated[str | None, typer.Option(help="pending, active, failed, archived or forgotten.")] = None,
    since: Annotated[str | None, typer.Option(help="Only those that ended then or later, as ISO 8601.")] = None,
    until: Annotated[str | None, typer.Option(help="Only those that ended before, as ISO 8601.")] = None,
    limit: Annotated[int, typer.Option(help="Most episodes.", min=1)] = 20,
    after: Annotated[str | None, typer.Option(help="Go on behind the episode with this id.")] = None,
    is_retry: Annotated[bool, typer.Option("--retry", help="Put back what was given up, and stop.")] = False,
) -> None:
    """List episodes, newest first, or put back failed ones.

    Each with its day, topic, how the person stood to it, its importance, when it fades next, and its summary. Of a gist
    the words are gone; what is archived is found on request only; forgotten ones are listed with --status forgotten.

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
    output.say(f"{day}  {topic}", style="bold")
    output.say(f"  {', '.join(_say_state(episode))}", style="dim")
    output.say(f"  {episode.id}", style="dim")
    if digest and digest.summary:
        output.wrap(digest.summary)
    if episode.error:
        output.say(f"  {count(episode.attempts, 'attempt')} failed: {episode.error}", style="red")


def _say_state(episode: Episode) -> Iterator[str]:
    """Say how an episode is: what is out of the ordinary, how much it matters, and what becomes of it."""
    from yesteryear.core.time import local

    if episode.status != "active":
        yield episode.status
    if episode.detail != "vivid":
        yield episode.detail
    if episode.pinned:
        yield "pinned"
    if episode.digest:
        yield episode.digest.user_state
    yield f"importance {episode.importance:.2f}"
    if episode.is_held:
        yield "never fades"
    elif episode.fades_at is not None:
        yield f"fades {local(episode.fades_at, episode.zone):%Y-%m-%d}"
    yield count(len(episode.message_ids), "message")
    yield episode.conversation


def _retry(memory: Memory, output: Output) -> None:
    rows = memory.retry()
    if output.is_json:
        output.document({"retried": rows})
    output.say(f"{count(rows, 'row')} due again" if rows else "nothing was given up")
    if rows:
        output.note("`yesteryear worker --once` tries again now")
