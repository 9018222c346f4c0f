"""Pages: a cursor says where the next one begins. It is opaque to callers, and stays good while rows come and go."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

import msgspec
from pydantic import BaseModel, Field

from yesteryear.errors import InputError

T = TypeVar("T")

MAX_ITEMS = 500
"""Most items of one page; half of what a verb gives, since one more is asked for to know whether there are more."""


class Page(BaseModel, Generic[T]):
    """Some of the items, and where the others begin."""

    items: list[T]
    next_cursor: str | None = Field(
        description="Passed as `cursor` it gives the next page; null where this is the last"
    )


class Asked(Protocol):
    """Which page is asked for."""

    limit: int
    cursor: str | None


def write_cursor(*place: str) -> str:
    """Return a cursor that says where a page ended."""
    return urlsafe_b64encode(msgspec.json.encode(place)).decode().rstrip("=")


def read_cursor(cursor: str, *, parts: int) -> list[str]:
    """Return where the page before ended.

    Raises:
        InputError: it is no cursor of this list.
    """
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        place = msgspec.json.decode(urlsafe_b64decode(padded), type=list[str])
    except (ValueError, msgspec.DecodeError) as exc:
        raise InputError("that is no cursor; pass next_cursor of the page before as it is") from exc
    if len(place) != parts:
        raise InputError("that cursor is of another list; pass next_cursor of the page before as it is")
    return place


def page_of(found: Sequence[T], limit: int, place: Callable[[T], tuple[str, ...]]) -> dict[str, object]:
    """Return a page from up to ``limit + 1`` items, and where the next begins if there are more."""
    items = found[:limit]
    return {"items": items, "next_cursor": write_cursor(*place(items[-1])) if len(found) > limit else None}


def page_through(
    rows: Sequence[T], asked: Asked, place: Callable[[T], tuple[str, ...]], *, newest_first: bool = False
) -> dict[str, object]:
    """Return a page of rows that are all at hand, in the order of their places, which are unique."""
    ordered = sorted(rows, key=place, reverse=newest_first)
    if asked.cursor is not None and ordered:
        last = tuple(read_cursor(asked.cursor, parts=len(place(ordered[0]))))
        ordered = [row for row in ordered if (place(row) < last if newest_first else place(row) > last)]
    return page_of(ordered, asked.limit, place)
