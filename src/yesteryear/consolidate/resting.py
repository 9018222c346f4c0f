"""Which facts rest on which: a plan that names the town where somebody lives is in doubt once they have moved."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime

from yesteryear.core.edge import Edge, Relation
from yesteryear.core.fact import Cardinality, Fact, FactKind, Modality, Volatility

_RESTING = frozenset(
    {
        *(FactKind.GOAL, FactKind.BLOCKER, FactKind.DECISION),
        *(FactKind.WORK_PATTERN, FactKind.SUCCESS_PATTERN),
    }
)
"""Kinds that may hold only as long as something else does. What happened, who somebody is and whom they know stays."""
_LEAST_CHARS = 3
"""Shortest value that is looked for in other statements."""


def rest(new: Iterable[Fact], facts: Iterable[Fact], *, now: datetime) -> Iterator[Edge]:
    """Yield an edge for every fact that names the present value of another one's single-valued slot.

    Only values that are names count, of the same person, and in either direction between ``new`` and ``facts``; the
    order in which the two were told does not matter.

    Args:
        new: Facts that were not looked at yet.
        facts: All facts, these too.
        now: When it becomes known.
    """
    everything = list(facts)
    for one in new:
        for other in everything:
            if one.id == other.id or one.subject.casefold() != other.subject.casefold():
                continue
            for source, target in ((one, other), (other, one)):
                if _rests(source, target):
                    narrower = source.scope if source.scope.project is not None else target.scope
                    why = f"it names {target.slot.value}" if target.slot else ""
                    yield Edge(narrower, source.id, target.id, Relation.DEPENDS_ON, now, why)


def _rests(source: Fact, target: Fact) -> bool:
    slot = target.slot
    if slot is None or slot.cardinality is not Cardinality.SINGLE or target.modality is Modality.PAST:
        return False
    if source.kind not in _RESTING or source.volatility is Volatility.STATIC or source.modality is Modality.PAST:
        return False
    has_same_slot = source.slot is not None and source.slot.attribute == slot.attribute
    is_name = len(slot.value) >= _LEAST_CHARS and slot.value[:1].isupper()
    return is_name and not has_same_slot and re.search(rf"\b{re.escape(slot.value)}\b", source.statement) is not None
