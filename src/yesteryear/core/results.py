"""Results as plain data, the same way for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from enum import Enum
from typing import Any, Self


class Plain:
    """Gives a dataclass ``to_dict``, and a way to show a row."""

    __slots__ = ()

    @classmethod
    def of(cls, row: object, **own: Any) -> Self:
        """Return one with what ``row`` has by the same names, and ``own`` for all that is otherwise here."""
        names = [field.name for field in fields(cls) if field.name not in own]  # type: ignore[arg-type]
        return cls(**{name: getattr(row, name) for name in names if hasattr(row, name)}, **own)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain data, ready for JSON: instants as ISO 8601, enumerations by value."""
        found: dict[str, Any] = to_plain(self)
        return found


def to_plain(value: object) -> Any:  # noqa: ANN401 - JSON has no better type
    """Return ``value`` made of dicts, lists, strings, numbers, booleans and None only."""
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(to_plain(key)): to_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [to_plain(item) for item in value]
    return round(value, 6) if isinstance(value, float) else value
