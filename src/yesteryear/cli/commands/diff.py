"""``yesteryear diff``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from yesteryear.cli.invocation import SCOPE, Invocation, command
from yesteryear.cli.output import Output, count, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from yesteryear.consolidate.look import FactsDiff, FactView
    from yesteryear.sync.memory import Memory


@command(*SCOPE)
def diff(
    call: Invocation,
    since: Annotated[str, typer.Argument(help="A date (midnight UTC), or ISO 8601 with a zone.")],
    until: Annotated[str | None, typer.Argument(help="Likewise; now where not given.")] = None,
) -> None:
    """Show what changed in what is believed.

    Between two moments of our knowledge, not of the world: what became believed, what ceased to be and what took its
    place, and what became surer, less sure or otherwise.

    Example:
      yesteryear diff 2026-03-01 2026-04-01 --user ana
    """
    from yesteryear.cli.dates import parse_day, read_zone

    with call.open() as engine:
        memory = call.memory(engine)
        found = memory.diff(parse_day(since), parse_day(until))
        if call.output.is_json:
            call.output.document(found.to_dict())
            return
        _show(found, memory, call.output, zone=read_zone(memory))


def _show(found: FactsDiff, memory: Memory, output: Output, *, zone: str | None) -> None:
    from yesteryear.cli.believing import fact_table

    if found.gained:
        output.say(f"Believed since: {count(len(found.gained), 'fact')}", style="bold")
        output.show(fact_table(found.gained, zone=zone))
    if found.lost:
        output.say(f"Not believed any more: {count(len(found.lost), 'fact')}", style="bold")
        for line in say_lost(found.lost, memory):
            output.wrap(line, hanging=2)
    if found.changed:
        output.say(f"Believed otherwise: {count(len(found.changed), 'fact')}", style="bold")
        for before, after in found.changed:
            output.wrap(f"{one_line(after.statement)} ({', '.join(_say_changes(before, after))})", hanging=2)
    if not (found.gained or found.lost or found.changed):
        output.note("nothing changed between the two")


def say_lost(lost: tuple[FactView, ...], memory: Memory) -> Iterator[str]:
    """Say what became of facts that are not believed any more, and what took their places."""
    from yesteryear.cli.believing import find_statements

    successors = {fact.id: fact.superseded_by or fact.canonical_id for fact in lost}
    said = find_statements(memory, [name for name in successors.values() if name], {})
    for fact in lost:
        other = successors[fact.id]
        yield f"{one_line(fact.statement)} ({fact.status})" + (f" → {one_line(said[other])}" if other else "")


def _say_changes(before: FactView, after: FactView) -> Iterator[str]:
    """Say how a fact changed, part by part."""
    if before.status != after.status:
        yield f"{before.status} → {after.status}"
    if f"{before.confidence:.2f}" != f"{after.confidence:.2f}":
        yield f"sure {before.confidence:.2f} → {after.confidence:.2f}"
    if before.told != after.told:
        yield f"told {before.told} → {after.told}"
    if before.resolved_at is None and after.resolved_at is not None:
        yield "resolved"
    if before.valid_to is None and after.valid_to is not None:
        yield f"until {after.valid_to:%Y-%m-%d}"
    if before.pinned != after.pinned:
        yield "pinned" if after.pinned else "not pinned any more"
