"""Nights: one with its progress, and what it did in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from yesteryear.cli.believing import find_statements
from yesteryear.cli.invocation import Interrupted
from yesteryear.cli.output import Output, count, one_line
from yesteryear.core.time import local

if TYPE_CHECKING:
    from yesteryear.consolidate.cycle import Progress
    from yesteryear.core.cycle import CycleReport, FactChange
    from yesteryear.sync.memory import Memory

_MOST_SHOWN = 20
"""Changes of each kind that are listed."""
_CONFIDENCE = "confidence"
"""The change that is only counted: there is one for most facts."""
_TITLES = {
    "superseded": "Gave way to what was said later",
    "merged": "Merged into what says the same or more",
    "distilled": "Found over several episodes",
    "stable": "Stable from now on",
    "restored": "Believed again",
    "resolved": "Done",
    "needs_review": "To be reviewed",
    "deprecated": "Not believed any more",
}
"""What a change is called, in the order in which they are listed."""


def run_night(memory: Memory, output: Output, *, at: datetime | None, is_dry: bool = False) -> CycleReport:
    """Run a night and show how far it is.

    Raises:
        Interrupted: ctrl-C; the next one goes on from there.
    """
    with output.progress("the night") as advance:

        def tell(progress: Progress) -> None:
            is_counted = progress.what in ("distilling", "judging")
            advance(progress.done / max(progress.total, 1) if is_counted else 1.0, progress.what)

        try:
            return memory.consolidate(at=at, dry_run=is_dry, on_progress=tell)
        except KeyboardInterrupt as exc:
            raise Interrupted("interrupted; what was done is kept, the same command goes on from there") from exc


def show_night(report: CycleReport, memory: Memory, output: Output, *, zone: str | None) -> None:
    """Print what a night did, with what the facts say that it changed."""
    output.say(say_night(report, zone=zone), style="bold")
    named = [change for change in report.changes if change.what != _CONFIDENCE]
    said = _statements(memory, named)
    for what, title in _TITLES.items():
        changes = [change for change in named if change.what == what]
        if changes:
            output.say(f"{title}: {count(len(changes), 'fact')}", style="bold")
        for change in changes[:_MOST_SHOWN]:
            output.wrap(say_change(change, said), hanging=2)
        if len(changes) > _MOST_SHOWN:
            output.say(f"  and {len(changes) - _MOST_SHOWN:,} more: --json names them all")
    for line in _say_rest(report):
        output.wrap(line, indent=0, hanging=2)


def say_night(report: CycleReport, *, zone: str | None) -> str:
    """Say which night it is and how much was looked at: ``Night of 2026-03-13 03:00: 4 episodes, 12 pairs judged``."""
    looked_at = [count(report.episodes, "episode"), f"{count(report.judged, 'pair')} of facts judged"]
    if report.distilled:
        looked_at.append(f"{count(report.distilled, 'group')} read by the model")
    if report.undistilled:
        looked_at.append(f"{count(report.undistilled, 'group')} that it could not read (the log says why)")
    state = "" if report.state == "done" or report.is_dry else f", {report.state}"
    return f"Night of {local(report.at, zone):%Y-%m-%d %H:%M}: {', '.join(looked_at)}{state}"


def say_change(change: FactChange, said: Mapping[str, str]) -> str:
    """Say what a night did to a fact: the statement, what took its place, and why."""
    text = one_line(said[change.fact_id])
    if change.other_id is not None:
        text += f" → {one_line(said[change.other_id])}"
    return text + (f" ({one_line(change.why)})" if change.why else "")


def say_facts(numbers: Mapping[str, int]) -> str:
    """Say how many facts there are of each status: ``12 stable, 30 tentative``."""
    return ", ".join(f"{number:,} {status}" for status, number in numbers.items() if number) or "none"


def _say_rest(report: CycleReport) -> Iterable[str]:
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
        yield f"Facts by now: {say_facts(report.facts)}"


def _statements(memory: Memory, changes: Sequence[FactChange]) -> Mapping[str, str]:
    """Return what the facts of some changes say, those that took their places too."""
    known = {change.fact_id: change.statement for change in changes if change.statement}
    wanted = [name for change in changes for name in (change.fact_id, change.other_id) if name]
    return find_statements(memory, wanted, known)
