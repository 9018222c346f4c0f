"""Codes that open something, confirm who somebody is, or are the number of a person's papers, told in ordinary words.

Each form says by words around the value what it is for: a lock that is near, a message that brought it, a paper.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.secrets.found import Piece, SecretSpan

_EN = vocabulary("codes")


class _Form(NamedTuple):
    marks: tuple[str, ...]
    """Of these one is in every text that has the form."""
    pattern: str
    kind: str


@cache
def _forms(name: str) -> tuple[_Form, ...]:
    rows = _EN.rows(name)
    return tuple(_Form(tuple(row["marks"].split()), row["pattern"], row.get("kind", "pin")) for row in rows)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)


_AROUND_CHARS = 80
"""How far from a code the lock may be named that it opens, in characters."""
_FEWEST_DIGITS, _MOST_DIGITS = 4, 10
_YEAR = re.compile(r"(?:19|20)\d\d")


def find_opening(piece: Piece) -> Iterator[SecretSpan]:
    """Find codes of locks and of messages, numbers of papers, and answers that stand for a password."""
    low = piece.low
    if not any(digit in low for digit in "0123456789") and "maiden" not in low and "security" not in low:
        return
    for name, needs_lock in (("confirming", False), ("opening", True), ("papers", False)):
        if needs_lock and not _EN["lock"].search(low):
            continue
        for marks, pattern, kind in _forms(name):
            if marks and not any(mark in low for mark in marks):
                continue
            for one in _compiled(pattern).finditer(low):
                start, end = one.span("value")
                if kind != "pin" or _is_code(low, one, needs_lock=needs_lock):
                    yield SecretSpan(start, end, kind)


def _is_code(low: str, one: re.Match[str], *, needs_lock: bool) -> bool:
    value = one["value"].strip()
    digits = sum(map(str.isdigit, value))
    if not needs_lock:
        return digits >= _FEWEST_DIGITS or (digits >= 2 and len(value) > _FEWEST_DIGITS)
    start, end = one.span("value")
    around = low[max(0, start - _AROUND_CHARS) : end + _AROUND_CHARS]
    is_marked = value[0] in "#*" or value[-1] in "#*"
    return (
        (_FEWEST_DIGITS <= digits <= _MOST_DIGITS or (is_marked and digits > 2))
        and (is_marked or not (_YEAR.fullmatch(value) and "code" not in around and "type" not in around))
        and _EN["lock"].search(around) is not None
        and not _EN["no_lock"].search(low, max(0, one.start() - 20), end + 20)
    )
