"""The named statements, as SQLite runs them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

from yesteryear.errors import InputError, StorageError
from yesteryear.storage.sql.statements import Dialect, read_statements
from yesteryear.storage.sqlite.connect import translate

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
