"""``yesteryear timelapse``: live through a conversation again, night after night, and tell how belief changed."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from typer import Argument, Option

import yesteryear
from yesteryear.cli.commands.beliefs import fact_table, say_instead
from yesteryear.cli.commands.intake import ZONE, Intake, flush
from yesteryear.cli.commands.nights import run_night
from yesteryear.cli.importers import Draft, Flaw, Record
from yesteryear.cli.importers.formats import IMPORTERS, detect_format
from yesteryear.cli.invocation import SCOPE, Invocation, command, read_zone
from yesteryear.cli.output import Interrupted, Output, count, one_line
from yesteryear.consolidate.policy import NightPolicy, next_night
from yesteryear.core.access.arguments import MAX_PAGE
from yesteryear.core.results import Plain
from yesteryear.core.time import later, local, parse_instant
from yesteryear.errors import InputError
from yesteryear.results import ConflictView, CycleReport

_SOMEBODY = "somebody"  # who is remembered, where neither the file nor the command says so
_LABEL_COLUMNS = 12
_HALF_A_DAY = timedelta(hours=12)
"""What is taken off whole days, so that the night looked for is the next, also where the clocks are changed."""


@command(*SCOPE)
def timelapse(
    call: Invocation,
    file: Annotated[Path, Argument(help="A conversation, in a format that `import` takes.", exists=True)],
    *,
    every: Annotated[int, Option(help="Days between two nights.", min=1)] = 1,
    zone: ZONE = None,
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
    user, said, flaws = read_dated(IMPORTERS[detect_format(file)](file), user=call.user, zone=zone)
    call = replace(call, user=user or _SOMEBODY, store=call.store or ":memory:")
    begun = time.perf_counter()
    report = _replay(call, list(split_by_nights(said, every_days=every)), flaws)
    call.output.document({"file": file, **report})
    call.output.hint(f"{time.perf_counter() - begun:.1f} s", style="dim")


def _replay(call: Invocation, stretches: list[Stretch], flaws: list[Flaw]) -> dict[str, Any]:
    clock = yesteryear.ReplayClock(stretches[0].said[0].at)
    nights: list[Night] = []
    with call.open(may_create=True, clock=clock) as engine:
        memory = call.memory_in(engine, may_create=True)
        if memory.conversations():
            raise InputError(f"{call.user!r} is in this store already; replay into a new one, or for another --user")
        intake = Intake(lambda _: memory)
        try:
            for stretch, night in zip(stretches, _live(stretches, memory, clock, intake, call.output), strict=True):
                nights.append(night)
                _show_night(night, memory, call.output, zone=stretch.said[-1].zone)
        except (KeyboardInterrupt, Interrupted) as exc:
            whole = "it has to be replayed as a whole"
            raise Interrupted(f"interrupted after {count(len(nights), 'night')}; {whole}") from exc
        facts, conflicts = memory.facts(limit=MAX_PAGE), memory.conflicts()
        stable = [fact for fact in facts if fact.status == "stable"]
        believed = f"{count(len(facts), 'fact is', 'facts are')} believed, {len(stable):,} of them stable"
        call.output.heading(f"In the end {believed}; {count(len(conflicts), 'question')} open")
        if stable:
            call.output.show(fact_table(stable, zone=read_zone(memory)))
    unusable = [*flaws, *intake.flaws]
    for flaw in unusable:
        call.output.note(f"not used: {flaw.where}: {flaw.reason}", style="yellow")
    lived = {"user": call.user, "store": call.store, "messages": intake.messages, "nights": nights}
    return {**lived, "facts": facts, "conflicts": conflicts, "unusable": unusable}


def _show_night(night: Night, memory: yesteryear.Memory, output: Output, *, zone: str | None) -> None:
    believed = sum(number for status, number in night.report.facts.items() if status in ("tentative", "stable"))
    told = f"{count(night.messages, 'message')}, {count(believed, 'fact')} believed"
    output.say(f"{local(night.at, zone):%Y-%m-%d %H:%M}  {told}", style="bold")
    said = {fact.id: fact.statement for fact in memory.facts(status="all", limit=MAX_PAGE)}
    for label, text, style in _say_changes(night, said):
        output.wrap(f"{label:<{_LABEL_COLUMNS}}{text}", hanging=_LABEL_COLUMNS, style=style)


def _say_changes(night: Night, said: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    for fact in night.new:
        yield "new", one_line(fact.statement), ""
    for fact in night.stable:
        yield "stable", one_line(fact.statement), "green"
    for fact in (*night.superseded, *night.deprecated, *night.merged):
        style = "dim" if fact.status == "merged" else "yellow"
        yield str(fact.status), one_line(fact.statement) + say_instead(fact, said), style
    for conflict in night.asked:
        yield "asked", f"{one_line(conflict.earlier.statement)} Or: {one_line(conflict.later.statement)}", "cyan"


class ReplayedLine(NamedTuple):
    """A message with its date."""

    draft: Draft
    at: datetime
    zone: str | None


class Stretch(NamedTuple):
    """What is said until a night, and when that night is."""

    said: list[ReplayedLine]
    night_at: datetime


@dataclass(frozen=True, slots=True)
class Night(Plain):
    """How belief changed from one night to the end of the next; what was told in between is part of it."""

    at: datetime
    messages: int  # said since the night before
    new: list[yesteryear.FactView]
    stable: list[yesteryear.FactView]  # what became so, some of it told since the night before
    superseded: list[yesteryear.FactView]
    deprecated: list[yesteryear.FactView]  # what is not believed any more for another reason
    merged: list[yesteryear.FactView]
    asked: list[ConflictView]  # questions that were opened since, and are open still
    report: CycleReport


def read_dated(
    records: Iterable[Record], *, user: str | None, zone: str | None
) -> tuple[str | None, list[ReplayedLine], list[Flaw]]:
    """Return whose messages are replayed, the messages in order of their dates, and what cannot be used."""
    said: list[ReplayedLine] = []
    flaws: list[Flaw] = []
    for record in records:
        if isinstance(record, Flaw):
            flaws.append(record)
        elif isinstance(record, Draft) and record.message.get("at") is None:
            flaws.append(Flaw(record.where, "it has no date ('at')"))
        elif isinstance(record, Draft):
            here = record.message.get("zone") or zone
            message = record.message if here is None else {**record.message, "zone": here}
            try:
                at = parse_instant(message["at"], zone=here)
            except InputError as exc:
                flaws.append(Flaw(record.where, str(exc)))
            else:
                said.append(ReplayedLine(replace(record, message=message), at, here))
    people = list(dict.fromkeys(one.draft.user for one in said if one.draft.user is not None))
    if len(people) > 1:
        if user not in people:
            raise InputError(f"the file holds several people; pass --user with one of them: {', '.join(people)}")
        said = [one for one in said if one.draft.user == user]
    if not said:
        raise InputError("the file holds no message with a date ('at'), so there is nothing to replay")
    return user or (people[0] if people else None), sorted(said, key=lambda one: one.at), flaws


def split_by_nights(said: Iterable[ReplayedLine], *, every_days: int = 1) -> Iterator[Stretch]:
    """Yield what is said, in order, until each night, days apart; nights in which nothing is new are left out."""
    at_its_hour = NightPolicy(idle_hours=48.0)  # however long it was silent before, so that a replay repeats itself
    wait = timedelta(days=every_days) - _HALF_A_DAY
    stretch: list[ReplayedLine] = []
    earliest = due = None
    for one in said:
        if due is not None and due <= one.at:
            yield Stretch(stretch, due)
            stretch, earliest = [], later(due, wait)
        stretch.append(one)
        earliest = earliest or later(one.at, wait - _HALF_A_DAY)
        due = next_night(max(one.at, earliest), one.zone, at_its_hour)
    if due is not None:
        yield Stretch(stretch, due)


def _live(
    stretches: Iterable[Stretch],
    memory: yesteryear.Memory,
    clock: yesteryear.ReplayClock,
    intake: Intake,
    output: Output,
) -> Iterator[Night]:
    last, known = clock.now(), set[str]()
    for said, night_at in stretches:
        clock.set(said[-1].at)
        intake.take(one.draft for one in said)
        clock.set(night_at)
        flush(memory, output)
        report, diff = run_night(memory, output, at=night_at), memory.diff(last, night_at)
        changed = [after for before, after in diff.changed if before.status != after.status]
        night = Night(
            at=night_at,
            messages=len(said),
            new=list(diff.gained),
            stable=[fact for fact in (*changed, *diff.gained) if fact.status == "stable"],
            superseded=[fact for fact in diff.lost if fact.status == "superseded"],
            deprecated=[fact for fact in diff.lost if fact.status not in ("superseded", "merged")],
            merged=[fact for fact in memory.facts(status="merged", limit=MAX_PAGE) if fact.id not in known],
            asked=[conflict for conflict in memory.conflicts() if conflict.id not in known],
            report=report,
        )
        last = night_at
        known.update(fact.id for fact in night.merged)
        known.update(conflict.id for conflict in night.asked)
        yield night
