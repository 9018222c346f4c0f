"""How facts bear on one another."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from yesteryear.core.plain import Plain
from yesteryear.core.scope import Scope


class Relation(StrEnum):
    """What the source of an edge does to its target."""

    BLOCKS = "blocks"
    ENABLES = "enables"
    CONFLICTS_WITH = "conflicts_with"
    RELATED_TO = "related_to"
    CAUSED_BY = "caused_by"
    DEPENDS_ON = "depends_on"


@dataclass(frozen=True, slots=True)
class Edge(Plain):
    """One fact bears on another."""

    scope: Scope
    source: str
    """Id of a fact."""
    target: str
    """Id of another fact."""
    relation: Relation
    recorded_at: datetime
    why: str = ""
    """What makes us think so."""
