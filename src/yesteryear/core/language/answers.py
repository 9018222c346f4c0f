"""How a person answers a question about what is known, and says that what was just said is somebody else's.

English, by rules. Which of two statements holds, or whether one still does, the first sentence of their own words
tells; what is unsure, asks back or says two things at once answers nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from yesteryear.core.language.datewords import MONTHS, WEEKDAYS
from yesteryear.core.language.quoting import own_words
from yesteryear.core.language.requests import plain_marks
from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.language.tokens import fold, stem, stems, words
from yesteryear.core.language.vocabulary import vocabulary

_EN = vocabulary("answers")
_MOST_CHARS = 80  # of a message that says no more than whose it is what was said
_MOST_WORDS = 25  # words of the longest sentence that is an answer; a longer one tells a story
_CHOICES = {"neither": (False, False), "both": (True, True), "first": (True, False), "second": (False, True)}
_BESIDE = frozenset(map(stem, _EN.words("beside")))


def read_answer(text: str, sides: Sequence[str]) -> tuple[bool, ...] | None:
    """Return for each side whether it holds by what the person said next, or None where that answers nothing.

    ``sides`` are one or two statements that they were asked about, without their name; of two only one may hold.
    """
    own, quoted = own_words(text)
    said = next(iter(split_sentences(fold(own))), "")
    if quoted or not said or len(words(said)) > _MOST_WORDS or _EN["open"].search(said):
        return None
    bare = _EN["lead"].sub("", said, count=1)
    return _of_two(bare, sides) if len(sides) > 1 else _of_one(bare)


def puts_question(reply: str, sides: Sequence[str]) -> bool:
    """Tell whether a reply asks about one or two statements: it asks, and has most words of one, or what tells both.

    Of one statement its last question has them: else it only goes on from what it says.
    """
    *_, last = ["", *(sentence for sentence in split_sentences(reply) if sentence.rstrip().endswith("?"))]
    said, wholes = set(stems(last if len(sides) == 1 else reply)), [set(stems(side)) for side in sides]
    has_most = any(len(said & whole) * 2 > len(whole) for whole in wholes)
    tells_both = len(wholes) > 1 and all(said & (one - other) for one, other in (wholes, wholes[::-1]))
    return bool(last) and (has_most or tells_both)


def says_no_and_more(text: str) -> bool:
    """Tell whether a text begins with a no and goes on, as what answers something else does: "No, make it two"."""
    return _EN["no_and_more"].match(_EN["lead"].sub("", fold(text), count=1)) is not None


def _of_one(said: str) -> tuple[bool] | None:
    for form, turn, holds in (("is_over", "turns_no", False), ("holds", "turns_yes", True)):
        if (found := _EN[form].match(said)) and not _EN[turn].search(said, found.end()):
            return (holds,)
    return None


def _of_two(said: str, sides: Sequence[str]) -> tuple[bool, ...] | None:
    pointed = _EN["points"].sub("", said, count=1)
    chosen = next((choice for name, choice in _CHOICES.items() if any(map(_EN[name].match, (said, pointed)))), None)
    if chosen is None:
        named = tuple(_names_alone(said, side, other) for side, other in (sides, sides[::-1]))
        return named if named.count(True) == 1 else None
    if chosen == (False, False) or not _EN["wrong_then"].match(pointed):
        return chosen
    return (False, False) if chosen == (True, True) else None


def _names_alone(said: str, side: str, other: str) -> bool:
    """Tell whether a part of an answer affirms what only one of two statements says, and says nothing else."""
    whole = set(stems(side))
    parts = (set(stems(part)) for part in _EN["part_ends"].split(said) if part and not _EN["denied"].search(part))
    return any(part - _BESIDE <= whole and part & whole - set(stems(other)) for part in parts)


class Elsewhere(NamedTuple):
    """Whose it is what somebody had just said, or heard, of themself."""

    holder: str  # by name or tie: "Lena", "sister"; empty where nobody is named
    tie: str  # to the speaker: "sister", "sister Lena"; empty where they are only named
    is_denied: bool  # whether they say in so many words that it is not theirs


def read_elsewhere(text: str) -> Elsewhere | None:
    """Return whose it is by a message that says no more than that: "sorry, that's my brother's, not mine"; else None.

    What denies nothing must begin like a correction and name the tie to an owner: "no, that's my sister's". A bare name
    may be a shop's or an illness's.
    """
    found = _EN["elsewhere"].fullmatch(plain_marks(text).strip()) if len(text) <= _MOST_CHARS else None
    if found is None:
        return None
    tie, name = (found["tie"] or "").lower(), found["called"] or found["name"] or ""
    if not tie and fold(name) in WEEKDAYS.keys() | MONTHS.keys():
        name = ""
    is_denied, is_put_right = bool(found["denies"]), found["opens"] and found["owns"] and tie
    told = Elsewhere(name or tie, f"{tie} {name}".strip() if tie else "", is_denied)
    return told if is_denied or is_put_right else None
