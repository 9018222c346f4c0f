"""Named statements run with the owner and the scope's filter always bound."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import Enum
from typing import Any, Protocol, TypeVar

from yesteryear.core.rows.codec import Row, RowCodec, decode
from yesteryear.core.rows.queries import EpisodeQuery, IndexedMessage, MessageQuery
from yesteryear.core.scope import ConversationKey, Scope, hash_person
from yesteryear.core.time import to_microseconds
from yesteryear.errors import InputError
from yesteryear.storage.rows import read_indexed_message

T = TypeVar("T")


class StatementRunner(Protocol):
    """Runs named statements on one connection of a database, within a transaction, and raises our errors."""

    def run(self, name: str, parameters: Mapping[str, Any]) -> tuple[Sequence[Row], int]:
        """Run a statement; return what it finds, and how many rows it has found or changed."""

    def run_each(self, name: str, parameters: Sequence[Mapping[str, Any]]) -> int:
        """Run a statement that changes rows once with each of some parameters; return how many rows have changed."""

    def run_later(self, name: str, parameters: Mapping[str, Any]) -> None:
        """Run a statement that changes rows before the next one or the commit, which may tell what goes wrong."""

    def has_index(self, parameters: Mapping[str, Any]) -> bool:
        """Tell whether there is an index of an owner's vectors of one model."""

    def nearest(self, parameters: Mapping[str, Any], packed: bytes) -> Sequence[Row] | None:
        """Return the vectors nearest to one by such an index; None where there is none."""

    def bind_list(self, values: Sequence[str]) -> object:
        """Return several values as one parameter of a statement."""

    def bind_vector(self, packed: bytes) -> object:
        """Return a vector, as ``core.vectors`` packs it, as a parameter; found ones come back packed."""


class OwnedRows:
    """Runs named statements with the owner and the scope's filter always bound.

    What is asked for is said as it is: an instant, a list of ids and a member of an enumeration become what the
    database compares with.
    """

    __slots__ = ("_filter", "_rev", "_runner", "_scopes", "bind_vector", "owner")

    def __init__(self, runner: StatementRunner, scope: Scope) -> None:
        self._runner = runner
        self.bind_vector = runner.bind_vector
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

    def all(self, name: str, /, **asked: object) -> Sequence[Row]:
        """Return what a statement finds."""
        return self._runner.run(name, self._bind(asked))[0]

    def one(self, name: str, /, **asked: object) -> Row | None:
        """Return the first row that a statement finds, or None."""
        found = self.all(name, **asked)
        return found[0] if found else None

    def number(self, name: str, column: str = "number") -> int:
        """Return the one number that a statement finds."""
        found: int = self.all(name)[0][column]
        return found

    def found(self, codec: RowCodec[T], name: str, /, **asked: object) -> list[T]:
        """Return the objects of the rows that a statement finds."""
        return [codec.read(row) for row in self.all(name, **asked)]

    def scoped(self, codec: RowCodec[T], name: str, /, **asked: object) -> list[T]:
        """Return the objects, each with the scope it was written in, of the rows that a statement finds."""
        return [codec.read(row, self._scope_of(row)) for row in self.all(name, **asked)]

    def bodies(self, kind: type[T], name: str, /, **asked: object) -> list[T]:
        """Return the objects that stand as JSON in the rows that a statement finds."""
        return [decode(row["body"], kind) for row in self.all(name, **asked)]

    def indexed_messages(self, name: str, /, **asked: object) -> list[IndexedMessage]:
        """Return what an index keeps of the messages that a statement finds."""
        keys: dict[tuple[str, str, str], ConversationKey] = {}
        found = []
        for row in self.all(name, **asked):
            names = row["project"], row["agent"], row["conversation"]
            key = keys.get(names)
            if key is None:
                key = keys[names] = ConversationKey(names[0] or None, names[1] or None, names[2])
            found.append(read_indexed_message(row, key))
        return found

    def run(self, name: str, /, **asked: object) -> int:
        """Run a statement that changes rows; return how many."""
        return self._runner.run(name, self._bind(asked))[1]

    def run_each(self, name: str, rows: Iterable[Mapping[str, Any]]) -> int:
        """Run a statement that changes rows with each of some parameters; return how many rows have changed."""
        bound = list(map(self._bind, rows))
        return self._runner.run_each(name, bound) if bound else 0

    def has_index(self, model: str) -> bool:
        """Tell whether the database has an index of the owner's vectors of a model."""
        return self._runner.has_index({**self._filter, "model": model})

    def nearest(self, model: str, packed: bytes, *, limit: int) -> Sequence[Row] | None:
        """Return the vectors nearest to one by that index; None where there is none."""
        return self._runner.nearest({**self._filter, "model": model, "limit": limit}, packed)

    def write(self, name: str, columns: dict[str, Any]) -> int:
        """Write a row of this owner with the owner's next rev; return how many rows have changed."""
        return self._runner.run(name, self._numbered(columns))[1]

    def append(self, name: str, columns: dict[str, Any]) -> None:
        """Write a row of this owner with the owner's next rev; ``StatementRunner.run_later`` says when."""
        self._runner.run_later(name, self._numbered(columns))

    def write_each(self, name: str, columns: Iterable[dict[str, Any]]) -> None:
        """Write rows of this owner with the owner's next rev."""
        rows = list(map(self._numbered, columns))
        if rows:
            self._runner.run_each(name, rows)

    def next_rev(self) -> int:
        """Count a change of the owner, once in a transaction: all its rows share the number."""
        if not self._rev:
            self._rev = self.number("owner_next_rev", "rev")
        return self._rev

    def _bind(self, asked: Mapping[str, object]) -> dict[str, Any]:
        return self._filter | {name: self._bound(value) for name, value in asked.items()}

    def _bound(self, value: object) -> object:
        if value is None or type(value) in (str, int):
            return value
        if isinstance(value, datetime):
            return to_microseconds(value)
        if isinstance(value, Enum):
            return value.value
        return self._runner.bind_list(value) if isinstance(value, list | tuple) else value

    def _numbered(self, columns: dict[str, Any]) -> dict[str, Any]:
        if (columns["tenant"], columns["user"]) != self.owner:
            raise InputError(f"a row of {columns['user']!r} cannot be written in a transaction of {self.owner.user!r}")
        return {**columns, "rev": self.next_rev()}

    def _scope_of(self, row: Row) -> Scope:
        key = (row["project"], row["agent"])
        scope = self._scopes.get(key)
        if scope is None:
            scope = self._scopes[key] = Scope(
                user=self.owner.user, tenant=self.owner.tenant, project=key[0] or None, agent=key[1] or None
            )
        return scope


class Repository:
    """One kind of an owner's rows; ``ports.rows`` says what its methods do."""

    __slots__ = ("_rows",)

    def __init__(self, rows: OwnedRows) -> None:
        self._rows = rows


def in_conversation(key: ConversationKey) -> dict[str, str]:
    """Return the parameters of a statement about a conversation."""
    return {"in_project": key.project or "", "in_agent": key.agent or "", "conversation": key.name}


def fields_of(query: EpisodeQuery | MessageQuery) -> dict[str, object]:
    """Return the parameters of a statement that answers a query."""
    return {name: getattr(query, name) for name in query.__slots__}
