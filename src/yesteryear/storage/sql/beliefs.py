"""The rows about facts over one transaction, and what stands beside them: requests to forget, costs, keys, deeds."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from yesteryear.core.access.audit import AuditDraft, AuditEntry, follow
from yesteryear.core.access.keys import ApiKey
from yesteryear.core.erasure import Forgetting
from yesteryear.core.fact import Evidence, Fact, FactStatus, FactVersion
from yesteryear.core.night_report import CycleReport
from yesteryear.core.relation import Edge
from yesteryear.core.rows.codec import decode, encode, scope_columns
from yesteryear.core.ruling import Ruling
from yesteryear.core.scope import Scope
from yesteryear.core.usage import Charge, ModelCall
from yesteryear.ports import rows as ports
from yesteryear.storage.rows import words_key
from yesteryear.storage.sql.owner_rows import OwnedRows, Repository, asks, first, in_order

_KEPT = frozenset(FactStatus) - {FactStatus.FORGOTTEN}


def read_facts(rows: OwnedRows, name: str, /, **asked: object) -> list[Fact]:
    """Return the facts that a statement finds."""
    return [replace(decode(row["body"], Fact), rev=row["rev"]) for row in rows.all(name, **asked)]


def _read_versions(rows: OwnedRows, name: str, /, **asked: object) -> list[FactVersion]:
    return [replace(decode(row["body"], FactVersion), number=row["number"]) for row in rows.all(name, **asked)]


class FactRows(Repository):
    """See ``ports.Facts``."""

    __slots__ = ("_vectors",)

    def __init__(self, rows: OwnedRows, vectors: ports.Vectors) -> None:
        super().__init__(rows)
        self._vectors = vectors

    def insert(self, facts: Sequence[Fact]) -> None:
        self._rows.write_each("fact_insert", map(_columns, facts))

    def update(self, facts: Sequence[Fact]) -> None:
        self._rows.write_each("fact_update", map(_columns, facts))

    def all(self, statuses: Collection[FactStatus] | None = None, *, attribute: str | None = None) -> list[Fact]:
        wanted = sorted(_KEPT if statuses is None else statuses)
        return read_facts(self._rows, "fact_all", statuses=wanted, attribute=attribute)

    def saying(self, statement: str, *, project: str | None) -> Fact | None:
        found = read_facts(self._rows, "fact_saying", words=words_key(statement), in_project=project or "")
        return next(iter(found), None)

    get = asks(ports.Facts.get, in_order(read_facts), "fact_get")
    merged_into = asks(ports.Facts.merged_into, read_facts, "fact_merged_into")
    due = asks(ports.Facts.due, read_facts, "fact_due")
    newest = asks(ports.Facts.newest, OwnedRows.number, "fact_newest", "rev")

    def forget(self, ids: Sequence[str]) -> None:
        facts = self.get(ids)
        if not facts:
            return
        known = [fact.id for fact in facts]
        for table in ("version", "evidence", "ruling", "edge"):
            self._rows.run(f"{table}_forget", ids=known)
        self._vectors.forget(known)
        self.update([fact.blank() for fact in facts])


class VersionRows(Repository):
    """See ``ports.Versions``."""

    def add(self, versions: Sequence[FactVersion]) -> None:
        self._rows.write_each(
            "version_add", [_as_body(row, row.fact.scope, id=row.fact.id, at=row.at) for row in versions]
        )

    of = asks(ports.Versions.of, _read_versions, "version_of")
    all = asks(ports.Versions.all, _read_versions, "version_all")
    since = asks(ports.Versions.since, _read_versions, "version_since")

    def known_at(self, instant: datetime, *, ids: Sequence[str] | None = None) -> list[FactVersion]:
        name = "version_known_at" if ids is None else "version_some_known_at"
        return _read_versions(self._rows, name, instant=instant, **({} if ids is None else {"ids": ids}))


class EvidenceRows(Repository):
    """See ``ports.Evidences``."""

    def add(self, rows: Sequence[Evidence]) -> None:
        if rows:
            self._rows.next_rev()
        columns = [
            _as_body(row, id=row.fact_id, evidence=row.id, message_id=row.message_id, said_at=row.said_at)
            for row in rows
        ]
        self._rows.run_each("evidence_add", columns)

    def remove(self, rows: Sequence[Evidence]) -> None:
        if self._rows.run_each("evidence_remove", [{"id": row.fact_id, "evidence": row.id} for row in rows]):
            self._rows.next_rev()

    of = asks(ports.Evidences.of, OwnedRows.bodies, Evidence, "evidence_of")
    of_messages = asks(ports.Evidences.of_messages, OwnedRows.bodies, Evidence, "evidence_of_messages")
    all = asks(ports.Evidences.all, OwnedRows.bodies, Evidence, "evidence_all")


class RulingRows(Repository):
    """See ``ports.Rulings``."""

    def save(self, rulings: Sequence[Ruling]) -> None:
        columns = [_as_body(row, row.scope, one=row.pair[0], other=row.pair[1]) for row in rulings]
        self._rows.write_each("ruling_save", columns)

    def of(self, fact_ids: Sequence[str]) -> list[Ruling]:
        return sorted(self._rows.bodies(Ruling, "ruling_of", ids=fact_ids), key=lambda ruling: ruling.pair)

    all = asks(ports.Rulings.all, OwnedRows.bodies, Ruling, "ruling_all")


class EdgeRows(Repository):
    """See ``ports.Edges``."""

    def put(self, edges: Sequence[Edge], *, is_by_hand: bool = False) -> None:
        columns = [
            _as_body(edge, edge.scope, **_ends(edge), basis=edge.basis, is_by_hand=int(is_by_hand)) for edge in edges
        ]
        self._rows.write_each("edge_put", columns)

    def remove(self, edges: Sequence[Edge]) -> None:
        if self._rows.run_each("edge_remove", map(_ends, edges)):
            self._rows.next_rev()

    all = asks(ports.Edges.all, OwnedRows.bodies, Edge, "edge_all")
    standing = asks(ports.Edges.standing, OwnedRows.bodies, Edge, "edge_standing")
    around = asks(ports.Edges.around, OwnedRows.bodies, Edge, "edge_around")


def _ends(edge: Edge) -> dict[str, Any]:
    return {"source": edge.source, "target": edge.target, "relation": edge.relation}


class CycleRows(Repository):
    """See ``ports.Cycles``."""

    def save(self, report: CycleReport) -> None:
        self._rows.next_rev()
        self._rows.run("cycle_save", id=report.id, body=encode(report))

    get = asks(ports.Cycles.get, first(OwnedRows.bodies), CycleReport, "cycle_get")
    latest = asks(ports.Cycles.latest, OwnedRows.bodies, CycleReport, "cycle_latest")


class ForgettingRows(Repository):
    """See ``ports.Forgettings``."""

    def save(self, rows: Sequence[Forgetting]) -> None:
        if rows:
            self._rows.run("owner_add")
        columns = [
            _as_body(
                row, in_project=row.scope.project or "", in_agent=row.scope.agent or "", until=row.until, **_key(row)
            )
            for row in rows
        ]
        self._rows.run_each("forgetting_save", columns)

    def remove(self, rows: Sequence[Forgetting]) -> None:
        self._rows.run_each("forgetting_remove", map(_key, rows))

    all = asks(ports.Forgettings.all, OwnedRows.bodies, Forgetting, "forgetting_all")
    of = asks(ports.Forgettings.of, OwnedRows.bodies, Forgetting, "forgetting_of")
    asked_by = asks(ports.Forgettings.asked_by, OwnedRows.bodies, Forgetting, "forgetting_asked_by")
    due = asks(ports.Forgettings.due, OwnedRows.bodies, Forgetting, "forgetting_due")


class UsageRows(Repository):
    """See ``ports.Usages``."""

    def add(self, ids: Sequence[str], calls: Sequence[ModelCall]) -> None:
        for call_id, call in zip(ids, calls, strict=True):
            self._rows.run("owner_add")
            self._rows.run("usage_add", id=call_id, at=call.at, body=encode(call))

    between = asks(ports.Usages.between, OwnedRows.bodies, ModelCall, "usage_between")

    def page(self, *, after: str, limit: int) -> list[Charge]:
        found = self._rows.all("usage_page", after=after, limit=limit)
        return [Charge(row["id"], decode(row["body"], ModelCall)) for row in found]


class KeyRows(Repository):
    """See ``ports.Keys``."""

    def save(self, key: ApiKey) -> None:
        self._rows.next_rev()
        self._rows.run("key_save", id=key.id, body=encode(key))

    get = asks(ports.Keys.get, first(OwnedRows.bodies), ApiKey, "key_get")

    def all(self) -> list[ApiKey]:
        return sorted(self._rows.bodies(ApiKey, "key_all"), key=lambda key: (key.created_at, key.id))


class AuditRows(Repository):
    """See ``ports.Audit``."""

    def append(self, draft: AuditDraft) -> AuditEntry:
        self._rows.run("owner_add")
        entry = follow(draft, next(iter(self._rows.bodies(AuditEntry, "audit_last")), None))
        self._rows.run("audit_append", seq=entry.seq, body=encode(entry))
        return entry

    page = asks(ports.Audit.page, OwnedRows.bodies, AuditEntry, "audit_page")


def _key(row: Forgetting) -> dict[str, object]:
    return {"kind": row.kind, "id": row.id, "asked_by": row.asked_by}


def _columns(fact: Fact) -> dict[str, Any]:
    return _as_body(
        fact,
        fact.scope,
        id=fact.id,
        status=fact.status,
        words=words_key(fact.statement),
        attribute=fact.attribute,
        holder=fact.holder.casefold(),
        first_observed=fact.first_observed,
        due_at=fact.due_at,
    )


def _as_body(row: object, scope: Scope | None = None, /, **columns: object) -> dict[str, Any]:
    """Return a row as JSON, the columns by which it is found, and where it has a rev those that say whose it is."""
    return ({} if scope is None else scope_columns(scope)) | columns | {"body": encode(row)}
