"""Useful recall: did the person take up again what a context had shown?

Being shown strengthens nothing, or what is shown most would be shown more and more. What counts are words of the memory
that the person says next, were not in their own question, and do not merely repeat it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from yesteryear.core.hits import RecallEvent
from yesteryear.core.language.sentences import fingerprint, split_sentences
from yesteryear.core.language.tokens import stems
from yesteryear.core.message import Role
from yesteryear.core.rows.queries import IndexedMessage
from yesteryear.core.time import later


@dataclass(frozen=True, slots=True)
class UptakePolicy:
    """What counts as taking up a memory again."""

    messages: int = 3  # messages of the person after a context that are read; at least 1
    within_minutes: float = 60.0  # minutes after a context within which they count; above 0
    shared: int = 2  # how many stems of content a memory and the person's words must share; at least 1
    new: int = 1  # how many of them the question must not have had, at least 0: those came from the memory
    apart_hours: float = 24.0  # useful recalls of one episode that are closer than this, in hours, count once
    most: int = 64
    """How many useful recalls of one episode are kept at most, at least 3: the first, the last, and between them those
    that lie furthest apart."""
    settle_hours: float = 24.0  # hours after which a context is settled although nothing more was said
    keep_events_days: float = 30.0  # days for which it is kept what contexts have shown


@dataclass(frozen=True, slots=True)
class Reply:
    """What the person said around a context."""

    asked: frozenset[str]  # stems of the message that the context was for
    said: frozenset[str]  # stems of what they said next, without sentences that had been shown or asked before
    at: datetime | None  # when they said the first of it; None when they said nothing
    is_over: bool  # whether nothing that is said later can change this


def read_reply(event: RecallEvent, messages: Sequence[IndexedMessage], policy: UptakePolicy, *, now: datetime) -> Reply:
    """Return what the person said after a context, from the messages of its conversation in order.

    The message that the context was for may stand in the journal before or after it: it is known by its sentences.
    """
    asked: set[str] = set()
    said: set[str] = set()
    until = later(event.at, timedelta(minutes=policy.within_minutes))
    first_at, count, is_past = None, 0, False
    for message in messages:
        if message.role is not Role.USER or not message.content:
            is_past = is_past or message.at > until
            continue
        sentences = [(fingerprint(sentence), sentence) for sentence in split_sentences(message.content)]
        if event.asked and {mark for mark, _ in sentences} <= set(event.asked):
            asked.update(stems(message.content))
        elif message.at > until:
            is_past = True
        elif message.at >= event.at and count < policy.messages:
            count += 1
            first_at = first_at or message.at
            known = {*event.fingerprints, *event.asked}
            said.update(stem for mark, text in sentences if mark not in known for stem in stems(text))
    is_over = is_past or count >= policy.messages or now - event.at > timedelta(hours=policy.settle_hours)
    return Reply(frozenset(asked), frozenset(said), first_at, is_over)


def taken_up(shown: Mapping[str, str], reply: Reply, policy: UptakePolicy) -> list[str]:
    """Return the ids of those memories that the person took up again."""
    shared = {memory_id: reply.said & set(stems(text)) for memory_id, text in shown.items()}
    return [
        memory_id
        for memory_id, words in shared.items()
        if len(words) >= policy.shared and len(words - reply.asked) >= policy.new
    ]


def with_recall(recalls: Sequence[datetime], at: datetime, policy: UptakePolicy) -> tuple[datetime, ...]:
    """Return useful recalls with one more, in order; the same ones where it lies close to one of them."""
    apart = timedelta(hours=policy.apart_hours)
    if any(abs(at - known) < apart for known in recalls):
        return tuple(recalls)
    kept = sorted([*recalls, at])
    while len(kept) > policy.most:  # never the first ones: a gap there would look like having been forgotten meanwhile
        del kept[min(range(1, len(kept) - 1), key=lambda place: kept[place + 1] - kept[place - 1])]
    return tuple(kept)
