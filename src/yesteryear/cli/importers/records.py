"""What importers find in a file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

NOT_UTF8 = "not valid UTF-8"
_BROKEN_BYTE = re.compile("[\udc80-\udcff]")


@dataclass(frozen=True, slots=True)
class Draft:
    """A message on its way in."""

    message: Mapping[str, Any]
    """As ``observe`` takes it; always with an ``id``, so that it can be imported again."""
    where: str
    """Its place in the file, in words."""
    position: float
    """How far into the file it stands, in [0, 1]."""
    user: str | None = None
    """Whose memory it belongs to, where the file says so."""


@dataclass(frozen=True, slots=True)
class Flaw:
    """Something that should be a message and cannot be used."""

    where: str
    reason: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something that is left out on purpose; counted by its reason."""

    reason: str


Record: TypeAlias = Draft | Flaw | LeftOut


def is_broken(text: str) -> bool:
    """Tell whether a text that was read with ``surrogateescape`` holds bytes that are no UTF-8."""
    return not text.isascii() and _BROKEN_BYTE.search(text) is not None
