"""What the rows of messages keep of the numbers in them: those that a person tells of their own life. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.measurement import Measurement
from yesteryear.core.message import Message, Role, Source
from yesteryear.core.reading import MessageReading, SpeakerStance
from yesteryear.measure.measurements import find_measurements

_CORRECTS = vocabulary("series")["corrects"]
_NOT_TOLD = frozenset({SpeakerStance.IMAGINED, SpeakerStance.JOKING, SpeakerStance.QUOTED})
"""Stances in which a number tells nothing of a life; what is asked the rules tell better."""
_MOST_QUESTION_CHARS = 500
"""Characters at the end of what was said before in which a question is looked for."""


def with_numbers(
    messages: Iterable[Message], readings: Mapping[str, MessageReading], *, around: Iterable[Message]
) -> list[Message]:
    """Return judged messages with what each tells in numbers.

    Args:
        messages: Of one conversation.
        readings: Of those that were read, by their ids.
        around: What was said there before each of them, in any order; what is missing has asked nothing.
    """
    places = {row.seq: row for row in around}
    return [
        replace(
            row, numbers=numbers_of(row, question=_question(places.get(row.seq - 1), row), reading=readings.get(row.id))
        )
        for row in messages
    ]


def numbers_of(
    message: Message, *, question: str = "", reading: MessageReading | None = None
) -> tuple[Measurement, ...]:
    """Return what a judged message tells of its speaker's life in numbers, in order.

    Only a person's own words count, and not what they imagine, say in jest or quote. Where the words were not kept,
    what was read of them stands.

    Args:
        message: What was said.
        question: What somebody else said right before.
        reading: How it was read; None where it was not.
    """
    if not message.content:
        return message.numbers
    if message.role is not Role.USER or message.source is not Source.SAID or not message.is_recallable:
        return ()
    found = find_measurements(message.content, at=message.at, zone=message.zone, question=question)
    sentences = reading.sentences if reading is not None else ()
    silent = [(row.start, row.end) for row in sentences if row.is_brought or row.stance in _NOT_TOLD]
    return tuple(row for row in found if not any(start <= row.start < end for start, end in silent))


def _question(before: Message | None, message: Message) -> str:
    """Return the end of what stands right before a message, where somebody else said it, or the message corrects it."""
    if before is None or before.role not in (Role.USER, Role.ASSISTANT):
        return ""
    if before.author == message.author and not _CORRECTS.search(message.content[:_MOST_QUESTION_CHARS]):
        return ""
    return before.content[-_MOST_QUESTION_CHARS:]
