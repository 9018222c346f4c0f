"""The rows of talk over one transaction: messages, conversations, episodes, vectors, settings, what contexts showed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime

from yesteryear.core.episode import Episode, EpisodeStatus
from yesteryear.core.fading.half_life import Trace
from yesteryear.core.hits import RecallEvent
from yesteryear.core.message import Conversation, Message
from yesteryear.core.rows.codec import Row, dump_json
from yesteryear.core.rows.queries import IndexedMessage, MessageQuery
from yesteryear.core.scope import ConversationKey
from yesteryear.core.vectors import Matrix, StoredVector, VectorGrain, pack_vector, unpack_vectors
from yesteryear.errors import EmbeddingMismatch, Stale
from yesteryear.ports import rows as ports
from yesteryear.storage.rows import CONVERSATIONS, EPISODES, MESSAGES, RECALLS, TRACES, VERBATIM
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
        columns = [
            {"ref": row.ref, "part": row.part, "grain": row.grain, "vector": bind(pack_vector(row.vector))}
            for row in rows
        ]
        self._rows.run_each("vector_put", [{"model": model, **row} for row in columns])

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
