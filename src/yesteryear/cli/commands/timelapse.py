"""``yesteryear timelapse``."""

from __future__ import annotations

import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from yesteryear.cli.invocation import SCOPE, Interrupted, Invocation, command
from yesteryear.cli.output import Output, count, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from yesteryear.cli.importers.records import Flaw
    from yesteryear.cli.replaying import Night, Replay, Stretch
    from yesteryear.consolidate.look import ConflictView, FactView

_SOMEBODY = "somebody"
"""Who is remembered, where neither the file nor the command says so."""
_LABEL_COLUMNS = 12


@command(*SCOPE)
def timelapse(
    call: Invocation,
    file: Annotated[Path, typer.Argument(help="A conversation, in a format that `import` takes.", exists=True)],
    *,
    every: Annotated[int, typer.Option(help="Days between two nights.", min=1)] = 1,
    zone: Annotated[
        str | None, typer.Option(help="The person's time zone, such as Europe/Lisbon; also for times without one.")
    ] = None,
) -> None:
    """Replay a conversation with its dates, and print how belief changed.

    A clock is set to the date of each message, and at three in the morning after a day on which something was told the
    night is run, as a worker would have done. For each night is shown what was new, became stable, gave way to what
    was said later, was merged, or became a question.

    All of it happens in memory and is gone in the end, unless --store names a file; nobody may be in it yet under that
    name. Where the file holds several people, --user says which one.

    Example:
      yesteryear timelapse chats.jsonl --user ana
      yesteryear timelapse chats.jsonl --every 7 --store replay.db
    """
    from yesteryear.cli.importers.formats import IMPORTERS, detect_format
    from yesteryear.cli.replaying import read_dated, split_by_nights

    user, said, flaws = read_dated(IMPORTERS[detect_format(file)](file), user=call.user, zone=zone)
    call = replace(call, user=user or _SOMEBODY, store=call.store or ":memory:")
    begun = time.perf_counter()
    report = _replay(call, list(split_by_nights(said, every_days=every)), flaws)
    if call.output.is_json:
        call.output.document({"file": str(file), **report})
    else:
        call.output.note(f"{time.perf_counter() - begun:.1f} s", style="dim")


def _replay(call: Invocation, stretches: list[Stretch], flaws: list[Flaw]) -> dict[str, Any]:
    """Live through all stretches, show each night, and return the whole as data."""
    from yesteryear.cli.dates import read_zone
    from yesteryear.cli.replaying import Replay
    from yesteryear.errors import InputError
    from yesteryear.providers.clock import ReplayClock

    clock = ReplayClock(stretches[0].said[0].at)
    nights: list[Night] = []
    with call.open(may_create=True, clock=clock) as engine:
        memory = call.memory(engine, may_create=True)
        if memory.conversations():
            raise InputError(f"{call.user!r} is in this store already; replay into a new one, or for another --user")
        replay = Replay(memory, clock, call.output)
        try:
            for stretch in stretches:
                nights.append(replay.live(stretch))
                show_night(nights[-1], replay, call.output, zone=stretch.said[-1].zone)
        except (KeyboardInterrupt, Interrupted) as exc:
            raise Interrupted(
                f"interrupted after {count(len(nights), 'night')}; it has to be replayed as a whole"
            ) from exc
        facts, conflicts = memory.facts(limit=1000), memory.conflicts()
        unusable = [*flaws, *replay.intake.flaws]
        _show_end(facts, conflicts, unusable, call.output, zone=read_zone(memory))
    return {
        "user": call.user,
        "store": call.store,
        "messages": replay.intake.messages,
        "nights": [night.to_dict() for night in nights],
        "facts": [fact.to_dict() for fact in facts],
        "conflicts": [conflict.to_dict() for conflict in conflicts],
        "unusable": [asdict(flaw) for flaw in unusable],
    }


def show_night(night: Night, replay: Replay, output: Output, *, zone: str | None) -> None:
    """Print a night: its date, how much was said since the one before, and each fact that changed."""
    from yesteryear.core.time import local

    believed = sum(number for status, number in night.report.facts.items() if status in ("tentative", "stable"))
    told = f"{count(night.messages, 'message')}, {count(believed, 'fact')} believed"
    output.say(f"{local(night.at, zone):%Y-%m-%d %H:%M}  {told}", style="bold")
    said = replay.statements()
    for label, text, style in _say_changes(night, said):
        output.wrap(f"{label:<{_LABEL_COLUMNS}}{text}", hanging=_LABEL_COLUMNS, style=style)


def _say_changes(night: Night, said: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Yield what changed in a night: in a word, the statements, and the colour they are shown in."""
    for fact in night.diff.gained:
        yield "new", one_line(fact.statement), ""
    for fact in night.stable:
        yield "stable", one_line(fact.statement), "green"
    for fact in night.ended:
        yield str(fact.status), _and_successor(fact, said), "yellow"
    for fact in night.merged:
        yield "merged", _and_successor(fact, said), "dim"
    for conflict in night.asked:
        yield "asked", f"{one_line(conflict.earlier.statement)} Or: {one_line(conflict.later.statement)}", "cyan"


def _and_successor(fact: FactView, said: Mapping[str, str]) -> str:
    other = said.get(fact.superseded_by or fact.canonical_id or "")
    return one_line(fact.statement) + (f" → {one_line(other)}" if other else "")


def _show_end(
    facts: list[FactView], conflicts: list[ConflictView], unusable: list[Flaw], output: Output, *, zone: str | None
) -> None:
    from yesteryear.cli.believing import fact_table

    stable = [fact for fact in facts if fact.status == "stable"]
    output.heading(
        f"In the end {count(len(facts), 'fact is', 'facts are')} believed, {len(stable):,} of them stable; "
        f"{count(len(conflicts), 'question')} open"
    )
    if stable:
        output.show(fact_table(stable, zone=zone))
    for flaw in unusable:
        output.note(f"not used: {flaw.where}: {flaw.reason}", style="yellow")
