"""Whether a row is still what a caller has looked at, so that of two editors none overwrites the other unknowingly."""

from __future__ import annotations

from typing import TypeVar

from yesteryear.core.episode import Episode
from yesteryear.core.fact import Fact
from yesteryear.errors import InputError, Stale

Row = TypeVar("Row", Fact, Episode)


def check_version(row: Row, version: int | None) -> Row:
    """Return the row, if it is still of the version that its editor looked at.

    Args:
        row: As it is now.
        version: What ``version`` was when it was looked at; None where that does not matter.

    Raises:
        Stale: it has changed since.
        InputError: that is no version.
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
