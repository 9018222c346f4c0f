"""The rows about facts, over one owner's frozen value."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from yesteryear.core.cycle import CycleReport
from yesteryear.core.edge import Edge
from yesteryear.core.fact import Evidence, Fact, FactStatus, FactVersion
from yesteryear.core.ruling import Ruling
from yesteryear.errors import Conflict
from yesteryear.ports import Vectors
from yesteryear.storage.bodies import stored, words_key
from yesteryear.storage.inmemory.owned import OwnedRows


class _Repository:
    def __init__(self, rows: OwnedRows) -> None:
        self._rows = rows

    def _is_known(self, *fact_ids: str) -> bool:
        """Tell whether there are facts with these ids, each another one, of which something is left."""
        facts = self._rows.owned.facts
        return len(set(fact_ids)) == len(fact_ids) and all(
            fact_id in facts and facts[fact_id].status is not FactStatus.FORGOTTEN for fact_id in fact_ids
        )

    def _sees_fact(self, fact_id: str) -> bool:
        fact = self._rows.owned.facts.get(fact_id)
        return fact is not None and self._rows.sees(fact.scope)


class FactRepository(_Repository):
    """See ``ports.Facts``."""

    def __init__(self, rows: OwnedRows, vectors: Vectors) -> None:
        super().__init__(rows)
        self._vectors = vectors

    def insert(self, facts: Sequence[Fact]) -> None:
        """Add facts."""
        known, new = self._rows.owned.facts, set[str]()
        for fact in facts:
            self._rows.check_owner(fact.scope)
            if fact.id in known or fact.id in new:
                raise Conflict(f"a row with the same key exists already ({fact.id})")
            new.add(fact.id)
        self._write(facts)

    def update(self, facts: Sequence[Fact]) -> None:
        """Write facts that exist."""
        for fact in facts:
            self._rows.check_owner(fact.scope)
        known = self._rows.owned.facts
        if facts:
            self._rows.next_rev()
            self._write([fact for fact in facts if self._is_known(fact.id) and known[fact.id].scope == fact.scope])

    def get(self, ids: Sequence[str]) -> list[Fact]:
        """Return facts in the order asked."""
        facts = self._rows.owned.facts
        return [facts[fact_id] for fact_id in ids if self._is_known(fact_id) and self._sees_fact(fact_id)]

    def all(self, statuses: Collection[FactStatus] | None = None) -> list[Fact]:
        """Return facts of some statuses."""
        wanted = frozenset(FactStatus) - {FactStatus.FORGOTTEN} if statuses is None else statuses
        found = [fact for fact in self._rows.owned.facts.values() if fact.status in wanted]
        return sorted(filter(self._sees, found), key=lambda fact: (fact.first_observed, fact.id))

    def saying(self, statement: str, *, project: str | None) -> Fact | None:
        """Return the fact with the same words."""
        key = words_key(statement)
        found = (fact for fact in self.all() if fact.scope.project == project and words_key(fact.statement) == key)
        return next(found, None)

    def due(self, now: datetime, *, limit: int) -> list[Fact]:
        """Return facts due to be compared."""
        found = [fact for fact in self.all() if fact.due_at is not None and fact.due_at <= now]
        return sorted(found, key=lambda fact: (fact.due_at or now, fact.first_observed, fact.id))[:limit]

    def newest(self) -> int:
        """Return the highest rev of a fact."""
        return max((fact.rev for fact in self._rows.owned.facts.values()), default=0)

    def forget(self, ids: Sequence[str]) -> None:
        """Leave nothing of facts but that they were there."""
        facts = {fact.id: fact for fact in self.get(ids)}
        if not facts:
            return
        owned = self._rows.owned
        self._rows.put(
            versions={fact_id: rows for fact_id, rows in owned.versions.items() if fact_id not in facts},
            evidence={key: row for key, row in owned.evidence.items() if key[0] not in facts},
            rulings={key: row for key, row in owned.rulings.items() if facts.keys().isdisjoint(key)},
            edges={key: row for key, row in owned.edges.items() if facts.keys().isdisjoint(key[:2])},
        )
        self._vectors.forget(list(facts))
        self.update([fact.blank() for fact in facts.values()])

    def _sees(self, fact: Fact) -> bool:
        return self._rows.sees(fact.scope)

    def _write(self, facts: Sequence[Fact]) -> None:
        if facts:
            rev = self._rows.next_rev()
            written = {fact.id: replace(stored(fact), rev=rev) for fact in facts}
            self._rows.put(facts={**self._rows.owned.facts, **written})


class VersionRepository(_Repository):
    """See ``ports.Versions``."""

    def add(self, versions: Sequence[FactVersion]) -> None:
        """Add versions."""
        for version in versions:
            self._rows.check_owner(version.fact.scope)
        if not versions:
            return
        self._rows.next_rev()
        written = dict(self._rows.owned.versions)
        for version in versions:
            if self._is_known(version.fact.id):
                before = written.get(version.fact.id, ())
                written[version.fact.id] = (*before, replace(stored(version), number=len(before) + 1))
        self._rows.put(versions=written)

    def of(self, fact_id: str) -> list[FactVersion]:
        """Return the versions of a fact."""
        return list(self._rows.owned.versions.get(fact_id, ())) if self._sees_fact(fact_id) else []

    def all(self) -> list[FactVersion]:
        """Return all versions."""
        return [version for fact_id in sorted(self._rows.owned.versions) for version in self.of(fact_id)]

    def known_at(self, instant: datetime) -> list[FactVersion]:
        """Return the last versions of an instant or before."""
        return list({version.fact.id: version for version in self.all() if version.at <= instant}.values())


class EvidenceRepository(_Repository):
    """See ``ports.Evidences``."""

    def add(self, rows: Sequence[Evidence]) -> None:
        """Add evidence."""
        if rows:
            self._rows.next_rev()
            written = {(row.fact_id, row.id): stored(row) for row in rows if self._is_known(row.fact_id)}
            self._rows.put(evidence={**self._rows.owned.evidence, **written})

    def of(self, fact_ids: Sequence[str]) -> list[Evidence]:
        """Return the evidence of facts."""
        wanted = set(fact_ids)
        return self._visible(row for row in self._rows.owned.evidence.values() if row.fact_id in wanted)

    def of_messages(self, message_ids: Sequence[str]) -> list[Evidence]:
        """Return the evidence that rests on messages."""
        wanted = set(message_ids)
        return self._visible(row for row in self._rows.owned.evidence.values() if row.message_id in wanted)

    def all(self) -> list[Evidence]:
        """Return all evidence."""
        return self._visible(self._rows.owned.evidence.values())

    def remove(self, rows: Sequence[Evidence]) -> None:
        """Delete evidence."""
        if rows:
            self._rows.check_writable()
        gone, evidence = {(row.fact_id, row.id) for row in rows}, self._rows.owned.evidence
        if gone & evidence.keys():
            self._rows.next_rev()
            self._rows.put(evidence={key: row for key, row in evidence.items() if key not in gone})

    def _visible(self, rows: Iterable[Evidence]) -> list[Evidence]:
        found = [row for row in rows if self._sees_fact(row.fact_id)]
        return sorted(found, key=lambda row: (row.said_at, row.id, row.fact_id))


class RulingRepository(_Repository):
    """See ``ports.Rulings``."""

    def save(self, rulings: Sequence[Ruling]) -> None:
        """Write rulings."""
        for ruling in rulings:
            self._rows.check_owner(ruling.scope)
        if rulings:
            self._rows.next_rev()
            written = {ruling.pair: stored(ruling) for ruling in rulings if self._is_known(*ruling.pair)}
            self._rows.put(rulings={**self._rows.owned.rulings, **written})

    def of(self, fact_ids: Sequence[str]) -> list[Ruling]:
        """Return rulings in which some facts take part."""
        wanted = set(fact_ids)
        return self._visible(row for row in self._rows.owned.rulings.values() if not wanted.isdisjoint(row.pair))

    def all(self) -> list[Ruling]:
        """Return all rulings."""
        return self._visible(self._rows.owned.rulings.values())

    def _visible(self, rows: Iterable[Ruling]) -> list[Ruling]:
        return sorted((row for row in rows if self._rows.sees(row.scope)), key=lambda row: row.pair)


class EdgeRepository(_Repository):
    """See ``ports.Edges``."""

    def put(self, edges: Sequence[Edge]) -> None:
        """Write edges."""
        for edge in edges:
            self._rows.check_owner(edge.scope)
        if edges:
            self._rows.next_rev()
            known = [edge for edge in edges if self._is_known(edge.source, edge.target)]
            written = {(edge.source, edge.target, edge.relation.value): stored(edge) for edge in known}
            self._rows.put(edges={**self._rows.owned.edges, **written})

    def all(self) -> list[Edge]:
        """Return all edges."""
        edges = self._rows.owned.edges
        return [edges[key] for key in sorted(edges) if self._rows.sees(edges[key].scope)]


class CycleRepository(_Repository):
    """See ``ports.Cycles``."""

    def save(self, report: CycleReport) -> None:
        """Write a night."""
        self._rows.next_rev()
        self._rows.put(cycles={**self._rows.owned.cycles, report.id: stored(report)})

    def get(self, cycle_id: str) -> CycleReport | None:
        """Return a night."""
        return self._rows.owned.cycles.get(cycle_id)

    def latest(self, *, limit: int) -> list[CycleReport]:
        """Return the last nights."""
        cycles = self._rows.owned.cycles
        return [cycles[cycle_id] for cycle_id in sorted(cycles, reverse=True)[:limit]]
