"""What the rows of messages keep of the numbers in them: those that a person tells of their own life. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from yesteryear.core.measurement import Measurement
from yesteryear.core.message import Message, Role, Source
from yesteryear.core.reading import MessageReading, SpeakerStance
from yesteryear.measure.measurements import find_measurements

_NOT_TOLD = frozenset({SpeakerStance.IMAGINED, SpeakerStance.JOKING, SpeakerStance.QUOTED})
"""Stances in which a number tells nothing of a life; what is asked the rules tell better."""
_MOST_QUESTION_CHARS = 500  # characters at the end of what was said before in which a question is looked for
_LOOK_BACK = 4  # messages before one among which that is looked for which it corrects


def with_numbers(
    messages: Iterable[Message], readings: Mapping[str, MessageReading], *, around: Iterable[Message]
) -> list[Message]:
    """Return judged messages of one conversation with what each tells in numbers.

    ``readings`` are of those that were read, by their ids; ``around`` is what was said there before each of them, in
    any order, and what is missing has asked nothing.
    """
    places = {row.seq: row for row in around}
    found = []
    for row in messages:
        before = [said for back in range(1, _LOOK_BACK + 1) if (said := places.get(row.seq - back))]
        earlier = next((said.numbers for said in before if said.author == row.author and said.numbers), ())
        question = _question(places.get(row.seq - 1), row)
        told = numbers_of(row, question=question, earlier=earlier, reading=readings.get(row.id))
        places[row.seq] = replace(row, numbers=told)
        found.append(places[row.seq])
    return found


def numbers_of(
    message: Message, *, question: str = "", earlier: Sequence[Measurement] = (), reading: MessageReading | None = None
) -> tuple[Measurement, ...]:
    """Return what a judged message tells of its speaker's life in numbers, in order.

    Only a person's own words count, and not what they imagine, say in jest or quote. Where the words were not kept,
    what was read of them stands. ``question`` is what somebody else said right before, ``earlier`` what the speaker
    told just before.
    """
    if not message.content:
        return message.numbers
    if message.role is not Role.USER or message.source is not Source.SAID or not message.is_recallable:
        return ()
    found = find_measurements(message.content, at=message.at, zone=message.zone, question=question, earlier=earlier)
    sentences = reading.sentences if reading is not None else ()
    silent = [(row.start, row.end) for row in sentences if row.is_brought or row.stance in _NOT_TOLD]
    return tuple(row for row in found if not any(start <= row.start < end for start, end in silent))


def _question(before: Message | None, message: Message) -> str:
    """Return the end of what stands right before a message, where somebody else said it."""
    if before is None or before.role not in (Role.USER, Role.ASSISTANT) or before.author == message.author:
        return ""
    return before.content[-_MOST_QUESTION_CHARS:]
