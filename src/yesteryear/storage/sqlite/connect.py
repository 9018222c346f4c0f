"""Files of their owner alone, connections with our pragmas, and what SQLite says of them in our words."""

from __future__ import annotations

import os
import random
import sqlite3
import stat
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from yesteryear.errors import ConfigError, Conflict, StorageCorrupt, StorageError, StorageUnavailable, told_of_handles
from yesteryear.storage.sqlite.driver import PLAIN, Cipher, Driver

APPLICATION_ID = 0x59455354  # marks a file as ours ("YEST"), in SQLite's header

_UNREADABLE = {
    sqlite3.SQLITE_CORRUPT: "is damaged",
    sqlite3.SQLITE_NOTADB: "cannot be read without its key, if it is encrypted: set YESTERYEAR_KEY or pass key=; "
    "otherwise it is damaged or is no SQLite database",
}
"""What is wrong with a file; one that is encrypted cannot be told from one that is overwritten."""

OWNER_ONLY = 0o600
"""Mode of every file that we begin; SQLite gives its log and its index of the log the mode of the file itself."""
_OTHERS = stat.S_IRWXG | stat.S_IRWXO

_beginning = threading.Lock()
"""Closing a file ends this process's locks on it, so nobody here may open one for SQLite while it is begun."""

_TRIES = 2
"""How often a key is made for a file: another process that begins it at the same time gives it a salt of its own."""


@dataclass(frozen=True, slots=True)
class SQLitePolicy:
    """How the file is written and shared."""

    durability: str = "full"
    """``full``: an acknowledged row survives a power cut. ``normal``: only a crash of the process."""
    busy_s: float = 5.0  # how long to wait for another process's lock, in seconds
    poll_low_s: float = 0.0005
    """Shortest pause between two looks at a lock, in seconds. Measured p95: jittered looks 2-3x, busy_timeout 7-11x."""
    poll_high_s: float = 0.0015  # longest pause between two looks at a lock, in seconds
    calls_per_commit: int = 256  # how many calls may share one commit
    readers: int = 4  # how many connections are kept for reading
    log_bytes: int = 8_000_000
    """Length the write-ahead log is given when the file is opened, in bytes: what 400 messages need. 0 for none."""
    changes_per_checkpoint: int = 1200
    """After how many changed rows the write-ahead log is copied into the file; an observed message changes three."""


def choose_driver(path: Path, policy: SQLitePolicy, cipher: Cipher | None) -> Driver:
    """Return what opens a file; an encrypted one is opened to see whether the key fits, and begun where it is empty."""
    if cipher is None:
        return PLAIN
    for _ in range(_TRIES):
        with translated(path, cipher.module.Error):
            driver = cipher.driver(path)
            with closing(driver.connect(path)) as connection:
                if _is_readable(connection, policy):
                    return driver
    raise ConfigError(
        f"the key does not open {path.name}: the file was made with another one, or its first page is damaged; set "
        "YESTERYEAR_KEY (or pass key=) to the key it was made with, or restore it from a backup"
    )


def begin_file(path: Path) -> None:
    """Make an empty file for its owner alone, unless there is one, which keeps its mode."""
    if not path.parent.is_dir():
        raise StorageUnavailable(
            f"the folder {path.parent} is not there; check the path of the store, or make the folder first: "
            f"mkdir -p -m 700 '{path.parent}'"
        )
    target = os.path.realpath(path)  # a link may lead to where nothing is yet
    with _beginning:
        try:
            opened = os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
        except FileExistsError:
            return
        except OSError as exc:
            raise told_of_handles(exc) or StorageUnavailable(
                f"{path} cannot be opened ({exc.strerror}); check that its folder is there and may be written to"
            ) from exc
        try:
            if os.name != "nt":
                os.fchmod(opened, OWNER_ONLY)  # an umask may have taken its owner's own rights
        finally:
            os.close(opened)


def open_to_others(files: Iterable[Path]) -> list[str]:
    """Return the names of files that other users of this machine may read or write; none where there are no modes."""
    if os.name == "nt":
        return []
    return [file.name for file in files if file.exists() and file.stat().st_mode & _OTHERS]


def open_connection(
    path: Path, policy: SQLitePolicy, driver: Driver = PLAIN, *, is_reader: bool = False
) -> sqlite3.Connection:
    """Return a connection in autocommit mode with our pragmas set, for any thread, one at a time."""
    with translated(path, driver.error):
        connection = driver.connect(path)
        try:
            connection.execute(f"PRAGMA busy_timeout = {int(policy.busy_s * 1000)}")
            connection.execute("PRAGMA temp_store = MEMORY")
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute(f"PRAGMA synchronous = {policy.durability.upper()}")
            connection.execute("PRAGMA wal_autocheckpoint = 0")
            connection.execute(f"PRAGMA query_only = {int(is_reader)}")
        except connection.Error:
            connection.close()
            raise
    return connection


def execute_when_free(connection: sqlite3.Connection, statement: str, policy: SQLitePolicy) -> list[sqlite3.Row]:
    """Run a statement once nobody locks the file, looking at short jittered intervals; return what it finds."""
    deadline = time.monotonic() + policy.busy_s
    while True:
        try:
            return connection.execute(statement).fetchall()
        except connection.OperationalError as exc:
            if not is_busy(exc) or time.monotonic() > deadline:
                raise
            time.sleep(random.uniform(policy.poll_low_s, policy.poll_high_s))


def is_busy(exc: Exception) -> bool:
    """Tell whether another connection's lock is the cause."""
    return _primary_code(exc) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)


@contextmanager
def translated(path: Path, error: type[Exception]) -> Iterator[None]:
    """Turn what SQLite raises, ``connection.Error``, into our errors, saying what to do."""
    try:
        yield
    except error as exc:
        raise translate(exc, path) from exc


def translate(exc: Exception, path: Path) -> StorageError:
    """Return our error for one of SQLite's."""
    code = _primary_code(exc)
    if is_busy(exc):
        return StorageUnavailable(f"{path.name} was locked by another process for too long; try again")
    if code == sqlite3.SQLITE_FULL:
        return StorageUnavailable(f"the disk that holds {path.name} is full; free some space and try again")
    if code == sqlite3.SQLITE_READONLY:
        return StorageUnavailable(f"{path.name} cannot be written; check the permissions of the file and its folder")
    if code == sqlite3.SQLITE_CANTOPEN:
        return _unopened(path)
    if code in _UNREADABLE:
        return StorageCorrupt(f"{path} {_UNREADABLE[code]}; restore it from a backup ({exc})")
    if code == sqlite3.SQLITE_IOERR:
        return StorageUnavailable(f"the disk failed while {path.name} was read or written ({exc})")
    if code == sqlite3.SQLITE_CONSTRAINT:
        return Conflict(f"a row with the same key exists already ({exc})")
    return StorageError(f"SQLite refused a statement on {path.name}: {exc}")


def _is_readable(connection: sqlite3.Connection, policy: SQLitePolicy) -> bool:
    """Tell whether the first page can be read; it is written where there is none, so that the file has its salt."""
    try:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        if pages == 0:
            execute_when_free(connection, "BEGIN IMMEDIATE", policy)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute("COMMIT")
    except connection.DatabaseError as exc:
        if _primary_code(exc) != sqlite3.SQLITE_NOTADB:
            raise
        return False
    return True


def _unopened(path: Path) -> StorageUnavailable:
    """Return what is told of a file that could not be opened; SQLite does not say whether any other can be."""
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as exc:
        if told := told_of_handles(exc):
            return told
    advice = "it is a folder; name a file" if path.is_dir() else "check that its folder is there and may be written to"
    return StorageUnavailable(f"{path} cannot be opened; {advice}")


def _primary_code(exc: Exception) -> int:
    code: int = getattr(exc, "sqlite_errorcode", 0)
    return code & 0xFF
