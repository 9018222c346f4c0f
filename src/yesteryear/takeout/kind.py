"""One kind of rows in an export: which rows they are, how one becomes a line, and how a line becomes one again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeAlias, TypeVar

from yesteryear.core.scope import Scope
from yesteryear.core.secrets.redact import redact, redact_name
from yesteryear.takeout.fields import Fields
from yesteryear.takeout.life import Life

Row = TypeVar("Row")
Plain: TypeAlias = Mapping[str, object]


def _say(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{value!r} stands in no line")


_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False, default=_say)


_NO_TEXT = frozenset({"vector"})
"""Fields that hold no words."""
_SHORTEST_KEY_CHARS = 16
"""Names of fields are shorter than this, and so are the names of signals and settings."""
_NAMES = frozenset(
    {
        *("id", "external_id", "conversation", "session", "name", "author", "project", "agent", "model", "analyst"),
        *("message_ids", "episode_id", "ref", "items", "fact_id", "read", "source", "target"),
    }
)
"""Fields that hold names; one of nothing but digits is a number that names something."""


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

    def parse(self, line: bytes, target: Scope, *, redacts: bool = False) -> Row:
        """Return the row of a line.

        Args:
            line: One of those that ``lines`` yields.
            target: Whose it becomes.
            redacts: Whether secrets are cut out of whatever text stands in it.

        Raises:
            InputError: a field is missing, unknown or does not fit.
        """
        fields = Fields.of(line, clean=_clean if redacts else lambda value: value)
        row = self.read(fields, target)
        fields.finish()
        return row


def _clean(value: Any, name: str = "") -> Any:  # noqa: ANN401 - whatever JSON holds
    """Return a value of JSON without secrets: texts, and names for what they are."""
    if isinstance(value, str):
        if name in _NO_TEXT:
            return value
        return redact_name(value) if name in _NAMES else redact(value).text
    if isinstance(value, dict):
        return {
            key if len(key) < _SHORTEST_KEY_CHARS else redact_name(key): _clean(inner, key)
            for key, inner in value.items()
        }
    return [_clean(inner, name) for inner in value] if isinstance(value, list) else value


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
