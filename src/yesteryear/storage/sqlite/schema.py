"""Bringing a file to the present schema: backup first, one transaction, newer files refused."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from importlib.resources import files
from pathlib import Path

from yesteryear.errors import StorageCorrupt, StorageUnavailable
from yesteryear.storage.migrate import HISTORY, Migration, SchemaState, pending, read_migrations, schema_state
from yesteryear.storage.sqlite.connect import (
    APPLICATION_ID,
    SQLitePolicy,
    begin_file,
    choose_driver,
    execute_when_free,
    open_connection,
    translated,
)
from yesteryear.storage.sqlite.driver import PAGE_BYTES, Cipher, Driver

SHIPPED = read_migrations(files("yesteryear.storage.sqlite") / "migrations")
"""The migrations of this version."""


def look_at_schema(path: Path, policy: SQLitePolicy, cipher: Cipher | None) -> SchemaState:
    """Return which migrations a file has, and which it lacks; a file that is not there lacks all, and is not made."""
    if not path.exists():
        return schema_state(SHIPPED, {})
    driver = choose_driver(path, policy, cipher)
    with translated(path, driver.error), closing(open_connection(path, policy, driver, is_reader=True)) as connection:
        _refuse_foreign(connection, path)
        return schema_state(SHIPPED, applied_versions(connection))


def prepare_schema(
    connection: sqlite3.Connection, path: Path, policy: SQLitePolicy, driver: Driver, known: Sequence[Migration]
) -> Path | None:
    """Bring the file to the newest of the ``known`` migrations, all or nothing; two processes may do this at once.

    Before a file that holds data is changed, a copy is written beside it, encrypted with the same key where the file
    is. Returns where the copy is, or None when nothing had to be saved.
    """
    with translated(path, connection.Error):
        _refuse_foreign(connection, path)
        pending(known, applied_versions(connection))
        _use_log(connection, path, policy, driver)
        if not pending(known, applied_versions(connection)):
            return None
        execute_when_free(connection, "BEGIN IMMEDIATE", policy)
        try:
            todo = pending(known, applied_versions(connection))
            backup = _back_up(path, policy, driver, todo[0].version) if todo and todo[0].version > 1 else None
            _run(connection, todo)
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
    return backup


def _run(connection: sqlite3.Connection, migrations: Sequence[Migration]) -> None:
    connection.execute(HISTORY)
    for migration in migrations:
        for statement in split_statements(migration.sql):
            connection.execute(statement)
        connection.execute(
            "INSERT INTO schema_migration (version, name, checksum) VALUES (?, ?, ?)",
            (migration.version, migration.name, migration.checksum),
        )
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def applied_versions(connection: sqlite3.Connection) -> dict[int, str]:
    """Return the checksum of each migration that has run."""
    found = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'schema_migration'").fetchone()
    if found is None:
        return {}
    return {row[0]: row[1] for row in connection.execute("SELECT version, checksum FROM schema_migration")}


def split_statements(script: str) -> list[str]:
    """Return the statements of a script, which ``executescript`` would run outside our transaction."""
    statements, lines = [], ""
    for line in script.splitlines(keepends=True):
        lines += line
        if sqlite3.complete_statement(lines):
            statements.append(lines.strip())
            lines = ""
    return [*statements, lines.strip()] if lines.strip() else statements


def _refuse_foreign(connection: sqlite3.Connection, path: Path) -> None:
    application_id = connection.execute("PRAGMA application_id").fetchone()[0]
    tables = connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]
    if tables and application_id != APPLICATION_ID:
        raise StorageCorrupt(f"{path} is a database of another program; choose another path")


def _use_log(connection: sqlite3.Connection, path: Path, policy: SQLitePolicy, driver: Driver) -> None:
    """Switch the file to write-ahead logging; a restored copy comes without."""
    if not driver.is_encrypting:  # the driver knows the size of its pages; another would make the file unreadable
        connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")  # has an effect on new files only
    mode = execute_when_free(connection, "PRAGMA journal_mode = WAL", policy)[0][0]
    if mode != "wal":
        raise StorageUnavailable(
            f"{path} lies on a disk on which processes cannot share a database, such as a network folder; "
            "choose a path on a local disk"
        )


def _back_up(path: Path, policy: SQLitePolicy, driver: Driver, version: int) -> Path:
    """Copy the file while the caller's transaction keeps everybody else from writing to it."""
    target = path.with_name(f"{path.name}.before-{version:04d}")
    partial = target.with_name(target.name + ".partial")
    try:
        partial.unlink(missing_ok=True)
        begin_file(partial)
        source = open_connection(path, policy, driver, is_reader=True)
        with closing(source), closing(driver.connect(partial)) as copy:
            source.backup(copy)
        partial.replace(target)
    except (OSError, driver.error) as exc:
        raise StorageUnavailable(
            f"no copy could be made at {target} before the schema changes ({exc}); "
            "make room and see that the folder may be written to"
        ) from exc
    return target
