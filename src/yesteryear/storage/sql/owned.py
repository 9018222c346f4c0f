"""Named statements run with the owner and the scope's filter always bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from yesteryear.core.codec import Row
from yesteryear.core.episode import Episode
from yesteryear.core.message import Message
from yesteryear.core.owner import hash_person
from yesteryear.core.queries import IndexedMessage
from yesteryear.core.scope import ConversationKey, Scope
from yesteryear.errors import InputError
from yesteryear.storage.rows import EPISODES, MESSAGES, read_indexed_message


class StatementRunner(Protocol):
    """Runs named statements on one connection of a database, within a transaction, and raises our errors."""

    def run(self, name: str, parameters: Mapping[str, Any]) -> tuple[Sequence[Row], int]:
        """Run a statement; return what it finds, and how many rows it has found or changed."""
        ...

    def run_each(self, name: str, parameters: Sequence[Mapping[str, Any]]) -> int:
        """Run a statement that changes rows once with each of some parameters; return how many rows have changed."""
        ...

    def run_later(self, name: str, parameters: Mapping[str, Any]) -> None:
        """Run a statement that changes rows before the next one or the commit, which may tell what goes wrong."""
        ...

    def has_index(self, parameters: Mapping[str, Any]) -> bool:
        """Tell whether there is an index of an owner's vectors of one model."""
        ...

    def nearest(self, parameters: Mapping[str, Any], packed: bytes) -> Sequence[Row] | None:
        """Return the vectors nearest to one by such an index; None where there is none."""
        ...

    def bind_list(self, values: Sequence[str]) -> object:
        """Return several values as one parameter of a statement."""
        ...

    def bind_vector(self, packed: bytes) -> object:
        """Return a vector, as ``core.vectors`` packs it, as a parameter; found ones come back packed."""
        ...


class OwnedRows:
    """Runs named statements with the owner and the scope's filter always bound."""

    __slots__ = ("_filter", "_rev", "_runner", "_scopes", "bind_list", "bind_vector", "owner")

    def __init__(self, runner: StatementRunner, scope: Scope) -> None:
        self._runner = runner
        self.bind_list = runner.bind_list
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

    def among(self, ids: Sequence[str]) -> dict[str, object]:
        """Return the parameter of a statement about some ids."""
        return {"ids": self.bind_list(ids)}

    def all(self, name: str, parameters: Mapping[str, Any] | None = None) -> Sequence[Row]:
        """Return what a statement finds."""
        return self._runner.run(name, {**self._filter, **parameters} if parameters else self._filter)[0]

    def one(self, name: str, parameters: Mapping[str, Any] | None = None) -> Row | None:
        """Return the one row that a statement finds, or None."""
        found = self.all(name, parameters)
        return found[0] if found else None

    def run(self, name: str, parameters: Mapping[str, Any] | None = None) -> int:
        """Run a statement that changes rows; return how many."""
        return self._runner.run(name, {**self._filter, **parameters} if parameters else self._filter)[1]

    def run_each(self, name: str, parameters: Sequence[Mapping[str, Any]]) -> int:
        """Run a statement that changes rows with each of some parameters; return how many rows have changed."""
        return self._runner.run_each(name, [{**self._filter, **each} for each in parameters]) if parameters else 0

    def has_index(self, model: str) -> bool:
        """Tell whether the database has an index of the owner's vectors of a model."""
        return self._runner.has_index({**self._filter, "model": model})

    def nearest(self, model: str, packed: bytes, *, limit: int) -> Sequence[Row] | None:
        """Return the vectors nearest to one by that index; None where there is none."""
        return self._runner.nearest({**self._filter, "model": model, "limit": limit}, packed)

    def write(self, name: str, columns: dict[str, Any]) -> int:
        """Write a row of this owner with the owner's next rev; return how many rows have changed."""
        self._check_owner(columns)
        return self._runner.run(name, {**columns, "rev": self._rev or self.next_rev()})[1]

    def append(self, name: str, columns: dict[str, Any]) -> None:
        """Write a row of this owner with the owner's next rev; ``StatementRunner.run_later`` says when."""
        self._check_owner(columns)
        self._runner.run_later(name, {**columns, "rev": self._rev or self.next_rev()})

    def write_each(self, name: str, columns: Sequence[dict[str, Any]]) -> int:
        """Write rows of this owner with the owner's next rev; return how many have changed."""
        for each in columns:
            self._check_owner(each)
        if not columns:
            return 0
        rev = self._rev or self.next_rev()
        return self._runner.run_each(name, [{**each, "rev": rev} for each in columns])

    def next_rev(self) -> int:
        """Count a change of the owner, once in a transaction: all its rows share the number."""
        if not self._rev:
            self._rev = self.all("owner_next_rev")[0]["rev"]
        return self._rev

    def scope_of(self, row: Row) -> Scope:
        """Return the scope a row was written in."""
        key = (row["project"], row["agent"])
        scope = self._scopes.get(key)
        if scope is None:
            scope = self._scopes[key] = Scope(
                user=self.owner.user, tenant=self.owner.tenant, project=key[0] or None, agent=key[1] or None
            )
        return scope

    def messages(self, name: str, parameters: Mapping[str, Any]) -> list[Message]:
        """Return the messages that a statement finds."""
        return [MESSAGES.read(row, self.scope_of(row)) for row in self.all(name, parameters)]

    def indexed_messages(self, name: str, parameters: Mapping[str, Any]) -> list[IndexedMessage]:
        """Return what an index keeps of the messages that a statement finds."""
        keys: dict[tuple[str, str, str], ConversationKey] = {}
        found = []
        for row in self.all(name, parameters):
            names = row["project"], row["agent"], row["conversation"]
            key = keys.get(names)
            if key is None:
                key = keys[names] = ConversationKey(names[0] or None, names[1] or None, names[2])
            found.append(read_indexed_message(row, key))
        return found

    def episodes(self, name: str, parameters: Mapping[str, Any]) -> list[Episode]:
        """Return the episodes that a statement finds."""
        return [EPISODES.read(row, self.scope_of(row)) for row in self.all(name, parameters)]

    def _check_owner(self, columns: dict[str, Any]) -> None:
        if (columns["tenant"], columns["user"]) != self.owner:
            raise InputError(f"a row of {columns['user']!r} cannot be written in a transaction of {self.owner.user!r}")
