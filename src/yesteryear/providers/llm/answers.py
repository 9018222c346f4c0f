"""What a model is asked to answer, as a schema: small, flat, and with names for everything that is one of a few.

The descriptions are part of the prompt. Only the form is checked here; whether an answer is true to the talk is checked
in ``checking``.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from yesteryear.core.attributes import FactKind, Volatility
from yesteryear.core.episode import UserState
from yesteryear.core.fact import Modality
from yesteryear.core.message import Reason

Emotion = Literal["joy", "pride", "relief", "gratitude", "anxiety", "fear", "anger", "sadness", "frustration"]
"""Those that the keyless analyst names too."""
PatternKind = Literal[
    "preference", "work_pattern", "strength", "success_pattern", "goal", "belief", "blocker", "relationship"
]
"""Kinds of facts that can show again and again."""
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class _Answer(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class GateAnswer(_Answer):
    """Whether an exchange is worth keeping."""

    exchange: int
    keep: bool
    reason: Reason


class SignalsAnswer(_Answer):
    """How much the talk matters to the person, each from 0 to 1."""

    emotion: Share = Field(description="how strongly they feel")
    self_relevance: Share = Field(description="how much is about them: work, health, ways, history")
    commitment: Share = Field(description="how much they decide or promise")
    relationship: Share = Field(description="how much is about people close to them")
    novelty: Share = Field(description="how much they add that nobody had said to them before")
    reliability: Share = Field(description="how much they say themselves rather than quote or paste")


class FactAnswer(_Answer):
    """One thing that a person states about themself or their life."""

    message: int = Field(description="number of the message that states it")
    quote: str = Field(description="the words of that message it rests on, copied letter by letter")
    statement: str = Field(description="one sentence in the third person, beginning with the speaker's name")
    kind: FactKind
    attribute: str | None = Field(description="what it fills in, such as residence; else null")
    value: str | None = Field(description="what it fills it in with; null where attribute is")
    modality: Modality
    volatility: Volatility
    is_negative: bool = Field(description="whether it says that something is not so")
    is_settled: bool = Field(description="whether a goal is reached, a blocker gone or a decision reversed")
    valid_from: str | None = Field(description="ISO date from which it holds, if said")
    valid_to: str | None = Field(description="ISO date on which it ceases to hold, if said")
    confidence: Share = Field(description="how sure it is that they state this of themselves")


class DigestAnswer(_Answer):
    """What a talk was about."""

    topic: str = Field(description="a title of at most ten words")
    summary: str = Field(description="100 to 150 tokens, fewer where little was said")
    key_points: list[str]
    decisions: list[str] = Field(description="what the person decided, one sentence each")
    emotions: list[Emotion] = Field(description="what the person feels, strongest first; empty where nothing shows")
    user_state: UserState
    signals: SignalsAnswer
    exchanges: list[GateAnswer] = Field(description="one for each exchange that is asked about")
    facts: list[FactAnswer]


class QuoteAnswer(_Answer):
    """Words of one message."""

    message: int = Field(description="number of the message")
    quote: str = Field(description="the words of it that show the pattern, copied letter by letter")


class PatternAnswer(_Answer):
    """What one person shows in several episodes."""

    statement: str = Field(description="one sentence in the third person, beginning with the speaker's name")
    kind: PatternKind
    quotes: list[QuoteAnswer] = Field(description="from at least two episodes")
    volatility: Volatility
    is_negative: bool = Field(description="whether it says that something is not so")
    confidence: Share


class DistilAnswer(_Answer):
    """What holds over several episodes; empty where nothing does."""

    patterns: list[PatternAnswer]


class PairAnswer(_Answer):
    """What two statements are to each other."""

    pair: int
    verdict: Literal["MERGE", "PARTIAL_MERGE", "KEEP_ALL", "UPDATES", "CONTRADICTS"]
    keep: Literal["earlier", "later"] = Field(description="for MERGE and PARTIAL_MERGE: which one says more")
    same_subject: bool = Field(description="whether both are about one subject")
    sure: Share


class JudgeAnswer(_Answer):
    """What the statements of each pair are to each other."""

    pairs: list[PairAnswer]
