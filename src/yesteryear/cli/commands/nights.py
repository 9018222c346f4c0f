"""What a worker does by night, by hand: consolidate and undo what it did to facts, let fade what is due."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Annotated

from rich.table import Table
from typer import Option

import yesteryear
from yesteryear.api.words import SAID
from yesteryear.cli.commands.beliefs import find_statements
from yesteryear.cli.commands.why import ERASED
from yesteryear.cli.invocation import PERSON, Invocation, iso_day, read_zone, read_zones
from yesteryear.cli.output import Output, cell, count, interruption, one_line, table
from yesteryear.cli.verb_options import AskedVerb, command_of
from yesteryear.consolidate.night.cycle import Progress
from yesteryear.core.time import local
from yesteryear.results import CycleReport, FactChange, Faded

_MOST_SHOWN = 20  # changes, episodes or messages of each kind that are listed
_ALL_NAMED = ": --json names them all"
_CONFIDENCE = "confidence"  # the change that is only counted: there is one for most facts
_YES = Annotated[bool, Option("--yes", help="Do not ask where --at lies ahead.")]


@command_of(yesteryear.Memory.consolidate, *PERSON)
def consolidate(
    call: Invocation,
    verb: AskedVerb[CycleReport],
    *,
    yes: _YES = False,
    is_list: Annotated[bool, Option("--list", help="Only list the last nights, newest first.")] = False,
    limit: Annotated[int, Option(help="Most nights that are listed.", min=1)] = 30,
) -> None:
    """Run a night: settle what is believed, let fade what is due.

    Facts that may be the same or in conflict are compared; what was said twice becomes stable, what says the same is
    merged, what was said later takes the place of what it changes, and what cannot be ordered becomes a question. Then
    fades what is due. A worker does it every night; twice is the same as once.

    `yesteryear undo` takes back what the last night did to facts. With --at in the future words fade now that would
    have faded by then, for good, after asking. With --list --json a night a line.

    Example:
      yesteryear consolidate --user ana --dry-run
      yesteryear consolidate --user ana --list
    """
    day, is_dry = verb.given["at"], verb.given["dry_run"]
    is_asked = day is not None and day > datetime.now(UTC) and not (is_dry or is_list or yes)
    if is_asked:
        call.output.check_askable(otherwise="pass --yes, or see with --dry-run what would be done")
    with call.memory() as memory:
        if is_list:
            _list(memory, limit, call.output)
            return
        if is_asked:
            _show_night(run_night(memory, call.output, at=day, is_dry=True), memory, call.output)
            call.output.ask("Let all that fades by then go now, for good?")
        report = run_night(memory, call.output, at=day, is_dry=is_dry)
        call.output.document(report)
        _show_night(report, memory, call.output)
    if is_dry:
        call.output.hint("nothing was done: that is how it would be")


@command_of(yesteryear.Memory.undo, *PERSON)
def undo(call: Invocation, verb: AskedVerb[CycleReport]) -> None:
    """Take back what the last night did to facts.

    They stand again as before, and its verdicts are not given again. Undoing once more takes back the night before.
    Words that faded do not come back. `yesteryear consolidate --list` shows the nights and their ids.

    Example:
      yesteryear undo --user ana
    """
    with call.memory() as memory:
        report = verb(memory)
        call.output.document(report, "Undone; the facts below stand as they did before.")
        of_facts = replace(report, faded=0, facts={})  # words stay gone, and the numbers were those of then
        _show_night(of_facts, memory, call.output)


def run_night(memory: yesteryear.Memory, output: Output, *, at: datetime | None, is_dry: bool = False) -> CycleReport:
    """Run a night and show how far it is; after ctrl-C the next one goes on from there."""

    def tell(progress: Progress) -> None:
        is_counted = progress.what in ("distilling", "judging")
        advance(progress.done / max(progress.total, 1) if is_counted else 1.0, progress.what)

    kept = "interrupted; what was done is kept, the same command goes on from there"
    with output.progress("the night", interrupted=kept) as advance:
        return memory.consolidate(at=at, dry_run=is_dry, on_progress=tell)


def _list(memory: yesteryear.Memory, limit: int, output: Output) -> None:
    zone = read_zone(memory)

    def show(report: CycleReport) -> None:
        output.say(say_night(report, zone=zone), style="bold")
        changed = len([change for change in report.changes if change.what != _CONFIDENCE])
        output.wrap(f"{count(changed, 'fact')} changed; then {_say_facts(report.facts)}")
        output.say(f"  {report.id}", style="dim")

    output.each(memory.nights(limit=limit), show, none="there was no night yet")


def _show_night(report: CycleReport, memory: yesteryear.Memory, output: Output) -> None:
    if output.is_json:
        return
    output.say(say_night(report, zone=read_zone(memory)), style="bold")
    named = [change for change in report.changes if change.what != _CONFIDENCE]
    said = find_statements(memory, (name for each in named for name in (each.fact_id, each.other_id)))
    said |= {change.fact_id: change.statement for change in named if change.statement}
    for what, title in SAID["changes"].items():
        changes = [_say_change(change, said) for change in named if change.what == what]
        output.section(title, changes, "fact", most=_MOST_SHOWN, where=_ALL_NAMED)
    for line in _say_rest(report):
        output.wrap(line, indent=0, hanging=2)


def say_night(report: CycleReport, *, zone: str | None) -> str:
    """Say which night it is and how much was looked at: ``Night of 2026-03-13 03:00: 4 episodes, 12 pairs judged``."""
    looked_at = [count(report.episodes, "episode"), f"{count(report.judged, 'pair')} of facts judged"]
    groups = (
        (report.distilled, "read by the model"),
        (report.undistilled, "that it could not read (the log says why)"),
    )
    looked_at += [f"{count(number, 'group')} {became}" for number, became in groups if number]
    state = "" if report.state == "done" or report.is_dry else f", {report.state}"
    return f"Night of {local(report.at, zone):%Y-%m-%d %H:%M}: {', '.join(looked_at)}{state}"


def _say_change(change: FactChange, said: Mapping[str, str]) -> str:
    other = "" if change.other_id is None else f" → {one_line(said[change.other_id])}"
    return one_line(said[change.fact_id]) + other + (f" ({one_line(change.why)})" if change.why else "")


def _say_facts(numbers: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {status}" for status, number in numbers.items() if number) or "none"


def _say_rest(report: CycleReport) -> Iterator[str]:
    confidence = sum(change.what == _CONFIDENCE for change in report.changes)
    if confidence:
        yield f"Surer or less sure than before: {count(confidence, 'fact')}"
    if report.conflicts_opened or report.conflicts_settled:
        opened, settled = count(report.conflicts_opened, "new question"), f"{report.conflicts_settled:,} settled"
        yield f"Conflicts: {opened}, {settled}; `yesteryear conflicts` shows them"
    if report.faded:
        yield f"Faded: {count(report.faded, 'episode')}"
    if report.is_empty:
        yield "Nothing had to be changed."
    if report.facts:
        yield f"Facts by now: {_say_facts(report.facts)}"


@command_of(yesteryear.Memory.fade, *PERSON)
def fade(call: Invocation, verb: AskedVerb[Faded], *, yes: _YES = False) -> None:
    """Let fade what is due to fade.

    Of weak episodes the words go and the gist stays; of still weaker ones nothing is found any more, unless it is asked
    for. What was skipped loses its words when its days are over, and what is too much gives way. The worker does the
    same by itself; running it twice, or late, makes no difference. Words that have gone cannot be brought back:
    `yesteryear pin` keeps them.

    With --at in the future it fades now what would have faded by then, after asking; with --dry-run it is only shown.

    Example:
      yesteryear fade --user ana --dry-run --at 2027-01-31
    """
    day = verb.given["at"]
    is_asked = day is not None and day > datetime.now(UTC) and not (verb.given["dry_run"] or yes)
    if is_asked:
        call.output.check_askable(otherwise="pass --yes, or see with --dry-run what would fade")
    with call.memory() as memory:
        with interruption("interrupted; what has faded so far stays so, the same command does the rest"):
            if is_asked:
                _show_faded(verb(memory, dry_run=True), memory, call.output)
                call.output.ask("Let all of it go now, for good?")
            faded = verb(memory)
        call.output.document(faded)
        _show_faded(faded, memory, call.output)


def _show_faded(faded: Faded, memory: yesteryear.Memory, output: Output) -> None:
    if output.is_json:
        return
    episodes, messages = partial(_episode_table, memory, faded.at), partial(_message_table, memory)
    for title, ids, noun, make in (
        ("The words go, the gist stays", faded.to_gist, "episode", episodes),
        ("Leave recall", faded.archived, "episode", episodes),
        ("Lose their words by themselves", faded.expired, "message", messages),
    ):
        if ids:
            output.say(f"{title}: {count(len(ids), noun)}", style="bold")
            output.show(make(ids[:_MOST_SHOWN]))
            output.say_more(len(ids), most=_MOST_SHOWN, indent=0, where=_ALL_NAMED)
    if not (faded.to_gist or faded.archived or faded.expired):
        output.say(f"nothing fades: nothing is due by {faded.at:%Y-%m-%d %H:%M} UTC")
    elif faded.is_dry:
        output.note(f"nothing was done: that is how it would be by {faded.at:%Y-%m-%d %H:%M} UTC")


def _episode_table(memory: yesteryear.Memory, at: datetime, ids: Sequence[str]) -> Table:
    zones, rows = read_zones(memory), []
    for episode in filter(None, (memory.why(episode_id, at=at).episode for episode_id in ids)):
        since = iso_day(episode.strengthened_at, zones.get(episode.conversation))
        strength, importance = f"{episode.strength:.2f}", f"{episode.importance:.2f}"
        rows.append((since, strength, importance, episode.topic, cell(episode.id, "dim")))
    return table(("since", "strength", "of", "topic", "id"), rows, rest="topic")


def _message_table(memory: yesteryear.Memory, ids: Sequence[str]) -> Table:
    zones, rows = read_zones(memory), []
    for message in filter(None, (memory.why(message_id).message for message_id in ids)):
        said = local(message.at, zones.get(message.conversation))
        rows.append((f"{said:%Y-%m-%d %H:%M}", message.said_by, message.reason, message.text or ERASED))
    return table(("said", "by", "reason", "text"), rows, rest="text")
