"""What a detector finds, and the form of text that it reads: one way of writing each letter, digit, space and dash.

Full-width and mathematical characters, digits of any script, accents, odd spaces and dashes become their ASCII likes,
and what cannot be seen goes; where a secret stands is told in places of the text as it was.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from functools import cache
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt


class SecretSpan(NamedTuple):
    """A secret in a text, half-open."""

    start: int
    end: int
    kind: str  # as it is named to people: "api key", "password",


class Piece(NamedTuple):
    """A stretch of text in the form in which detectors read it; see ``fold``."""

    text: str
    low: str  # the same in lower case, of the same length


Detector: TypeAlias = Callable[[Piece], Iterable[SecretSpan]]
"""Reads each character of a piece a bounded number of times."""

_KNOWN = ((0x80, 0x3400), (0xA000, 0xAC00), (0xF900, 0x10000), (0x104A0, 0x104AA), (0x1D400, 0x1D800))
"""Ranges of characters that may be written otherwise."""
_INVISIBLE = frozenset(
    {0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFEFF, 0xFFA0}
    | {*range(0x180B, 0x1810), *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070)}
    | {*range(0x300, 0x370), *range(0xFE00, 0xFE10)}
)
"""What takes no place of its own: zero-width characters, marks of direction, variants, accents that stand apart."""
_TAGS = range(0xE0000, 0xE0FFF + 1)
_ASCII = {
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\ufe58\ufe63", "-"),
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u00b4\u02bc", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u300c\u300d\u300e\u300f", '"'),
    **dict.fromkeys("\u00b7\u2027\u30fb\uff61\u3002", "."),
    **dict.fromkeys("\u0085\u2028\u2029", "\n"),
    **dict.fromkeys("\u2192\u21d2", ":"),
    "\u0142": "l",
    "\u0141": "L",
    "\u0131": "i",
    "\u00f8": "o",
    "\u00d8": "O",
    "\u0130": "I",
}
_GONE = 0x110000


class Folded(NamedTuple):
    """A folded text, and where its characters stood before; None where each stands as it stood."""

    text: str
    places: npt.NDArray[np.intp] | None

    def unfold(self, found: SecretSpan) -> SecretSpan:
        """Return a place in this text as a place in the text as it was."""
        if self.places is None:
            return found
        return SecretSpan(int(self.places[found.start]), int(self.places[found.end - 1]) + 1, found.kind)


def fold(text: str) -> Folded:
    """Return a text as secrets are looked for in it."""
    if text.isascii():
        return Folded(text, None)
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    likes = _table()[codes]
    stays = likes != _GONE
    plain = likes[stays].tobytes().decode("utf-32-le", "surrogatepass")
    return Folded(plain, np.flatnonzero(stays))


def like(char: str) -> str:
    """Return how a character is written in a folded text; nothing where it goes."""
    code = ord(char)
    if code in _INVISIBLE or code in _TAGS:
        return ""
    if char in _ASCII:
        return _ASCII[char]
    if char.isdecimal():
        return str(unicodedata.decimal(char))
    if char.isspace():
        return " "
    plain = unicodedata.normalize("NFKD", char)
    kept = "".join(one for one in plain if not 0x300 <= ord(one) < 0x370)
    return kept if len(kept) == 1 and len(kept.lower()) == 1 else char


@cache
def _table() -> npt.NDArray[np.uint32]:
    """Return the like of each character by its number; ``_GONE`` where it goes."""
    table = np.arange(_GONE, dtype=np.uint32)
    table[_TAGS.start : _TAGS.stop] = _GONE
    for first, past in _KNOWN:
        for code in range(first, past):
            if not 0xD800 <= code < 0xE000:
                found = like(chr(code))
                table[code] = ord(found) if found else _GONE
    return table
