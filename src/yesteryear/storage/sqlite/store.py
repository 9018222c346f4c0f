"""The SQLite adapter of the Store port, and how SQLite runs the named statements."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

from yesteryear.core.erasure import Erasure, Scrubbed
from yesteryear.core.scope import Owner, Scope, Waiting
from yesteryear.core.time import from_microseconds, to_microseconds
from yesteryear.core.vectors import VectorIndex
from yesteryear.errors import InputError, StorageError, YesteryearError
from yesteryear.ports import Transaction
from yesteryear.storage.migrate import Migration
from yesteryear.storage.rows import erasure_columns
from yesteryear.storage.sql.queued_call import Call
from yesteryear.storage.sql.statements import Dialect, read_statements
from yesteryear.storage.sql.store import SQLStore
from yesteryear.storage.sql.transaction import SQLTransaction
from yesteryear.storage.sqlite.checkpoint import Checkpointer, lay_out_log
from yesteryear.storage.sqlite.commit import GroupCommit
from yesteryear.storage.sqlite.connect import (
    SQLitePolicy,
    begin_file,
    choose_driver,
    open_connection,
    open_to_others,
    translate,
    translated,
)
from yesteryear.storage.sqlite.driver import Cipher
from yesteryear.storage.sqlite.schema import SHIPPED, applied_versions, prepare_schema
from yesteryear.storage.sqlite.scrub import FileScrubber, files_of

STATEMENTS = read_statements(
    Dialect(
        among=r"\1 IN (SELECT value FROM json_each(:\2))",
        holds=r"EXISTS (SELECT 1 FROM json_each(\1) AS mine JOIN json_each(:\2) AS asked ON mine.value = asked.value)",
        part=r"json_extract(\1, '$.\2')",
        by=r"INDEXED BY \1",
    ),
    own=files("yesteryear.storage.sqlite") / "statements.sql",
)
"""SQL by name."""


class SQLiteRunner:
    """Runs named statements on one connection; see ``storage.sql.owner_rows.StatementRunner``."""

    __slots__ = ("_connection", "_is_snapshot", "_path")

    def __init__(self, connection: sqlite3.Connection, path: Path, *, is_snapshot: bool = False) -> None:
        self._connection = connection
        self._path = path
        self._is_snapshot = is_snapshot

    def run(self, name: str, parameters: Mapping[str, Any]) -> tuple[Sequence[sqlite3.Row], int]:
        with self._translated():
            cursor = self._connection.execute(STATEMENTS[name], parameters)
            return cursor.fetchall(), cursor.rowcount

    def run_each(self, name: str, parameters: Sequence[Mapping[str, Any]]) -> int:
        with self._translated():
            return self._connection.executemany(STATEMENTS[name], parameters).rowcount

    def run_later(self, name: str, parameters: Mapping[str, Any]) -> None:
        self.run(name, parameters)  # nobody has to be waited for

    def has_index(self, parameters: Mapping[str, Any]) -> bool:  # noqa: ARG002 - see StatementRunner
        return False

    def nearest(self, parameters: Mapping[str, Any], packed: bytes) -> None:  # noqa: ARG002
        return None

    def bind_list(self, values: Sequence[str]) -> object:
        return json.dumps(list(values))

    def bind_vector(self, packed: bytes) -> object:
        return packed

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except self._connection.Error as exc:
            if self._is_snapshot and getattr(exc, "sqlite_errorcode", 0) == sqlite3.SQLITE_READONLY:
                raise StorageError("a snapshot cannot be written to; use Store.write") from exc
            raise translate(exc, self._path) from exc
        except UnicodeEncodeError as exc:
            raise InputError(f"text with broken Unicode cannot be stored: {exc}") from exc


class SQLiteStore(SQLStore):
    """Rows in one file, in WAL mode. Thread-safe; every process opens its own.

    The file is made where it is missing, for nobody else to read; its folder has to be there. Without a ``cipher`` it
    is not encrypted. A test may bring ``migrations`` of its own.
    """

    _commits: GroupCommit

    def __init__(
        self,
        path: Path,
        policy: SQLitePolicy | None = None,
        *,
        cipher: Cipher | None = None,
        migrations: Sequence[Migration] = SHIPPED,
    ) -> None:
        self.path = path = path.absolute()  # connections opened later must not depend on the working directory
        self._policy = policy or SQLitePolicy()
        super().__init__(self._policy.durability)
        begin_file(path)
        self._driver = choose_driver(path, self._policy, cipher)
        connection = self._connect()
        try:
            self.backup = prepare_schema(connection, path, self._policy, self._driver, migrations)
            connection.execute("PRAGMA busy_timeout = 0")  # from here on execute_when_free looks at the lock
            lay_out_log(connection, path, log_bytes=self._policy.log_bytes)
        except YesteryearError:
            connection.close()
            raise
        self._connection = connection
        self._checkpointer = Checkpointer(self._connect, self._pause, changes=self._policy.changes_per_checkpoint)
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

    @contextmanager
    def read(self, scope: Scope) -> Iterator[Transaction]:
        with self._reader() as connection:
            try:
                with translated(self.path, connection.Error):
                    connection.execute("BEGIN")
                    connection.execute("SELECT 1 FROM sqlite_master")  # the snapshot is taken with the first look
                yield SQLTransaction(SQLiteRunner(connection, self.path, is_snapshot=True), scope)
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    def waiting(self, now: datetime) -> Waiting:
        found = self._ask("owners_due", {"now": to_microseconds(now), "limit": 1})
        return Waiting(found[0]["owners"], from_microseconds(found[0]["since"])) if found else Waiting()

    def pulse(self) -> str:
        """Return how many commits a connection that does nothing else has seen; see ``ports.Store``."""
        self._check_usable()
        with self._readers_lock, translated(self.path, self._connection.Error):
            if self._pulse is None:
                self._pulse = self._connect(is_reader=True)
            return str(self._pulse.execute("PRAGMA data_version").fetchone()[0])

    def scrub(self, removed: Collection[bytes]) -> Scrubbed:
        self._check_usable()
        with self._readers_lock:
            while self._readers:
                self._readers.pop().close()
        is_encrypted = self._driver.is_encrypting
        return FileScrubber(self.path, self._policy, self._commits.paused, is_encrypted=is_encrypted).scrub(removed)

    def note_erasure(self, erasure: Erasure) -> None:
        self._check_usable()
        columns, nobody = erasure_columns(erasure), Owner(erasure.tenant, "")
        self._commits.wait_for(Call(nobody, lambda runner: runner.run("erasure_save", columns)))

    def index_vectors(
        self,
        owner: Owner | None = None,  # noqa: ARG002 - see ports.Store
        *,
        is_dry: bool = False,  # noqa: ARG002
        drops: bool = False,  # noqa: ARG002
    ) -> list[VectorIndex]:
        """Return nothing: all vectors of an owner are compared here, however many they are."""
        return []

    def describe(self, *, check: bool = False) -> dict[str, object]:
        """Return place, whether encrypted, schema version, durability as SQLite reads it back, sizes and commit counts.

        With ``check`` also whether the file is damaged, and which of the files others on this machine may read.
        """
        checked: dict[str, object] = {}
        with self._reader() as connection, translated(self.path, connection.Error):
            schema = max(applied_versions(connection), default=0)
            if check:  # all pages, and whether indexes and rows agree: "ok", or the first fault
                checked["integrity_check"] = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
                checked["open_to_others"] = open_to_others(files_of(self.path))
            with self._commits.paused() as writing:
                synchronous = writing.execute("PRAGMA synchronous").fetchone()[0]
        return {
            "place": str(self.path),
            "encrypted": self._driver.is_encrypting,
            "schema": schema,
            "newest_schema": SHIPPED[-1].version,
            "durability": self._policy.durability,
            "synchronous": synchronous,
            **checked,
            "bytes": _size(self.path),
            "log_bytes": _size(self.path.with_name(f"{self.path.name}-wal")),
            "commits": self._commits.commits,
            "calls": self._commits.calls,
        }

    def close(self) -> None:
        if not self._is_ours():
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

    def _ask(self, name: str, parameters: Mapping[str, object]) -> Sequence[sqlite3.Row]:
        with self._reader() as connection, translated(self.path, connection.Error):
            return connection.execute(STATEMENTS[name], parameters).fetchall()

    @contextmanager
    def _reader(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection for reading; a few are kept."""
        self._check_usable()
        with self._readers_lock:
            connection = self._readers.pop() if self._readers else None
        connection = connection or self._connect(is_reader=True)
        try:
            yield connection
        finally:
            with self._readers_lock:
                is_kept = len(self._readers) < self._policy.readers and not self._is_closed
                if is_kept:
                    self._readers.append(connection)
            if not is_kept:
                connection.close()


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
