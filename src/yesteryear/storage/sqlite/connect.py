"""Opening a connection the way this project needs it, and saying in our words what SQLite says in its own."""

from __future__ import annotations

import random
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from yesteryear.errors import Conflict, StorageCorrupt, StorageError, StorageUnavailable

APPLICATION_ID = 0x59455354
"""Marks a file as ours ("YEST"), in SQLite's header."""

PAGE_BYTES = 2048
"""Size of a page of a new file. A message touches eight pages, which all go through the log: half the usual size is
measured to save 6 % of a durable write."""


@dataclass(frozen=True, slots=True)
class SQLitePolicy:
    """How the file is written and shared."""

    durability: str = "full"
    """``full``: an acknowledged row survives a power cut. ``normal``: only a crash of the process."""
    busy_s: float = 5.0
    """How long to wait for another process's lock, in seconds."""
    poll_low_s: float = 0.0005
    """Shortest pause between two looks at a lock, in seconds. Measured p95: jittered looks 2-3x, busy_timeout 7-11x."""
    poll_high_s: float = 0.0015
    """Longest pause between two looks at a lock, in seconds."""
    calls_per_commit: int = 256
    """How many calls may share one commit."""
    readers: int = 4
    """How many connections are kept for reading."""
    log_bytes: int = 8_000_000
    """Length the write-ahead log is given when the file is opened, in bytes: what 400 messages need. 0 for none."""
    changes_per_checkpoint: int = 1200
    """After how many changed rows the write-ahead log is copied into the file; an observed message changes three."""


def open_connection(path: Path, policy: SQLitePolicy, *, is_reader: bool = False) -> sqlite3.Connection:
    """Return a connection in autocommit mode with our pragmas set.

    The connection may be used from any thread, by one thread at a time.

    Raises:
        StorageUnavailable, StorageCorrupt: see ``translate``.
    """
    with translated(path):
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=256)
        try:
            connection.row_factory = sqlite3.Row
            connection.execute(f"PRAGMA busy_timeout = {int(policy.busy_s * 1000)}")
            connection.execute("PRAGMA temp_store = MEMORY")
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute(f"PRAGMA synchronous = {policy.durability.upper()}")
            connection.execute("PRAGMA wal_autocheckpoint = 0")
            connection.execute(f"PRAGMA query_only = {int(is_reader)}")
        except sqlite3.Error:
            connection.close()
            raise
    return connection


def begin_immediate(connection: sqlite3.Connection, policy: SQLitePolicy) -> None:
    """Start a writing transaction, waiting for another process by short jittered looks.

    Raises:
        sqlite3.OperationalError: the lock was held longer than ``policy.busy_s``.
    """
    poll_while_busy(lambda: connection.execute("BEGIN IMMEDIATE"), policy)


def poll_while_busy(attempt: Callable[[], object], policy: SQLitePolicy) -> None:
    """Call ``attempt`` until the file is no longer locked.

    Raises:
        sqlite3.OperationalError: it stayed locked longer than ``policy.busy_s``.
    """
    deadline = time.monotonic() + policy.busy_s
    while True:
        try:
            attempt()
        except sqlite3.OperationalError as exc:
            if not is_busy(exc) or time.monotonic() > deadline:
                raise
            time.sleep(random.uniform(policy.poll_low_s, policy.poll_high_s))
        else:
            return


def is_busy(exc: sqlite3.Error) -> bool:
    """Tell whether another connection's lock is the cause."""
    return _primary_code(exc) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn what sqlite3 raises into our errors, saying what to do."""
    try:
        yield
    except sqlite3.Error as exc:
        raise translate(exc, path) from exc


def translate(exc: sqlite3.Error, path: Path) -> StorageError:
    """Return our error for one of sqlite3's."""
    code = _primary_code(exc)
    if is_busy(exc):
        return StorageUnavailable(f"{path.name} was locked by another process for too long; try again")
    if code == sqlite3.SQLITE_FULL:
        return StorageUnavailable(f"the disk that holds {path.name} is full; free some space and try again")
    if code == sqlite3.SQLITE_READONLY:
        return StorageUnavailable(f"{path.name} cannot be written; check the permissions of the file and its folder")
    if code == sqlite3.SQLITE_CANTOPEN:
        return StorageUnavailable(f"{path} cannot be opened; check that the folder exists and may be written to")
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return StorageCorrupt(f"{path} is damaged or is no SQLite database; restore it from a backup ({exc})")
    if code == sqlite3.SQLITE_IOERR:
        return StorageUnavailable(f"the disk failed while {path.name} was read or written ({exc})")
    if code == sqlite3.SQLITE_CONSTRAINT:
        return Conflict(f"a row with the same key exists already ({exc})")
    return StorageError(f"SQLite refused a statement on {path.name}: {exc}")


def _primary_code(exc: sqlite3.Error) -> int:
    code: int = getattr(exc, "sqlite_errorcode", 0)
    return code & 0xFF
