"""Reading more rows than one page holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar

PAGE_ROWS = 500
"""Rows that are fetched at once; pages hold at most 1000."""


class TableRow(Protocol):
    """Whatever has an id."""

    @property
    def id(self) -> str:
        """By which the next page is asked for."""
        ...


R = TypeVar("R", bound=TableRow)


def take_pages(
    fetch: Callable[[str | None, int], Sequence[R]], *, after: str | None = None, limit: int | None = None
) -> Iterator[R]:
    """Yield rows page by page.

    Args:
        fetch: Returns the page behind the row with this id, of at most so many rows.
        after: Id of the row to begin behind.
        limit: Most rows; all where not given.
    """
    left = limit
    while left is None or left > 0:
        size = PAGE_ROWS if left is None else min(left, PAGE_ROWS)
        page = fetch(after, size)
        yield from page
        if len(page) < size:
            return
        after = page[-1].id
        left = None if left is None else left - size
