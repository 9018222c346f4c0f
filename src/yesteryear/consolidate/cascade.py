"""Cascade: what rests on a fact that no longer holds needs another look."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from yesteryear.consolidate.folding import Group
from yesteryear.core.edge import Edge, Relation
from yesteryear.core.fact import FactStatus


class Ended(NamedTuple):
    """That a fact ceased to hold."""

    status: FactStatus
    at: datetime
    """When that was said, or when it faded."""


class Doubt(NamedTuple):
    """Why a fact needs another look."""

    why: str
    target: str
    """Id of the fact it rests on."""


def doubts(groups: Mapping[str, Group], ended: Mapping[str, Ended], edges: Iterable[Edge]) -> dict[str, Doubt]:
    """Return which of the groups that count rest on something that ended, directly or not.

    A group that was supported at that end or after stands by itself. Edges may run in circles: a circle in which
    nothing ended raises no doubt.

    Args:
        groups: By the id of every member.
        ended: Groups that no longer hold, by root.
        edges: Of all relations; only DEPENDS_ON counts: the source rests on the target.

    Returns:
        By the root of the group in doubt.
    """
    resting: dict[str, set[str]] = defaultdict(set)
    for edge in edges:
        if edge.relation is Relation.DEPENDS_ON and edge.source in groups and edge.target in groups:
            resting[groups[edge.target].root.id].add(groups[edge.source].root.id)
    found: dict[str, Doubt] = {}
    for root in sorted(ended, key=lambda root: (ended[root].at, groups[root].root.statement, root), reverse=True):
        ways = [(root, f"what it rests on is {ended[root].status.value}")]
        while ways:
            target, why = ways.pop()
            for source in sorted(resting[target], key=lambda source: (groups[source].root.statement, source)):
                is_sound = source in ended or source in found or groups[source].belief.last >= ended[root].at
                if not is_sound:
                    found[source] = Doubt(why, target)
                    ways.append((source, "what it rests on needs review"))
    return found
