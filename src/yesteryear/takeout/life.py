"""What a memory holds, as rows in a fixed order: what an export is written from, and what it becomes again.

Conversations come by their key, messages by conversation and position, episodes by conversation and first message,
facts by when they were first told, vectors in the order of the messages, then of the episodes, then of the facts,
recall events, nights and what models have cost by id, settings by project. What is about facts comes in their order,
too: versions by number, evidence by when it was said, rulings and edges with the fact that comes last of their two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, Protocol, TypeAlias

from yesteryear.core.conversation import Conversation
from yesteryear.core.cycle import CycleReport
from yesteryear.core.edge import Edge
from yesteryear.core.episode import Episode
from yesteryear.core.events import RecallEvent
from yesteryear.core.fact import Evidence, Fact, FactVersion
from yesteryear.core.message import Message
from yesteryear.core.ruling import Ruling
from yesteryear.core.scope import ConversationKey
from yesteryear.core.usage import Charge
from yesteryear.core.vectors import StoredVector

Value: TypeAlias = int | float | bool | str
"""A value of a setting."""


class Models(NamedTuple):
    """The embedding models of an owner; see ``core.owner.OwnerState``."""

    model: str | None
    next_model: str | None


MOST_SETTINGS = 100
"""Settings of one level, at most: several times as many as there are, since another version may know others."""


class Settings(NamedTuple):
    """What is set at one level."""

    project: str | None
    """None for what is set for the user."""
    values: Mapping[str, Value]
    """At least one."""


class ModelVector(NamedTuple):
    """A vector and the model that made it."""

    model: str
    stored: StoredVector


class Life(Protocol):
    """The rows of one owner, or what a scope sees of them. Each kind can be walked through again and again."""

    @property
    def models(self) -> Models:
        """The models whose vectors serve."""
        ...

    def conversations(self) -> Iterator[Conversation]:
        """Walk through the conversations."""
        ...

    def messages(self) -> Iterator[Message]:
        """Walk through the messages."""
        ...

    def episodes(self) -> Iterator[Episode]:
        """Walk through the episodes, forgotten ones too."""
        ...

    def facts(self) -> Iterator[Fact]:
        """Walk through the facts, forgotten ones too."""
        ...

    def versions(self) -> Iterator[FactVersion]:
        """Walk through the versions of facts."""
        ...

    def evidence(self) -> Iterator[Evidence]:
        """Walk through the evidence of facts."""
        ...

    def rulings(self) -> Iterator[Ruling]:
        """Walk through the rulings on pairs of facts."""
        ...

    def edges(self) -> Iterator[Edge]:
        """Walk through the edges between facts."""
        ...

    def cycles(self) -> Iterator[CycleReport]:
        """Walk through the nights."""
        ...

    def usages(self) -> Iterator[Charge]:
        """Walk through what models have cost."""
        ...

    def vectors(self) -> Iterator[ModelVector]:
        """Walk through the vectors."""
        ...

    def recalls(self) -> Iterator[RecallEvent]:
        """Walk through the recall events."""
        ...

    def settings(self) -> Iterator[Settings]:
        """Walk through the levels at which something is set."""
        ...


def place_of(key: ConversationKey) -> tuple[str, str, str]:
    """Return what orders conversations: project, agent and name, those without first."""
    return key.project or "", key.agent or "", key.name


def edge_key(edge: Edge) -> tuple[str, str, str]:
    """Return what tells edges apart."""
    return edge.source, edge.target, edge.relation.value
