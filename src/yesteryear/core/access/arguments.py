"""What callers pass to the verbs: types that say what may be passed, and the checks of kinds, names, times, numbers.

The types are plain ``str`` and ``int`` to a type checker. What stands beside them is read by the doors, which describe
and check their requests from the signatures of the verbs; see ``api/verbs.py``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from enum import StrEnum
from typing import Annotated, Any, TypeAlias, TypeVar

from yesteryear.core.attributes import FactKind, attributes
from yesteryear.core.episode import Episode
from yesteryear.core.fact import Fact
from yesteryear.core.message import Role
from yesteryear.core.scope import MAX_NAME_CHARS, check_name
from yesteryear.core.time import parse_instant
from yesteryear.core.vectors import VectorGrain
from yesteryear.errors import InputError, Stale

Choice = TypeVar("Choice", bound=StrEnum)

MAX_PAGE = 1000  # most rows of one page
_MAX_REV = 2**63 - 1  # the highest number that a row can hold


@dataclass(frozen=True, slots=True)
class Within:
    """Bounds, both included: of a whole number, or of how many characters a text has."""

    least: int
    most: int


@dataclass(frozen=True, slots=True)
class NamesOne:
    """Marks a text that names one thing, such as a memory or a conversation."""


@dataclass(frozen=True, slots=True, init=False)
class OneOf:
    """The words that may be passed."""

    words: tuple[str, ...]

    def __init__(self, *groups: Iterable[str]) -> None:
        object.__setattr__(self, "words", tuple(str(word) for group in groups for word in group))


Instant: TypeAlias = datetime | str  # a moment: aware, or ISO 8601 with a time zone
Name: TypeAlias = Annotated[str, Within(1, MAX_NAME_CHARS)]  # of a person or a zone
Id: TypeAlias = Annotated[str, Within(1, MAX_NAME_CHARS), NamesOne()]  # of a memory, or the name of a conversation
PageLimit: TypeAlias = Annotated[int, Within(1, MAX_PAGE)]  # most rows of a page
Version: TypeAlias = Annotated[int, Within(0, _MAX_REV)]  # what a row was when somebody looked, or where a memory was
Speaker: TypeAlias = Annotated[str, OneOf((Role.USER, Role.ASSISTANT))]  # whose words come first
KindOfFact: TypeAlias = Annotated[str, OneOf(FactKind)]
KindOfMemory: TypeAlias = Annotated[str, OneOf(VectorGrain, FactKind)]


def parse_mappings(messages: object) -> list[dict[str, Any]]:
    """Return the messages of a list, each a mapping as ``observe`` takes it or as chat APIs write it."""
    found = list(messages) if isinstance(messages, Iterable) and not isinstance(messages, Mapping) else [None]
    mappings = [message for message in found if isinstance(message, Mapping)]
    if len(mappings) < len(found):
        raise InputError("observe takes a text, or messages such as {'role': 'user', 'content': '...'}, one or a list")
    return [spoken(message) for message in mappings]


def optional_instant(value: datetime | str | None) -> datetime | None:
    """Return the instant, or None where none is given."""
    return None if value is None else parse_instant(value)


def optional_name(label: str, value: str | None) -> str | None:
    """Return the name if it can be one, or None where none is given."""
    return None if value is None else check_name(label, value)


def parse_id(value: object) -> str:
    """Return an id; raises InputError: it is no text, or empty."""
    return check_name("id", value)


def parse_ids(ids: Iterable[object]) -> list[str]:
    """Return ids, each once, in their order; raises InputError: one is no text, or empty."""
    return list(dict.fromkeys(map(parse_id, ids)))


def check_limit(limit: int) -> int:
    """Return the number of rows asked for; raises InputError: no whole number from 1 to MAX_PAGE."""
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MAX_PAGE:
        raise InputError(f"limit is a whole number from 1 to {MAX_PAGE}, not {limit!r}")
    return limit


def check_rev(rev: int | None) -> int | None:
    """Return the number that an answer was given, or None where none is passed."""
    if rev is not None and (isinstance(rev, bool) or not isinstance(rev, int) or not 0 <= rev <= _MAX_REV):
        raise InputError(f"since is the rev of an earlier answer, a whole number from 0, not {rev!r}")
    return rev


def parse_choice(label: str, members: Iterable[Choice], value: object) -> Choice:
    """Return the one of some members of an enumeration that has this value; an InputError names those there are."""
    known = list(members)
    if value not in known:
        raise InputError(f"{label} is one of {', '.join(known)}, not {value!r}")
    return next(member for member in known if member == value)


def optional_choice(label: str, members: Iterable[Choice], value: str | None) -> Choice | None:
    """Return the member that has this value, as ``parse_choice`` does, or None where none is given, for any."""
    return None if value is None else parse_choice(f"{label}, where it is given,", members, value)


def optional_attribute(name: str | None) -> str | None:
    """Return the name of an attribute, or None where none is given; an InputError names near ones, or all."""
    if name is not None and name not in attributes():
        near = get_close_matches(str(name), attributes())
        known = f"near are: {', '.join(near)}" if near else f"there are: {', '.join(attributes())}"
        raise InputError(f"no attribute {name!r}; {known}")
    return name


def parse_kinds(kinds: Collection[str] | None) -> tuple[frozenset[VectorGrain] | None, frozenset[FactKind] | None]:
    """Return which grains of memory are asked for, and which kinds of facts; None for all.

    The name of a kind of facts asks for facts of that kind, the name of a grain for all of it.
    """
    if kinds is None:
        return None, None
    names = list(kinds) if isinstance(kinds, Collection) and not isinstance(kinds, str) else [kinds]
    unknown = [name for name in names if name not in (*VectorGrain, *FactKind)]
    if unknown:
        raise InputError(f"no kind {unknown[0]!r} of memory; there are: {', '.join((*VectorGrain, *FactKind))}")
    grains = frozenset(VectorGrain(name) for name in names if name in list(VectorGrain))
    of_facts = frozenset(FactKind(name) for name in names if name in list(FactKind))
    if not of_facts or VectorGrain.FACT in grains:
        return grains, None
    return grains | {VectorGrain.FACT}, of_facts


Row = TypeVar("Row", Fact, Episode)


def check_version(row: Row, version: int | None) -> Row:
    """Return a row, if it is still of the version that its editor looked at; None where that does not matter.

    Raises Stale where it has changed since, and InputError for what is no version.
    """
    if version is None:
        return row
    if isinstance(version, bool) or not isinstance(version, int):
        raise InputError(f"version is the whole number that stands with a fact or an episode, not {version!r}")
    if row.rev != version:
        raise Stale(
            f"{row.id!r} has changed since you looked at it (version {version}, now {row.rev}); "
            "look at it again, and do it again if it is still what you want"
        )
    return row


PASSED_OVER = frozenset(
    {"tool_calls", "tool_call_id", "function_call", "refusal", "audio", "annotations", "type", "status"}
)
"""What such messages may hold beside words, and what a journal has no use for."""
_CALLS = ("tool_calls", "function_call")


def spoken(message: Mapping[str, object]) -> dict[str, object]:
    """Return a message in the words of ``observe``: ``name`` is the author, parts are one text, calls are told.

    A part without words is told in one, such as ``[image]``; so is a message that only calls tools: ``[calls tools]``.
    What is given in our own words stays as it is, wrong or not.
    """
    fields = {key: value for key, value in message.items() if key not in PASSED_OVER and key != "name"}
    if "author" not in message and message.get("name") is not None:
        fields["author"] = message["name"]
    content = message.get("content")
    told = [_words_or_kind(part) for part in content] if isinstance(content, list) else []
    if told and None not in told:
        fields["content"] = "\n".join(filter(None, told))
    elif content is None and any(message.get(call) for call in _CALLS):
        fields["content"] = "[calls tools]"
    return fields


def words_of(content: object) -> str:
    """Return the words of a message's content; parts that are no text have none."""
    parts = content if isinstance(content, list) else [{"text": content}]
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    return "\n".join(text for text in texts if isinstance(text, str))


def _words_or_kind(part: object) -> str | None:
    """Return the words of a part, or its kind in brackets; None for what is no part."""
    if not isinstance(part, Mapping):
        return None
    text, kind = part.get("text"), part.get("type")
    if isinstance(text, str):
        return text
    return f"[{kind.removeprefix('input_').removesuffix('_url')}]" if isinstance(kind, str) else None
