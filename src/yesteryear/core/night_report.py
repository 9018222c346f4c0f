"""A night: one run of consolidation as a changeset that can be looked at and undone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from yesteryear.core.results import Plain


class CycleState(StrEnum):
    """Where a night stands."""

    RUNNING = "running"  # it was begun; what it had done when it was killed is gone on with
    DONE = "done"
    UNDONE = "undone"


@dataclass(frozen=True, slots=True)
class FactChange(Plain):
    """What a night did to one fact."""

    fact_id: str
    statement: str
    """What it says, for the reader of the report; not kept, so that forgetting the fact needs no look in here."""
    what: str
    """distilled, stable, merged, superseded, deprecated, needs_review, restored, resolved or confidence."""
    why: str = ""
    other_id: str | None = None
    """The fact that took its place or that it was merged into."""
    confidence: tuple[float, float] = (0.0, 0.0)
    """Before and after, each in [0, 1]."""


@dataclass(frozen=True, slots=True)
class CycleReport(Plain):
    """What a night did, or would do."""

    id: str
    at: datetime
    """The instant it was run for (UTC)."""
    state: CycleState
    is_dry: bool = False
    """Whether it was only planned."""
    episodes: int = 0
    """Episodes that were looked at."""
    clusters: int = 0
    """Groups of episodes on one subject."""
    judged: int = 0
    """Pairs of facts that were judged."""
    changes: tuple[FactChange, ...] = ()
    conflicts_opened: int = 0
    conflicts_settled: int = 0
    faded: int = 0
    """Episodes that lost their words or left recall."""
    facts: Mapping[str, int] = field(default_factory=dict)
    """Facts by status afterwards."""
    distilled: int = 0
    """Groups that a language model read for what holds over several episodes."""
    undistilled: int = 0
    """Groups that it should have read and could not; they are due the next night."""
    read: tuple[str, ...] = ()
    """Ids of the episodes in the groups that it read."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was changed."""
        return not (self.changes or self.judged or self.faded or self.conflicts_opened or self.conflicts_settled)

    @property
    def only_read(self) -> bool:
        """Whether a model read, or should have, and nothing came of it: there is nothing to undo."""
        return self.is_empty and bool(self.read or self.undistilled)
