"""What stores do that keep their rows in tables: one owner's transaction, calls, what crosses owners."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from yesteryear.core.erasure import Erasure
from yesteryear.core.rows.codec import Row
from yesteryear.core.rows.queries import Changes
from yesteryear.core.scope import ConversationKey, Owner, OwnerState, Scope, hash_person
from yesteryear.core.time import EPOCH, to_microseconds
from yesteryear.errors import ConfigError, EngineClosed, InputError
from yesteryear.ports import Transaction
from yesteryear.ports import rows as ports
from yesteryear.storage import rows
from yesteryear.storage.sql import repositories as tables
from yesteryear.storage.sql.owner_rows import OwnedRows, StatementRunner
from yesteryear.storage.sql.queued_call import Call, Turns
from yesteryear.storage.sql.statements import OWNED_TABLES

T = TypeVar("T")

_GIVE_WAY_S = 0.05  # longest pause of a worker for callers who wait, in seconds


class SQLTransaction:
    """One owner's rows, seen through one scope; see ``ports.Transaction``."""

    def __init__(self, runner: StatementRunner, scope: Scope) -> None:
        self.scope = scope
        self._rows = owned = OwnedRows(runner, scope)
        self.messages: ports.Messages = tables.MessageRows(owned)
        self.conversations: ports.Conversations = tables.ConversationRows(owned)
        self.episodes: ports.Episodes = tables.EpisodeRows(owned)
        self.vectors: ports.Vectors = tables.VectorRows(owned)
        self.overrides: ports.Overrides = tables.OverrideRows(owned)
        self.recalls: ports.Recalls = tables.RecallRows(owned)
        self.facts: ports.Facts = tables.FactRows(owned, self.vectors)
        self.versions: ports.Versions = tables.VersionRows(owned)
        self.evidence: ports.Evidences = tables.EvidenceRows(owned)
        self.rulings: ports.Rulings = tables.RulingRows(owned)
        self.edges: ports.Edges = tables.EdgeRows(owned)
        self.cycles: ports.Cycles = tables.CycleRows(owned)
        self.usages: ports.Usages = tables.UsageRows(owned)
        self.forgettings: ports.Forgettings = tables.ForgettingRows(owned)
        self.keys: ports.Keys = tables.KeyRows(owned)
        self.audit: ports.Audit = tables.AuditRows(owned)

    def owner(self) -> OwnerState:
        row = self._rows.one("owner_get")
        if row is None:
            erased = self.erasure()
            return OwnerState(generation=erased.generation if erased else 0)
        return rows.OWNERS.read(row)

    def save_owner(self, state: OwnerState) -> None:
        self._rows.run("owner_save", **rows.OWNERS.columns(state))

    def changes(self, since: int) -> Changes:
        state = self.owner()
        if state.rev <= since:
            return Changes(rev=state.rev, generation=state.generation)
        return Changes(
            rev=state.rev,
            generation=state.generation,
            messages=tuple(self._rows.indexed_messages("message_changes", since=since)),
            episodes=tuple(self._rows.found(rows.EPISODES, "episode_changes", since=since)),
            facts=tuple(tables.read_facts(self._rows, "fact_changes", since=since)),
        )

    def counts(self) -> dict[str, int]:
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
        self.facts.forget(facts)
        by_id = {"message": messages, "episode": episodes, "recall": recalls, "fact": facts, "usage": usages}
        for table, ids in by_id.items():
            self._rows.run(f"{table}_withdraw", ids=ids)
        for key in conversations:
            self._rows.run("conversation_withdraw", key=key)
        self.vectors.forget([*messages, *episodes])
        state = self.owner()
        self.save_owner(replace(state, generation=state.generation + 1))

    def erase(self) -> dict[str, int]:
        generation = self.owner().generation + 1
        removed = {table: self._rows.run(f"erase_{table}") for table in OWNED_TABLES}
        person = hash_person(self.scope.owner)
        self.save_erasure(Erasure(self.scope.tenant, person, generation, EPOCH, removed))
        return removed

    def erasure(self) -> Erasure | None:
        row = self._rows.one("erasure_get")
        return None if row is None else rows.read_erasure(row)

    def save_erasure(self, erasure: Erasure) -> None:
        columns = rows.erasure_columns(erasure)
        if (columns["tenant"], columns["person"]) != (self.scope.tenant, hash_person(self.scope.owner)):
            raise InputError("a receipt of somebody else cannot be written here")
        self._rows.run("erasure_save", **columns)


class SQLStore(ABC):
    """A store of one process; a process that is forked off needs another one. See ``ports.Store``."""

    _commits: Turns

    def __init__(self, durability: str) -> None:
        if durability not in ("full", "normal"):
            raise ConfigError(f"durability is 'full' or 'normal', not {durability!r}")
        self._pid = os.getpid()
        self._is_closed = False

    def write(self, scope: Scope, work: Callable[[Transaction], T], *, urgent: bool = False) -> T:
        self._check_usable()
        return self._commits.wait_for(Call(scope.owner, bind(scope, work), urgent=urgent))

    def submit(self, scope: Scope, work: Callable[[Transaction], T], *, urgent: bool = False) -> Future[T]:
        self._check_usable()
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()  # a caller that gives up cannot cancel a row any more
        self._commits.hand_over(Call(scope.owner, bind(scope, work), urgent=urgent, future=future))
        return future

    def due(self, now: datetime, *, limit: int) -> list[Owner]:
        return list(map(_owner, self._ask("owners_due", {"now": to_microseconds(now), "limit": limit})))

    def leases(self) -> list[tuple[Owner, str]]:
        return [(_owner(row), row["lease_by"]) for row in self._ask("leases", {})]

    def owners(self) -> list[Owner]:
        return list(map(_owner, self._ask("owners", {})))

    def erasures(self) -> list[Erasure]:
        return list(map(rows.read_erasure, self._ask("erasures_pending", {})))

    def yield_to_foreground(self) -> None:
        self._commits.yield_to_foreground(at_most_s=_GIVE_WAY_S)

    @abstractmethod
    def _ask(self, name: str, parameters: Mapping[str, object]) -> Sequence[Row]:
        """Return what a statement finds that crosses owners."""

    def _check_usable(self) -> None:
        if not self._is_ours():
            raise EngineClosed("this engine was opened before a fork; open another one in the new process")
        if self._is_closed:
            raise EngineClosed

    def _is_ours(self) -> bool:
        return os.getpid() == self._pid


def bind(scope: Scope, work: Callable[[Transaction], T]) -> Callable[[StatementRunner], T]:
    """Return work on one owner's rows as work on whatever runs statements."""
    return lambda runner: work(SQLTransaction(runner, scope))


def _owner(row: Row) -> Owner:
    return Owner(row["tenant"], row["user"])
