"""``yesteryear pin`` and ``yesteryear unpin``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from yesteryear.cli.invocation import SCOPE, Invocation, command

if TYPE_CHECKING:
    from yesteryear.consolidate.look import FactView
    from yesteryear.core.episode import Episode
    from yesteryear.sync.memory import Memory

_ID = Annotated[str, typer.Argument(metavar="ID", help="Of an episode, of a message in it, or of a fact.")]


@command(*SCOPE)
def pin(call: Invocation, name: _ID) -> None:
    """Keep an episode or a fact for good.

    An episode never fades then, and never leaves recall because there are too many others; one that was archived comes
    back. A fact never sinks for want of news, and is never merged away.

    Example:
      yesteryear pin m-17 --user ana
    """
    with call.open() as engine:
        memory = call.memory(engine)
        _show(call, memory, memory.pin(name), "Pinned: it never fades.")


@command(*SCOPE)
def unpin(call: Invocation, name: _ID) -> None:
    """Let a pinned episode or fact fade again.

    As others do; what the person asked to have remembered is kept all the same.

    Example:
      yesteryear unpin m-17 --user ana
    """
    from yesteryear.core.episode import Episode

    with call.open() as engine:
        memory = call.memory(engine)
        unpinned = memory.unpin(name)
        if isinstance(unpinned, Episode) and unpinned.is_held:
            said = "Not pinned, yet it never fades: the person asked that it be remembered."
        else:
            said = "Not pinned: it fades as others do."
        _show(call, memory, unpinned, said)


def _show(call: Invocation, memory: Memory, found: Episode | FactView, said: str) -> None:
    from yesteryear.cli.believing import show_fact
    from yesteryear.cli.commands.episodes import show_episode
    from yesteryear.cli.dates import read_zone
    from yesteryear.core.episode import Episode

    if call.output.is_json:
        call.output.document(found.to_dict())
        return
    call.output.say(said)
    if isinstance(found, Episode):
        show_episode(found, call.output)
    else:
        show_fact(found, call.output, zone=read_zone(memory))
