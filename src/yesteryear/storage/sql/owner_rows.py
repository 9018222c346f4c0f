"""Named statements run with the owner and the scope's filter always bound."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from enum import Enum
from inspect import signature
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from yesteryear.core.episode import Episode
from yesteryear.core.fact import Fact
from yesteryear.core.message import Message
from yesteryear.core.rows.codec import Row, RowCodec, decode
from yesteryear.core.rows.queries import EpisodeQuery, IndexedMessage, MessageQuery
from yesteryear.core.scope import ConversationKey, Scope, hash_person
from yesteryear.core.time import to_microseconds
from yesteryear.errors import InputError
from yesteryear.storage.rows import read_indexed_message

P = ParamSpec("P")
T = TypeVar("T")
Named = TypeVar("Named", Message, Episode, Fact)


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

    What is asked for is said as it is: an instant, a list of ids, a member of an enumeration, the key of a
    conversation and a query become what the database compares with.
    """

    __slots__ = ("_filter", "_rev", "_scopes", "owner", "runner")

    def __init__(self, runner: StatementRunner, scope: Scope) -> None:
        self.runner = runner
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
        return self.runner.run(name, self.bind(asked))[0]

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
        return [codec.read(row, self._scope_of) for row in self.all(name, **asked)]

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
        return self.runner.run(name, self.bind(asked))[1]

    def run_each(self, name: str, rows: Iterable[Mapping[str, Any]]) -> int:
        """Run a statement that changes rows with each of some parameters; return how many rows have changed."""
        bound = list(map(self.bind, rows))
        return self.runner.run_each(name, bound) if bound else 0

    def write(self, name: str, columns: dict[str, Any]) -> int:
        """Write a row of this owner with the owner's next rev; return how many rows have changed."""
        return self.runner.run(name, self._numbered(columns))[1]

    def append(self, name: str, columns: dict[str, Any]) -> None:
        """Write a row of this owner with the owner's next rev; ``StatementRunner.run_later`` says when."""
        self.runner.run_later(name, self._numbered(columns))

    def write_each(self, name: str, columns: Iterable[dict[str, Any]]) -> None:
        """Write rows of this owner with the owner's next rev."""
        rows = list(map(self._numbered, columns))
        if rows:
            self.runner.run_each(name, rows)

    def next_rev(self) -> int:
        """Count a change of the owner, once in a transaction: all its rows share the number."""
        if not self._rev:
            self._rev = self.number("owner_next_rev", "rev")
        return self._rev

    def bind(self, asked: Mapping[str, object]) -> dict[str, Any]:
        """Return the parameters of a statement: what is asked, by whom and through which scope."""
        return self._filter | self._values(asked)

    def _values(self, asked: Mapping[str, object]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, value in asked.items():
            if value is None or type(value) in (str, int):
                found[name] = value
            elif isinstance(value, ConversationKey):
                found |= {"in_project": value.project or "", "in_agent": value.agent or "", "conversation": value.name}
            elif isinstance(value, EpisodeQuery | MessageQuery):
                found |= self._values({field: getattr(value, field) for field in value.__slots__})
            elif isinstance(value, datetime):
                found[name] = to_microseconds(value)
            elif isinstance(value, Enum):
                found[name] = value.value
            else:
                found[name] = self.runner.bind_list(value) if isinstance(value, list | tuple) else value
        return found

    def _numbered(self, columns: dict[str, Any]) -> dict[str, Any]:
        if (columns["tenant"], columns["user"]) != self.owner:
            raise InputError(f"a row of {columns['user']!r} cannot be written in a transaction of {self.owner.user!r}")
        return {**self._values(columns), "rev": self.next_rev()}

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


def asks(
    port: Callable[Concatenate[Any, P], T], how: Callable[..., T], *statement: object
) -> Callable[Concatenate[Any, P], T]:
    """Return a method of a port that one statement answers, whose parameters are called as the method's.

    Args:
        port: The method, which says what it takes.
        how: What runs the statement, as methods of ``OwnedRows`` do.
        statement: The statement's name, behind what ``how`` makes of its rows.
    """
    taken = list(signature(port).parameters.values())[1:]
    names = [each.name for each in taken if each.kind is each.POSITIONAL_OR_KEYWORD]
    defaults = {each.name: each.default for each in taken if each.default is not each.empty}
    known = {each.name for each in taken}

    def method(self: Repository, /, *given: object, **named: object) -> T:
        placed = dict(zip(names, given, strict=False))  # Signature.bind takes longer than SQLite
        asked = {**defaults, **placed, **named}
        if asked.keys() != known or len(given) > len(names) or not named.keys().isdisjoint(placed):
            raise TypeError(f"{port.__qualname__} takes each of {sorted(known)} once, not {given} and {named}")
        return how(self._rows, *statement, **asked)

    return method


def in_order(how: Callable[..., list[Named]]) -> Callable[..., list[Named]]:
    """Return what runs a statement as ``how`` does, and returns what it finds in the order of the ids asked for."""

    def ask(*given: object, ids: Sequence[str]) -> list[Named]:
        found = {row.id: row for row in how(*given, ids=ids)}
        return [found[name] for name in ids if name in found]

    return ask


def first(how: Callable[..., list[T]]) -> Callable[..., T | None]:
    """Return what runs a statement as ``how`` does, and returns the first of what it finds, or None."""
    return lambda *given, **asked: next(iter(how(*given, **asked)), None)
