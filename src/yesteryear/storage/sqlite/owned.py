"""Named statements run with the owner and the scope's filter always bound."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from yesteryear.core.episode import Episode
from yesteryear.core.message import Message
from yesteryear.core.owner import hash_person
from yesteryear.core.queries import IndexedMessage
from yesteryear.core.scope import ConversationKey, Scope
from yesteryear.errors import InputError, StorageError
from yesteryear.storage import rows
from yesteryear.storage.sqlite.connect import translate
from yesteryear.storage.sqlite.statements import read_statements


class OwnedRows:
    """Runs named statements with the owner and the scope's filter always bound."""

    __slots__ = ("_connection", "_filter", "_is_snapshot", "_path", "_rev", "_scopes", "_statements", "owner")

    def __init__(self, connection: sqlite3.Connection, path: Path, scope: Scope, *, is_snapshot: bool) -> None:
        self._connection = connection
        self._path = path
        self._is_snapshot = is_snapshot
        self._statements = read_statements()
        self._filter: dict[str, Any] = {
            "tenant": scope.tenant,
            "user": scope.user,
            "project": scope.project,
            "agent": scope.agent,
            "person": hash_person(scope.owner),
        }
        self._scopes: dict[tuple[str, str], Scope] = {}
        self._rev = 0
        self.owner = scope.owner

    def all(self, name: str, parameters: Mapping[str, Any] | None = None) -> list[sqlite3.Row]:
        """Return what a statement finds."""
        return self._run(name, {**self._filter, **parameters} if parameters else self._filter)[0]

    def one(self, name: str, parameters: Mapping[str, Any] | None = None) -> sqlite3.Row | None:
        """Return the one row that a statement finds, or None."""
        found = self.all(name, parameters)
        return found[0] if found else None

    def run(self, name: str, parameters: Mapping[str, Any] | None = None) -> int:
        """Run a statement that changes rows; return how many."""
        return self._run(name, {**self._filter, **parameters} if parameters else self._filter)[1]

    def write(self, name: str, columns: rows.Columns) -> int:
        """Write a row of this owner with the owner's next rev; return how many rows have changed."""
        if (columns["tenant"], columns["user"]) != self.owner:
            raise InputError(f"a row of {columns['user']!r} cannot be written in a transaction of {self.owner.user!r}")
        columns["rev"] = self._rev or self.next_rev()
        return self._run(name, columns)[1]

    def next_rev(self) -> int:
        """Count a change of the owner, once in a transaction: all its rows share the number."""
        if not self._rev:
            self._rev = self.all("owner_next_rev")[0][0]
        return self._rev

    def scope_of(self, row: sqlite3.Row) -> Scope:
        """Return the scope a row was written in."""
        key = (row["project"], row["agent"])
        scope = self._scopes.get(key)
        if scope is None:
            scope = self._scopes[key] = rows.row_scope(row, self.owner)
        return scope

    def messages(self, name: str, parameters: Mapping[str, Any]) -> list[Message]:
        """Return the messages that a statement finds."""
        return [rows.read_message(row, self.scope_of(row)) for row in self.all(name, parameters)]

    def indexed_messages(self, name: str, parameters: Mapping[str, Any]) -> list[IndexedMessage]:
        """Return what an index keeps of the messages that a statement finds."""
        keys: dict[tuple[str, str, str], ConversationKey] = {}
        found = []
        for row in self.all(name, parameters):
            names = row["project"], row["agent"], row["conversation"]
            key = keys.get(names)
            if key is None:
                key = keys[names] = ConversationKey(names[0] or None, names[1] or None, names[2])
            found.append(rows.read_indexed_message(row, key))
        return found

    def episodes(self, name: str, parameters: Mapping[str, Any]) -> list[Episode]:
        """Return the episodes that a statement finds."""
        return [rows.read_episode(row, self.scope_of(row)) for row in self.all(name, parameters)]

    def _run(self, name: str, parameters: Mapping[str, Any]) -> tuple[list[sqlite3.Row], int]:
        try:
            cursor = self._connection.execute(self._statements[name], parameters)
            return cursor.fetchall(), cursor.rowcount
        except self._connection.Error as exc:
            if self._is_snapshot and getattr(exc, "sqlite_errorcode", 0) == sqlite3.SQLITE_READONLY:
                raise StorageError("a snapshot cannot be written to; use Store.write") from exc
            raise translate(exc, self._path) from exc
        except UnicodeEncodeError as exc:
            raise InputError(f"text with broken Unicode cannot be stored: {exc}") from exc
