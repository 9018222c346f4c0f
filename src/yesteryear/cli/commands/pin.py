"""``yesteryear pin`` and ``yesteryear unpin``."""

from __future__ import annotations

from typing import Annotated

import typer

from yesteryear.cli.invocation import SCOPE, Invocation, command

_ID = Annotated[str, typer.Argument(metavar="ID", help="Of an episode, or of a message in it.")]


@command(*SCOPE)
def pin(call: Invocation, episode_id: _ID) -> None:
    """Keep an episode for good.

    It never fades, and never leaves recall because there are too many others. One that was archived comes back.

    Example:
      yesteryear pin m-17 --user ana
    """
    from yesteryear.cli.commands.episodes import show_episode

    with call.open() as engine:
        pinned = call.memory(engine).pin(episode_id)
    if call.output.is_json:
        call.output.document(pinned.to_dict())
        return
    call.output.say("Pinned: it never fades.")
    show_episode(pinned, call.output)


@command(*SCOPE)
def unpin(call: Invocation, episode_id: _ID) -> None:
    """Let a pinned episode fade again.

    As others do; what the person asked to have remembered is kept all the same.

    Example:
      yesteryear unpin m-17 --user ana
    """
    from yesteryear.cli.commands.episodes import show_episode

    with call.open() as engine:
        unpinned = call.memory(engine).unpin(episode_id)
    if call.output.is_json:
        call.output.document(unpinned.to_dict())
        return
    if unpinned.is_held:
        call.output.say("Not pinned, yet it never fades: the person asked that it be remembered.")
    else:
        call.output.say("Not pinned: it fades as others do.")
    show_episode(unpinned, call.output)
