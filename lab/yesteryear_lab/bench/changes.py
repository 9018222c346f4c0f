"""What a series of dialogs changes, and whether a memory ended where it should.

A change names what was told before and what is told now, both by stems. It may itself be overtaken by a later change of
the same series.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import yesteryear
from yesteryear_lab.bench.fact_scores import Change, DialogRow, Found, tells

_OVERTAKES = frozenset({"updates", "contradicts"})
_STEPS = 100
"""Facts that may have taken one another's place in a row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told(Found):
    """A fact as a memory shows it."""

    id: str
    status: yesteryear.FactStatus
    is_current: bool
    """Whether it counts now."""
    first_at: datetime
    """When it was first told."""
    canonical_id: str | None = None
    superseded_by: str | None = None


def judge_change(
    change: Change, believed: Sequence[Told], conflicts: Collection[tuple[str, str]], *, later: Sequence[Change]
) -> bool:
    """Tell whether a marked change ended as marked.

    updates: what is told now is current, and no current statement tells only what was before. contradicts: the same,
    or the two stand in a conflict. refines, duplicate: what is told now is current, and what was before is, or was
    folded into something that is. coexist: both are current. What a later change overtook need not be current.
    """
    now = [fact for fact in believed if tells(fact.statement, change.fact_now)]
    before = [fact for fact in believed if tells(fact.statement, change.fact_before)]
    if not any(fact.is_current or _is_overtaken(fact, later) for fact in now):
        return False
    if change.verdict in _OVERTAKES:
        left = [fact for fact in before if fact.is_current and not tells(fact.statement, change.fact_now)]
        if not left:
            return True
        pairs = {frozenset(pair) for pair in conflicts}
        asked = any(frozenset((one.id, other.id)) in pairs for one in left for other in now)
        return change.verdict == "contradicts" and asked
    known = {fact.id: fact for fact in believed}
    return any(_still_stands(fact, known) or _is_overtaken(fact, later) for fact in before)


def standing_facts(told: Sequence[tuple[DialogRow, Sequence[Told]]], changes: Sequence[Change]) -> list[Told]:
    """Return the facts that were found, are true, and were never marked as changed: they should still stand."""
    return [
        fact
        for row, facts in told
        for fact in facts
        if not any(tells(fact.statement, change.fact_before) for change in changes)
        and any(
            tells(fact.statement, gold.all_of)
            and fact.places & gold.evidence
            and not any(tells(gold.statement, change.fact_before) for change in changes)
            for gold in row.facts
        )
    ]


def lost_facts(standing: Sequence[Told], believed: Sequence[Told]) -> list[Told]:
    """Return the facts that should stand but are neither current nor folded into one that is."""
    known = {fact.id: fact for fact in believed}
    return [fact for fact in standing if fact.id not in known or not _still_stands(known[fact.id], known)]


def _is_overtaken(fact: Told, later: Sequence[Change]) -> bool:
    return any(change.verdict in _OVERTAKES and tells(fact.statement, change.fact_before) for change in later)


def _still_stands(fact: Told, known: Mapping[str, Told]) -> bool:
    """Tell whether a fact is current, or merged into one that is."""
    for _ in range(_STEPS):
        if fact.is_current:
            return True
        following = known.get(fact.canonical_id or "")
        if fact.status is not yesteryear.FactStatus.MERGED or following is None:
            return False
        fact = following
    return False
