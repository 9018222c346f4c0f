"""What a model is asked to answer, as a schema: small, flat, and with names for everything that is one of a few.

The descriptions are part of the prompt. Only the form is checked here; whether an answer is true to the talk is checked
in ``checking``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, model_validator

from yesteryear.core import attributes as table
from yesteryear.core.episode import UserState
from yesteryear.core.fact import Form, Modality
from yesteryear.core.message import Reason
from yesteryear.core.relation import Relation

OTHER = "other"  # the attribute of what none of the table fits


def _one_of(names: Iterable[str]) -> WithJsonSchema:
    """Return a schema that names the choices and nothing else: what our docstrings say of them is not for models."""
    return WithJsonSchema({"type": "string", "enum": [str(name) for name in names]})


Emotion = Literal[
    "joy",
    "pride",
    "relief",
    "gratitude",
    "anxiety",
    "fear",
    "anger",
    "sadness",
    "frustration",
    "love",
    "surprise",
    "guilt",
    "embarrassment",
]
"""Those that the keyless analyst names, and four that a model tells apart without having been trained to."""
State = Annotated[UserState, _one_of(UserState)]
GateReason = Annotated[Reason, _one_of(Reason)]
Kind = Annotated[table.FactKind, _one_of(table.FactKind)]
Lasting = Annotated[table.Volatility, _one_of(table.Volatility)]
Meant = Annotated[Modality, _one_of(Modality)]
Worded = Annotated[Form, _one_of(Form)]
Bearing = Annotated[Relation, _one_of(Relation)]
AttributeName = Annotated[str, _one_of([*table.attributes(), OTHER])]
PatternKind = Literal[
    "preference", "work_pattern", "strength", "success_pattern", "goal", "belief", "blocker", "relationship"
]
"""Kinds of facts that can show again and again."""
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class _Answer(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _say_null_for_what_is_left_out(cls, given: Any) -> Any:  # noqa: ANN401 - whatever a model answered
        """Take what may be null for null where it is missing: a form without a grammar is seldom filled in whole."""
        may_be_null = {
            name: None for name, field in cls.model_fields.items() if type(None) in get_args(field.annotation)
        }
        return may_be_null | given if isinstance(given, dict) else given


class GateAnswer(_Answer):
    """Whether an exchange is worth keeping."""

    exchange: int
    keep: bool
    reason: GateReason


class SignalsAnswer(_Answer):
    """How much the talk matters to the person, each from 0 to 1."""

    emotion: Share = Field(description="how strongly they feel")
    self_relevance: Share = Field(description="how much is about them: work, health, ways, history")
    commitment: Share = Field(description="how much they decide or promise")
    relationship: Share = Field(description="how much is about people close to them")
    novelty: Share = Field(description="how much they add that nobody had said to them before")
    reliability: Share = Field(description="how much they say themselves rather than quote or paste")


class FactAnswer(_Answer):
    """One thing that a person states about themself, their life or their people."""

    message: int = Field(description="number of the message that states it")
    quote: str = Field(description="the words of that message it rests on, copied letter by letter")
    subject: str | None = Field(description="whom or what it is about, by name or else by tie; null for the speaker")
    tie: str | None = Field(
        description="what the subject is to the speaker: mother, flatmate, dog; null for the speaker"
    )
    form: Worded = Field(description="plain, unless the words cannot be retold safely")
    statement: str = Field(description="one sentence in the third person, beginning with the subject")
    kind: Kind
    attribute: AttributeName = Field(description="what of the subject it tells; other where none fits")
    value: str | None = Field(description="what it is; null only where attribute is other")
    modality: Meant
    volatility: Lasting
    is_negative: bool = Field(description="whether it says that something is not so")
    is_settled: bool = Field(description="whether a goal is reached, a blocker gone or a decision reversed")
    valid_from: str | None = Field(description="ISO date from which it holds, if said")
    valid_to: str | None = Field(
        description="ISO date of the first day on which it does not hold any more, if said: until 9 May is 2026-05-10"
    )
    confidential: bool = Field(description="whether they ask that nobody be told")
    asked_to_remember: bool = Field(description="whether they ask that it be remembered")
    confidence: Share = Field(description="how sure it is that they state this")


class RelationAnswer(_Answer):
    """One thing that a person says to bear on another."""

    message: int = Field(description="number of the message that says it")
    relation: Bearing
    source: str = Field(description="the words of that message that name the source, copied letter by letter")
    target: str = Field(description="the words of that message that name the target, copied letter by letter")
    confidence: Share = Field(description="how sure it is that they say this")


class DigestAnswer(_Answer):
    """What a talk was about."""

    topic: str = Field(description="a title of at most ten words")
    summary: str = Field(description="100 to 150 tokens, fewer where little was said")
    key_points: list[str]
    decisions: list[str] = Field(description="what the person decided, one sentence each")
    emotions: list[Emotion] = Field(description="what the person feels, strongest first; empty where nothing shows")
    user_state: State
    signals: SignalsAnswer
    exchanges: list[GateAnswer] = Field(description="one for each exchange that is asked about")
    facts: list[FactAnswer]
    relations: list[RelationAnswer] = Field(default_factory=list, description="what they say to bear on something else")


class QuoteAnswer(_Answer):
    """Words of one message."""

    message: int = Field(description="number of the message")
    quote: str = Field(description="the words of it that show the pattern, copied letter by letter")


class PatternAnswer(_Answer):
    """What one person shows in several episodes."""

    statement: str = Field(description="one sentence in the third person, beginning with the speaker's name")
    kind: PatternKind
    quotes: list[QuoteAnswer] = Field(description="from at least two episodes")
    volatility: Lasting
    is_negative: bool = Field(description="whether it says that something is not so")
    confidence: Share


class DistilAnswer(_Answer):
    """What holds over several episodes; empty where nothing does."""

    patterns: list[PatternAnswer]


class PairAnswer(_Answer):
    """What two statements are to each other."""

    pair: int
    verdict: Literal["MERGE", "PARTIAL_MERGE", "KEEP_ALL", "UPDATES", "CONTRADICTS"]
    keep: Literal["earlier", "later"] | None = Field(
        description="which one says more, for MERGE and PARTIAL_MERGE; else null"
    )
    same_subject: bool = Field(description="whether both are about one subject")
    sure: Share


class JudgeAnswer(_Answer):
    """What the statements of each pair are to each other."""

    pairs: list[PairAnswer]
