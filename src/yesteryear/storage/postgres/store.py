"""The PostgreSQL adapter of the Store port."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from typing import Any

from yesteryear.core.erasure import Erasure, Scrubbed
from yesteryear.core.rows.codec import Row
from yesteryear.core.rows.due_work import Attempt
from yesteryear.core.scope import Owner, Scope, Waiting
from yesteryear.core.time import from_microseconds, to_microseconds
from yesteryear.core.vectors import VectorIndex
from yesteryear.errors import ConfigError, StorageError, StorageUnavailable
from yesteryear.ports import Bell, Transaction
from yesteryear.storage.migrate import Migration
from yesteryear.storage.postgres.batching import Batch, Turns
from yesteryear.storage.postgres.bell import PostgresBell
from yesteryear.storage.postgres.connect import (
    SERVER,
    PostgresPolicy,
    check_url,
    describe_place,
    open_connection,
    register_adapters,
)
from yesteryear.storage.postgres.connection import Link, Pool
from yesteryear.storage.postgres.schema import SHIPPED, find_halfvec, prepare_schema
from yesteryear.storage.postgres.upkeep import Indexer, scrub
from yesteryear.storage.rows import erasure_columns
from yesteryear.storage.sql.queued_call import Call
from yesteryear.storage.sql.store import SQLStore
from yesteryear.storage.sql.transaction import SQLTransaction


class PostgresStore(SQLStore):
    """Rows in a PostgreSQL database with pgvector, in a schema of their own. Thread-safe; every process opens its own.

    What ``postgresql://role:password@host:port/database`` leaves out libpq takes from its environment variables and
    files. A test may bring ``migrations`` of its own.
    """

    _commits: Turns

    def __init__(
        self, url: str, policy: PostgresPolicy | None = None, *, migrations: Sequence[Migration] = SHIPPED
    ) -> None:
        self._policy = policy or PostgresPolicy()
        super().__init__(self._policy.durability)
        if self._policy.connections < 2:
            raise ConfigError(f"connections must be at least 2, not {self._policy.connections}")
        self._url = check_url(url)
        self._place = describe_place(url)
        with ExitStack() as unfinished:
            connection = open_connection(self._url, self._policy)
            unfinished.callback(connection.close)
            prepare_schema(connection, self._place, migrations)
            self._halfvec_oid = find_halfvec(connection)
            register_adapters(connection.adapters, self._halfvec_oid)
            self._pool = Pool(self._connect, self._policy, first=Link(connection, self._place))
            unfinished.pop_all()
        self._bells: list[PostgresBell] = []
        self._commits = Turns(
            self._commit, calls_per_commit=self._policy.calls_per_commit, threads=self._policy.connections
        )

    @contextmanager
    def read(self, scope: Scope) -> Iterator[Transaction]:
        self._check_usable()
        with self._pool.lend(lambda link: link.begin_reading(scope.owner)) as link:
            yield SQLTransaction(link, scope)

    def waiting(self, now: datetime) -> Waiting:
        found = self._ask("owners_waiting", {"now": to_microseconds(now)})[0]
        return Waiting(found["owners"], from_microseconds(found["since"])) if found["owners"] else Waiting()

    def pulse(self) -> str:
        """Return which transactions of all processes can be seen now."""
        self._check_usable()
        with self._pool.lend() as link:
            return str(link.look(SERVER["pulse"])[0]["pulse"])

    def scrub(self, removed: Collection[bytes]) -> Scrubbed:  # noqa: ARG002 - a server's files cannot be looked into
        self._check_usable()
        return scrub(self._pool, self._policy)

    def note_erasure(self, erasure: Erasure) -> None:
        self._check_usable()
        with self._pool.lend(lambda link: link.begin_noting(erasure.tenant, erasure.person)) as link:
            link.run("erasure_save", erasure_columns(erasure))
            link.commit()

    def index_vectors(
        self, owner: Owner | None = None, *, is_dry: bool = False, drops: bool = False
    ) -> list[VectorIndex]:
        self._check_usable()
        owners = self.owners() if owner is None else [owner]
        return Indexer(self._pool, self._policy.exact_vectors).tend(
            owners, is_all=owner is None, is_dry=is_dry, drops=drops
        )

    def describe(self, *, check: bool = False) -> dict[str, object]:  # noqa: ARG002 - a server looks after its files
        """Return place, versions, schema, durability as the server reads it back, size, role and connections."""
        self._check_usable()
        with self._pool.lend() as link:
            found = link.look(SERVER["describe"])[0]
        found["durability"] = self._policy.durability
        return {
            "place": self._place,
            **found,
            "newest_schema": SHIPPED[-1].version,
            "connections": self._policy.connections,
            "idle_connections": self._pool.idle,
            "commits": self._commits.commits,
            "calls": self._commits.calls,
        }

    def share(self, bell: Bell) -> Bell:
        self._check_usable()
        shared = PostgresBell(bell, self._pool, lambda: open_connection(self._url, self._policy))
        self._bells.append(shared)
        return shared

    def close(self) -> None:
        if not self._is_ours():
            return
        self._is_closed = True
        for bell in self._bells:
            bell.close()
        self._commits.close()
        self._pool.close()

    def _connect(self) -> Link:
        return Link(open_connection(self._url, self._policy, self._halfvec_oid), self._place)

    def _commit(self, owner: Owner, batch: Batch) -> None:
        """Run calls of one owner in a transaction, again where it met another one, and tell them what became of it."""
        for tries_left in reversed(range(self._policy.tries)):
            if tries_left < self._policy.tries - 1:
                time.sleep(self._policy.try_again_s)
            with Attempt() as attempt:
                if self._is_settled(owner, batch, is_last=tries_left == 0):
                    return
            if attempt.error is not None:
                for call in batch.begun or batch:
                    if not call.is_done:
                        call.finish(_told(attempt.error))
                return

    def _is_settled(self, owner: Owner, batch: Batch, *, is_last: bool) -> bool:
        """Run calls in one transaction, or where one spoils it each in its own; False where it is worth another try."""
        with self._pool.lend(lambda link: link.begin_writing(owner)) as link:
            is_good = _run(link, owner, batch)
            if link.is_worth_another_try:
                if is_last:
                    raise link.error
                return False
            if is_good or len(batch.begun) == 1:
                _end(link, batch.begun, is_good=is_good)
                return True
        for call in batch.begun:
            self._commit(owner, Batch([call], 1))
        return True

    def _ask(self, name: str, parameters: Mapping[str, object]) -> Sequence[Row]:
        self._check_usable()
        with self._pool.lend(Link.begin_operating) as link:
            return link.run(name, parameters)[0]


def _run(link: Link, owner: Owner, batch: Batch) -> bool:
    """Run calls so far that nothing but the commit is left; tell whether it may be done.

    It may where a call has failed before it changed anything; what one has changed is undone with the transaction only.
    """
    for call in batch:
        changes = link.changes
        call.attempt(link)
        if link.is_failed and call.error is None:
            call.error = StorageError(f"a statement failed, and its error was ignored: {link.error}")
        if link.is_failed or (call.error is not None and link.changes > changes):
            return False
    with Attempt() as attempt:
        if link.changes:
            link.settle(owner)
    if attempt.error is not None:
        for call in batch.begun:
            call.error = attempt.error
    return attempt.error is None


def _end(link: Link, calls: Sequence[Call[Any]], *, is_good: bool) -> None:
    """Commit what was changed and tell the calls, also when it is interrupted, for then nobody must run them again."""
    unknown: Exception | None = StorageUnavailable(
        "the commit was interrupted: whether it was written is not known; look before trying again"
    )
    try:
        if is_good and link.changes:
            link.commit()
        unknown = None
    except StorageError as exc:
        unknown = exc
    finally:
        for call in calls:
            call.finish(call.error if unknown is None else _told(unknown))


def _told(error: Exception) -> Exception:
    """Return an error as one of several callers is told it: an exception of its own."""
    if not isinstance(error, StorageError | ConfigError):
        return error
    told = type(error)(str(error))
    told.__cause__ = error
    return told
