"""Why something is remembered, when it fades, and why it stands in a context: the pages of ``yesteryear why``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rich.padding import Padding

from yesteryear.cli.asking import MARGIN, show_field
from yesteryear.cli.output import Output, cell, count, table
from yesteryear.cli.packing import displaced_in, show_dropped, show_items
from yesteryear.cli.verdicts import ERASED
from yesteryear.core.message import FORGOTTEN, REFUSED, Source
from yesteryear.core.time import say_day

if TYPE_CHECKING:
    from yesteryear.core.forgetting import Hidden
    from yesteryear.recall.context import Context
    from yesteryear.why import EpisodeWhy, MessageWhy, Why

_BAR_COLUMNS = 24
"""Of the longest bar."""
_LEAST = 0.005
"""The smallest part of an importance that is worth a line."""
SOURCES = {
    "said": "said: theirs",
    "brought": "brought: text they brought along, nobody says it now",
    "tool": "tool: what a program put in",
    "assistant": "assistant: the assistant's",
    "other": "other: somebody else's, who spoke beside the person",
}
_STATES = {
    "pending": "pending: it waits to be worked in",
    "active": "active: it is found",
    "failed": "failed: it was given up, `yesteryear episodes --retry` puts it back",
    "archived": "archived: it is found on request only",
    "forgotten": "forgotten: nothing of it is left",
}
_DETAILS = {
    "vivid": "its words are there",
    "dim": "some of its words are gone",
    "gist": "its words are gone, its summary is left",
}


def show_hidden(why: Hidden, output: Output, *, zone: str | None, now: datetime) -> None:
    """Print who asked to have something forgotten, and until when it can be brought back."""
    asked = f"{why.author}, {say_day(why.asked_at, now=now, zone=zone)}"
    until = say_day(why.until, now=now, zone=zone)
    show_field("forgotten", f"because {asked} asked for it; `yesteryear restore` brings it back until {until}", output)


def show_message(why: MessageWhy, output: Output, *, zone: str | None, now: datetime) -> None:
    """Print why a message was kept or skipped, and how long its words stay."""
    output.wrap(f"{why.said_by}: {why.text or ERASED}", style="bold", indent=0, hanging=MARGIN)
    show_field("message", f"{why.id}, number {why.seq} of {why.conversation}", output)
    show_field("said", say_day(why.at, now=now, zone=zone), output)
    show_field("whose words", SOURCES[why.source], output)
    for passage in why.brought if why.source != Source.BROUGHT else ():
        show_field("brought", passage, output)
    if why.outcome is None:
        show_field("verdict", "none yet: it waits to be worked in", output)
        return
    show_field("verdict", f"{why.outcome}: {why.reason}", output)
    show_field("decided by", _say_ground(why), output)
    if not why.text:
        show_field("its words", "are gone", output)
    elif why.expires_at is not None:
        show_field("its words", f"stay until {say_day(why.expires_at, now=now, zone=zone)}", output)
    if why.features.get(FORGOTTEN) is not None:
        obeyed = f"obeyed: {count(round(why.features[FORGOTTEN]), 'message')} before it were hidden"
        show_field("request", obeyed, output)
    answers = (FORGOTTEN, REFUSED)
    if weighed := {name: value for name, value in why.features.items() if value and name not in answers}:
        show_field("features", "as the gate found them, the largest first", output)
        _show_bars(weighed, output)


def show_episode(why: EpisodeWhy, output: Output, *, zone: str | None, now: datetime) -> None:
    """Print what an episode's importance is the sum of, what is left of it, and when it fades."""
    output.wrap(why.topic or "(no topic)", style="bold", indent=0, hanging=MARGIN)
    show_field("episode", f"{why.id}, {count(len(why.messages), 'message')} of {why.conversation}", output)
    details = f"; {_DETAILS[why.detail]}" if why.status in ("active", "archived") else ""
    show_field("state", _STATES[why.status] + details, output)
    if why.status == "forgotten":
        return
    if why.analyst:
        show_field("read by", why.analyst, output)
    share = f", {why.strength / why.importance:.0%} of its importance" if why.importance else ""
    show_field("strength", f"{why.strength:.2f} now{share}", output)
    if not why.held_by:
        since = say_day(why.strengthened_at, now=now, zone=zone)
        show_field("half-life", f"{why.half_life_days:.0f} days, counted from {since}", output)
    recalls = "; ".join(say_day(at, now=now, zone=zone) for at in why.recalls)
    show_field("taken up", recalls or "not again so far; that would make it last longer", output)
    for number, line in enumerate(say_fading(why, now=now, zone=zone)):
        show_field("" if number else "fades", line, output)
    if why.importance:
        show_field("importance", f"{why.importance:.2f}, the sum of", output)
        _show_bars(_parts(why), output)


def say_fading(why: EpisodeWhy, *, now: datetime, zone: str | None) -> list[str]:
    """Say when an episode fades, step by step, or why it never does."""
    if why.held_by:
        held = "it is pinned" if why.held_by == "pin" else "the person asked that it be remembered"
        return [f"never: {held}"]
    if why.status in ("pending", "failed"):
        return ["not before it has been worked in"]
    if why.status == "active" and why.archived_at is None:
        return ["never: fading is switched off"]
    lines = []
    if why.gist_at is not None:
        lines.append(f"its words {_say_when(why.gist_at, 'go', 'are due to go', now=now, zone=zone)}")
    if why.archived_at is not None:
        lines.append(f"it {_say_when(why.archived_at, 'leaves recall', 'is due to leave recall', now=now, zone=zone)}")
    return [*lines, *(["it has left recall; `yesteryear restore` brings it back"] if why.status == "archived" else [])]


def show_place(context: Context, why: Why, output: Output) -> None:
    """Print where something stands in a context: its lane, signals and cost and what it kept out, or why it is not in.

    Args:
        context: What was packed.
        why: What is looked for.
        output: Where it is shown.
    """
    names = _names(why)
    found = [number for number, item in enumerate(context.items) if _is_named(item.id, item.messages, names)]
    refused = [dropped for dropped in context.dropped if _is_named(dropped.id, dropped.messages, names)]
    output.heading(f"In the context for this message, of {context.tokens} of {count(context.budget, 'token')}")
    if found:
        show_items(context, found, output)
    if refused:
        show_dropped(refused, output)
    if not found and not refused:
        output.wrap("It is neither in it nor among what was left out: too little in it bears on the message", indent=0)


def plain_place(context: Context, why: Why) -> dict[str, Any]:
    """Return where something stands in a context, as data.

    Returns:
        ``items`` with their ``number``, from 0, and what each ``displaced``; ``dropped``; what the whole costs.
    """
    names, instead = _names(why), displaced_in(context)
    items = [
        {"number": number, **item.to_dict(), "displaced": instead[number].to_dict() if number in instead else None}
        for number, item in enumerate(context.items)
        if _is_named(item.id, item.messages, names)
    ]
    dropped = [left.to_dict() for left in context.dropped if _is_named(left.id, left.messages, names)]
    return {"tokens": context.tokens, "budget": context.budget, "items": items, "dropped": dropped}


def _names(why: Why) -> set[str]:
    """Return by which ids something may stand in a context: its own, its episode's, those of an episode's messages."""
    names = {why.id}
    if why.message is not None:
        names.add(why.message.id)
    if why.episode is not None:
        names.add(why.episode.id)
        if why.message is None:
            names.update(why.episode.messages)
    return names


def _is_named(own: str, messages: Collection[str], names: set[str]) -> bool:
    return own in names or not names.isdisjoint(messages)


def _say_ground(why: MessageWhy) -> str:
    if why.rule:
        return f"the rule {why.rule!r}"
    if why.score is None or why.threshold is None:
        return "nobody knows any more"
    return f"its score, {why.score:.2f}; {why.threshold:.2f} or more is kept"


def _say_when(instant: datetime, coming: str, past: str, *, now: datetime, zone: str | None) -> str:
    if instant <= now:
        return f"{past} since {say_day(instant, now=now, zone=zone)}"
    return f"{coming} on {say_day(instant, now=now, zone=zone)}"


def _parts(why: EpisodeWhy) -> dict[str, float]:
    """Return what an importance is the sum of; what is above 1 is cut off."""
    parts = {factor.name: factor.adds for factor in why.factors}
    above = sum(parts.values()) - why.importance
    return parts | ({"above 1": -above} if above >= _LEAST else {})


def _show_bars(parts: Mapping[str, float], output: Output) -> None:
    scale = max(map(abs, parts.values()), default=1.0) or 1.0
    rows = table("", "", "")
    rows.show_header = False
    for name, value in sorted(parts.items(), key=lambda part: -abs(part[1])):
        bar = ("+" if value > 0 else "-") * round(_BAR_COLUMNS * abs(value) / scale)
        rows.add_row(cell(name), cell(f"{value:+.2f}"), cell(bar, "green" if value > 0 else "red"))
    output.show(Padding(rows, (0, 0, 0, MARGIN)))
