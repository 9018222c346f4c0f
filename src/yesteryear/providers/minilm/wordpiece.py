"""The uncased BERT tokenizer: text to the numbers of word pieces.

Agrees with the reference implementation on ordinary text of any script, with one deliberate difference: markers
such as ``[SEP]`` that somebody writes in a message are read as text, never as the marker itself.
"""

from __future__ import annotations

import string
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MAX_TOKENS = 256
"""Most tokens of a text that are read, markers included. Source: the model card of all-MiniLM-L6-v2."""

_READ_CHARACTERS = 16_384
"""Characters looked at before the rest is left out: 64 for each token, so that a megabyte costs no more than a
page."""
_LONGEST_WORD = 100
"""Longest word, in characters, that is split into pieces; longer ones are unknown. Source: the BERT tokenizer."""
_KEPT_SPACES = "\t\n\r"
_INVISIBLE = ("Cc", "Cf", "Co", "Cs")  # not Cn: what this Python has no name for yet may be a new emoji
_IDEOGRAPHS = (
    range(0x3400, 0x4DC0),
    range(0x4E00, 0xA000),
    range(0xF900, 0xFB00),
    range(0x20000, 0x2A6E0),
    range(0x2A700, 0x2B740),
    range(0x2B740, 0x2B820),
    range(0x2B920, 0x2CEB0),  # the reference skips 2B820-2B91F, and the model was trained with it
    range(0x2F800, 0x2FA20),
)


class _Spelling(dict[int, str]):
    """How each character is written before words are split, found out when it is first met.

    Control characters and accents vanish, letters become small, punctuation and ideographs stand alone.
    """

    def __missing__(self, code: int) -> str:
        spelling = self[code] = _spell(chr(code))
        return spelling


def _spell(character: str) -> str:
    category = unicodedata.category(character)
    if character in _KEPT_SPACES or category.startswith("Z"):
        return " "
    if category in _INVISIBLE or character == "\ufffd":
        return ""
    letters = "".join(
        letter.lower() for letter in unicodedata.normalize("NFD", character) if unicodedata.category(letter) != "Mn"
    )
    code = ord(character)
    if any(code in ideographs for ideographs in _IDEOGRAPHS):
        return f" {letters} "
    return "".join(f" {letter} " if _is_punctuation(letter) else letter for letter in letters)


def _is_punctuation(character: str) -> bool:
    return character in string.punctuation or unicodedata.category(character).startswith("P")


class WordPiece:
    """Splits text into the pieces of one vocabulary, longest piece first. Safe to use from several threads."""

    def __init__(self, vocabulary: Iterable[str]) -> None:
        self._ids: Mapping[str, int] = {piece: number for number, piece in enumerate(vocabulary)}
        self._unknown, self._start, self._end = (self._ids[marker] for marker in ("[UNK]", "[CLS]", "[SEP]"))
        self._longest = max(map(len, self._ids))
        self._spelling = _Spelling()

    def encode(self, text: str) -> list[int]:
        """Return the token numbers of ``text`` between the two markers, at most ``MAX_TOKENS`` of them."""
        room = MAX_TOKENS - 2
        pieces: list[int] = []
        for word in text[:_READ_CHARACTERS].translate(self._spelling).split(" "):
            pieces += self._split(word)
            if len(pieces) >= room:
                break
        return [self._start, *pieces[:room], self._end]

    def _split(self, word: str) -> list[int]:
        if len(word) > _LONGEST_WORD:
            return [self._unknown]
        found: list[int] = []
        start = 0
        while start < len(word):
            prefix = "##" if start else ""
            for end in range(min(len(word), start + self._longest), start, -1):
                number = self._ids.get(prefix + word[start:end])
                if number is not None:
                    break
            else:
                return [self._unknown]
            found.append(number)
            start = end
        return found
