"""What people take back of their own messages in a talk; and the talk without it. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from yesteryear.core.episode import Talk
from yesteryear.core.language.quoting import own_words
from yesteryear.core.language.retractions import find_retractions
from yesteryear.core.language.sentences import Span
from yesteryear.core.message import Message, Role, Source
from yesteryear.core.reading import MessageReading
from yesteryear.core.whose_words import others_spans

MOST_BEHIND = 8
"""Messages, at most, from one that is taken back to the one that does so; further on it is about something else."""


def find_retracted(
    messages: Sequence[Message],
    *,
    before: Sequence[Message] = (),
    readings: Mapping[str, MessageReading] = MappingProxyType({}),
) -> dict[str, tuple[Span, ...]]:
    """Return what people take back in some messages, of these and of those right ``before`` them, by ids.

    A place is taken for the words of its own message; a message with nothing in it is left out. ``readings`` of
    messages, by id, tell what of them is others' words.
    """
    line = [*before, *messages]
    found: dict[str, set[Span]] = defaultdict(set)
    for place, message in enumerate(line[len(before) :], len(before)):
        if may_take_back(message, readings.get(message.id)):
            for told, spans in _retracted_by(message, line[max(0, place - MOST_BEHIND) : place]):
                found[told.id].update(spans)
    return {told: tuple(sorted(spans)) for told, spans in found.items() if spans}


def may_take_back(message: Message, reading: MessageReading | None) -> bool:
    """Tell whether a message takes anything back by its words: it is a person's, and brings no others' words along."""
    is_said = message.role is Role.USER and message.source is not Source.BROUGHT and bool(message.content)
    return is_said and not others_spans(message.content, reading) and not own_words(message.content)[1]


def _retracted_by(then: Message, line: Sequence[Message]) -> Iterable[tuple[Message, tuple[Span, ...]]]:
    """Yield of the last messages of its author, and of itself, what a message takes back."""
    own = [row for row in line if row.role is Role.USER and row.author == then.author and row.content]
    heard = line[-1].content if line and line[-1].author != then.author else ""
    return zip([*own, then], find_retractions([row.content for row in own], then.content, heard=heard), strict=True)


def without_retracted(talk: Talk) -> Talk:
    """Return a talk in which blanks stand for what its people take back, so that all places stay."""
    exchanges = (
        replace(each, messages=tuple(_without(said, talk.retracted) for said in each.messages))
        for each in talk.exchanges
    )
    return replace(talk, exchanges=tuple(exchanges)) if talk.retracted else talk


def _without(message: Message, retracted: Mapping[str, Iterable[Span]]) -> Message:
    text = message.content
    for start, end in retracted.get(message.id, ()):
        text = text[:start] + " " * (end - start) + text[end:]
    return message if text == message.content else replace(message, content=text)
