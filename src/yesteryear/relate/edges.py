"""Edges between facts: of what was said to bear on each other, and of what fits though nobody said so. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from yesteryear.core.fact import Evidence, Fact
from yesteryear.core.language.tokens import stems
from yesteryear.core.relation import Basis, Edge, RelationDraft
from yesteryear.core.scope import Scope

_SAME_WORDS = 0.5
"""Least share of the words of an end, or of a fact, that the two have in common."""


def told_edges(
    drafts: Iterable[RelationDraft], told: Sequence[Evidence], facts: Iterable[Fact], *, now: datetime
) -> list[Edge]:
    """Return an edge for each relation that was said, between the facts that the words of its ends told.

    An end that told no fact is one of the words of the other's. What told none at either end is none.

    Args:
        drafts: What was said, of messages that ``told`` speaks of.
        told: What those messages say for facts, with quotes.
        facts: These.
        now: When it became known.
    """
    known = {fact.id: fact for fact in facts}
    found: dict[str, Edge] = {}
    for draft in drafts:
        near = [row for row in told if row.message_id == draft.message_id and row.fact_id in known]
        source, target = (_telling(words, near) for words in (draft.source, draft.target))
        one, other = source or target, target or source
        if one is None or other is None:
            continue
        edge = Edge(
            scope=_narrower(known[one.fact_id], known[other.fact_id]),
            source=one.fact_id,
            target=other.fact_id,
            relation=draft.relation,
            recorded_at=now,
            basis=Basis.TOLD,
            source_words=draft.source,
            target_words=draft.target,
            quote=draft.quote,
            message_id=draft.message_id,
            confidence=draft.confidence,
        )
        if not edge.is_empty:
            found.setdefault(edge.id, edge)
    return list(found.values())


def _telling(words: str, told: Iterable[Evidence]) -> Evidence | None:
    """Return what tells a fact in the words of an end; of several what has most of them, and few others."""
    sought = set(stems(words))
    shares = [(_share(sought, set(stems(row.quote))), -len(row.quote), row.fact_id, row) for row in told]
    best = max(shares, default=None, key=lambda each: each[:3])
    return best[-1] if best is not None and best[0] >= _SAME_WORDS else None


def _share(sought: set[str], said: set[str]) -> float:
    return len(sought & said) / len(sought) if sought else 0.0


def _narrower(one: Fact, other: Fact) -> Scope:
    return one.scope if one.scope.project is not None else other.scope
