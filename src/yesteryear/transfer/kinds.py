"""What a memory holds as rows in a fixed order, each a line of JSON: what an export is written from, and made of again.

Conversations come by their key, messages by conversation and position, episodes by conversation and first message,
facts by when they were first told, vectors in the order of the messages, then of the episodes, then of the facts,
recall events, nights and what models have cost by id, settings by project. What is about facts comes in their order,
too: versions by number, evidence by when it was said, rulings and edges with the fact that comes last of their two.

A line names no tenant and no user, and leaves out what only a store knows: its counters and leases. So the same memory
gives the same lines wherever it lives. A file that somebody hands in is not trusted: every field has to be there, of
its type and in its range, and nothing else. The type is that of the dataclass; the range follows from the name of the
field, for a name means the same in all rows.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from math import isfinite
from types import NoneType
from typing import Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar, get_args, get_type_hints

import msgspec
import numpy as np

from yesteryear.core.episode import Episode
from yesteryear.core.fact import Evidence, Fact, FactStatus, FactVersion, Form
from yesteryear.core.hits import RecallEvent
from yesteryear.core.measurement import Manner
from yesteryear.core.message import Conversation, Message
from yesteryear.core.night_report import CycleReport
from yesteryear.core.relation import Basis, Edge
from yesteryear.core.rows.codec import MOST_VALUES, conversation_field, has_room_for
from yesteryear.core.ruling import Ruling
from yesteryear.core.scope import ConversationKey, Scope, check_name
from yesteryear.core.secrets.redact import redact, redact_name
from yesteryear.core.time import parse_zone
from yesteryear.core.usage import Charge
from yesteryear.core.vectors import Matrix, StoredVector, pack_vector, unpack_vectors
from yesteryear.errors import BadExport

T = TypeVar("T")

MAX_WHOLE = 2**53  # largest whole number that every store and every reader of JSON keeps exactly
_NO_OFFSET = timedelta(0)
_SHORTEST_KEY_CHARS = 16  # names of fields are shorter than this, and so are the names of signals and settings

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
_FREE = frozenset({"features", "signals", "scores", "values", "properties"})
"""Objects whose fields are called as somebody liked: the name of the object says what may stand in them."""
_RANGES = {
    **dict.fromkeys(("seq", "first_seq", "number"), (1, MAX_WHOLE)),
    **dict.fromkeys(("fingerprints", "asked"), (0, 2**64 - 1)),
    "values": (-MAX_WHOLE, MAX_WHOLE),
}
"""Whole numbers; all others are from 0 to ``MAX_WHOLE``."""
_OPENED = frozenset({"stored", "call"})  # parts whose fields stand in the line themselves


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
    """Return the object of a line."""
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
    """Return the row of a line's object, as the ``target``'s; where that has a project or agent, as that one's."""
    try:
        return msgspec.convert(_wrap(plain, kind, target), kind, dec_hook=_decode)
    except KeyError as exc:
        raise BadExport(f"{exc.args[0]} is missing") from exc
    except msgspec.ValidationError as exc:
        raise BadExport(explain(exc, kind)) from exc


_hints = cache(get_type_hints)


def _wrap(plain: object, kind: Any, target: Scope) -> dict[str, Any]:  # noqa: ANN401 - a type
    """Return what stands open in a line as the dataclass holds it."""
    if not isinstance(plain, dict):
        raise BadExport("this is no JSON object")
    row, hints = dict(plain), _hints(kind)
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

    ``made`` is what ``plain_of`` tells of the row that was made of it.
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
    vectors = unpack_vectors([packed] if packed and len(packed) % 2 == 0 else [])
    if not len(vectors) or not np.isfinite(vectors).all():
        raise BadExport("this is no vector of finite 16-bit numbers")
    return vectors.reshape(-1)


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


Row = TypeVar("Row")
Value: TypeAlias = int | float | bool | str

MOST_SETTINGS = 100
"""Settings of one level, at most: several times as many as there are, since another version may know others."""
_MOST_CHARS = 1000


class Models(NamedTuple):
    """The embedding models of an owner; see ``core.scope.OwnerState``."""

    model: str | None
    next_model: str | None


@dataclass(frozen=True, slots=True)
class DumpedSettings:
    """What is set at one level."""

    project: str | None
    values: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class ModelVector:
    """A vector and the model that made it."""

    model: str
    stored: StoredVector


class Dump(Protocol):
    """The rows of one owner, or what a scope sees of them. Each kind can be read again and again."""

    @property
    def models(self) -> Models:
        """The models whose vectors serve."""

    def rows(self, kind: RowKind[Row]) -> Iterator[Row]:
        """Go through the rows of one kind, forgotten ones too."""


@dataclass(frozen=True, slots=True)
class RowKind(Generic[Row]):
    """One kind of rows in an export: what its dataclass does not tell of how a row becomes a line, and a row again."""

    name: str  # what the rows are called, and their file but for its ending
    row: type[Row]
    fault: Callable[[Row], str] = lambda _: ""  # tells what is wrong where the fields of a row do not belong together
    trim: Callable[[dict[str, Any]], None] = lambda _: None  # takes out of a line's object what does not stand there
    later: Mapping[str, object] = field(default_factory=dict)
    """Fields that exports did not always have, and what they would say; those of a part in a mapping of their own, and
    those of each part of a list in a tuple of one."""
    is_persons: bool = False  # whether they belong to a person, and to none of their projects or agents

    @property
    def file(self) -> str:
        """Name of the file that holds them."""
        return f"{self.name}.jsonl"

    def plain(self, row: Row) -> dict[str, Any]:
        """Return the object of a row's line."""
        plain = plain_of(row)
        self.trim(plain)
        return plain

    def lines(self, dump: Dump) -> Iterator[bytes]:
        """Go through the rows of a dump as lines."""
        return (dump_line(self.plain(row)) for row in dump.rows(self))

    def parse(self, line: bytes, target: Scope, *, redacts: bool = False) -> Row:
        """Return the row of a line, as ``row_of`` does; ``InputError`` tells which field does not fit."""
        plain = parse_line(line)
        _complete(plain, self.later)
        if redacts:
            plain = clean(plain)
        row = row_of(plain, self.row, target)
        check_plain(plain, self.plain(row))
        if fault := self.fault(row):
            raise BadExport(fault)
        return row


def _complete(plain: dict[str, Any], later: Mapping[str, object]) -> None:
    for name, value in later.items():
        if isinstance(value, tuple):
            parts, added = plain.setdefault(name, []), value[0]
        elif isinstance(value, Mapping):
            parts, added = [plain.get(name)], value
        else:
            plain.setdefault(name, value)
            continue
        for part in parts if isinstance(parts, list) else ():
            if isinstance(part, dict):
                _complete(part, added)


def _fault_in_names(row: Message | Episode) -> str:
    check_name("conversation", row.conversation)
    if isinstance(row, Message):
        check_name("author", row.author)
    return ""


def _trim_message(plain: dict[str, Any]) -> None:
    verdict = plain["verdict"]
    if verdict is not None and verdict["source"] is None:  # as in exports of before sources were told
        del verdict["source"], verdict["brought"]


def _trim_episode(plain: dict[str, Any]) -> None:
    if plain["digest"] is not None:  # verdicts stand with their messages, facts and edges in rows of their own
        del plain["digest"]["verdicts"], plain["digest"]["facts"], plain["digest"]["relations"]


def _fault_in_settings(row: DumpedSettings) -> str:
    if len(row.values) > MOST_SETTINGS:
        return f"values holds {len(row.values):,} entries, and {MOST_SETTINGS} is the most; take out what is not yours"
    for name, value in row.values.items():
        check_name("values", name)
        if isinstance(value, str) and len(value) > _MOST_CHARS:
            return f"values.{name} has {len(value):,} characters, and {_MOST_CHARS} is the most"
    return ""


def _fault_in_fact(fact: Fact) -> str:
    if fact.status is not FactStatus.FORGOTTEN:
        return "" if fact.statement else f"fact {fact.id!r} states nothing"
    return "" if fact == fact.blank() else f"fact {fact.id!r} is forgotten, and something is told of it"


def _fault_in_cycle(report: CycleReport) -> str:
    has_statements = any(change.statement for change in report.changes)
    return f"night {report.id!r} holds statements; they stand with the facts" if has_statements else ""


# What rows of exports would say that were made before a version of the format.
_NIGHTS = {"distilled": 0, "undistilled": 0, "read": []}  # 3
_ATTRIBUTES = {"attribute": "", "holder": "", "form": Form.PLAIN.value, "reader": ""}  # 4
_PEOPLE = {"of_one": None}  # 5
_NUMBERS: Mapping[str, object] = {"numbers": ({"manner": Manner.FIRST.value},)}  # 6; how they are told came later
_WORDS = {"source_words": "", "target_words": "", "quote": ""}  # 7
_GRAPH = {"basis": Basis.RESTS.value, "message_id": None, "confidence": 1.0, **_WORDS}  # 7

SETTINGS = RowKind("settings", DumpedSettings, fault=_fault_in_settings)
CONVERSATIONS = RowKind("conversations", Conversation)
MESSAGES = RowKind("messages", Message, fault=_fault_in_names, trim=_trim_message, later=_NUMBERS)
EPISODES = RowKind("episodes", Episode, fault=_fault_in_names, trim=_trim_episode)
FACTS = RowKind("facts", Fact, fault=_fault_in_fact, later=_ATTRIBUTES)
VERSIONS = RowKind("versions", FactVersion, fault=lambda row: _fault_in_fact(row.fact), later={"fact": _ATTRIBUTES})
EVIDENCE = RowKind("evidence", Evidence)
RULINGS = RowKind(
    "rulings",
    Ruling,
    fault=lambda row: f"fact {row.earlier!r} is compared with itself" if row.earlier == row.later else "",
    later=_PEOPLE,
)
EDGES = RowKind(
    "edges", Edge, fault=lambda row: f"fact {row.source!r} bears on itself" if row.is_empty else "", later=_GRAPH
)
CYCLES = RowKind("cycles", CycleReport, fault=_fault_in_cycle, later=_NIGHTS, is_persons=True)
VECTORS = RowKind("vectors", ModelVector)
RECALLS = RowKind("recalls", RecallEvent)
USAGES = RowKind("usages", Charge, is_persons=True)

BELIEFS = (FACTS, VERSIONS, EVIDENCE, RULINGS, EDGES, CYCLES)
KINDS: tuple[RowKind[Any], ...] = (SETTINGS, CONVERSATIONS, MESSAGES, EPISODES, *BELIEFS, VECTORS, RECALLS, USAGES)
"""All that is exported, in the order of the files."""


def place_of(key: ConversationKey) -> tuple[str, str, str]:
    """Return what orders conversations: project, agent and name, those without first."""
    return key.project or "", key.agent or "", key.name


def edge_key(edge: Edge) -> tuple[str, str, str]:
    """Return what tells edges apart."""
    return edge.source, edge.target, edge.relation.value
