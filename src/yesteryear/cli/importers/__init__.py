"""One file a format: each reads it and yields what it finds, in the file's order, and decides nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from yesteryear.core.results import Plain

NOT_UTF8 = "not valid UTF-8"
_BROKEN = re.compile("[\ud800-\udfff]")  # halves of characters, which bytes that are no UTF-8 become too


@dataclass(frozen=True, slots=True)
class Draft:
    """A message on its way in."""

    message: Mapping[str, Any]  # as ``observe`` takes it; always with an ``id``, so that it can be imported again
    where: str  # its place in the file, in words
    position: float  # how far into the file it stands, in [0, 1]
    user: str | None = None  # whose memory it belongs to, where the file says so


@dataclass(frozen=True, slots=True)
class Flaw(Plain):
    """Something that cannot be used."""

    where: str
    reason: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something that is left out on purpose; counted by its reason."""

    reason: str


Record: TypeAlias = Draft | Flaw | LeftOut


def is_broken(text: str) -> bool:
    """Tell whether a text, read with ``surrogateescape``, holds what is no UTF-8."""
    return not text.isascii() and _BROKEN.search(text) is not None
