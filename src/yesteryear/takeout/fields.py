"""One line of an export taken apart strictly: every field is there, of its kind and in its range, and nothing else.

A file that somebody hands in is not trusted: what is let through here reaches the store.
"""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from enum import StrEnum
from math import isfinite
from typing import Any, TypeVar

import numpy as np

from yesteryear.core.json_size import MOST_VALUES, has_room_for
from yesteryear.core.scope import check_name
from yesteryear.core.time import parse_zone
from yesteryear.core.vectors import Matrix, unpack_vector
from yesteryear.errors import BadExport

T = TypeVar("T")
Choice = TypeVar("Choice", bound=StrEnum)

MAX_WHOLE = 2**53
"""Largest whole number that every store and every reader of JSON keeps exactly."""
_MOST_CHARS = 1000
"""Longest text of a setting, in characters."""
_NO_OFFSET = timedelta(0)


class Fields:
    """The fields of one JSON object, taken out one by one. What does not fit raises ``BadExport``."""

    def __init__(self, value: object) -> None:
        if not isinstance(value, dict):
            raise BadExport("this is no JSON object")
        self._left: dict[str, Any] = value

    @classmethod
    def of(cls, line: bytes, *, clean: Callable[[Any], Any] = lambda value: value) -> Fields:
        """Return the fields of a line, after ``clean`` was called on them."""
        return cls(clean(_parse(line)))

    def __contains__(self, name: str) -> bool:
        return name in self._left

    def finish(self) -> None:
        """Make sure that there is nothing else."""
        if self._left:
            raise BadExport(f"there is an unknown field {min(self._left)!r}")

    def value(self, name: str) -> Any:  # noqa: ANN401 - whatever JSON holds
        """Take a field as it is."""
        if name not in self._left:
            raise BadExport(f"{name} is missing")
        return self._left.pop(name)

    def inner(self, name: str) -> Fields:
        """Take an object apart in its turn."""
        return Fields(self.value(name))

    def rest(self, names: Collection[str]) -> dict[str, Any]:
        """Take all fields at once, as they are; those with these names have to be there."""
        if missing := sorted(set(names) - self._left.keys()):
            raise BadExport(f"{missing[0]} is missing")
        rest, self._left = self._left, {}
        return rest

    def optional(self, name: str, take: Callable[[str], T]) -> T | None:
        """Take a field by one of the methods below, or None where it is null."""
        if self._left.get(name, name) is None:
            del self._left[name]
            return None
        return take(name)

    def text(self, name: str) -> str:
        """Take any text."""
        return parse_text(name, self.value(name))

    def name(self, name: str) -> str:
        """Take a text that can name something."""
        return check_name(name, self.value(name))

    def zone(self, name: str) -> str:
        """Take an IANA time zone."""
        return parse_zone(self.name(name)).key

    def flag(self, name: str) -> bool:
        """Take true or false."""
        value = self.value(name)
        if not isinstance(value, bool):
            raise BadExport(f"{name} is true or false, not {value!r}")
        return value

    def whole(self, name: str, *, low: int = 0, high: int = MAX_WHOLE) -> int:
        """Take a whole number in [low, high]."""
        return _whole(name, self.value(name), low=low, high=high)

    def wholes(self, name: str, *, high: int) -> tuple[int, ...]:
        """Take a list of whole numbers in [0, high]."""
        return tuple(_whole(name, value, low=0, high=high) for value in self._list(name))

    def share(self, name: str) -> float:
        """Take a number in [0, 1]."""
        value = _number(name, self.value(name))
        if not 0 <= value <= 1:
            raise BadExport(f"{name} is a number from 0 to 1, not {value!r}")
        return value

    def numbers(self, name: str) -> dict[str, float]:
        """Take an object of numbers."""
        return {parse_text(name, key): _number(f"{name}.{key}", value) for key, value in self._object(name).items()}

    def choice(self, name: str, kind: type[Choice]) -> Choice:
        """Take the value of an enumeration."""
        value = self.value(name)
        try:
            return kind(value)
        except ValueError as exc:
            raise BadExport(f"{name} is one of {', '.join(kind)}, not {value!r:.80}") from exc

    def texts(self, name: str) -> tuple[str, ...]:
        """Take a list of texts."""
        return tuple(parse_text(name, value) for value in self._list(name))

    def names(self, name: str) -> tuple[str, ...]:
        """Take a list of ids."""
        return tuple(check_name(name, value) for value in self._list(name))

    def instant(self, name: str) -> datetime:
        """Take an instant in UTC."""
        return _instant(name, self.value(name))

    def instants(self, name: str) -> tuple[datetime, ...]:
        """Take a list of instants in UTC."""
        return tuple(_instant(name, value) for value in self._list(name))

    def scalars(self, name: str, *, most: int) -> dict[str, int | float | bool | str]:
        """Take an object of short texts, numbers and flags by names, at most so many."""
        found = self._object(name)
        if len(found) > most:
            raise BadExport(f"{name} holds {len(found):,} entries, and {most} is the most; take out what is not yours")
        return {check_name(name, key): _scalar(f"{name}.{key}", value) for key, value in found.items()}

    def vector(self, name: str) -> Matrix:
        """Take a vector of little-endian float16 values in base64."""
        text = self.text(name)
        try:
            packed = b64decode(text, validate=True)
        except ValueError as exc:
            raise BadExport(f"{name} is no base64 text") from exc
        vector = unpack_vector(packed[: len(packed) // 2 * 2], dimension=len(packed) // 2)
        if not len(packed) or len(packed) % 2 or not np.isfinite(vector).all():
            raise BadExport(f"{name} is no vector of finite 16-bit numbers")
        return vector

    def _list(self, name: str) -> list[Any]:
        value = self.value(name)
        if not isinstance(value, list):
            raise BadExport(f"{name} is a list, not {value!r:.80}")
        return value

    def _object(self, name: str) -> dict[str, Any]:
        value = self.value(name)
        if not isinstance(value, dict):
            raise BadExport(f"{name} is an object, not {value!r:.80}")
        return value


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


_JSON = json.JSONDecoder(parse_constant=_refuse_constant)


def _parse(line: bytes) -> Any:  # noqa: ANN401 - whatever JSON holds
    if not has_room_for(line):
        raise BadExport(f"this holds more than {MOST_VALUES:,} values")
    try:
        return _JSON.decode(line.decode())
    except (ValueError, RecursionError) as exc:
        raise BadExport(f"this is no JSON in UTF-8: {exc}") from exc


def parse_text(name: str, value: object) -> str:
    """Return a value that is a text and can be stored.

    Raises:
        BadExport: it is none.
    """
    if not isinstance(value, str):
        raise BadExport(f"{name} is a text, not {value!r:.80}")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as exc:
            raise BadExport(f"{name} holds broken Unicode") from exc
    return value


def _whole(name: str, value: object, *, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise BadExport(f"{name} is a whole number from {low} to {high}, not {value!r:.80}")
    return value


def _number(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadExport(f"{name} is a number, not {value!r:.80}")
    if abs(value) > MAX_WHOLE or not isfinite(value):
        raise BadExport(f"{name} is a finite number, not {value!r:.80}")
    return float(value)


def _scalar(name: str, value: object) -> int | float | bool | str:
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        if len(value) > _MOST_CHARS:
            raise BadExport(f"{name} has {len(value):,} characters, and {_MOST_CHARS} is the most")
        return parse_text(name, value)
    number = _number(name, value)
    return value if isinstance(value, int) else number


def _instant(name: str, value: object) -> datetime:
    text = parse_text(name, value)
    try:
        instant = datetime.fromisoformat(text)
    except ValueError as exc:
        raise BadExport(f"{name} is a time such as 2026-03-02T07:41:10+00:00, not {text[:80]!r}") from exc
    if instant.utcoffset() != _NO_OFFSET:
        raise BadExport(f"{name} is a time in UTC, not {text[:80]!r}")
    return instant
