"""How one thing that is known bears on another: told in so many words, or seen by us."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from yesteryear.core.results import Plain
from yesteryear.core.scope import Scope


class Relation(StrEnum):
    """What the source of an edge does to its target."""

    BLOCKS = "blocks"
    ENABLES = "enables"
    CONFLICTS_WITH = "conflicts_with"
    RELATED_TO = "related_to"
    CAUSED_BY = "caused_by"
    DEPENDS_ON = "depends_on"
    PART_OF = "part_of"


IN_WORDS = {
    Relation.BLOCKS: "stands in the way of",
    Relation.ENABLES: "helps",
    Relation.CONFLICTS_WITH: "conflicts with",
    Relation.RELATED_TO: "has to do with",
    Relation.CAUSED_BY: "came of",
    Relation.DEPENDS_ON: "depends on",
    Relation.PART_OF: "is part of",
}
"""What stands between the two ends where an edge is told in a line."""
MUTUAL = frozenset({Relation.CONFLICTS_WITH, Relation.RELATED_TO})  # relations that have no direction


class Basis(StrEnum):
    """What an edge is known by."""

    RESTS = "rests"  # by their values alone; it tells what is in doubt when another ends, and is shown to nobody
    INFERRED = "inferred"  # nobody said it; both are known, and fit
    TOLD = "told"  # somebody said it
    DISMISSED = "dismissed"  # the person said that it is not so; nothing brings it back but they


@dataclass(frozen=True, slots=True)
class Edge(Plain):
    """One fact bears on another, or one thing that a fact tells on another that it tells."""

    scope: Scope
    source: str  # id of a fact
    target: str  # id of a fact; the same one where its own words tell both
    relation: Relation
    recorded_at: datetime
    why: str = ""  # what makes us think so
    basis: Basis = Basis.RESTS
    source_words: str = ""  # which words of the source it is about; empty for all of it
    target_words: str = ""
    quote: str = ""  # the words that say it; empty where nobody did, and where words are not kept
    message_id: str | None = None  # of the message that says it
    confidence: float = 1.0  # how sure we are that it is so, in [0, 1]

    @property
    def texts(self) -> tuple[str, ...]:
        """All words of the person that stand in it."""
        return tuple(filter(None, (self.why, self.quote, self.source_words, self.target_words)))

    @property
    def is_empty(self) -> bool:
        """Whether it says that one thing bears on itself."""
        return (self.source, self.source_words) == (self.target, self.target_words)

    @property
    def id(self) -> str:
        """What names it; there is one of a relation between two facts."""
        return f"{self.relation}:{self.source}:{self.target}"


@dataclass(frozen=True, slots=True)
class RelationDraft(Plain):
    """That one thing bears on another, as an analyst found it in a message."""

    relation: Relation
    source: str
    """The words that name the source; a part of the message, as are all here."""
    target: str
    quote: str
    """The words that say it."""
    message_id: str
    confidence: float
    """How sure the analyst is that the person states this, in [0, 1]."""
