"""One kind of rows in an export: which rows they are, how one becomes a line, and how a line becomes one again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeAlias, TypeVar

from yesteryear.core.scope import Scope
from yesteryear.takeout.fields import Fields
from yesteryear.takeout.life import Life

Row = TypeVar("Row")
Plain: TypeAlias = Mapping[str, object]


def _say(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{value!r} stands in no line")


_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False, default=_say)


@dataclass(frozen=True, slots=True)
class Kind(Generic[Row]):
    """One kind of rows in an export."""

    name: str
    """What the rows are called, and their file but for its ending."""
    rows: Callable[[Life], Iterator[Row]]
    plain: Callable[[Row], Plain]
    read: Callable[[Fields, Scope], Row]
    """Makes the row of a line again; it belongs to the scope's owner, and where the scope has a project or agent, to
    that."""

    @property
    def file(self) -> str:
        """Name of the file that holds them."""
        return f"{self.name}.jsonl"

    def lines(self, life: Life) -> Iterator[bytes]:
        """Walk through the rows of a life as lines."""
        return (dump_line(self.plain(row)) for row in self.rows(life))

    def parse(self, line: bytes, target: Scope) -> Row:
        """Return the row of a line.

        Raises:
            InputError: a field is missing, unknown or does not fit.
        """
        fields = Fields.of(line)
        row = self.read(fields, target)
        fields.finish()
        return row


def dump_line(value: Plain) -> bytes:
    """Return compact JSON with sorted keys, and the end of the line."""
    return f"{_JSON.encode(value)}\n".encode()


def scope_plain(scope: Scope) -> Plain:
    """Return what a line says of whose a row is: neither tenant nor user."""
    return {"project": scope.project, "agent": scope.agent}


def read_scope(fields: Fields, target: Scope) -> Scope:
    """Return whose the row of a line becomes."""
    project, agent = fields.optional("project", fields.name), fields.optional("agent", fields.name)
    return Scope(user=target.user, tenant=target.tenant, project=target.project or project, agent=target.agent or agent)


def instant_plain(instant: datetime | None) -> str | None:
    """Return an instant as a line tells it."""
    return None if instant is None else instant.isoformat()
