"""Why a fact is believed, or is not: the page of ``yesteryear why`` about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from yesteryear.cli.asking import MARGIN, show_field
from yesteryear.cli.output import Output, one_line
from yesteryear.core.time import local, say_day

if TYPE_CHECKING:
    from yesteryear.why_fact import EvidenceWhy, FactWhy, RulingWhy, VersionWhy

_BAR_COLUMNS = 24
"""Of a confidence of 1."""
_STATES = {
    "tentative": "tentative: told, but not by several conversations yet",
    "stable": "stable: several conversations, or the person's word, speak for it",
    "needs_review": "to be reviewed",
    "deprecated": "not believed any more",
    "merged": "merged: another fact says the same or more",
    "superseded": "superseded: it held until another took its place",
    "forgotten": "forgotten: nothing of it is left",
}
_STANCES = {"supports": "for", "contradicts": "against", "echo": "an echo of what was shown; counts for nothing"}


def show_fact_why(why: FactWhy, output: Output, *, zone: str | None, now: datetime) -> None:
    """Print why a fact stands as it does: what speaks for it, what other facts are to it, how it came about.

    Args:
        why: The fact with its grounds.
        output: Where they are shown.
        zone: The person's.
        now: The present, from which days are told.
    """
    page = _Page(output, zone, now)
    output.wrap(one_line(why.statement) or "(nothing is left of it)", style="bold", indent=0, hanging=MARGIN)
    show_field("fact", f"{why.id}, {why.kind}" + (f" of {one_line(why.subject)}" if why.subject else ""), output)
    show_field("state", _say_state(why), output)
    if why.status == "forgotten":
        return
    for name, text in page.say_belief(why):
        show_field(name, text, output)
    for number, evidence in enumerate(why.evidence):
        page.show_evidence(evidence, why, label="" if number else "evidence")
    if len(why.over_time) > 1:
        for number, (at, value) in enumerate(why.over_time):
            bar = "+" * round(_BAR_COLUMNS * value)
            show_field("" if number else "over time", f"{page.day(at)}  {value:.2f}  {bar}", output)
    for number, (fact_id, statement) in enumerate(why.merged):
        show_field("" if number else "says also", one_line(statement), output)
        show_field("", fact_id, output, style="dim")
    for number, ruling in enumerate(why.rulings):
        page.show_ruling(ruling, label="" if number else "beside others")
    for number, version in enumerate(why.versions):
        show_field("" if number else "history", page.say_version(version), output)


@dataclass(frozen=True, slots=True)
class _Page:
    """Where a page is shown, and from when and where its days are told."""

    output: Output
    zone: str | None
    now: datetime

    def day(self, instant: datetime) -> str:
        return local(instant, self.zone).date().isoformat()

    def say_belief(self, why: FactWhy) -> Iterator[tuple[str, str]]:
        """Say how sure we are and until when, and in which time it holds."""
        yield "sure", f"{why.confidence_now:.2f} now, {why.confidence:.2f} as of its last evidence"
        ahead = ", ".join(f"{left:.2f} in {days} days" for days, left in why.ahead)
        yield "without news", ahead
        if why.pinned:
            yield "given up", "never: it is pinned"
        elif why.sinks_at is None:
            yield "given up", "never for want of news"
        else:
            yield "given up", f"without news on {say_day(why.sinks_at, now=self.now, zone=self.zone)}"
        if why.valid_from is not None or why.valid_to is not None:
            begin = f"from {self.day(why.valid_from)}" if why.valid_from else ""
            end = f"until {self.day(why.valid_to)}" if why.valid_to else ""
            yield "holds", f"{begin} {end}".strip()
        if why.resolved_at is not None:
            yield "resolved", say_day(why.resolved_at, now=self.now, zone=self.zone)

    def show_evidence(self, evidence: EvidenceWhy, why: FactWhy, *, label: str) -> None:
        """Print one thing that speaks for or against the fact, with its quote."""
        stance = _STANCES.get(evidence.stance, evidence.stance)
        if evidence.message is None:
            source = f"{one_line(evidence.said_by)}, by hand"
        else:
            source = f"{one_line(evidence.said_by)}, {one_line(evidence.message)} of {one_line(evidence.conversation)}"
        show_field(label, f"{self.day(evidence.said_at)}  {stance}  {evidence.weight:.2f}  {source}", self.output)
        if evidence.quote:
            show_field("", f'"{one_line(evidence.quote)}"', self.output)
        if evidence.statement != why.statement:
            show_field("", f"taken to say: {one_line(evidence.statement)}", self.output, style="dim")

    def show_ruling(self, ruling: RulingWhy, *, label: str) -> None:
        """Print what the fact is to another one."""
        when = "later" if ruling.is_later else "earlier"
        ground = f"rule {ruling.rule!r}" if ruling.rule else "" if ruling.score is None else f"{ruling.score:.2f}"
        done = "undone" if ruling.is_void else "" if ruling.act == "nothing" else ruling.act
        question = f"question {ruling.conflict}" if ruling.conflict else ""
        parts = [ruling.verdict, ground, f"judged by {ruling.judge}", done, question]
        show_field(label, f"{', '.join(filter(None, parts))}; said {when}:", self.output)
        show_field("", one_line(ruling.other), self.output)
        show_field("", ruling.other_id, self.output, style="dim")

    def say_version(self, version: VersionWhy) -> str:
        """Say what the fact became, when, and what did it."""
        night = f", night {version.cycle}" if version.cycle else ""
        state = f"{version.status} {version.confidence:.2f}"
        return f"{self.day(version.at)}  {state}  {one_line(version.cause)}{night}"


def _say_state(why: FactWhy) -> str:
    state = _STATES.get(why.status, why.status)
    other = why.superseded_by or why.canonical_id
    return "".join((state, f": {one_line(why.review)}" if why.review else "", f"; see {other}" if other else ""))
