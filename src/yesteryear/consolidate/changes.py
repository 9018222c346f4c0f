"""How a change of a fact is told to the reader of a report."""

from __future__ import annotations

from yesteryear.core.cycle import FactChange
from yesteryear.core.fact import Authority, Fact, FactStatus

_WHAT = {
    FactStatus.STABLE: "stable",
    FactStatus.NEEDS_REVIEW: "needs_review",
    FactStatus.DEPRECATED: "deprecated",
    FactStatus.MERGED: "merged",
    FactStatus.SUPERSEDED: "superseded",
}
_OUT = frozenset(FactStatus) - {FactStatus.TENTATIVE, FactStatus.STABLE}


def told_change(before: Fact, after: Fact) -> FactChange:
    """Return what happened to a fact, in one word, and why."""
    other = after.canonical_id or after.superseded_by or after.properties.get("review_of")
    return FactChange(
        fact_id=after.id,
        statement=after.statement,
        what=_what(before, after),
        why=after.properties.get("review") or after.properties.get("why", ""),
        other_id=other,
        confidence=(before.confidence, after.confidence),
    )


def _what(before: Fact, after: Fact) -> str:
    if before.authority is Authority.INFERRED and before.last_confirmed is None and after.is_live:
        return "distilled"
    if after.status is not before.status:
        if before.status in _OUT and after.status not in _OUT:
            return "restored"
        return _WHAT.get(after.status, "confidence")
    if (after.canonical_id, after.superseded_by) != (before.canonical_id, before.superseded_by):
        return _WHAT[after.status]
    if after.resolved_at != before.resolved_at:
        return "restored" if after.resolved_at is None else "resolved"
    return "confidence"
