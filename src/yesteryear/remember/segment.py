"""Decide where a stretch of talk ends and an episode is made of it, and which of its messages are one exchange.

First stage of the write path: it reads times, roles and words, and never asks what is worth keeping.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from functools import cached_property

from yesteryear.core.language.discourse import begins_with, topic_stems
from yesteryear.core.language.requests import asks_to_remember
from yesteryear.core.message import Exchange, Message, Role

_READ_CHARS = 2_000
"""How many characters of a message are read for its subject; enough for what is typed, bounded for what is pasted."""
LONGEST_RUN = 3  # messages in an exchange where several people speak in the user's role, or one gets no reply


@dataclass(frozen=True, slots=True)
class SegmentPolicy:
    """When an episode ends. Source of the first two: document A."""

    message_threshold: int = 15  # messages after which an episode ends; at least 1. Source: "episode of 15 messages"
    inactivity_minutes: float = 30.0  # pause between two messages that ends an episode, in minutes; above 0
    overrun_messages: int = 2
    """Messages by which an episode may be longer so that a reply stays with what it replies to; at least 0."""
    topic_after_messages: int = 6  # messages an episode must have before a change of topic can end it; at least 1
    topic_before: int = 8  # messages before a possible change whose words are compared; at least 1
    topic_ahead: int = 6
    """Messages from a possible change on whose words are compared; at least 1. Measured on two sets of labelled dialogs
    joined two by two, nothing else ending a stretch: 42 % and 51 % of the joints found, 1.0 and 0.04 false cuts in 100
    messages; with 4 more are found at nearly twice the false cuts."""
    topic_words: int = 6
    """Different telling words the messages after a change must hold, so that silence is no change; at least 1."""
    greeting_shares: int = 2
    """Telling words a greeting may share with what came before and still begin something new; at least 0."""

    @property
    def pause(self) -> timedelta:
        """The silence that ends an episode."""
        return timedelta(minutes=self.inactivity_minutes)


class ClosedBy(StrEnum):
    """What ended a stretch of talk."""

    MESSAGES = "messages"
    PAUSE = "pause"
    TOPIC = "topic"
    REQUEST = "request"
    HAND = "hand"
    KEPT = "kept"  # nothing ended: the person took a stretch out of what was skipped, to have it kept after all
    FLUSH = "flush"


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of talk that has ended."""

    messages: tuple[Message, ...]  # in order of seq; at least one
    closed_by: ClosedBy


def cut_segments(
    messages: Sequence[Message],
    policy: SegmentPolicy,
    *,
    close_through: int = 0,
    close_all: bool = False,
    idle: timedelta = timedelta(0),
) -> list[Segment]:
    """Return the stretches that have ended; every message after the last of them stays open.

    A stretch ends after ``message_threshold`` messages, or up to ``overrun_messages`` later where a reply is awaited;
    before a message that follows a pause; before one that changes the topic; and, once somebody has asked that
    something be remembered, when they speak again after the reply. Each cut follows from the messages since the last
    one up to the newest alone, so cutting as messages arrive gives the same stretches as cutting them all at once.

    ``messages`` are those of one conversation that are in no episode yet, in order of seq. The stretch with that of seq
    ``close_through``, and all before it, end with it: closed by hand. The tail ends too with ``close_all``, or where
    nothing has been said for as long as the pause: ``idle``.
    """
    pause = policy.pause
    segments: list[Segment] = []
    lines = [_Line(message) for message in messages]
    start, end = 0, 1
    while end <= len(lines):
        cut = _find_cut(lines[start:end], policy, pause)
        if cut is None and lines[end - 1].message.seq == close_through:
            cut = end - start, ClosedBy.HAND
        if cut is not None:
            length, closed_by = cut
            segments.append(Segment(tuple(messages[start : start + length]), closed_by))
            start = end = start + length
        end += 1
    if lines[start:] and (idle >= pause or close_all):
        by_hand = ClosedBy.REQUEST if any(line.is_request for line in lines[start:]) else ClosedBy.FLUSH
        segments.append(Segment(tuple(messages[start:]), ClosedBy.PAUSE if idle >= pause else by_hand))
    return segments


class _Line:
    """A message with what has been read from it so far; the same message is looked at many times."""

    def __init__(self, message: Message) -> None:
        self.message = message
        self.speaker = message.role, message.author  # an assistant and a user of one name are two

    @cached_property
    def is_request(self) -> bool:
        """Whether a user asks here that something be remembered."""
        return self.message.role is Role.USER and asks_to_remember(self.message.content)

    @cached_property
    def stems(self) -> frozenset[str]:
        """What the message is about."""
        return topic_stems(self.message.content[:_READ_CHARS])


def _find_cut(lines: Sequence[_Line], policy: SegmentPolicy, pause: timedelta) -> tuple[int, ClosedBy] | None:
    """Return how many of the open messages end now that the last of them has arrived, and why."""
    *earlier, newest = lines
    if earlier and newest.message.at - earlier[-1].message.at >= pause:
        return len(earlier), ClosedBy.PAUSE
    begins_turn = _begins_turn(lines, len(earlier))
    if begins_turn and any(line.is_request and line.speaker == newest.speaker for line in earlier):
        return len(earlier), ClosedBy.REQUEST  # who asked to remember something speaks again now that it is answered
    if begins_turn and _announces_topic(lines, policy):
        return len(earlier), ClosedBy.TOPIC
    if _loses_topic(lines, policy):
        return len(lines) - policy.topic_ahead, ClosedBy.TOPIC
    if begins_turn and len(earlier) >= policy.message_threshold:
        return len(earlier), ClosedBy.MESSAGES
    has_replies = any(line.message.role is not Role.USER for line in lines)
    awaits_reply = has_replies and newest.message.role is not Role.ASSISTANT
    may_wait = awaits_reply and len(lines) < policy.message_threshold + policy.overrun_messages
    if len(lines) >= policy.message_threshold and not may_wait:
        return len(lines), ClosedBy.MESSAGES
    return None


def _begins_turn(lines: Sequence[_Line], index: int) -> bool:
    """Tell whether a user begins to speak here after somebody else, or is the only one who speaks."""
    line = lines[index]
    if index == 0 or line.message.role is not Role.USER:
        return False
    return lines[index - 1].speaker != line.speaker or all(other.speaker == line.speaker for other in lines[:index])


def _announces_topic(lines: Sequence[_Line], policy: SegmentPolicy) -> bool:
    *earlier, newest = lines
    if len(earlier) < policy.topic_after_messages:
        return False
    if begins_with("openers", newest.message.content):
        return True
    shared = newest.stems & _stems(earlier[-policy.topic_before :])
    return begins_with("greetings", newest.message.content) and len(shared) <= policy.greeting_shares


def _loses_topic(lines: Sequence[_Line], policy: SegmentPolicy) -> bool:
    """Tell whether the newest messages share no word with those before them, and nothing else ties them together."""
    border = len(lines) - policy.topic_ahead
    if border < policy.topic_after_messages or not _begins_turn(lines, border):
        return False
    before, first = lines[border - 1].message.content, lines[border].message.content
    if before.rstrip().endswith("?") or begins_with("continuations", first):
        return False
    after = _stems(lines[border:])
    return len(after) >= policy.topic_words and not after & _stems(lines[max(0, border - policy.topic_before) : border])


def _stems(lines: Sequence[_Line]) -> frozenset[str]:
    return frozenset().union(*(line.stems for line in lines))


def group_exchanges(messages: Sequence[Message]) -> list[Exchange]:
    """Group the messages of one stretch of a conversation, given in order.

    Between one user and an assistant an exchange is what the user said in a row and the replies that follow; replies
    before the first user message form one of their own. Where several people speak in the user's role, or nobody
    replies, it is a run of up to LONGEST_RUN messages that ends where somebody announces another topic.
    """
    authors = {message.author for message in messages if message.role is Role.USER}
    is_dialog = len(authors) == 1 and any(message.role is not Role.USER for message in messages)
    groups: list[list[Message]] = []
    for message in messages:
        so_far = groups[-1] if groups else []
        if is_dialog:
            begins = message.role is Role.USER and bool(so_far) and so_far[-1].role is not Role.USER
        else:
            begins = len(so_far) >= LONGEST_RUN or begins_with("openers", message.content)
        if begins or not so_far:
            groups.append([message])
        else:
            so_far.append(message)
    return [Exchange(tuple(group)) for group in groups]
