"""Lines of an export: each row as one JSON object with sorted keys, taken apart strictly when it is read.

A line names no tenant and no user, and leaves out what only a store knows: its counters and leases. So the same memory
gives the same lines wherever it lives. A file that somebody hands in is not trusted: every field has to be there, of
its type and in its range, and nothing else. The type is that of the dataclass; the range follows from the name of the
field, for a name means the same in all rows.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import cache
from math import isfinite
from types import NoneType
from typing import Any, TypeVar, get_args

import msgspec
import numpy as np

from yesteryear.core.codec import conversation_field, hints_of
from yesteryear.core.json_size import MOST_VALUES, has_room_for
from yesteryear.core.scope import Scope, check_name
from yesteryear.core.secrets.redact import redact, redact_name
from yesteryear.core.time import parse_zone
from yesteryear.core.vectors import Matrix, pack_vector, unpack_vector
from yesteryear.errors import BadExport

T = TypeVar("T")

MAX_WHOLE = 2**53
"""Largest whole number that every store and every reader of JSON keeps exactly."""
_NO_OFFSET = timedelta(0)
_SHORTEST_KEY_CHARS = 16
"""Names of fields are shorter than this, and so are the names of signals and settings."""

_IDS = frozenset(
    {
        *("id", "external_id", "name", "project", "agent", "model", "message_ids", "episode_id", "ref", "items"),
        *("source", "target", "read"),
    }
)
"""Fields that hold names: neither empty nor long."""
_NAMES = _IDS | {"conversation", "session", "author", "analyst", "fact_id"}
"""Fields out of which secrets are cut as out of names; one of nothing but digits is a number that names something."""
_SHARES = frozenset({"confidence", "weight", "score", "scores", "threshold", "brought", "importance"})
"""Numbers from 0 to 1."""
_FREE = frozenset({"features", "signals", "scores", "values", "properties"})
"""Objects whose fields are called as somebody liked: the name of the object says what may stand in them."""
_RANGES = {
    **dict.fromkeys(("seq", "first_seq", "number"), (1, MAX_WHOLE)),
    **dict.fromkeys(("fingerprints", "asked"), (0, 2**64 - 1)),
    "values": (-MAX_WHOLE, MAX_WHOLE),
}
"""Whole numbers; all others are from 0 to ``MAX_WHOLE``."""
_OPENED = frozenset({"stored", "call"})
"""Parts whose fields stand in the line themselves."""


def _say(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{value!r} stands in no line")


_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False, default=_say)


def dump_line(plain: Mapping[str, object]) -> bytes:
    """Return compact JSON with sorted keys, and the end of the line."""
    return f"{_JSON.encode(plain)}\n".encode()


def plain_of(row: object) -> dict[str, Any]:
    """Return the fields of a row as its line has them; instants stay as they are."""
    plain = msgspec.to_builtins(row, builtin_types=(datetime,), enc_hook=_encode)
    return _lay_open(plain, conversation_field(type(row)))


def _lay_open(plain: dict[str, Any], name: str = "conversation") -> dict[str, Any]:
    """Return a row without whose it is and without its counter; ``name`` is what its conversation's name is called."""
    plain.pop("rev", None)
    for part in _OPENED & plain.keys():
        plain |= plain.pop(part)
    if "scope" in plain:
        scope = plain.pop("scope")
        plain["project"], plain["agent"] = scope["project"], scope["agent"]
    if "key" in plain:
        plain["project"], plain["agent"], plain[name] = plain.pop("key")
    if "fact" in plain:
        plain["fact"] = _lay_open(plain["fact"])
    return plain


def parse_line(line: bytes) -> dict[str, Any]:
    """Return the object of a line.

    Raises:
        BadExport: it is none, or larger than any.
    """
    if not has_room_for(line):
        raise BadExport(f"this holds more than {MOST_VALUES:,} values")
    try:
        plain = msgspec.json.decode(line)
    except (ValueError, RecursionError) as exc:
        raise BadExport(f"this is no JSON in UTF-8: {exc}") from exc
    if not isinstance(plain, dict):
        raise BadExport("this is no JSON object")
    return plain


def row_of(plain: dict[str, Any], kind: type[T], target: Scope) -> T:
    """Return the row of a line's object; what else has to hold of it, ``check_plain`` tells.

    Args:
        plain: What ``plain_of`` returns.
        kind: The dataclass.
        target: Whose it becomes; where it has a project or agent, of that.

    Raises:
        BadExport: a field is missing or of another type.
    """
    try:
        return msgspec.convert(_wrap(plain, kind, target), kind, dec_hook=_decode)
    except msgspec.ValidationError as exc:
        raise BadExport(explain(exc, kind)) from exc


def _wrap(plain: object, kind: Any, target: Scope) -> dict[str, Any]:  # noqa: ANN401 - a type
    """Return what stands open in a line as the dataclass holds it."""
    if not isinstance(plain, dict):
        raise BadExport("this is no JSON object")
    row, hints, names = dict(plain), _hints(kind), _names(kind)
    if not row.keys() >= names.keys():
        raise BadExport(f"{next(name for name in names if name not in row)} is missing")
    if "scope" in hints or "key" in hints:
        project, agent = (None if row[name] is None else check_name(name, row[name]) for name in ("project", "agent"))
        project, agent = target.project or project, target.agent or agent
        if "scope" in hints:
            row["scope"] = {"tenant": target.tenant, "user": target.user, "project": project, "agent": agent}
        else:
            row["key"] = project, agent, row.pop(conversation_field(kind))
    for part in _OPENED & hints.keys():
        row[part] = {name: row.pop(name) for name in _hints(hints[part])}
    if "fact" in hints:
        row["fact"] = _wrap(row["fact"], hints["fact"], target)
    return row


@cache
def _hints(kind: Any) -> Mapping[str, Any]:  # noqa: ANN401 - a type
    return hints_of(kind)


@cache
def _names(kind: Any) -> Mapping[str, None]:  # noqa: ANN401 - a type
    """Return the names of the fields of a line, in their order."""
    names: dict[str, None] = {}
    for name, hint in _hints(kind).items():
        if name in _OPENED:
            names |= _names(hint)
        elif name == "scope":
            names |= dict.fromkeys(("project", "agent"))
        elif name == "key":
            names |= dict.fromkeys(("project", "agent", conversation_field(kind)))
        elif name != "rev":
            names[name] = None
    return names


def explain(error: msgspec.ValidationError, kind: Any = None) -> str:  # noqa: ANN401 - a type
    """Return what is wrong with a row of a dataclass, the field first, and what is expected there."""
    what, _, place = re.sub(r"`key` in ", "", str(error)).rstrip("`").partition(" - at `$")
    names = [name for name in re.sub(r"\[[^]]*\]", "", place).split(".") if name]
    names = [conversation_field(kind) if name == "key" else name for name in names]
    if what.startswith("Object missing required field"):
        return f"{what.split('`')[1]} is missing"
    if what.startswith("Object contains unknown field"):
        return f"there is an unknown field {what.split('`')[1]!r}"
    if what.startswith("Invalid enum value"):
        for name in names:
            hint = _hints(kind)[name]
            kind = next((inner for inner in get_args(hint) if inner is not NoneType), hint)
        choices = ", ".join(str(choice.value) for choice in kind)
        return f"{names[-1]} is one of {choices}, not {what.removeprefix('Invalid enum value ')}"
    if what.startswith("Invalid RFC3339"):
        return f"{names[-1]} is a time such as 2026-03-02T07:41:10+00:00"
    return f"{names[-1]}: {what[0].lower()}{what[1:]}" if names else what


def check_plain(given: object, made: object, name: str = "") -> None:
    """Make sure that a row holds all that was given and nothing else, texts that can be stored, numbers in their range.

    Args:
        given: What stood in the line.
        made: What ``plain_of`` tells of the row that was made of it.
        name: Of the field.

    Raises:
        InputError: it does not; the message names the field.
    """
    kind = type(made)
    if kind is str:
        _check_text(str(made), name)
    elif kind is dict:
        _check_fields(given, made, name)
    elif kind is list or kind is tuple:
        for one, other in zip(given, made, strict=True):  # type: ignore[call-overload]
            check_plain(one, other, name)
    elif kind is int:
        low, high = _RANGES.get(name, (0, MAX_WHOLE))
        if not low <= made <= high:  # type: ignore[operator]
            raise BadExport(f"{name} is a whole number from {low} to {high}, not {made!r:.80}")
    elif kind is float:
        _check_number(float(made), name)  # type: ignore[arg-type]
    elif isinstance(made, datetime) and made.utcoffset() != _NO_OFFSET:
        raise BadExport(f"{name} is a time in UTC, not {given!r:.80}")


def _check_fields(given: Any, made: Any, name: str) -> None:  # noqa: ANN401 - two objects of JSON
    if given.keys() != made.keys():
        for missing in sorted(made.keys() - given.keys()):
            raise BadExport(f"{missing} is missing")
        raise BadExport(f"there is an unknown field {min(given.keys() - made.keys())!r}")
    for key in given:
        if not key.isascii():
            _check_text(key, name)
        check_plain(given[key], made[key], name if name in _FREE else key)


def _check_text(text: str, name: str) -> None:
    if name in _IDS:
        check_name(name, text)
    elif name == "zone":
        parse_zone(check_name(name, text))
    elif not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as exc:
            raise BadExport(f"{name} holds broken Unicode") from exc


def _check_number(number: float, name: str) -> None:
    if name in _SHARES and not 0 <= number <= 1:
        raise BadExport(f"{name} is a number from 0 to 1, not {number!r}")
    if not isfinite(number) or abs(number) > MAX_WHOLE:
        raise BadExport(f"{name} is a finite number, not {number!r}")


def _encode(value: object) -> object:
    if isinstance(value, np.ndarray):
        return b64encode(pack_vector(value)).decode("ascii")
    raise NotImplementedError(f"{value!r} stands in no line")


def _decode(_: type, value: object) -> Matrix:
    """Return a vector of little-endian float16 values in base64: the one type that JSON has nothing for."""
    try:
        packed = b64decode(value if isinstance(value, str) else "?", validate=True)
    except ValueError as exc:
        raise BadExport("this is no base64 text") from exc
    vector = unpack_vector(packed[: len(packed) // 2 * 2], dimension=len(packed) // 2)
    if not len(packed) or len(packed) % 2 or not np.isfinite(vector).all():
        raise BadExport("this is no vector of finite 16-bit numbers")
    return vector


def clean(value: Any, name: str = "") -> Any:  # noqa: ANN401 - whatever JSON holds
    """Return a value of JSON without secrets: texts, and names for what they are."""
    if isinstance(value, str):
        if name == "vector":  # which holds no words
            return value
        return redact_name(value) if name in _NAMES else redact(value).text
    if isinstance(value, dict):
        return {
            key if len(key) < _SHORTEST_KEY_CHARS else redact_name(key): clean(inner, key)
            for key, inner in value.items()
        }
    return [clean(inner, name) for inner in value] if isinstance(value, list) else value
