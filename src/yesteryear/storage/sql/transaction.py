"""The repositories of one owner over one transaction of a database."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from yesteryear.core.erasure import Erasure
from yesteryear.core.rows.queries import Changes
from yesteryear.core.scope import ConversationKey, OwnerState, Scope, hash_person
from yesteryear.core.time import EPOCH
from yesteryear.errors import InputError
from yesteryear.ports import rows as ports
from yesteryear.storage import rows
from yesteryear.storage.sql import beliefs, talk
from yesteryear.storage.sql.owner_rows import OwnedRows, StatementRunner
from yesteryear.storage.sql.statements import OWNED_TABLES

T = TypeVar("T")


class SQLTransaction:
    """One owner's rows, seen through one scope; see ``ports.Transaction``."""

    def __init__(self, runner: StatementRunner, scope: Scope) -> None:
        self.scope = scope
        self._rows = table = OwnedRows(runner, scope)
        self.messages: ports.Messages = talk.MessageRows(table)
        self.conversations: ports.Conversations = talk.ConversationRows(table)
        self.episodes: ports.Episodes = talk.EpisodeRows(table)
        self.vectors: ports.Vectors = talk.VectorRows(table)
        self.overrides: ports.Overrides = talk.OverrideRows(table)
        self.recalls: ports.Recalls = talk.RecallRows(table)
        self.facts: ports.Facts = beliefs.FactRows(table, self.vectors)
        self.versions: ports.Versions = beliefs.VersionRows(table)
        self.evidence: ports.Evidences = beliefs.EvidenceRows(table)
        self.rulings: ports.Rulings = beliefs.RulingRows(table)
        self.edges: ports.Edges = beliefs.EdgeRows(table)
        self.cycles: ports.Cycles = beliefs.CycleRows(table)
        self.usages: ports.Usages = beliefs.UsageRows(table)
        self.forgettings: ports.Forgettings = beliefs.ForgettingRows(table)
        self.keys: ports.Keys = beliefs.KeyRows(table)
        self.audit: ports.Audit = beliefs.AuditRows(table)

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
            facts=tuple(beliefs.read_facts(self._rows, "fact_changes", since=since)),
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


def bind(scope: Scope, work: Callable[[ports.Transaction], T]) -> Callable[[StatementRunner], T]:
    """Return work on one owner's rows as work on whatever runs statements."""
    return lambda runner: work(SQLTransaction(runner, scope))
