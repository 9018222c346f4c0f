"""``yesteryear why``: why something is remembered or believed, when it fades, and why it stands in a context."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Annotated

from typer import Option

import yesteryear
from yesteryear.api.words import SAID
from yesteryear.cli.commands.asking import show_dropped, show_items
from yesteryear.cli.commands.beliefs import say_attribute
from yesteryear.cli.invocation import Invocation, iso_day, read_zone, read_zones
from yesteryear.cli.output import MARGIN, Field, Output, count, one_line
from yesteryear.cli.verb_options import AskedVerb, command_of
from yesteryear.core.message import FORGOTTEN, REFUSED, Source
from yesteryear.core.time import say_day
from yesteryear.lifecycle.why import EpisodeWhy, EvidenceWhy, FactWhy, MessageWhy, RulingWhy
from yesteryear.providers.clock import SystemClock
from yesteryear.results import ContextItem, Dropped

ERASED = "[text erased]"
_BAR_COLUMNS = 24  # of the longest bar
_LEAST = 0.005  # the smallest part of an importance that is worth a line
_DETAILS = {
    "vivid": "its words are there",
    "dim": "some of its words are gone",
    "gist": "its words are gone, its summary is left",
}
_STANCES = {"supports": "for", "contradicts": "against", "echo": "an echo of what was shown; counts for nothing"}


@command_of(yesteryear.Memory.why)
def why(
    call: Invocation,
    verb: AskedVerb[yesteryear.Why],
    *,
    message: Annotated[str | None, Option(help="Also why it stands in the context for this message or not.")] = None,
    conversation: Annotated[str | None, Option(help="The session that the message is said in.")] = None,
    budget: Annotated[int | None, Option(help="Most tokens of that context; 1000 unless set otherwise.")] = None,
) -> None:
    """Show why something is remembered or believed, and when it fades.

    Of a fact: what was said for and against it, with quotes and dates; how sure we are, how that came about and when it
    is given up without news; what other facts are to it, and its history. Of an episode: what its importance is the sum
    of, what is left of it now, and when its words go and it leaves recall. Of a message: what the gate decided, by
    which rule or score, from which features, and until when its words stay; then the episode that holds it.

    With --message the context for that message is made, and shown is what stands in it of this: lane, tokens, score and
    signals, and the best memory that would have had room in its place; or why it was left out.

    Example:
      yesteryear why m-17 --user ana
      yesteryear why m-17 --user ana --message "Plan my day"
    """
    now = verb.given["at"] or SystemClock().now()
    with call.memory() as memory:
        found = verb(memory, at=now)
        asked = partial(memory.context, conversation=conversation, budget=budget, at=now)
        context = None if message is None else asked(message)
        if not call.output.is_json:
            show_why(found, memory, call.output, now=now)
    place = {} if context is None else {"context": _show_place(context, found, call.output)}
    call.output.document(found.to_dict() | place)
    if context is not None and not call.output.is_json:
        call.output.notes(context.notes)


def show_why(found: yesteryear.Why, memory: yesteryear.Memory, output: Output, *, now: datetime) -> None:
    """Print why something is remembered or believed, as of a present."""
    zones = read_zones(memory)
    page = _Page(output, read_zone(memory), now)
    if found.hidden is not None:
        asked, until = f"{found.hidden.author}, {page.say(found.hidden.asked_at)}", page.say(found.hidden.until)
        back = f"`yesteryear restore` brings it back until {until}"
        output.fields(("forgotten", f"because {asked} asked for it; {back}"))
    if found.fact is not None:
        statement = one_line(found.fact.statement) or "(nothing is left of it)"
        output.wrap(statement, style="bold", indent=0, hanging=MARGIN)
        output.fields(*page.say_fact(found.fact))
        return
    if found.message is not None:
        _Page(output, zones.get(found.message.conversation), now).show_message(found.message)
        if found.episode is None:
            output.note("no episode holds it")
            return
        output.say()
    if found.episode is not None:
        _Page(output, zones.get(found.episode.conversation), now).show_episode(found.episode)


@dataclass(frozen=True, slots=True)
class _Page:
    """Where a page is shown, and from when and where its days are told."""

    output: Output
    zone: str | None
    now: datetime

    def say(self, instant: datetime) -> str:
        return say_day(instant, now=self.now, zone=self.zone)

    def day(self, instant: datetime) -> str:
        return iso_day(instant, self.zone)

    def show_message(self, why: MessageWhy) -> None:
        self.output.wrap(f"{why.said_by}: {why.text or ERASED}", style="bold", indent=0, hanging=MARGIN)
        self.output.fields(*self._say_message(why))
        weighed = {name: value for name, value in why.features.items() if value and name not in (FORGOTTEN, REFUSED)}
        if why.outcome is not None and weighed:
            self.output.fields(("features", "as the gate found them, the largest first"))
            self.output.signals(weighed)

    def _say_message(self, why: MessageWhy) -> Iterator[Field]:
        yield "message", f"{why.id}, number {why.seq} of {why.conversation}"
        yield "said", self.say(why.at)
        yield "whose words", _said("sources", why.source)
        for passage in why.brought if why.source != Source.BROUGHT else ():
            yield "brought", passage
        if why.outcome is None:
            yield "verdict", "none yet: it waits to be worked in"
            return
        yield "verdict", f"{why.outcome}: {why.reason}"
        if why.rule:
            yield "decided by", f"the rule {why.rule!r}"
        elif why.score is None or why.threshold is None:
            yield "decided by", "nobody knows any more"
        else:
            yield "decided by", f"its score, {why.score:.2f}; {why.threshold:.2f} or more is kept"
        if not why.text:
            yield "its words", "are gone"
        elif why.expires_at is not None:
            yield "its words", f"stay until {self.say(why.expires_at)}"
        if why.features.get(FORGOTTEN) is not None:
            yield "request", f"obeyed: {count(round(why.features[FORGOTTEN]), 'message')} before it were hidden"

    def show_episode(self, why: EpisodeWhy) -> None:
        self.output.wrap(why.topic or "(no topic)", style="bold", indent=0, hanging=MARGIN)
        self.output.fields(*self._say_episode(why))
        if why.importance and why.status != "forgotten":
            parts = {factor.name: factor.adds for factor in why.factors}
            above = sum(parts.values()) - why.importance
            parts |= {"above 1": -above} if above >= _LEAST else {}
            self.output.signals(parts)

    def _say_episode(self, why: EpisodeWhy) -> Iterator[Field]:
        yield "episode", f"{why.id}, {count(len(why.messages), 'message')} of {why.conversation}"
        details = f"; {_DETAILS[why.detail]}" if why.status in ("active", "archived") else ""
        yield "state", _said("states", why.status) + details
        if why.status == "failed":
            yield "state", "`yesteryear episodes --retry` puts it back"
        if why.status == "forgotten":
            return
        if why.analyst:
            yield "read by", ", ".join(filter(None, (why.analyst, one_line(why.reader))))
        share = f", {why.strength / why.importance:.0%} of its importance" if why.importance else ""
        yield "strength", f"{why.strength:.2f} now{share}"
        if not why.held_by:
            yield "half-life", f"{why.half_life_days:.0f} days, counted from {self.say(why.strengthened_at)}"
        recalls = "; ".join(map(self.say, why.recalls))
        yield "taken up", recalls or "not again so far; that would make it last longer"
        for line in self._say_fading(why):
            yield "fades", line
        if why.importance:
            yield "importance", f"{why.importance:.2f}, the sum of"

    def _say_fading(self, why: EpisodeWhy) -> Iterator[str]:
        if why.held_by:
            yield f"never: {'it is pinned' if why.held_by == 'pin' else 'the person asked that it be remembered'}"
        elif why.status in ("pending", "failed"):
            yield "not before it has been worked in"
        elif why.status == "active" and why.archived_at is None:
            yield "never: fading is switched off"
        else:
            if why.gist_at is not None:
                yield f"its words {self._say_when(why.gist_at, 'go', 'are due to go')}"
            if why.archived_at is not None:
                yield f"it {self._say_when(why.archived_at, 'leaves recall', 'is due to leave recall')}"
            if why.status == "archived":
                yield "it has left recall; `yesteryear restore` brings it back"

    def _say_when(self, instant: datetime, coming: str, past: str) -> str:
        return f"{past} since {self.say(instant)}" if instant <= self.now else f"{coming} on {self.say(instant)}"

    def say_fact(self, why: FactWhy) -> Iterator[Field]:
        yield "fact", f"{why.id}, {why.kind}" + (f" of {one_line(why.subject)}" if why.subject else "")
        if told := say_attribute(why.attribute, why.holder):
            yield "tells", told
        if why.reader:
            yield "read by", f"{one_line(why.reader)}, {SAID['forms'][why.form]}"
        other = why.superseded_by or why.canonical_id
        review, see = f": {one_line(why.review)}" if why.review else "", f"; see {other}" if other else ""
        yield "state", f"{_said('states', why.status)}{review}{see}"
        if why.status == "forgotten":
            return
        yield from self._say_belief(why)
        for evidence in why.evidence:
            yield from self._say_evidence(evidence, why)
        if len(why.over_time) > 1:
            for at, value in why.over_time:
                yield "over time", f"{self.day(at)}  {value:.2f}  {'+' * round(_BAR_COLUMNS * value)}"
        for fact_id, statement in why.merged:
            yield "says also", one_line(statement)
            yield "says also", fact_id, "dim"
        for ruling in why.rulings:
            yield from self._say_ruling(ruling)
        for version in why.versions:
            night = f", night {version.cycle}" if version.cycle else ""
            state = f"{version.status} {version.confidence:.2f}"
            yield "history", f"{self.day(version.at)}  {state}  {one_line(version.cause)}{night}"

    def _say_belief(self, why: FactWhy) -> Iterator[Field]:
        yield "sure", f"{why.confidence_now:.2f} now, {why.confidence:.2f} as of its last evidence"
        yield "without news", ", ".join(f"{left:.2f} in {days} days" for days, left in why.ahead)
        if why.pinned:
            yield "given up", "never: it is pinned"
        elif why.sinks_at is None:
            yield "given up", "never for want of news"
        else:
            yield "given up", f"without news on {self.say(why.sinks_at)}"
        ends = (("from", why.valid_from), ("until", why.valid_to))
        if held := " ".join(f"{word} {self.day(end)}" for word, end in ends if end is not None):
            yield "holds", held
        if why.resolved_at is not None:
            yield "resolved", self.say(why.resolved_at)
        if why.confidential or why.asked_to_remember:
            asked = {"to tell nobody": why.confidential, "to remember it": why.asked_to_remember}
            yield "asked", " and ".join(wish for wish, is_so in asked.items() if is_so)

    def _say_evidence(self, evidence: EvidenceWhy, why: FactWhy) -> Iterator[Field]:
        stance = _STANCES.get(evidence.stance, evidence.stance)
        source = f"{one_line(evidence.said_by)}, by hand"
        if evidence.message is not None:
            source = f"{one_line(evidence.said_by)}, {one_line(evidence.message)} of {one_line(evidence.conversation)}"
        yield "evidence", f"{self.day(evidence.said_at)}  {stance}  {evidence.weight:.2f}  {source}"
        if evidence.quote:
            yield "evidence", f'"{one_line(evidence.quote)}"'
        if evidence.statement != why.statement:
            yield "evidence", f"taken to say: {one_line(evidence.statement)}", "dim"

    def _say_ruling(self, ruling: RulingWhy) -> Iterator[Field]:
        when = "later" if ruling.is_later else "earlier"
        ground = f"rule {ruling.rule!r}" if ruling.rule else "" if ruling.score is None else f"{ruling.score:.2f}"
        done = "undone" if ruling.is_void else "" if ruling.act == "nothing" else ruling.act
        question = f"question {ruling.conflict}" if ruling.conflict else ""
        parts = [ruling.verdict, ground, f"judged by {ruling.judge}", done, question]
        yield "beside others", f"{', '.join(filter(None, parts))}; said {when}:"
        yield "beside others", one_line(ruling.other)
        yield "beside others", ruling.other_id, "dim"


def _said(kind: str, name: str) -> str:
    return f"{name}: {SAID[kind][name]}"


def _show_place(context: yesteryear.Context, why: yesteryear.Why, output: Output) -> dict[str, object]:
    """Print where something stands in a context and what it kept out, or why it is not in; return it as data."""
    # its own id, its episode's, and those of an episode's messages
    names = {why.id, *(part.id for part in (why.message, why.episode) if part is not None)}
    names.update(why.episode.messages if why.episode is not None and why.message is None else ())

    def is_it(found: ContextItem | Dropped) -> bool:
        return found.id in names or not names.isdisjoint(found.messages)

    numbers = [number for number, item in enumerate(context.items) if is_it(item)]
    dropped = [left for left in context.dropped if is_it(left)]
    output.heading(f"In the context for this message, of {context.tokens} of {count(context.budget, 'token')}")
    show_items(context, numbers, output)
    show_dropped(dropped, output)
    if not numbers and not dropped:
        output.wrap("It is neither in it nor among what was left out: too little in it bears on the message", indent=0)
    instead = context.displaced()
    items = [{"number": one, **context.items[one].to_dict(), "displaced": instead.get(one)} for one in numbers]
    return {"tokens": context.tokens, "budget": context.budget, "items": items, "dropped": dropped}
