"""The repositories of one owner over one transaction of a database: talk here, beliefs beside."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar

from yesteryear.core.codec import Row, dump_json, stored_instant
from yesteryear.core.conversation import Conversation
from yesteryear.core.episode import Episode, EpisodeStatus
from yesteryear.core.erasure import Erasure
from yesteryear.core.events import RecallEvent
from yesteryear.core.message import Message
from yesteryear.core.owner import OwnerState, hash_person
from yesteryear.core.queries import Changes, EpisodeQuery, IndexedMessage, MessageQuery, Verbatim
from yesteryear.core.scope import ConversationKey, Scope
from yesteryear.core.strength import Trace
from yesteryear.core.time import EPOCH, to_microseconds
from yesteryear.core.vectors import Matrix, StoredVector, VectorGrain, pack_vector, unpack_vectors
from yesteryear.errors import EmbeddingMismatch, InputError, Stale
from yesteryear.ports import (
    Audit,
    Conversations,
    Cycles,
    Edges,
    Episodes,
    Evidences,
    Facts,
    Forgettings,
    Keys,
    Messages,
    Overrides,
    Recalls,
    Rulings,
    Setting,
    Transaction,
    Usages,
    Vectors,
    Versions,
)
from yesteryear.storage import rows
from yesteryear.storage.sql import beliefs
from yesteryear.storage.sql.access import AuditRows, KeyRows
from yesteryear.storage.sql.forgetting import ForgettingRows
from yesteryear.storage.sql.owned import OwnedRows, StatementRunner
from yesteryear.storage.sql.usage import UsageRows

T = TypeVar("T")

_GRAINS = {grain.value: grain for grain in VectorGrain}
OWNED_TABLES = (
    *("message", "conversation", "episode", "vector", "memory_config", "recall_event"),
    *("fact", "fact_version", "evidence", "conflict", "edge", "cycle", "usage", "api_key", "audit", "forgetting"),
    "owner",
)
"""Where an owner has rows."""
_NO_LIMIT = 2**63 - 1
"""The largest number of rows that a statement can ask for."""


class SQLTransaction:
    """One owner's rows, seen through one scope; see ``ports.Transaction``."""

    __slots__ = (
        *(
            "_rows",
            "_scope",
            "audit",
            "conversations",
            "cycles",
            "edges",
            "episodes",
            "evidence",
            "facts",
            "forgettings",
        ),
        *("forgettings", "keys", "messages", "overrides", "recalls", "rulings", "usages", "vectors", "versions"),
    )

    def __init__(self, runner: StatementRunner, scope: Scope) -> None:
        self._scope = scope
        self._rows = table = OwnedRows(runner, scope)
        self.messages: Messages = _Messages(table)
        self.conversations: Conversations = _Conversations(table)
        self.episodes: Episodes = _Episodes(table)
        self.vectors: Vectors = _Vectors(table)
        self.overrides: Overrides = _Overrides(table)
        self.recalls: Recalls = _Recalls(table)
        self.facts: Facts = beliefs.FactRows(table, self.vectors)
        self.versions: Versions = beliefs.VersionRows(table)
        self.evidence: Evidences = beliefs.EvidenceRows(table)
        self.rulings: Rulings = beliefs.RulingRows(table)
        self.edges: Edges = beliefs.EdgeRows(table)
        self.cycles: Cycles = beliefs.CycleRows(table)
        self.usages: Usages = UsageRows(table)
        self.forgettings: Forgettings = ForgettingRows(table)
        self.keys: Keys = KeyRows(table)
        self.audit: Audit = AuditRows(table)

    @property
    def scope(self) -> Scope:
        """Through which scope this looks."""
        return self._scope

    def owner(self) -> OwnerState:
        """Return counters, models and lease of the owner."""
        row = self._rows.one("owner_get")
        if row is None:
            erased = self.erasure()
            return OwnerState(generation=erased.generation if erased else 0)
        return rows.OWNERS.read(row)

    def save_owner(self, state: OwnerState) -> None:
        """Write models, generation and lease of an owner, who is added where unknown."""
        self._rows.run("owner_save", rows.OWNERS.columns(state))

    def changes(self, since: int) -> Changes:
        """Return what changed in the owner's rows after ``since``."""
        state = self.owner()
        if state.rev <= since:
            return Changes(rev=state.rev, generation=state.generation)
        return Changes(
            rev=state.rev,
            generation=state.generation,
            messages=tuple(self._rows.indexed_messages("message_changes", {"since": since})),
            episodes=tuple(self._rows.episodes("episode_changes", {"since": since})),
            facts=tuple(beliefs.read_facts(self._rows.all("fact_changes", {"since": since}))),
        )

    def counts(self) -> dict[str, int]:
        """Return numbers of visible rows by kind and status."""
        found = {f"messages.{row['outcome']}": row["number"] for row in self._rows.all("message_counts")}
        found |= {f"episodes.{row['status']}": row["number"] for row in self._rows.all("episode_counts")}
        found |= {f"facts.{row['status']}": row["number"] for row in self._rows.all("fact_counts")}
        row = self._rows.all("message_unfinished")[0]
        return found | {"vectors.due": row["due"], "vectors.failed": row["failed"]}

    def withdraw(
        self,
        *,
        messages: Sequence[str] = (),
        conversations: Sequence[ConversationKey] = (),
        episodes: Sequence[str] = (),
        recalls: Sequence[str] = (),
        facts: Sequence[str] = (),
        usages: Sequence[str] = (),
    ) -> None:
        """Take rows out again, as if they had never been written."""
        self.facts.forget(facts)
        talk = (("message", messages), ("episode", episodes), ("recall", recalls))
        for table, ids in (*talk, ("fact", facts), ("usage", usages)):
            self._rows.run(f"{table}_withdraw", self._rows.among(ids))
        for key in conversations:
            self._rows.run("conversation_withdraw", _in_conversation(key))
        self.vectors.forget([*messages, *episodes])
        state = self.owner()
        self.save_owner(replace(state, generation=state.generation + 1))

    def erase(self) -> dict[str, int]:
        """Delete every row of the owner; return how many there were, by table."""
        generation = self.owner().generation + 1
        removed = {table: self._rows.run(f"erase_{table}") for table in OWNED_TABLES}
        person = hash_person(self._scope.owner)
        self.save_erasure(Erasure(self._scope.tenant, person, generation, EPOCH, removed))
        return removed

    def erasure(self) -> Erasure | None:
        """Return the receipt of the owner's last erasure."""
        row = self._rows.one("erasure_get")
        return None if row is None else rows.read_erasure(row)

    def save_erasure(self, erasure: Erasure) -> None:
        """Write the receipt of the owner's last erasure."""
        columns = rows.erasure_columns(erasure)
        if (columns["tenant"], columns["person"]) != (self._scope.tenant, hash_person(self._scope.owner)):
            raise InputError("a receipt of somebody else cannot be written here")
        self._rows.run("erasure_save", columns)


def bind(scope: Scope, work: Callable[[Transaction], T]) -> Callable[[StatementRunner], T]:
    """Return work on one owner's rows as work on whatever runs statements."""
    return lambda runner: work(SQLTransaction(runner, scope))


def _in_conversation(key: ConversationKey) -> dict[str, Any]:
    return {"in_project": key.project or "", "in_agent": key.agent or "", "conversation": key.name}


class _Messages:
    __slots__ = ("_rows",)

    def __init__(self, table: OwnedRows) -> None:
        self._rows = table

    def insert(self, message: Message) -> None:
        self._rows.append("message_insert", rows.MESSAGES.columns(message))

    def update(self, messages: Sequence[Message]) -> None:
        self._rows.write_each("message_update", [rows.MESSAGES.columns(message) for message in messages])

    def by_external_id(self, key: ConversationKey, external_id: str) -> Message | None:
        found = self._rows.messages("message_by_external_id", {**_in_conversation(key), "external_id": external_id})
        return found[0] if found else None

    def tail(self, key: ConversationKey, *, limit: int) -> list[IndexedMessage]:
        return self._rows.indexed_messages("message_tail", {**_in_conversation(key), "limit": limit})[::-1]

    def authors(self, key: ConversationKey) -> list[str]:
        return [row["author"] for row in self._rows.all("message_authors", _in_conversation(key))]

    def span(self, key: ConversationKey, *, after: int, limit: int) -> list[Message]:
        return self._rows.messages("message_span", {**_in_conversation(key), "after": after, "limit": limit})

    def get(self, ids: Sequence[str]) -> list[Message]:
        found = {message.id: message for message in self._rows.messages("message_get", self._rows.among(ids))}
        return [found[message_id] for message_id in ids if message_id in found]

    def page(self, query: MessageQuery) -> list[Message]:
        return self._rows.messages(
            "message_page_back" if query.newest_first else "message_page",
            {
                "after": query.after,
                "conversation": query.conversation,
                "author": query.author,
                "has_error": query.has_error,
                "outcome": query.outcome and query.outcome.value,
                "since": stored_instant(query.since),
                "until": stored_instant(query.until),
                "limit": query.limit,
            },
        )

    def due(self, now: datetime, *, limit: int) -> list[Message]:
        return self._rows.messages("message_due", {"now": to_microseconds(now), "limit": limit})

    def expired(self, now: datetime, *, limit: int) -> list[Message]:
        return self._rows.messages("message_expired", {"now": to_microseconds(now), "limit": limit})

    def named(self, names: Sequence[str]) -> list[Message]:
        return self._rows.messages("message_named", {"names": self._rows.bind_list(names)})

    def forget_requests(self, now: datetime, *, limit: int) -> list[Message]:
        return self._rows.messages("message_forget_requests", {"now": to_microseconds(now), "limit": limit})

    def count_verbatim(self) -> int:
        number: int = self._rows.all("message_count_verbatim")[0]["number"]
        return number

    def verbatim(self) -> list[Verbatim]:
        return [rows.VERBATIM.read(row) for row in self._rows.all("message_verbatim")]


class _Conversations:
    __slots__ = ("_rows",)

    def __init__(self, table: OwnedRows) -> None:
        self._rows = table

    def get(self, key: ConversationKey) -> Conversation | None:
        row = self._rows.one("conversation_get", _in_conversation(key))
        return None if row is None else rows.CONVERSATIONS.read(row)

    def save(self, conversation: Conversation) -> None:
        columns = rows.CONVERSATIONS.columns(conversation)
        columns["tenant"], columns["user"] = self._rows.owner
        self._rows.append("conversation_save", columns)

    def due(self, now: datetime, *, limit: int) -> list[Conversation]:
        found = self._rows.all("conversation_due", {"now": to_microseconds(now), "limit": limit})
        return [rows.CONVERSATIONS.read(row) for row in found]

    def list(self) -> list[Conversation]:
        return [rows.CONVERSATIONS.read(row) for row in self._rows.all("conversation_list")]


class _Episodes:
    __slots__ = ("_rows",)

    def __init__(self, table: OwnedRows) -> None:
        self._rows = table

    def insert(self, episode: Episode) -> None:
        self._rows.write("episode_insert", rows.EPISODES.columns(episode))

    def update(self, episode: Episode, *, expecting: EpisodeStatus) -> None:
        columns = rows.EPISODES.columns(episode)
        columns["expecting"] = expecting.value
        if self._rows.write("episode_update", columns) == 0:
            raise Stale(f"episode {episode.id!r} is no longer {expecting}")

    def get(self, ids: Sequence[str]) -> list[Episode]:
        found = {episode.id: episode for episode in self._rows.episodes("episode_get", self._rows.among(ids))}
        return [found[episode_id] for episode_id in ids if episode_id in found]

    def page(self, query: EpisodeQuery) -> list[Episode]:
        return self._rows.episodes(
            "episode_page",
            {
                "after": query.after,
                "conversation": query.conversation,
                "status": query.status and query.status.value,
                "has_error": query.has_error,
                "since": stored_instant(query.since),
                "until": stored_instant(query.until),
                "limit": query.limit,
            },
        )

    def due(self, now: datetime, *, limit: int) -> list[Episode]:
        return self._rows.episodes("episode_due", {"now": to_microseconds(now), "limit": limit})

    def traces(
        self, *, due: datetime | None = None, only_active: bool = False, limit: int | None = None
    ) -> list[Trace]:
        asked = {"only_active": only_active, "limit": _NO_LIMIT if limit is None else limit}
        if due is None:
            found = self._rows.all("episode_traces", asked)
        else:
            found = self._rows.all("episode_traces_due", {**asked, "due": to_microseconds(due)})
        return [rows.TRACES.read(row) for row in found]

    def count_active(self) -> int:
        number: int = self._rows.all("episode_count_active")[0]["number"]
        return number


class _Vectors:
    __slots__ = ("_rows",)

    def __init__(self, table: OwnedRows) -> None:
        self._rows = table

    def put(self, model: str, vectors: Sequence[StoredVector]) -> None:
        if not vectors:
            return
        dimension = self._dimension(model) or len(vectors[0].vector)
        for stored in vectors:
            if len(stored.vector) != dimension:
                raise EmbeddingMismatch(
                    f"{model!r} has vectors of {dimension} values here, this one has {len(stored.vector)}; "
                    "embed the texts again under another model name"
                )
        self._rows.next_rev()
        bind = self._rows.bind_vector
        self._rows.run_each(
            "vector_put",
            [
                {"model": model, "ref": row.ref, "part": row.part, "grain": row.grain.value, "vector": bind(packed)}
                for row, packed in ((row, pack_vector(row.vector)) for row in vectors)
            ],
        )

    def load(self, model: str, *, refs: Sequence[str] | None = None) -> list[StoredVector]:
        if refs is None:
            found = self._rows.all("vector_all", {"model": model})
        else:
            found = self._rows.all("vector_some", {"model": model, "refs": self._rows.bind_list(refs)})
        return _read_vectors(found)

    def has_index(self, model: str) -> bool:
        return self._rows.has_index(model)

    def nearest(self, model: str, vector: Matrix, *, limit: int) -> list[StoredVector] | None:
        found = self._rows.nearest(model, pack_vector(vector), limit=limit)
        return None if found is None else _read_vectors(found)

    def models(self) -> dict[str, int]:
        return {row["model"]: row["number"] for row in self._rows.all("vector_models")}

    def drop(self, model: str) -> int:
        return self._delete("vector_drop", {"model": model})

    def forget(self, refs: Sequence[str]) -> None:
        self._delete("vector_forget", {"refs": self._rows.bind_list(refs)})

    def _delete(self, name: str, parameters: Mapping[str, Any]) -> int:
        deleted = self._rows.run(name, parameters)
        if deleted:
            self._rows.next_rev()
        return deleted

    def _dimension(self, model: str) -> int:
        row = self._rows.one("vector_sample", {"model": model})
        return 0 if row is None else len(row["vector"]) // 2


def _read_vectors(found: Sequence[Row]) -> list[StoredVector]:
    vectors = unpack_vectors([row["vector"] for row in found])
    return [
        StoredVector(_GRAINS[row["grain"]], row["ref"], row["part"], vector)
        for row, vector in zip(found, vectors, strict=True)
    ]


class _Overrides:
    __slots__ = ("_rows",)

    def __init__(self, table: OwnedRows) -> None:
        self._rows = table

    def get(self, project: str | None) -> Mapping[str, Setting]:
        row = self._rows.one("overrides_get", {"in_project": project or ""})
        overrides: dict[str, Setting] = {} if row is None else json.loads(row["overrides"])
        return overrides

    def save(self, project: str | None, overrides: Mapping[str, Setting]) -> None:
        self._rows.next_rev()
        self._rows.run("overrides_save", {"in_project": project or "", "overrides": dump_json(dict(overrides))})

    def all(self) -> dict[str | None, Mapping[str, Setting]]:
        return {row["project"] or None: json.loads(row["overrides"]) for row in self._rows.all("overrides_all")}


class _Recalls:
    __slots__ = ("_rows",)

    def __init__(self, table: OwnedRows) -> None:
        self._rows = table

    def append(self, event: RecallEvent) -> None:
        self._rows.run("owner_add")
        self._rows.run("recall_append", rows.RECALLS.columns(event))

    def latest(self, key: ConversationKey, *, limit: int) -> list[RecallEvent]:
        found = self._rows.all("recall_latest", {**_in_conversation(key), "limit": limit})
        return [rows.RECALLS.read(row) for row in found]

    def open(self, key: ConversationKey, *, limit: int) -> list[RecallEvent]:
        found = self._rows.all("recall_open", {**_in_conversation(key), "limit": limit})
        return [rows.RECALLS.read(row) for row in found]

    def stale(self, before: datetime, *, limit: int) -> list[ConversationKey]:
        found = self._rows.all("recall_stale", {"before": to_microseconds(before), "limit": limit})
        return [ConversationKey(row["project"] or None, row["agent"] or None, row["conversation"]) for row in found]

    def settle(self, ids: Sequence[str]) -> None:
        self._rows.run("recall_settle", self._rows.among(ids))

    def page(self, *, after: str = "", limit: int = 100) -> list[RecallEvent]:
        found = self._rows.all("recall_page", {"after": after, "limit": limit})
        return [rows.RECALLS.read(row) for row in found]

    def prune(self, before: datetime) -> int:
        return self._rows.run("recall_prune", {"before": to_microseconds(before)})

    def forget(self, refs: Sequence[str]) -> None:
        self._rows.run("recall_forget", {"refs": self._rows.bind_list(refs)})
