"""Secrets are cut out before anything is stored: what was never written cannot leak, and no memory needs it.

A text is read in windows, so that others have their turn, and what it says again and again is read once. A word of no
special form in talk of other things is not recognised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from yesteryear.core.secrets import forms
from yesteryear.core.secrets.likely import find_likely
from yesteryear.core.secrets.named import find_told
from yesteryear.core.secrets.numbers import find_numbers, find_seeds
from yesteryear.core.secrets.spans import Detector, Piece, SecretSpan, fold
from yesteryear.errors import InputError

KINDS = (
    *("private key", "token", "api key", "password", "pin", "seed phrase"),
    *("iban", "credit card", "social security number", "identity number"),
)
"""What may be cut out, as it is named to people."""

_STRIDE_CHARS = 2_520  # of a window; many short lengths divide it, so few windows of a text that repeats differ
_BEFORE_CHARS = 256  # what a window shows of the text before it: further away no name of a secret is looked for
_AFTER_CHARS = 512  # what a window shows of the text behind it: what is longer goes on
_MOST_ROUNDS = 4  # how often a window is read: once a secret is cut out, what is left may say something else
_DETECTORS: tuple[Detector, ...] = (
    *(forms.find_issued, forms.find_unannounced, forms.find_pairs, find_told),
    *(forms.find_codes, find_seeds, find_numbers),
)
_GUESSES: tuple[Detector, ...] = (*_DETECTORS, find_likely)
_MOST_GUESSED_CHARS = 10_000  # a longer text is no talk, and reading the words around each of its words would take long
_CROSSED_OUT = "xxxx"  # what documentation writes in the place of a secret
_IN_NAMES: tuple[Detector, ...] = (forms.find_issued, forms.find_pairs, find_numbers)
"""A name made by a program has the look of a token, so in names only what leaves no doubt is taken for one."""
_MAX_NAME_CHARS = 200
_NAMES_KEPT = 4096  # names that were looked at lately: the same come with every message


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets."""

    text: str
    kinds: tuple[str, ...] = ()  # what was cut out, each kind once, in the order of `KINDS`


def redact(text: str, *, guesses: bool = True, pause: Callable[[], None] = lambda: None) -> Redacted:
    """Replace every secret in ``text`` by ``[redacted: <kind>]``, in time linear in its length.

    Only the value goes: ``password: [redacted: password]`` keeps its label. Redacting twice changes nothing. With
    ``guesses`` what only the words around it give away is cut out too, of a text of up to 10,000 characters. ``pause``
    is called after every few thousand characters of a long text, for others to have their turn.
    """
    return _redact(text, _GUESSES if guesses and len(text) <= _MOST_GUESSED_CHARS else _DETECTORS, pause)


def redact_name(name: str) -> str:
    """Return a name without the secrets in it; one of nothing but digits, or a UUID, names something."""
    return _redact_name(name).text[:_MAX_NAME_CHARS]


def refuse_secret(label: str, name: str) -> None:
    """Raise InputError where a name by which others are found holds a secret; the error does not repeat it."""
    kinds = _redact_name(name).kinds
    if kinds:
        raise InputError(f"{label} holds what looks like a secret ({', '.join(kinds)}); choose one without")


@lru_cache(maxsize=_NAMES_KEPT)
def _redact_name(name: str) -> Redacted:
    if name.isdecimal() or forms.UUID.fullmatch(name.lower()):
        return Redacted(name)
    is_talk = " " in name or "=" in name
    return _redact(name, _DETECTORS if is_talk else _IN_NAMES, lambda: None)


class _Clean(NamedTuple):
    """A stretch of a text without its secrets."""

    text: str
    over: int  # how many characters behind the stretch belong to its last secret
    kinds: frozenset[str]


def _redact(text: str, detectors: tuple[Detector, ...], pause: Callable[[], None]) -> Redacted:
    """Cut out blocks, then what the detectors find, window by window."""
    text, _, kinds = _cut(text, 0, len(text), _merged(forms.find_blocks(text)))
    pieces: list[str] = []
    known: dict[tuple[str, str, int], _Clean] = {}
    before, over = "", 0
    for start in range(0, len(text), _STRIDE_CHARS):
        seen = before, text[start : start + _STRIDE_CHARS + _AFTER_CHARS], over
        if seen not in known:
            known[seen] = _clean_window(*seen, detectors)
            if len(text) > _STRIDE_CHARS:
                pause()
        clean = known[seen]
        kinds |= clean.kinds
        pieces.append(clean.text)
        before, over = (before + clean.text)[-_BEFORE_CHARS:], clean.over
        if over == _AFTER_CHARS:
            over = forms.continue_token(text, start + _STRIDE_CHARS + over) - start - _STRIDE_CHARS
    return Redacted("".join(pieces), tuple(kind for kind in KINDS if kind in kinds))


def _clean_window(before: str, rest: str, over: int, detectors: tuple[Detector, ...]) -> _Clean:
    """Cut the secrets out of a stride of a text, also those that show only once others are cut out.

    Before it stands what was cleaned already; the first ``over`` characters of it belong to the last secret there.
    """
    stride, behind = rest[over:_STRIDE_CHARS], rest[_STRIDE_CHARS:]
    if not stride:
        return _Clean("", max(0, over - _STRIDE_CHARS), frozenset())
    kinds: frozenset[str] = frozenset()
    over = 0
    for _ in range(_MOST_ROUNDS):
        clean = _clean(before, stride, behind[over:], detectors)
        if not clean.kinds:
            break
        stride, over = clean.text, over + clean.over
        kinds |= clean.kinds
    return _Clean(stride, over, kinds)


def _clean(before: str, stride: str, behind: str, detectors: tuple[Detector, ...]) -> _Clean:
    text, first, past = before + stride + behind, len(before), len(before) + len(stride)
    folded = fold(text)
    piece = Piece(folded.text, folded.text.lower())
    found = _merged(
        folded.unfold(one)
        for find in detectors
        for one in find(piece)
        if _CROSSED_OUT not in piece.low[one.start : one.end]
    )
    return _cut(text, first, past, [one for one in found if first <= one.start < past])


def _merged(found: Iterable[SecretSpan]) -> list[SecretSpan]:
    merged: list[SecretSpan] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if merged and one.start < merged[-1].end:
            merged[-1] = merged[-1]._replace(end=max(merged[-1].end, one.end))
        else:
            merged.append(one)
    return merged


def _cut(text: str, first: int, past: int, found: Sequence[SecretSpan]) -> _Clean:
    """Return a stretch of a text with labels in the places of secrets, none of which overlap."""
    pieces, done = [], first
    for one in found:
        pieces += [text[done : one.start], f"[redacted: {one.kind}]"]
        done = one.end
    return _Clean("".join([*pieces, text[done:past]]), max(0, done - past), frozenset(one.kind for one in found))
