"""What the store in memory needs so that its rows come back as those of a database do; goes with it."""

from __future__ import annotations

from typing import TypeVar

from yesteryear.core.codec import decode, encode
from yesteryear.storage.rows import words_key

__all__ = ["stored", "words_key"]

R = TypeVar("R")


def stored(row: R) -> R:
    """Return a row as it comes back from a store."""
    return decode(encode(row), type(row))
