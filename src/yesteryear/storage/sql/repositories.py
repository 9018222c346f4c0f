"""The rows of one owner over one transaction: those of talk, those of facts, and what stands beside them."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from yesteryear.core.access.audit import AuditDraft, AuditEntry, follow
from yesteryear.core.access.keys import ApiKey
from yesteryear.core.episode import Episode, EpisodeStatus
from yesteryear.core.erasure import Forgetting
from yesteryear.core.fact import Evidence, Fact, FactStatus, FactVersion
from yesteryear.core.fading.half_life import Trace
from yesteryear.core.hits import RecallEvent
from yesteryear.core.message import Conversation, Message
from yesteryear.core.night_report import CycleReport
from yesteryear.core.relation import Edge
from yesteryear.core.rows.codec import Row, decode, dump_json, encode, scope_columns
from yesteryear.core.rows.queries import IndexedMessage, MessageQuery
from yesteryear.core.ruling import Ruling
from yesteryear.core.scope import ConversationKey, Scope
from yesteryear.core.usage import Charge, ModelCall
from yesteryear.core.vectors import Matrix, StoredVector, VectorGrain, pack_vector, unpack_vectors
from yesteryear.errors import EmbeddingMismatch, Stale
from yesteryear.ports import rows as ports
from yesteryear.storage.rows import CONVERSATIONS, EPISODES, MESSAGES, RECALLS, TRACES, VERBATIM, words_key
from yesteryear.storage.sql.owner_rows import OwnedRows, Repository, asks, first, in_order

_GRAINS = {grain.value: grain for grain in VectorGrain}
_NO_LIMIT = 2**63 - 1  # the largest number of rows that a statement can ask for


class MessageRows(Repository):
    """See ``ports.Messages``."""

    def insert(self, message: Message) -> None:
        self._rows.append("message_insert", MESSAGES.columns(message))

    def update(self, messages: Sequence[Message]) -> None:
        self._rows.write_each("message_update", map(MESSAGES.columns, messages))

    def tail(self, key: ConversationKey, *, limit: int) -> list[IndexedMessage]:
        return self._rows.indexed_messages("message_tail", key=key, limit=limit)[::-1]

    def authors(self, key: ConversationKey) -> list[str]:
        return [row["author"] for row in self._rows.all("message_authors", key=key)]

    def page(self, query: MessageQuery) -> list[Message]:
        name = "message_page_back" if query.newest_first else "message_page"
        return self._rows.found(MESSAGES, name, query=query)

    get = asks(ports.Messages.get, in_order(OwnedRows.found), MESSAGES, "message_get")
    by_external_id = asks(ports.Messages.by_external_id, first(OwnedRows.found), MESSAGES, "message_by_external_id")
    span = asks(ports.Messages.span, OwnedRows.found, MESSAGES, "message_span")
    due = asks(ports.Messages.due, OwnedRows.found, MESSAGES, "message_due")
    expired = asks(ports.Messages.expired, OwnedRows.found, MESSAGES, "message_expired")
    named = asks(ports.Messages.named, OwnedRows.found, MESSAGES, "message_named")
    forget_requests = asks(ports.Messages.forget_requests, OwnedRows.found, MESSAGES, "message_forget_requests")
    measured = asks(ports.Messages.measured, OwnedRows.found, MESSAGES, "message_measured")
    verbatim = asks(ports.Messages.verbatim, OwnedRows.found, VERBATIM, "message_verbatim")
    count_verbatim = asks(ports.Messages.count_verbatim, OwnedRows.number, "message_count_verbatim")


class ConversationRows(Repository):
    """See ``ports.Conversations``."""

    def save(self, conversation: Conversation) -> None:
        tenant, user = self._rows.owner
        columns = CONVERSATIONS.columns(conversation)
        self._rows.append("conversation_save", columns | {"tenant": tenant, "user": user})

    get = asks(ports.Conversations.get, first(OwnedRows.found), CONVERSATIONS, "conversation_get")
    due = asks(ports.Conversations.due, OwnedRows.found, CONVERSATIONS, "conversation_due")
    list = asks(ports.Conversations.list, OwnedRows.found, CONVERSATIONS, "conversation_list")


class EpisodeRows(Repository):
    """See ``ports.Episodes``."""

    def insert(self, episode: Episode) -> None:
        self._rows.write("episode_insert", EPISODES.columns(episode))

    def update(self, episode: Episode, *, expecting: EpisodeStatus) -> None:
        if self._rows.write("episode_update", EPISODES.columns(episode) | {"expecting": expecting.value}) == 0:
            raise Stale(f"episode {episode.id!r} is no longer {expecting}")

    def readers(self) -> dict[str, int]:
        return {row["reader"]: row["number"] for row in self._rows.all("episode_readers")}

    def traces(
        self, *, due: datetime | None = None, only_active: bool = False, limit: int | None = None
    ) -> list[Trace]:
        name = "episode_traces" if due is None else "episode_traces_due"
        most = _NO_LIMIT if limit is None else limit
        return self._rows.found(TRACES, name, due=due, only_active=only_active, limit=most)

    get = asks(ports.Episodes.get, in_order(OwnedRows.found), EPISODES, "episode_get")
    page = asks(ports.Episodes.page, OwnedRows.found, EPISODES, "episode_page")
    due = asks(ports.Episodes.due, OwnedRows.found, EPISODES, "episode_due")
    count_active = asks(ports.Episodes.count_active, OwnedRows.number, "episode_count_active")


class VectorRows(Repository):
    """See ``ports.Vectors``."""

    def put(self, model: str, rows: Sequence[StoredVector]) -> None:
        if not rows:
            return
        sample = self._rows.one("vector_sample", model=model)
        dimension = len(rows[0].vector) if sample is None else len(sample["vector"]) // 2
        for stored in rows:
            if len(stored.vector) != dimension:
                raise EmbeddingMismatch(
                    f"{model!r} has vectors of {dimension} values here, this one has {len(stored.vector)}; "
                    "embed the texts again under another model name"
                )
        self._rows.next_rev()
        bind = self._rows.runner.bind_vector
        self._rows.run_each(
            "vector_put",
            [
                {
                    "model": model,
                    "ref": row.ref,
                    "part": row.part,
                    "grain": row.grain,
                    "vector": bind(pack_vector(row.vector)),
                }
                for row in rows
            ],
        )

    def load(self, model: str, *, refs: Sequence[str] | None = None) -> list[StoredVector]:
        return _read_vectors(self._rows.all("vector_all" if refs is None else "vector_some", model=model, refs=refs))

    def has_index(self, model: str) -> bool:
        return self._rows.runner.has_index(self._rows.bind({"model": model}))

    def nearest(self, model: str, vector: Matrix, *, limit: int) -> list[StoredVector] | None:
        asked = self._rows.bind({"model": model, "limit": limit})
        found = self._rows.runner.nearest(asked, pack_vector(vector))
        return None if found is None else _read_vectors(found)

    def models(self) -> dict[str, int]:
        return {row["model"]: row["number"] for row in self._rows.all("vector_models")}

    def drop(self, model: str) -> int:
        return self._delete("vector_drop", model=model)

    def forget(self, refs: Sequence[str]) -> None:
        self._delete("vector_forget", refs=refs)

    def _delete(self, name: str, **asked: object) -> int:
        deleted = self._rows.run(name, **asked)
        if deleted:
            self._rows.next_rev()
        return deleted


def _read_vectors(found: Sequence[Row]) -> list[StoredVector]:
    vectors = unpack_vectors([row["vector"] for row in found])
    return [
        StoredVector(_GRAINS[row["grain"]], row["ref"], row["part"], vector)
        for row, vector in zip(found, vectors, strict=True)
    ]


class OverrideRows(Repository):
    """See ``ports.Overrides``."""

    def get(self, project: str | None) -> Mapping[str, ports.Setting]:
        row = self._rows.one("overrides_get", in_project=project or "")
        overrides: dict[str, ports.Setting] = {} if row is None else json.loads(row["overrides"])
        return overrides

    def save(self, project: str | None, overrides: Mapping[str, ports.Setting]) -> None:
        self._rows.next_rev()
        self._rows.run("overrides_save", in_project=project or "", overrides=dump_json(dict(overrides)))

    def all(self) -> dict[str | None, Mapping[str, ports.Setting]]:
        return {row["project"] or None: json.loads(row["overrides"]) for row in self._rows.all("overrides_all")}


class RecallRows(Repository):
    """See ``ports.Recalls``."""

    def append(self, event: RecallEvent) -> None:
        self._rows.run("owner_add")
        self._rows.run("recall_append", **RECALLS.columns(event))

    def stale(self, before: datetime, *, limit: int) -> list[ConversationKey]:
        found = self._rows.all("recall_stale", before=before, limit=limit)
        return [ConversationKey(row["project"] or None, row["agent"] or None, row["conversation"]) for row in found]

    def settle(self, ids: Sequence[str]) -> None:
        self._rows.run("recall_settle", ids=ids)

    def forget(self, refs: Sequence[str]) -> None:
        self._rows.run("recall_forget", refs=refs)

    latest = asks(ports.Recalls.latest, OwnedRows.found, RECALLS, "recall_latest")
    open = asks(ports.Recalls.open, OwnedRows.found, RECALLS, "recall_open")
    page = asks(ports.Recalls.page, OwnedRows.found, RECALLS, "recall_page")
    prune = asks(ports.Recalls.prune, OwnedRows.run, "recall_prune")


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
        asked = sorted(_KEPT if statuses is None else statuses)
        return read_facts(self._rows, "fact_all", statuses=asked, attribute=attribute)

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
