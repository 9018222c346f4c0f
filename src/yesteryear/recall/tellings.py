"""In which messages the facts of one owner were told, as far as somebody has looked it up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from yesteryear.core.fact import Evidence, Fact, Stance
from yesteryear.core.scope import Scope


class Telling(NamedTuple):
    """A message that speaks for a fact."""

    message_id: str
    quote: str
    """The words that do; empty where none are kept."""


class Tellings:
    """What speaks for each fact. What is said of a fact is said of those that were merged into it, too."""

    def __init__(self) -> None:
        self.wanted: dict[str, Scope] = {}
        """Facts whose evidence is to be looked up (again), by id, with their scopes."""
        self._by_fact: dict[str, tuple[Telling, ...]] = {}
        self._canonical: dict[str, str] = {}
        """The fact that one is merged into, by the id of the merged."""
        self._merged: dict[str, set[str]] = {}
        """The other way round."""

    def __iter__(self) -> Iterator[str]:
        """Yield the ids of all facts that were looked up."""
        return iter(self._by_fact)

    def of(self, fact_id: str) -> Iterator[Telling]:
        """Yield what speaks for a fact."""
        for each in (fact_id, *sorted(self._merged.get(fact_id, ()))):
            yield from self._by_fact.get(each, ())

    def expect(self, fact: Fact) -> None:
        """Take up that a fact has changed: its evidence may have, too."""
        self.wanted[fact.id] = fact.scope
        self._merge(fact.id, fact.canonical_id)

    def drop(self, fact_id: str) -> None:
        """Forget a fact."""
        self.wanted.pop(fact_id, None)
        self._by_fact.pop(fact_id, None)
        self._merge(fact_id, None)

    def set(self, fact_ids: Iterable[str], evidence: Iterable[Evidence]) -> None:
        """Take up all that speaks for and against some facts."""
        found: dict[str, list[Telling]] = {fact_id: [] for fact_id in fact_ids}
        for row in evidence:
            if row.message_id is not None and row.stance is Stance.SUPPORTS:
                found[row.fact_id].append(Telling(row.message_id, row.quote))
        for fact_id, tellings in found.items():
            self._by_fact[fact_id] = tuple(tellings)
            self.wanted.pop(fact_id, None)

    def _merge(self, fact_id: str, canonical_id: str | None) -> None:
        before = self._canonical.pop(fact_id, None)
        if before is not None:
            self._merged[before].discard(fact_id)
        if canonical_id is not None:
            self._canonical[fact_id] = canonical_id
            self._merged.setdefault(canonical_id, set()).add(fact_id)
