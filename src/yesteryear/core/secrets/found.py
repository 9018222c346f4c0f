"""What a detector finds: where a secret stands, and of which kind it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias


class Found(NamedTuple):
    """A secret in a text, half-open."""

    start: int
    end: int
    kind: str
    """As it is named to people: "api key", "password", ..."""


class Piece(NamedTuple):
    """A stretch of text in the form in which detectors read it; see ``folded``."""

    text: str
    low: str
    """The same in lower case, of the same length."""


Detector: TypeAlias = Callable[[Piece], Iterable[Found]]
"""Reads each character of a piece a bounded number of times."""
