"""One codec: how objects become JSON and the columns of a row, and are made of them again; the dataclass declares it.

In a column an instant is microseconds since 1970, an enumeration its value, true and false are 1 and 0, a structured
part is JSON with sorted keys; the parts of a scope or of the key of a conversation stand beside the other fields.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Mapping
from datetime import datetime
from enum import Enum
from functools import cache, partial
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Generic, Protocol, TypeVar, cast, get_args, get_origin, get_type_hints

import msgspec

from yesteryear.core.message import Conversation
from yesteryear.core.scope import ConversationKey, Scope
from yesteryear.core.time import from_microseconds, to_microseconds
from yesteryear.errors import StorageCorrupt

T = TypeVar("T")


class Row(Protocol):
    """One row of a database, by the names of its columns."""

    def __getitem__(self, column: str, /) -> Any:  # noqa: ANN401 - what a column holds
        """Return the value of a column."""


def dump_json(value: object) -> str:
    """Return compact JSON with sorted keys."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def encode(row: object) -> str:
    """Return an object as JSON, with all its fields."""
    return msgspec.json.encode(row).decode()


def decode(text: str, kind: type[T]) -> T:
    """Return the object that ``encode`` wrote; fields that were added since are what they are by default.

    Raises StorageCorrupt: it is none of this kind.
    """
    try:
        found: T = _decoder(cast("Hashable", kind)).decode(text)
    except msgspec.MsgspecError as exc:
        raise StorageCorrupt(f"a stored {getattr(kind, '__name__', kind)} cannot be read: {exc}") from exc
    return found


@cache
def _decoder(kind: Hashable) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def scope_columns(scope: Scope) -> dict[str, Any]:
    """Return the columns that say whose row this is."""
    return {"tenant": scope.tenant, "user": scope.user, "project": scope.project or "", "agent": scope.agent or ""}


def conversation_field(kind: type[Any]) -> str:
    """Return what the name of a conversation is called where its key lies open: in its own row that is its name."""
    return "name" if kind is Conversation else "conversation"


class RowCodec(Generic[T]):
    """The rows of one dataclass as columns and back, but for ``rev``, which is counted when a row is written.

    ``parts`` says how objects of some types become JSON, where not all of them is kept; ``extra`` gives columns that
    repeat something of an object, so that statements find it.
    """

    def __init__(
        self,
        kind: type[T],
        *,
        parts: Mapping[Any, Callable[[Any], str]] = MappingProxyType({}),
        extra: Callable[[T], Mapping[str, Any]] = lambda _: MappingProxyType({}),
    ) -> None:
        hints = get_type_hints(kind)
        self._kind = kind
        self._extra = extra
        self._has_scope, self._has_key = "scope" in hints, "key" in hints
        self._has_rev = "rev" in hints
        self._name = conversation_field(kind)
        found = {name: _column(hint, parts) for name, hint in hints.items() if name not in ("scope", "key", "rev")}
        self._plain = [name for name, column in found.items() if column is None]
        self._made = [(name, *column) for name, column in found.items() if column is not None]

    def columns(self, row: T) -> dict[str, Any]:
        """Return the columns of an object; of one with a scope also those that say whose it is."""
        found = {name: getattr(row, name) for name in self._plain}
        for name, write, _ in self._made:
            value = getattr(row, name)
            found[name] = None if value is None else write(value)
        if self._has_scope:
            found |= scope_columns(row.scope)  # type: ignore[attr-defined]
        if self._has_key:
            project, agent, found[self._name] = row.key  # type: ignore[attr-defined]
            found["project"], found["agent"] = project or "", agent or ""
        found.update(self._extra(row))
        return found

    def read(self, row: Row, scope_of: Callable[[Row], Scope | None] = lambda _: None) -> T:
        """Return the object of a row; ``scope_of`` tells in which scope it was written, for one that has a scope."""
        found = {name: row[name] for name in self._plain}
        for name, _, read in self._made:
            value = row[name]
            found[name] = None if value is None else read(value)
        if self._has_scope:
            found["scope"] = scope_of(row)
        if self._has_key:
            found["key"] = ConversationKey(row["project"] or None, row["agent"] or None, row[self._name])
        if self._has_rev:
            found["rev"] = row["rev"]
        return self._kind(**found)


_Column = tuple[Callable[[Any], Any], Callable[[Any], Any]]


def _column(hint: Any, parts: Mapping[Any, Callable[[Any], str]]) -> _Column | None:  # noqa: ANN401 - a type
    """Return how values of a type are written into a column and read of it; None where they stand as they are."""
    kind = next(kind for kind in get_args(hint) if kind is not NoneType) if get_origin(hint) is UnionType else hint
    if kind in (str, int, float):
        return None
    if kind is bool:
        return int, bool
    if kind is datetime:
        return to_microseconds, from_microseconds
    if isinstance(kind, type) and issubclass(kind, Enum):
        return (lambda value: value.value), kind
    if kind == tuple[datetime, ...]:
        return (lambda value: dump_json(list(map(to_microseconds, value)))), _read_instants
    return parts.get(kind, _dump_part), partial(decode, kind=kind)


def _dump_part(value: object) -> str:
    return dump_json(msgspec.to_builtins(value))


def _read_instants(text: str) -> tuple[datetime, ...]:
    return () if text == "[]" else tuple(map(from_microseconds, decode(text, tuple[int, ...])))


MOST_VALUES = 1_000_000  # of a text, about: some 100 MB once they are read; whole conversations hold a tenth of that

_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"?', re.DOTALL)


def has_room_for(text: bytes) -> bool:
    """Tell whether JSON holds at most ``MOST_VALUES``, without reading it, in time linear in its length.

    What stands within strings is left out only where it matters.
    """
    return _signs(text) <= MOST_VALUES or _signs(_STRING.sub(b"", text)) <= MOST_VALUES


def _signs(text: bytes) -> int:
    return text.count(b",") + text.count(b"[") + text.count(b"{")
