"""What a reader tells of a message: sentence by sentence what was meant, about whom, and whether it is worth it.

Places are characters of the message. Probabilities are calibrated on talk that the reader was not taught with; see its
card in ``docs/evaluation.md``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from yesteryear.core.attributes import FactKind
from yesteryear.core.message import Message, Role

if TYPE_CHECKING:
    from yesteryear.core.vectors import Matrix


class SpeakerStance(StrEnum):
    """What a speaker does with what they say."""

    HOLDS = "holds"  # it is so, or was so then
    ENDED = "ended"  # it was so and is over, done, dropped or cancelled
    PLANNED = "planned"  # intended, agreed, set for a day
    WISHED = "wished"
    IMAGINED = "imagined"  # if, would, could; a part that is played
    JOKING = "joking"
    DENIED = "denied"  # it takes back or contradicts what was said
    ASKED = "asked"
    QUOTED = "quoted"  # somebody else's words


HEARD = 5  # most messages before one that are given to a reader
READ_WITH = 3  # of these, the last with words of which its contextual vector tells too
MEANT = frozenset({SpeakerStance.HOLDS, SpeakerStance.ENDED, SpeakerStance.PLANNED, SpeakerStance.WISHED})
"""Stances of what a person says of the world as theirs."""


class Whose(StrEnum):
    """Who a statement is about."""

    SELF = "self"  # the speaker
    OTHER = "other"  # somebody, or a pet, of theirs
    YOU = "you"  # whoever they talk to
    WE = "we"  # the speaker and whoever is with them
    THING = "thing"  # a place, a project, an object


class Effect(StrEnum):
    """What a message does to what is known."""

    NONE = "none"
    REPEATS = "repeats"
    REFINES = "refines"  # the same, with more or more exact
    ADDS = "adds"  # another value beside it; both hold
    UPDATES = "updates"  # another value takes its place
    ENDS = "ends"  # it holds no more, and nothing takes its place
    COMPLETES = "completes"  # a goal, plan, task or appointment is done, or has happened
    MOVES = "moves"  # a plan or a date is put to another time or place
    DROPS = "drops"  # a goal or plan is given up
    DENIES = "denies"  # it never was so
    DOUBTS = "doubts"  # it may change, or may not be so; nothing is settled


OVER = frozenset({Effect.UPDATES, Effect.ENDS, Effect.COMPLETES, Effect.MOVES, Effect.DROPS, Effect.DENIES})
"""By which what is known holds no more."""


def with_over(effects: Mapping[Effect, float], chance: float) -> dict[Effect, float]:
    """Return effects of which those in ``OVER`` have a chance together, in [0, 1], each in proportion.

    Unchanged where all of them are of one sort: then nothing is in question.
    """
    before = sum(share for effect, share in effects.items() if effect in OVER)
    if not 0 < before < 1:
        return dict(effects)
    ends, stays = chance / before, (1 - chance) / (1 - before)
    return {effect: share * (ends if effect in OVER else stays) for effect, share in effects.items()}


class Before(NamedTuple):
    """A message that was said before."""

    who: str  # `me`: whoever speaks now; `assistant`, or `them`: another person
    text: str
    id: str = ""  # which message it is


class RetractedSentence(NamedTuple):
    """A sentence that is not meant as it stands: a joke owned up to, what never was so, somebody else's words."""

    message: str  # which one of those before; empty for the message that was read
    start: int
    end: int


def place_after(said: Sequence[Message], author: str) -> tuple[Before, ...]:
    """Return what was said, in order, as it stands before a message of ``author``; tools and the empty are left out."""
    return tuple(
        Before(
            "assistant" if row.role is Role.ASSISTANT else "me" if row.author == author else "them", row.content, row.id
        )
        for row in said
        if row.content and row.role in (Role.USER, Role.ASSISTANT)
    )


@dataclass(frozen=True, slots=True)
class ReadStatement:
    """One thing that a sentence states."""

    start: int
    end: int
    worth: float  # that it is worth knowing in a month, and meant; in [0, 1]
    stance: SpeakerStance
    kind: FactKind
    whose: Whose
    second_kind: FactKind | None = None  # the other kind it may be, where the two are close
    attribute: str = ""  # a name of the table of attributes; empty where none fits
    name: str = ""  # whose it is, as they are called there or before: "Priya", "mum"; empty where nobody is named
    is_alone: bool = True  # whether it can be understood without what was said before


@dataclass(frozen=True, slots=True, eq=False)
class ReadSentence:
    """One sentence in its place."""

    start: int
    end: int
    worth: float  # that it states something worth knowing in a month, in [0, 1]
    stance: SpeakerStance
    answers: bool  # whether it answers, or goes on with, what was said before
    statements: tuple[ReadStatement, ...] = ()  # in order; the likely ones
    is_brought: bool = False  # whether it is somebody else's words, brought along: it states nothing then
    vector: Matrix | None = None  # what small heads read, shape (384,), unit length; None where read by words alone


@dataclass(frozen=True, slots=True, eq=False)
class MessageReading:
    """A message as it was read."""

    reader: str  # which reader, with its version
    sentences: tuple[ReadSentence, ...] = ()
    vector: Matrix | None = None  # of the message, shape (384,); None where it was read by words alone
    is_worth: float = 0.0  # that any of it is worth knowing in a month, in [0, 1]
    retracted: tuple[RetractedSentence, ...] = ()  # what it takes back of what its speaker said, in it and before it

    @property
    def statements(self) -> list[ReadStatement]:
        """What its sentences state, in order."""
        return [statement for sentence in self.sentences for statement in sentence.statements]
