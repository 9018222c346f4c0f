"""What two statements are to each other, and what may be done about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from yesteryear.core.fact import Authority, FactKind, Slot
from yesteryear.core.plain import Plain


class PairVerdict(StrEnum):
    """What the later of two statements does to the earlier."""

    DUPLICATE = "duplicate"
    """Says the same."""
    REFINES = "refines"
    """Says the same and more."""
    UPDATES = "updates"
    """Tells a change: the earlier held until then."""
    CONTRADICTS = "contradicts"
    """Both cannot be true, and neither is the later state of the other."""
    COEXISTS = "coexists"
    """Both hold, on one subject."""
    UNRELATED = "unrelated"


class Act(StrEnum):
    """What a verdict is sure enough for."""

    NOTHING = "nothing"
    """Both stay side by side."""
    FOLD = "fold"
    """The less specific is merged into the more specific."""
    SUPERSEDE = "supersede"
    """The later takes the place of the earlier."""
    ASK = "ask"
    """It changed or contradicts: a question for the person."""


class Claim(NamedTuple):
    """A statement as a pair is judged."""

    text: str
    at: datetime
    """When it was first said (UTC)."""
    subject: str = ""
    """Whom it is about; empty where it is not known apart from the text."""
    kind: FactKind | None = None
    slot: Slot | None = None
    is_negative: bool = False
    authority: Authority = Authority.SAID


class ClaimPair(NamedTuple):
    """Two statements, the one said earlier first."""

    earlier: Claim
    later: Claim


@dataclass(frozen=True, slots=True)
class Judgement(Plain):
    """A verdict on a pair, how likely each one is, and what it is sure enough for."""

    verdict: PairVerdict
    act: Act = Act.NOTHING
    keeps_later: bool = True
    """For FOLD: whether the later of the two is the more specific; it stays."""
    scores: Mapping[PairVerdict, float] = field(default_factory=dict)
    """Probability of each verdict, in [0, 1]; empty where a rule decided."""
    rule: str = ""
    """The rule that decided or forbade to act; empty where the scores alone did."""
    judge: str = "local"
    """Who judged: "local" or a language model by name; "local: " and the reason where it stood in for one."""
