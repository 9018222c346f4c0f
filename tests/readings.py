"""Readings by hand: a message and the words in it that state something, so that no test rests on what a model makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from yesteryear.core.attributes import FactKind
from yesteryear.core.reading import Before, Effect, MessageReading, ReadSentence, ReadStatement, SpeakerStance, Whose

BY_HAND = "by-hand-1"


def stated(text: str, said: str = "", **changes: object) -> ReadStatement:
    """Return a statement about the speaker that is surely worth it: the words ``said`` of a text, or all of it.

    Args:
        text: The message.
        said: Some of its words; where they first stand counts.
        **changes: Any other field of ReadStatement.
    """
    start = text.index(said)
    end = start + len(said or text)
    plain = ReadStatement(start, end, 0.9, SpeakerStance.HOLDS, FactKind.IDENTITY, Whose.SELF)
    return replace(plain, **changes)  # type: ignore[arg-type]


def a_reading(
    text: str, *statements: ReadStatement, worth: float | None = None, by_model: bool = True
) -> MessageReading:
    """Return a message read as one sentence with these statements, as worthy as the worthiest unless told otherwise."""
    surest = max((statement.worth for statement in statements), default=0.0) if worth is None else worth
    sentence = ReadSentence(0, len(text), surest, SpeakerStance.HOLDS, answers=False, statements=statements)
    vector = np.zeros(384, dtype=np.float32) if by_model else None
    return MessageReading(BY_HAND, (sentence,), vector, surest)


class ScriptedReader:
    """Reads as it is told to, and keeps what it was asked to read in which place."""

    version = BY_HAND

    def __init__(
        self,
        answer: Callable[[str], MessageReading],
        effects: Callable[[str, str], Mapping[Effect, float]] | None = None,
    ) -> None:
        self._answer = answer
        self._effects = effects
        self.asked: list[tuple[str, tuple[Before, ...]]] = []

    def read(self, text: str, *, before: Sequence[Before] = ()) -> MessageReading:
        """Return the answer for a text, or raise what it raises."""
        self.asked.append((text, tuple(before)))
        return self._answer(text)

    def effects(self, fact: str, text: str, *, before: Sequence[Before] = ()) -> Mapping[Effect, float]:
        """Return what was told of a fact and words; nothing where nothing was."""
        return self._effects(fact, text) if self._effects else {}

    def close(self) -> None:
        """Nothing is held."""
