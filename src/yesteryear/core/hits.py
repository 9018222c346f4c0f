"""What recall finds, with its score and the signals behind it, and what a context then showed of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from yesteryear.core.attributes import FactKind
from yesteryear.core.results import Plain
from yesteryear.core.scope import ConversationKey
from yesteryear.core.vectors import VectorGrain


@dataclass(frozen=True, slots=True)
class Hit(Plain):
    """One recalled piece of memory. Higher scores are better; they compare within one recall only."""

    id: str
    """Id of the fact, of the episode, or of the message an excerpt is taken from."""
    grain: VectorGrain
    text: str
    """The passage of an excerpt, an episode's topic and summary, or the statement of a fact."""
    score: float
    signals: Mapping[str, float]
    """What the score is made of, by name."""
    messages: tuple[str, ...]
    """Ids of the messages behind it: the caller's own where given."""
    conversation: str
    """Where it was said; empty for a fact, which may have been told in several."""
    at: datetime
    """When it was said; for an episode, when it ended; for a fact, when it was last told (UTC)."""
    author: str | None = None
    """Who said it, and whom a fact is about; None for an episode."""
    zone: str | None = None
    part: int = 0
    """Number of the passage within its message, from 0."""
    seq: int = 0
    """Position of its (last) message in the conversation."""
    project: str | None = None
    agent: str | None = None
    is_earlier: bool = False
    """Whether this is what held before: a better hit states the same value anew, or another fact took its place."""
    kind: FactKind | None = None
    """What a fact is about; None for all else."""
    confidence: float | None = None
    """How sure we are of a fact as of now, in [0, 1]; None for all else."""

    @property
    def content(self) -> str:
        """The text, by the name that it has in messages."""
        return self.text

    @property
    def key(self) -> ConversationKey:
        """The conversation it was said in; without a name for a fact."""
        return ConversationKey(self.project, self.agent, self.conversation)


@dataclass(frozen=True, slots=True)
class RecallEvent:
    """What one context put before a model; for the echo mask and for useful recall."""

    id: str
    key: ConversationKey  # for which conversation; its name is empty for a context without one
    at: datetime
    items: tuple[str, ...]  # ids of the episodes and messages shown
    fingerprints: tuple[int, ...]  # 64-bit hashes of the shown sentences
    asked: tuple[int, ...] = ()  # 64-bit hashes of the sentences of the message that it was for
    settled: bool = False  # whether it was decided what of it was useful
