"""What a memory holds, as rows in a fixed order: what an export is written from, and what it becomes again.

Conversations come by their key, messages by conversation and position, episodes by conversation and first message,
vectors in the order of the messages and then of the episodes, recall events by id, settings by project.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, Protocol, TypeAlias

from yesteryear.core.conversation import Conversation
from yesteryear.core.episode import Episode
from yesteryear.core.events import RecallEvent
from yesteryear.core.message import Message
from yesteryear.core.scope import ConversationKey
from yesteryear.core.vectors import StoredVector

Value: TypeAlias = int | float | bool | str
"""A value of a setting."""


class Models(NamedTuple):
    """The embedding models of an owner; see ``core.owner.OwnerState``."""

    model: str | None
    next_model: str | None


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
