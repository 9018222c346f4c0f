"""How memories look in a context: document A's frame, dates as people say them, recalled text made harmless."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from yesteryear.core.episode import Episode
from yesteryear.core.message import Message
from yesteryear.core.scored import Hit
from yesteryear.core.time import local, say_day

HEAD = "=== MEMORY CONTEXT ==="
FOOT = "=== END MEMORY CONTEXT ==="
HISTORY = "Recent Conversation History:"
EXCERPTS = "Relevant Excerpts:"

_RULE = re.compile(r"={3,}")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Sitting:
    """What groups excerpts under one date line: a conversation on one day of the person."""

    conversation: str
    day: str
    """ISO date in the person's zone."""

    @classmethod
    def of(cls, hit: Hit) -> Sitting:
        """Return the sitting in which a hit was said."""
        return cls(hit.conversation, local(hit.at, hit.zone).date().isoformat())


def defuse(text: str) -> str:
    """Return recalled text on one line, unable to end our frame or to start a heading of it.

    Recalled text is data: line breaks become spaces, and runs of ``=`` are shortened.
    """
    return _RULE.sub("==", _SPACE.sub(" ", text)).strip()


def history_line(number: int, episode: Episode, *, now: datetime, with_summary: bool) -> str:
    """Return an episode as an entry of the history, with its summary or as one line."""
    line = f"{number}. {say_day(episode.ended_at, now=now, zone=episode.zone)}"
    if episode.digest and episode.digest.topic:
        line += f": {defuse(episode.digest.topic)}"
    if with_summary and episode.digest and episode.digest.summary:
        line += f"\n   {defuse(episode.digest.summary)}"
    return line


def date_line(hit: Hit, *, now: datetime) -> str:
    """Return the line under which the excerpts of one sitting stand."""
    return f"{say_day(hit.at, now=now, zone=hit.zone)}:"


def excerpt_line(hit: Hit) -> str:
    """Return an excerpt as one line with its author."""
    return f"- {defuse(hit.author or '')}: {defuse(hit.text)}"


def render(history: Sequence[str], excerpts: Sequence[Hit], *, now: datetime) -> str:
    """Return the whole context; empty when there is nothing to say.

    Excerpts are ordered by when they were said, sittings by their first excerpt.
    """
    if not history and not excerpts:
        return ""
    parts = [HEAD]
    if history:
        parts += ["", HISTORY, *history]
    if excerpts:
        parts += ["", EXCERPTS]
        sittings: dict[Sitting, list[Hit]] = {}
        for hit in sorted(excerpts, key=lambda hit: (hit.at, hit.seq, hit.part)):
            sittings.setdefault(Sitting.of(hit), []).append(hit)
        for hits in sittings.values():
            parts.append(date_line(hits[0], now=now))
            parts += [excerpt_line(hit) for hit in sorted(hits, key=lambda hit: (hit.seq, hit.part))]
    return "\n".join([*parts, "", FOOT])


def recent_lines(messages: Sequence[Message]) -> list[str]:
    """Return the session's last messages, one line each."""
    return [f"{defuse(message.author)}: {defuse(message.content)}" for message in messages]
