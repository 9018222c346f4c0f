"""The rows about facts, over one transaction of a database."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from yesteryear.core.codec import Row, decode, encode, scope_columns, stored_instant
from yesteryear.core.cycle import CycleReport
from yesteryear.core.edge import Edge
from yesteryear.core.fact import Evidence, Fact, FactStatus, FactVersion
from yesteryear.core.ruling import Ruling
from yesteryear.core.time import to_microseconds
from yesteryear.ports import Vectors
from yesteryear.storage.rows import words_key
from yesteryear.storage.sql.owned import OwnedRows

_KEPT = frozenset(FactStatus) - {FactStatus.FORGOTTEN}


class FactRows:
    """See ``ports.Facts``."""

    __slots__ = ("_rows", "_vectors")

    def __init__(self, table: OwnedRows, vectors: Vectors) -> None:
        self._rows = table
        self._vectors = vectors

    def insert(self, facts: Sequence[Fact]) -> None:
        """Add facts."""
        self._rows.write_each("fact_insert", list(map(_columns, facts)))

    def update(self, facts: Sequence[Fact]) -> None:
        """Write facts that exist."""
        self._rows.write_each("fact_update", list(map(_columns, facts)))

    def get(self, ids: Sequence[str]) -> list[Fact]:
        """Return facts in the order asked."""
        found = {fact.id: fact for fact in read_facts(self._rows.all("fact_get", self._rows.among(ids)))}
        return [found[fact_id] for fact_id in ids if fact_id in found]

    def all(self, statuses: Collection[FactStatus] | None = None) -> list[Fact]:
        """Return facts of some statuses."""
        wanted = _KEPT if statuses is None else statuses
        return read_facts(self._rows.all("fact_all", {"statuses": self._rows.bind_list(sorted(wanted))}))

    def saying(self, statement: str, *, project: str | None) -> Fact | None:
        """Return the fact with the same words."""
        found = self._rows.all("fact_saying", {"words": words_key(statement), "in_project": project or ""})
        return read_facts(found)[0] if found else None

    def due(self, now: datetime, *, limit: int) -> list[Fact]:
        """Return facts due to be compared."""
        return read_facts(self._rows.all("fact_due", {"now": to_microseconds(now), "limit": limit}))

    def newest(self) -> int:
        """Return the highest rev of a fact."""
        rev: int = self._rows.all("fact_newest")[0]["rev"]
        return rev

    def forget(self, ids: Sequence[str]) -> None:
        """Leave nothing of facts but that they were there."""
        facts = self.get(ids)
        if not facts:
            return
        known = self._rows.among([fact.id for fact in facts])
        for table in ("version", "evidence", "ruling", "edge"):
            self._rows.run(f"{table}_forget", known)
        self._vectors.forget([fact.id for fact in facts])
        self.update([fact.blank() for fact in facts])


class VersionRows:
    """See ``ports.Versions``."""

    __slots__ = ("_rows",)

    def __init__(self, table: OwnedRows) -> None:
        self._rows = table

    def add(self, versions: Sequence[FactVersion]) -> None:
        """Add versions."""
        self._rows.write_each(
            "version_add",
            [
                {
                    **scope_columns(version.fact.scope),
                    "id": version.fact.id,
                    "at": to_microseconds(version.at),
                    "body": encode(version),
                }
                for version in versions
            ],
        )

    def of(self, fact_id: str) -> list[FactVersion]:
        """Return the versions of a fact."""
        return _versions(self._rows.all("version_of", {"id": fact_id}))

    def all(self) -> list[FactVersion]:
        """Return all versions."""
        return _versions(self._rows.all("version_all"))

    def known_at(self, instant: datetime) -> list[FactVersion]:
        """Return the last versions of an instant or before."""
        return _versions(self._rows.all("version_known_at", {"at": to_microseconds(instant)}))


class EvidenceRows:
    """See ``ports.Evidences``."""

    __slots__ = ("_rows",)

    def __init__(self, table: OwnedRows) -> None:
        self._rows = table

    def add(self, rows: Sequence[Evidence]) -> None:
        """Add evidence."""
        if rows:
            self._rows.next_rev()
        self._rows.run_each(
            "evidence_add",
            [
                {
                    "id": row.fact_id,
                    "evidence": row.id,
                    "message_id": row.message_id,
                    "said_at": to_microseconds(row.said_at),
                    "body": encode(row),
                }
                for row in rows
            ],
        )

    def of(self, fact_ids: Sequence[str]) -> list[Evidence]:
        """Return the evidence of facts."""
        return _read(self._rows.all("evidence_of", self._rows.among(fact_ids)), Evidence)

    def of_messages(self, message_ids: Sequence[str]) -> list[Evidence]:
        """Return the evidence that rests on messages."""
        return _read(self._rows.all("evidence_of_messages", self._rows.among(message_ids)), Evidence)

    def all(self) -> list[Evidence]:
        """Return all evidence."""
        return _read(self._rows.all("evidence_all"), Evidence)

    def remove(self, rows: Sequence[Evidence]) -> None:
        """Delete evidence."""
        if self._rows.run_each("evidence_remove", [{"id": row.fact_id, "evidence": row.id} for row in rows]):
            self._rows.next_rev()


class RulingRows:
    """See ``ports.Rulings``."""

    __slots__ = ("_rows",)

    def __init__(self, table: OwnedRows) -> None:
        self._rows = table

    def save(self, rulings: Sequence[Ruling]) -> None:
        """Write rulings."""
        self._rows.write_each(
            "ruling_save",
            [
                {**scope_columns(ruling.scope), "one": one, "other": other, "body": encode(ruling)}
                for ruling, (one, other) in ((ruling, ruling.pair) for ruling in rulings)
            ],
        )

    def of(self, fact_ids: Sequence[str]) -> list[Ruling]:
        """Return rulings in which some facts take part."""
        found = _read(self._rows.all("ruling_of", self._rows.among(fact_ids)), Ruling)
        return sorted(found, key=lambda ruling: ruling.pair)

    def all(self) -> list[Ruling]:
        """Return all rulings."""
        return _read(self._rows.all("ruling_all"), Ruling)


class EdgeRows:
    """See ``ports.Edges``."""

    __slots__ = ("_rows",)

    def __init__(self, table: OwnedRows) -> None:
        self._rows = table

    def put(self, edges: Sequence[Edge]) -> None:
        """Write edges."""
        self._rows.write_each(
            "edge_put",
            [
                {
                    **scope_columns(edge.scope),
                    "source": edge.source,
                    "target": edge.target,
                    "relation": edge.relation.value,
                    "body": encode(edge),
                }
                for edge in edges
            ],
        )

    def all(self) -> list[Edge]:
        """Return all edges."""
        return _read(self._rows.all("edge_all"), Edge)


class CycleRows:
    """See ``ports.Cycles``."""

    __slots__ = ("_rows",)

    def __init__(self, table: OwnedRows) -> None:
        self._rows = table

    def save(self, report: CycleReport) -> None:
        """Write a night."""
        self._rows.next_rev()
        self._rows.run("cycle_save", {"id": report.id, "body": encode(report)})

    def get(self, cycle_id: str) -> CycleReport | None:
        """Return a night."""
        found = _read(self._rows.all("cycle_get", {"id": cycle_id}), CycleReport)
        return found[0] if found else None

    def latest(self, *, limit: int) -> list[CycleReport]:
        """Return the last nights."""
        return _read(self._rows.all("cycle_latest", {"limit": limit}), CycleReport)


def read_facts(found: Iterable[Row]) -> list[Fact]:
    """Return the facts of rows."""
    return [replace(decode(row["body"], Fact), rev=row["rev"]) for row in found]


def _versions(found: Iterable[Row]) -> list[FactVersion]:
    return [replace(decode(row["body"], FactVersion), number=row["number"]) for row in found]


def _read(found: Iterable[Row], kind: type[Any]) -> list[Any]:
    return [decode(row["body"], kind) for row in found]


def _columns(fact: Fact) -> dict[str, Any]:
    return {
        **scope_columns(fact.scope),
        "id": fact.id,
        "status": fact.status.value,
        "words": words_key(fact.statement),
        "first_observed": to_microseconds(fact.first_observed),
        "due_at": stored_instant(fact.due_at),
        "body": encode(fact),
    }
