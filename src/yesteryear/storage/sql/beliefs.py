"""The rows about facts over one transaction, and what stands beside them: requests to forget, costs, keys, deeds."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from yesteryear.core.access.audit import AuditDraft, AuditEntry, follow
from yesteryear.core.access.keys import ApiKey
from yesteryear.core.erasure import Forgetting, Withheld
from yesteryear.core.fact import Evidence, Fact, FactStatus, FactVersion
from yesteryear.core.night_report import CycleReport
from yesteryear.core.rows.codec import Row, decode, encode, scope_columns
from yesteryear.core.ruling import Edge, Ruling
from yesteryear.core.time import to_microseconds
from yesteryear.core.usage import Charge, ModelCall
from yesteryear.ports import Vectors
from yesteryear.storage.rows import words_key
from yesteryear.storage.sql.owner_rows import OwnedRows, Repository

_KEPT = frozenset(FactStatus) - {FactStatus.FORGOTTEN}


class FactRows(Repository):
    """See ``ports.Facts``."""

    __slots__ = ("_vectors",)

    def __init__(self, rows: OwnedRows, vectors: Vectors) -> None:
        super().__init__(rows)
        self._vectors = vectors

    def insert(self, facts: Sequence[Fact]) -> None:
        self._rows.write_each("fact_insert", map(_columns, facts))

    def update(self, facts: Sequence[Fact]) -> None:
        self._rows.write_each("fact_update", map(_columns, facts))

    def get(self, ids: Sequence[str]) -> list[Fact]:
        found = {fact.id: fact for fact in self._found("fact_get", ids=ids)}
        return [found[fact_id] for fact_id in ids if fact_id in found]

    def all(
        self,
        statuses: Collection[FactStatus] | None = None,
        *,
        attribute: str | None = None,
        holder: str | None = None,
    ) -> list[Fact]:
        return self._found(
            "fact_all",
            statuses=sorted(_KEPT if statuses is None else statuses),
            attribute=attribute,
            holder=None if holder is None else holder.casefold(),
        )

    def saying(self, statement: str, *, project: str | None) -> Fact | None:
        found = self._found("fact_saying", words=words_key(statement), in_project=project or "")
        return found[0] if found else None

    def due(self, now: datetime, *, limit: int) -> list[Fact]:
        return self._found("fact_due", now=now, limit=limit)

    def newest(self) -> int:
        return self._rows.number("fact_newest", "rev")

    def forget(self, ids: Sequence[str]) -> None:
        facts = self.get(ids)
        if not facts:
            return
        known = [fact.id for fact in facts]
        for table in ("version", "evidence", "ruling", "edge"):
            self._rows.run(f"{table}_forget", ids=known)
        self._vectors.forget(known)
        self.update([fact.blank() for fact in facts])

    def _found(self, name: str, /, **asked: object) -> list[Fact]:
        return read_facts(self._rows.all(name, **asked))


class VersionRows(Repository):
    """See ``ports.Versions``."""

    def add(self, versions: Sequence[FactVersion]) -> None:
        self._rows.write_each(
            "version_add",
            [
                scope_columns(row.fact.scope) | {"id": row.fact.id, "at": to_microseconds(row.at), "body": encode(row)}
                for row in versions
            ],
        )

    def of(self, fact_id: str) -> list[FactVersion]:
        return self._found("version_of", id=fact_id)

    def all(self) -> list[FactVersion]:
        return self._found("version_all")

    def known_at(self, instant: datetime) -> list[FactVersion]:
        return self._found("version_known_at", at=instant)

    def _found(self, name: str, /, **asked: object) -> list[FactVersion]:
        found = self._rows.all(name, **asked)
        return [replace(decode(row["body"], FactVersion), number=row["number"]) for row in found]


class EvidenceRows(Repository):
    """See ``ports.Evidences``."""

    def add(self, rows: Sequence[Evidence]) -> None:
        if rows:
            self._rows.next_rev()
        self._rows.run_each(
            "evidence_add",
            [
                {
                    "id": row.fact_id,
                    "evidence": row.id,
                    "message_id": row.message_id,
                    "said_at": row.said_at,
                    "body": encode(row),
                }
                for row in rows
            ],
        )

    def of(self, fact_ids: Sequence[str]) -> list[Evidence]:
        return self._rows.bodies(Evidence, "evidence_of", ids=fact_ids)

    def of_messages(self, message_ids: Sequence[str]) -> list[Evidence]:
        return self._rows.bodies(Evidence, "evidence_of_messages", ids=message_ids)

    def all(self) -> list[Evidence]:
        return self._rows.bodies(Evidence, "evidence_all")

    def remove(self, rows: Sequence[Evidence]) -> None:
        if self._rows.run_each("evidence_remove", [{"id": row.fact_id, "evidence": row.id} for row in rows]):
            self._rows.next_rev()


class RulingRows(Repository):
    """See ``ports.Rulings``."""

    def save(self, rulings: Sequence[Ruling]) -> None:
        self._rows.write_each(
            "ruling_save",
            [
                scope_columns(row.scope) | {"one": row.pair[0], "other": row.pair[1], "body": encode(row)}
                for row in rulings
            ],
        )

    def of(self, fact_ids: Sequence[str]) -> list[Ruling]:
        return sorted(self._rows.bodies(Ruling, "ruling_of", ids=fact_ids), key=lambda ruling: ruling.pair)

    def all(self) -> list[Ruling]:
        return self._rows.bodies(Ruling, "ruling_all")


class EdgeRows(Repository):
    """See ``ports.Edges``."""

    def put(self, edges: Sequence[Edge]) -> None:
        self._rows.write_each(
            "edge_put",
            [
                scope_columns(edge.scope)
                | {"source": edge.source, "target": edge.target, "relation": edge.relation.value, "body": encode(edge)}
                for edge in edges
            ],
        )

    def all(self) -> list[Edge]:
        return self._rows.bodies(Edge, "edge_all")


class CycleRows(Repository):
    """See ``ports.Cycles``."""

    def save(self, report: CycleReport) -> None:
        self._rows.next_rev()
        self._rows.run("cycle_save", id=report.id, body=encode(report))

    def get(self, cycle_id: str) -> CycleReport | None:
        found = self._rows.bodies(CycleReport, "cycle_get", id=cycle_id)
        return found[0] if found else None

    def latest(self, *, limit: int) -> list[CycleReport]:
        return self._rows.bodies(CycleReport, "cycle_latest", limit=limit)


class ForgettingRows(Repository):
    """See ``ports.Forgettings``."""

    def save(self, rows: Sequence[Forgetting]) -> None:
        if rows:
            self._rows.run("owner_add")
        self._rows.run_each(
            "forgetting_save",
            [
                {
                    "in_project": row.scope.project or "",
                    "in_agent": row.scope.agent or "",
                    **_key(row),
                    "until": row.until,
                    "body": encode(row),
                }
                for row in rows
            ],
        )

    def all(self, kind: Withheld | None = None) -> list[Forgetting]:
        return self._rows.bodies(Forgetting, "forgetting_all", kind=kind)

    def of(self, ids: Sequence[str]) -> list[Forgetting]:
        return self._rows.bodies(Forgetting, "forgetting_of", ids=ids)

    def asked_by(self, message_id: str) -> list[Forgetting]:
        return self._rows.bodies(Forgetting, "forgetting_asked_by", asked_by=message_id)

    def due(self, now: datetime, *, limit: int) -> list[Forgetting]:
        return self._rows.bodies(Forgetting, "forgetting_due", now=now, limit=limit)

    def remove(self, rows: Sequence[Forgetting]) -> None:
        self._rows.run_each("forgetting_remove", map(_key, rows))


class UsageRows(Repository):
    """See ``ports.Usages``."""

    def add(self, ids: Sequence[str], calls: Sequence[ModelCall]) -> None:
        for call_id, call in zip(ids, calls, strict=True):
            self._rows.run("owner_add")
            self._rows.run("usage_add", id=call_id, at=call.at, body=encode(call))

    def between(self, since: datetime, until: datetime) -> list[ModelCall]:
        return self._rows.bodies(ModelCall, "usage_between", since=since, until=until)

    def page(self, *, after: str, limit: int) -> list[Charge]:
        found = self._rows.all("usage_page", after=after, limit=limit)
        return [Charge(row["id"], decode(row["body"], ModelCall)) for row in found]


class KeyRows(Repository):
    """See ``ports.Keys``."""

    def save(self, key: ApiKey) -> None:
        self._rows.next_rev()
        self._rows.run("key_save", id=key.id, body=encode(key))

    def get(self, id: str) -> ApiKey | None:  # noqa: A002 - the field's word
        found = self._rows.bodies(ApiKey, "key_get", id=id)
        return found[0] if found else None

    def all(self) -> list[ApiKey]:
        return sorted(self._rows.bodies(ApiKey, "key_all"), key=lambda key: (key.created_at, key.id))


class AuditRows(Repository):
    """See ``ports.Audit``."""

    def append(self, draft: AuditDraft) -> AuditEntry:
        self._rows.run("owner_add")
        last = self._rows.bodies(AuditEntry, "audit_last")
        entry = follow(draft, last[0] if last else None)
        self._rows.run("audit_append", seq=entry.seq, body=encode(entry))
        return entry

    def page(self, *, after: int = 0, limit: int) -> list[AuditEntry]:
        return self._rows.bodies(AuditEntry, "audit_page", after=after, limit=limit)


def read_facts(found: Iterable[Row]) -> list[Fact]:
    """Return the facts of rows."""
    return [replace(decode(row["body"], Fact), rev=row["rev"]) for row in found]


def _key(row: Forgetting) -> dict[str, object]:
    return {"kind": row.kind, "id": row.id, "asked_by": row.asked_by}


def _columns(fact: Fact) -> dict[str, Any]:
    return {
        **scope_columns(fact.scope),
        "id": fact.id,
        "status": fact.status.value,
        "words": words_key(fact.statement),
        "attribute": fact.attribute,
        "holder": fact.holder.casefold(),
        "first_observed": to_microseconds(fact.first_observed),
        "due_at": None if fact.due_at is None else to_microseconds(fact.due_at),
        "body": encode(fact),
    }
