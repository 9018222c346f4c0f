"""A judgement on two facts as it is kept, and the question that it may leave open."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from yesteryear.core.plain import Plain
from yesteryear.core.scope import Scope
from yesteryear.core.verdicts import Act, Judgement


class ConflictState(StrEnum):
    """Where a question between two facts stands."""

    OPEN = "open"
    RESOLVED = "resolved"


@dataclass(frozen=True, slots=True)
class Ruling(Plain):
    """What two facts are to each other. There is one for a pair; a person's word replaces a judge's."""

    scope: Scope
    """The narrower one of the two facts'."""
    earlier: str
    """Id of the fact that was told first."""
    later: str
    judgement: Judgement
    ruled_at: datetime
    by_person: bool = False
    """Whether the person decided it."""
    cycle: str | None = None
    """Id of the night that judged."""
    is_void: bool = False
    """Whether it was undone: it counts for nothing, and the pair is not judged again."""
    set_aside_by: str | None = None
    """Id of the night that found other facts nearer to both: until a night finds otherwise it counts for nothing, so
    that what is believed does not depend on which of many like facts was learnt first."""
    conflict: ConflictState | None = None
    """Whether it is, or was, a question for the person; None where there is nothing to ask."""
    settled_at: datetime | None = None
    settled_by: str = ""
    """What settled the question: told again, confirmed, refuted, authority, both hold, gone or undone."""
    asked_at: datetime | None = None
    """When a context last offered the question."""

    @property
    def pair(self) -> tuple[str, str]:
        """The two ids in alphabetical order: the key of the row."""
        return (self.earlier, self.later) if self.earlier < self.later else (self.later, self.earlier)

    @property
    def counts(self) -> bool:
        """Whether belief follows from it: it was neither undone nor set aside."""
        return not self.is_void and self.set_aside_by is None

    @property
    def act(self) -> Act:
        """What it is sure enough for; nothing where it does not count."""
        return self.judgement.act if self.counts else Act.NOTHING
