"""An export's page to read: what is remembered, in Markdown, for the person it is about.

Dates are those of the person's own zone. What was said stands in quotes, so that nothing in it is taken for a heading.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime

from yesteryear.core.conversation import Conversation
from yesteryear.core.episode import Detail, Episode, EpisodeStatus, UserState
from yesteryear.core.fact import Fact, FactStatus
from yesteryear.core.language.unseen import seen
from yesteryear.core.message import Message, Outcome, Reason
from yesteryear.core.time import local, say_day
from yesteryear.core.wallclock import BEGINNING
from yesteryear.takeout.kinds import (
    DumpedSettings,
)

TITLE = "# What is remembered"

_STATUS = {
    EpisodeStatus.PENDING: "about to be found by its meaning",
    EpisodeStatus.ACTIVE: "found when it matters",
    EpisodeStatus.FAILED: "could not be worked through",
    EpisodeStatus.ARCHIVED: "archived: found only when it is asked for",
    EpisodeStatus.FORGOTTEN: "forgotten",
}
_FACT_STATUS = {
    FactStatus.NEEDS_REVIEW: "perhaps no longer so",
    FactStatus.DEPRECATED: "not believed any more",
    FactStatus.MERGED: "said in other words above",
    FactStatus.SUPERSEDED: "replaced",
}
_DETAIL = {
    Detail.VIVID: "with its words",
    Detail.DIM: "faded in part: some of its words are gone",
    Detail.GIST: "faded: only its summary is left",
}
_OUTCOME = {Outcome.KEEP: "kept", Outcome.SKIP: "skipped", Outcome.UNSURE: "undecided"}
_LINE_END = re.compile(r"\r\n|\r|\n")
"""What ends a line of Markdown."""
_ACTIVE = re.compile(r"[<>&]|!?\[(?=[^\]\n]*\][(\[:])")
"""What a reader of Markdown would act on: tags, entities, links and pictures."""
_SHOWN = {"<": "&lt;", ">": "&gt;", "&": "&amp;", "![": "\\!\\["}


def tell_settings(levels: Iterable[DumpedSettings]) -> Iterator[str]:
    """Return the lines about what the person has set."""
    for level in levels:
        yield from ("", f"## Settings of project {_line(level.project)}" if level.project else "## Settings", "")
        yield from (f"- {_line(name)}: {_line(str(value))}" for name, value in sorted(level.values.items()))


def tell_facts(facts: Iterable[Fact], *, zone: str | None) -> Iterator[str]:
    """Return the lines about what is believed: what holds now, then what held before or is doubted.

    Args:
        facts: In the order in which they are told.
        zone: The person's, as last known: a month that begins at midnight there begins on another day in UTC.
    """
    known = [fact for fact in facts if fact.status is not FactStatus.FORGOTTEN]
    current = [fact for fact in known if _is_current(fact)]
    previous = [fact for fact in known if not _is_current(fact)]
    for title, found in (("What is believed", current), ("What was believed before", previous)):
        if found:
            yield from ("", f"## {title}", "")
        yield from (f"- {_tell_fact(fact, zone)}" for fact in found)


def _is_current(fact: Fact) -> bool:
    return fact.is_live and fact.valid_to is None and fact.resolved_at is None


def _tell_fact(fact: Fact, zone: str | None) -> str:
    asides = [fact.kind.value.replace("_", " ")]
    asides += [f"project {_line(fact.scope.project)}"] if fact.scope.project else []
    asides += [f"first told {_say_day(fact.first_observed, zone)}"]
    asides += [f"since {_say_day(fact.valid_from, zone)}"] if fact.valid_from else []
    asides += [f"until {_say_day(fact.valid_to, zone)}"] if fact.valid_to else []
    asides += [f"settled {_say_day(fact.resolved_at, zone)}"] if fact.resolved_at else []
    asides += [_FACT_STATUS[fact.status]] if fact.status in _FACT_STATUS else []
    asides += ["pinned"] if fact.pinned else []
    return f"{_line(fact.statement)} ({', '.join(asides)}; confidence {fact.confidence:.2f})"


def tell_conversation(
    conversation: Conversation, episodes: Iterable[Episode], messages: Iterable[Message]
) -> Iterator[str]:
    """Return the lines about one conversation.

    Args:
        conversation: Which.
        episodes: Its episodes, in order of their first messages.
        messages: Its messages, in order.
    """
    yield from ("", f"## {_title(conversation)}")
    coming = iter(episodes)
    ahead = next(coming, None)
    present: Episode | None = None
    is_between = False
    for message in messages:
        while ahead is not None and ahead.first_seq <= message.seq:
            present, ahead, is_between = ahead, next(coming, None), False
            yield from _tell_episode(present)
        if not is_between and (present is None or message.seq > present.last_seq):
            is_between = True
            yield from ("", "### In no episode")
        yield from _tell_message(message)
    while ahead is not None:
        yield from _tell_episode(ahead)
        ahead = next(coming, None)


def _title(conversation: Conversation) -> str:
    project, agent, name = conversation.key
    asides = [f"project {_line(project)}"] if project else []
    asides += [f"agent {_line(agent)}"] if agent else []
    return f"Conversation {_line(name)}" + (f" ({', '.join(asides)})" if asides else "")


def _tell_episode(episode: Episode) -> Iterator[str]:
    digest = episode.digest
    yield from ("", f"### {(digest and _line(digest.topic)) or 'Episode'}", "")
    yield f"{_say_time(episode.started_at, episode.zone)} to {_say_time(episode.ended_at, episode.zone)}"
    if episode.status is EpisodeStatus.FORGOTTEN:
        yield from ("", "Forgotten.")
        return
    yield from ("", f"- {_STATUS[episode.status]}", f"- {_DETAIL[episode.detail]}")
    yield f"- importance {episode.importance:.2f}"
    if episode.is_held:
        yield f"- {'pinned' if episode.pinned else 'you asked that it be remembered'}: it never fades"
    elif episode.fades_at is not None:
        yield f"- fades further on {_say_day(episode.fades_at, episode.zone)}"
    if digest is None:
        return
    if digest.user_state is not UserState.NEUTRAL:
        yield f"- you were {digest.user_state.value}"
    if digest.emotions:
        yield f"- feelings: {_line(', '.join(digest.emotions))}"
    if digest.summary:
        yield from ("", f"Summary: {_line(digest.summary)}")
    for heading, points in (("Key points", digest.key_points), ("Decisions", digest.decisions)):
        if points:
            yield from ("", f"{heading}:", "", *(f"- {_line(point)}" for point in points))


def _tell_message(message: Message) -> Iterator[str]:
    said = f"**{_line(message.author)}**, {_say_time(message.at, message.zone)}"
    yield from ("", f"{said}, {_fate(message)}", "")
    if not message.content:
        yield "(the words are not kept any more)"
    for line in _LINE_END.split(message.content) if message.content else ():
        yield f"> {_plain(line)}".rstrip()


def _fate(message: Message) -> str:
    """Say what the gate decided, and why."""
    if message.verdict is None:
        return "not looked at yet"
    if message.verdict.reason is Reason.FORGET_REQUEST and not message.content:
        return "forgotten"
    outcome = _OUTCOME[message.verdict.outcome]
    return f"{outcome} ({message.verdict.reason.value.replace('_', ' ')})"


def _say_time(instant: datetime, zone: str | None) -> str:
    return f"{_say_day(instant, zone)}, {local(instant, zone):%H:%M}{'' if zone else ' UTC'}"


def _say_day(instant: datetime, zone: str | None) -> str:
    return say_day(instant, now=BEGINNING, zone=zone)  # seen from the beginning, nothing is ago


def _line(text: str) -> str:
    """Return a text as one line."""
    return " ".join(_plain(text).split())


def _plain(text: str) -> str:
    """Return text that is shown as it is: no tag of HTML in it, no link or picture, nothing that cannot be seen."""
    return _ACTIVE.sub(lambda found: _SHOWN.get(found[0], f"\\{found[0]}"), seen(text))
