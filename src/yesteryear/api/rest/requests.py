"""What a request says, in types that describe themselves: what a verb takes, which page, which version."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from operator import attrgetter, itemgetter
from typing import Annotated, Any, Generic, Literal, TypeVar

import msgspec
from fastapi import Header
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, create_model

from yesteryear.api.verbs import REQUIRED, VERBS, Parameter
from yesteryear.consolidate.belief.queries import FactView
from yesteryear.core.access.arguments import MAX_PAGE, NamesOne
from yesteryear.core.episode import Episode
from yesteryear.errors import InputError, Stale

T = TypeVar("T")

MAX_ITEMS = 500
"""Most items of one page; half of what a verb gives, since one more is asked for to know whether there are more."""


class Page(BaseModel, Generic[T]):
    """Some of the items, and where the others begin."""

    items: list[T]
    next_cursor: str | None = Field(
        description="Passed as `cursor` it gives the next page; null where this is the last"
    )


def write_cursor(*place: str) -> str:
    """Return a cursor that says where a page ended."""
    return urlsafe_b64encode(msgspec.json.encode(place)).decode().rstrip("=")


def read_cursor(cursor: str, *, parts: int) -> list[str]:
    """Return where the page before ended, if it is a cursor of this list."""
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        place = msgspec.json.decode(urlsafe_b64decode(padded), type=list[str])
    except (ValueError, msgspec.DecodeError) as exc:
        raise InputError("that is no cursor; pass next_cursor of the page before as it is") from exc
    if len(place) != parts:
        raise InputError("that cursor is of another list; pass next_cursor of the page before as it is")
    return place


def _place_of(row: object, names: Sequence[str]) -> list[str]:
    """Return where a row stands in its list, which attributes of these names tell."""
    values = [attrgetter(name)(row) for name in names]
    return [value.isoformat() if isinstance(value, datetime) else value or "" for value in values]


def page_of(found: Sequence[T], limit: int, place: Sequence[str] = ("id",)) -> dict[str, object]:
    """Return a page from up to ``limit + 1`` items, and where the next begins if there are more."""
    items = found[:limit]
    cursor = write_cursor(*_place_of(items[-1], place)) if len(found) > limit else None
    return {"items": items, "next_cursor": cursor}


def page_through(
    rows: Sequence[T], limit: int, cursor: str | None, place: Sequence[str], *, newest_first: bool
) -> dict[str, object]:
    """Return a page of rows that are all at hand, in the order of their places, which are unique."""
    placed = sorted(((_place_of(row, place), row) for row in rows), key=itemgetter(0), reverse=newest_first)
    if cursor is not None and placed:
        last = read_cursor(cursor, parts=len(place))
        placed = [(at, row) for at, row in placed if (at < last if newest_first else at > last)]
    return page_of([row for _, row in placed], limit, place)


IfMatch = Annotated[str | None, Header(alias="If-Match", description='ETag of what was looked at, such as `"17"`')]
"""A change is only made where the thing still has this version."""
IfNoneMatch = Annotated[str | None, Header(alias="If-None-Match", description="ETag of what is at hand already")]
"""Nothing is sent where the thing still has this version."""
HEADERS = {"ETag": {"description": "Version of what is returned", "schema": {"type": "string"}}}
"""As OpenAPI describes them."""
_TAG = re.compile(r'(W/)?"([^"]*)"')
_VERSION = re.compile(r"[0-9]{1,19}")  # a version as it is written; the highest that a row can have has 19 digits


def etag(found: FactView | Episode) -> dict[str, str]:
    """Return the header that tells the version of a fact or an episode."""
    return {"ETag": f'"{found.version}"'}


def version_to_match(if_match: str | None) -> int | None:
    """Return the version that a change is meant for; None where any will do.

    What nothing has ever had as its ETag cannot be the present one.
    """
    if if_match is None or if_match.strip() == "*":
        return None
    tag = _TAG.fullmatch(if_match.strip())
    if tag is None:
        raise InputError('If-Match holds one ETag as it was sent, such as "17", or *')
    weak, value = tag.groups()
    if weak or not _VERSION.fullmatch(value):
        raise Stale("nothing has that ETag; look at it again, and pass the ETag that comes with it")
    return int(value)


def is_known(if_none_match: str | None, found: FactView) -> bool:
    """Tell whether the caller has this version at hand already."""
    if if_none_match is None:
        return False
    return if_none_match.strip() == "*" or str(found.version) in {value for _, value in _TAG.findall(if_none_match)}


_MOST_CURSOR_CHARS = 1000


class Asked(BaseModel):
    """What a caller sends: exactly the fields that there are, each of exactly its type."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Sought(BaseModel):
    """What a caller asks for in the address, where everything is text: still no field that there is not."""

    model_config = ConfigDict(extra="forbid")


def mended(text: str) -> str:
    """Return text that can be sent back and stored: what JSON can hold of broken Unicode becomes U+FFFD."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _whole(value: object) -> object:
    """Refuse what int() would take and the description does not: signs, spaces, underscores, other scripts."""
    if isinstance(value, str) and not (value.isascii() and value.isdigit()):
        raise ValueError("a whole number is written in digits")
    return value


def _flag(value: object) -> object:
    if isinstance(value, str) and value not in ("true", "false"):
        raise ValueError("it is either true or false")
    return value


_TYPES: Mapping[type, Any] = {
    str: Annotated[str, AfterValidator(mended)],
    NamesOne: str,
    datetime: Annotated[str, Field(json_schema_extra={"format": "date-time"})],
}
_WHOLE = Annotated[int, BeforeValidator(_whole)]
_IN_ADDRESS: Mapping[type, Any] = {**_TYPES, int: _WHOLE, bool: Annotated[bool, BeforeValidator(_flag)]}


def type_of(parameter: Parameter, *, in_address: bool = False) -> Any:  # noqa: ANN401 - annotations have no better type
    """Return the type of what is sent for a parameter, with its limits."""
    found: Any = (_IN_ADDRESS if in_address else _TYPES).get(parameter.kind, parameter.kind)
    if parameter.choices:
        found = Literal[parameter.choices]
    if parameter.bounds is not None:
        least, most = parameter.bounds.least, parameter.bounds.most
        limits = Field(ge=least, le=most) if parameter.kind is int else Field(min_length=least, max_length=most)
        found = Annotated[found, limits]
    if parameter.is_list:
        found = Annotated[list[found], Field(max_length=MAX_PAGE)]
    return found | None if parameter.is_nullable else found


class PageSought(Sought):
    """Which page of a list is asked for, in the address too."""

    limit: Annotated[_WHOLE, Field(ge=1, le=MAX_ITEMS)] = Field(100, description="Most items.")
    cursor: Annotated[str, Field(max_length=_MOST_CURSOR_CHARS)] | None = Field(
        None, description="`next_cursor` of the page before."
    )


@cache
def request_of(verb: str, leaves_out: frozenset[str] = frozenset(), base: type[BaseModel] = Asked) -> type[BaseModel]:
    """Return what is sent for a verb, but for what is said elsewhere: as a body, or by ``Sought`` in the address.

    In a ``PageSought`` a cursor stands for where the page before ended.
    """
    leaves_out |= {"after", *base.model_fields} if base is PageSought else set()
    fields: dict[str, Any] = {}
    for each in VERBS[verb].parameters.values():
        if each.name not in leaves_out:
            default = ... if each.default is REQUIRED else each.default
            kind = type_of(each, in_address=issubclass(base, Sought))
            fields[each.name] = (kind, Field(default, description=each.about))
    name = "".join(part.title() for part in verb.split("_"))
    return create_model(f"{name}Asked", __base__=base, __doc__=f"What `{verb}` takes.", **fields)
