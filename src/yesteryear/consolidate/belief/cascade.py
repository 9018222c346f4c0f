"""Cascade: which facts rest on which; what rests on a fact that no longer holds needs another look.

A plan that names the town where somebody lives is in doubt once they have moved.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import permutations, product
from typing import NamedTuple

from yesteryear.consolidate.belief.merging import Group
from yesteryear.core.attributes import Cardinality, FactKind, Volatility, attributes
from yesteryear.core.fact import OPEN_KINDS, Fact, FactStatus, Modality
from yesteryear.core.relation import Basis, Edge, Relation
from yesteryear.core.time import say_month

_RESTING = OPEN_KINDS | {FactKind.WORK_PATTERN, FactKind.SUCCESS_PATTERN}
"""Kinds that may hold only as long as something else does. What happened, who somebody is and whom they know stays."""
_LEAST_CHARS = 3  # shortest value that is looked for in other statements


class Ended(NamedTuple):
    """That a fact ceased to hold."""

    status: FactStatus
    at: datetime  # when that was said, or when it faded


class Doubt(NamedTuple):
    """Why a fact needs another look."""

    why: str
    target: str  # id of the fact it rests on


def doubts(groups: Mapping[str, Group], ended: Mapping[str, Ended], edges: Iterable[Edge]) -> dict[str, Doubt]:
    """Return, by root, which of the groups that count rest on something that ended, directly or not.

    A group that was supported at that end or after stands by itself. Of the edges only DEPENDS_ON counts: the source
    rests on the target. ``groups`` come by the id of every member, ``ended`` by root.
    """
    resting: dict[str, set[str]] = defaultdict(set)
    for edge in edges:
        is_resting = edge.relation is Relation.DEPENDS_ON and edge.basis is Basis.RESTS
        if is_resting and edge.source in groups and edge.target in groups:
            resting[groups[edge.target].root.id].add(groups[edge.source].root.id)
    found: dict[str, Doubt] = {}
    for root in sorted(ended, key=lambda root: (ended[root].at, groups[root].root.statement, root), reverse=True):
        ways = [(root, _reason(groups[root].root, ended[root]))]
        while ways:
            target, why = ways.pop()
            for source in sorted(resting[target], key=lambda source: (groups[source].root.statement, source)):
                is_sound = source in ended or source in found or groups[source].belief.last >= ended[root].at
                if not is_sound:
                    found[source] = Doubt(why, target)
                    ways.append((source, why))
    return found


def _reason(fact: Fact, ended: Ended) -> str:
    """Return what ended, and when; nothing of its words, which may be forgotten before the note is."""
    what = fact.attribute or (fact.slot.attribute if fact.slot else "") or "what it rests on"
    how = "changed in" if ended.status is FactStatus.SUPERSEDED else "no longer holds, since"
    return f"{what.replace('_', ' ')} {how} {say_month(ended.at, zone=None)}"


def find_dependencies(new: Iterable[Fact], facts: Iterable[Fact], *, now: datetime) -> Iterator[Edge]:
    """Yield an edge for every fact that rests on another one of the same person, in either direction.

    It names the present value of the other's single-valued slot, where that is a name, or its attribute rests on that
    of the other for one holder. The order in which the two were told does not matter.
    """
    for one, other in product(new, facts):
        if one.id == other.id or one.subject.casefold() != other.subject.casefold():
            continue
        for source, target in permutations((one, other)):
            if why := _rests(source, target):
                narrower = source.scope if source.scope.project is not None else target.scope
                yield Edge(narrower, source.id, target.id, Relation.DEPENDS_ON, now, why)


def _rests(source: Fact, target: Fact) -> str:
    """Return why one fact rests on another; nothing where it does not."""
    if Modality.PAST in (source.modality, target.modality) or source.volatility is Volatility.STATIC:
        return ""
    known = attributes().get(source.attribute)
    if known and target.attribute in known.rests_on and source.holder.casefold() == target.holder.casefold():
        return f"{source.attribute} rests on {target.attribute}"
    slot = target.slot
    is_own_place = known and known.is_placed and target.attribute == "home" and not (source.holder or target.holder)
    if slot is None or slot.cardinality is not Cardinality.SINGLE or not (source.kind in _RESTING or is_own_place):
        return ""
    has_same_slot = source.slot is not None and source.slot.attribute == slot.attribute
    is_name = len(slot.value) >= _LEAST_CHARS and slot.value[:1].isupper()
    names_it = is_name and not has_same_slot and re.search(rf"\b{re.escape(slot.value)}\b", source.statement)
    return f"it names {slot.value}" if names_it else ""
