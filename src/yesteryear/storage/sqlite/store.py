"""The SQLite adapter of the Store port."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from yesteryear.core.erasure import Erasure, Scrubbed
from yesteryear.core.owner import Waiting
from yesteryear.core.scope import Owner, Scope
from yesteryear.core.time import from_microseconds, to_microseconds
from yesteryear.core.vectors import VectorIndex
from yesteryear.errors import ConfigError, EngineClosed, YesteryearError
from yesteryear.ports import Transaction
from yesteryear.storage.migrate import Migration
from yesteryear.storage.rows import erasure_columns, read_erasure
from yesteryear.storage.sql.call import Call
from yesteryear.storage.sql.transaction import SQLTransaction, bind
from yesteryear.storage.sqlite.checkpoint import Checkpointer, lay_out_log
from yesteryear.storage.sqlite.commit import GroupCommit
from yesteryear.storage.sqlite.connect import SQLitePolicy, choose_driver, open_connection, translate, translated
from yesteryear.storage.sqlite.driver import Cipher
from yesteryear.storage.sqlite.private import begin_file, open_to_others
from yesteryear.storage.sqlite.runner import SQLiteRunner, read_statements
from yesteryear.storage.sqlite.schema import applied_versions, prepare_schema, shipped_migrations
from yesteryear.storage.sqlite.scrub import FileScrubber, files_of

T = TypeVar("T")

_GIVE_WAY_S = 0.05
"""Longest pause of a worker for callers who wait, in seconds."""


class SQLiteStore:
    """Rows in one file, in WAL mode. Thread-safe; every process opens its own.

    Args:
        path: The file; made where missing, for nobody else to read. Its folder has to be there.
        policy: Durability, waiting and grouping.
        cipher: What encrypts the file; None for a file that is not encrypted.
        migrations: The schema's scripts; the shipped ones unless a test brings its own.

    Raises:
        StorageUnavailable, StorageCorrupt, SchemaTooNew: the file cannot be used; the message says what to do.
        ConfigError: the key is not the file's, or the file is not encrypted.
    """

    def __init__(
        self,
        path: Path,
        policy: SQLitePolicy | None = None,
        *,
        cipher: Cipher | None = None,
        migrations: Sequence[Migration] | None = None,
    ) -> None:
        self.path = path = path.absolute()  # connections opened later must not depend on the working directory
        self._policy = policy or SQLitePolicy()
        if self._policy.durability not in ("full", "normal"):
            raise ConfigError(f"durability is 'full' or 'normal', not {self._policy.durability!r}")
        self._pid = os.getpid()
        self._is_closed = False
        begin_file(path)
        self._driver = choose_driver(path, self._policy, cipher)
        connection = self._connect()
        try:
            known = shipped_migrations() if migrations is None else migrations
            self.backup = prepare_schema(connection, path, self._policy, self._driver, known)
            connection.execute("PRAGMA busy_timeout = 0")  # from here on begin_immediate looks at the lock
            lay_out_log(connection, path, log_bytes=self._policy.log_bytes)
        except YesteryearError:
            connection.close()
            raise
        self._connection = connection
        self._checkpointer = Checkpointer(
            self._connect,
            self._pause,
            changes=self._policy.changes_per_checkpoint,
        )
        self._commits = GroupCommit(
            connection,
            SQLiteRunner(connection, path),
            self._policy,
            translate_error=lambda exc: translate(exc, path),
            after_commit=self._checkpointer.after_commit,
        )
        self._readers: list[sqlite3.Connection] = []
        self._readers_lock = threading.Lock()
        self._pulse: sqlite3.Connection | None = None

    def write(self, scope: Scope, work: Callable[[Transaction], T], *, urgent: bool = False) -> T:
        """Run ``work``, commit, and return its result once it is on disk; see ``ports.Store``."""
        self._check_usable()
        return self._commits.wait_for(Call(bind(scope, work), urgent=urgent))

    def submit(self, scope: Scope, work: Callable[[Transaction], T], *, urgent: bool = False) -> Future[T]:
        """Queue ``work`` and return at once; see ``ports.Store``."""
        self._check_usable()
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()  # a caller that gives up cannot cancel a row any more
        self._commits.hand_over(Call(bind(scope, work), urgent=urgent, future=future))
        return future

    @contextmanager
    def read(self, scope: Scope) -> Iterator[Transaction]:
        """Open a snapshot for reading; see ``ports.Store``."""
        self._check_usable()
        connection = self._borrow_reader()
        try:
            with translated(self.path, connection.Error):
                connection.execute("BEGIN")
                connection.execute("SELECT 1 FROM sqlite_master")  # the snapshot is taken with the first look
            yield SQLTransaction(SQLiteRunner(connection, self.path, is_snapshot=True), scope)
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            self._return_reader(connection)

    def due(self, now: datetime, *, limit: int) -> list[Owner]:
        """Return owners with due work and no live lease."""
        parameters = {"now": to_microseconds(now), "limit": limit}
        return [Owner(row["tenant"], row["user"]) for row in self._ask("owners_due", parameters)]

    def waiting(self, now: datetime) -> Waiting:
        """Return how many owners are due, and since when the first is."""
        found = self._ask("owners_due", {"now": to_microseconds(now), "limit": 1})
        return Waiting(found[0]["owners"], from_microseconds(found[0]["since"])) if found else Waiting()

    def leases(self) -> list[tuple[Owner, str]]:
        """Return who holds a lease on which owner, expired or not."""
        return [(Owner(row["tenant"], row["user"]), row["lease_by"]) for row in self._ask("leases", {})]

    def pulse(self) -> str:
        """Return how many commits a connection that does nothing else has seen; see ``ports.Store``."""
        self._check_usable()
        with self._readers_lock, translated(self.path, self._connection.Error):
            if self._pulse is None:
                self._pulse = self._connect(is_reader=True)
            return str(self._pulse.execute("PRAGMA data_version").fetchone()[0])

    def owners(self) -> list[Owner]:
        """Return all owners in the store, in order."""
        return [Owner(row["tenant"], row["user"]) for row in self._ask("owners", {})]

    def scrub(self, removed: Collection[bytes]) -> Scrubbed:
        """Make the files hold nothing that was deleted, and look whether they do; see ``ports.Store``."""
        self._check_usable()
        with self._readers_lock:
            while self._readers:
                self._readers.pop().close()
        is_encrypted = self._driver.is_encrypting
        return FileScrubber(self.path, self._policy, self._commits.paused, is_encrypted=is_encrypted).scrub(removed)

    def erasures(self) -> list[Erasure]:
        """Return the receipts of erasures that still wait."""
        return [read_erasure(row) for row in self._ask("erasures_pending", {})]

    def note_erasure(self, erasure: Erasure) -> None:
        """Write the receipt of an erasure that waited, unless there is a later one of the same person."""
        self._check_usable()
        columns = erasure_columns(erasure)
        self._commits.wait_for(Call(lambda runner: runner.run("erasure_save", columns), urgent=False))

    def index_vectors(
        self,
        owner: Owner | None = None,  # noqa: ARG002 - see ports.Store
        *,
        is_dry: bool = False,  # noqa: ARG002
        drops: bool = False,  # noqa: ARG002
    ) -> list[VectorIndex]:
        """Return nothing: all vectors of an owner are compared here, however many they are."""
        return []

    def give_way(self) -> None:
        """Step aside for a moment while urgent calls are under way."""
        self._commits.give_way(at_most_s=_GIVE_WAY_S)

    def describe(self, *, check: bool = False) -> dict[str, object]:
        """Return place, whether encrypted, schema version, durability as SQLite reads it back, sizes and commit counts.

        Args:
            check: Also read the whole file for damage (``PRAGMA integrity_check``), which takes time in a large one,
                and tell which of the files others on this machine may read.
        """
        self._check_usable()
        connection = self._borrow_reader()
        try:
            with translated(self.path, connection.Error):
                schema = max(applied_versions(connection), default=0)
                checked: dict[str, object] = {"integrity_check": _check_pages(connection)} if check else {}
                with self._commits.paused() as writing:
                    synchronous = writing.execute("PRAGMA synchronous").fetchone()[0]
        finally:
            self._return_reader(connection)
        return {
            "place": str(self.path),
            "encrypted": self._driver.is_encrypting,
            "schema": schema,
            "newest_schema": shipped_migrations()[-1].version,
            "durability": self._policy.durability,
            "synchronous": synchronous,
            **checked,
            **({"open_to_others": open_to_others(files_of(self.path))} if check else {}),
            "bytes": _size(self.path),
            "log_bytes": _size(self.path.with_name(f"{self.path.name}-wal")),
            "commits": self._commits.commits,
            "calls": self._commits.calls,
        }

    def close(self) -> None:
        """Commit what was submitted and release the file. Closing twice is harmless."""
        if os.getpid() != self._pid:
            return
        self._is_closed = True
        self._commits.close()
        self._checkpointer.close()
        with self._readers_lock:
            while self._readers:
                self._readers.pop().close()
            if self._pulse is not None:
                self._pulse.close()
                self._pulse = None
        self._connection.close()  # the last one to close copies the log into the file

    def _connect(self, *, is_reader: bool = False) -> sqlite3.Connection:
        return open_connection(self.path, self._policy, self._driver, is_reader=is_reader)

    def _pause(self) -> AbstractContextManager[object]:
        return self._commits.paused()

    def _ask(self, name: str, parameters: Mapping[str, object]) -> list[sqlite3.Row]:
        self._check_usable()
        connection = self._borrow_reader()
        try:
            with translated(self.path, connection.Error):
                return connection.execute(read_statements()[name], parameters).fetchall()
        finally:
            self._return_reader(connection)

    def _check_usable(self) -> None:
        if os.getpid() != self._pid:
            raise EngineClosed("this engine was opened before a fork; open another one in the new process")
        if self._is_closed:
            raise EngineClosed

    def _borrow_reader(self) -> sqlite3.Connection:
        with self._readers_lock:
            if self._readers:
                return self._readers.pop()
        return self._connect(is_reader=True)

    def _return_reader(self, connection: sqlite3.Connection) -> None:
        with self._readers_lock:
            if len(self._readers) < self._policy.readers and not self._is_closed:
                self._readers.append(connection)
                return
        connection.close()


def _check_pages(connection: sqlite3.Connection) -> str:
    """Let SQLite look through all pages, and whether indexes and rows agree; return "ok", or the first fault."""
    found: str = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    return found


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
