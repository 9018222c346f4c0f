"""Words and stems: what all counting, matching and ranking by words rests on.

Tokenising is Unicode and knows no language; stop words and stems are English, and leave other languages as they are.
"""

from __future__ import annotations

import re
from functools import lru_cache

from snowballstemmer.english_stemmer import EnglishStemmer

from yesteryear.core.language.vocabulary import vocabulary

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003ffff"
)
_MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0971-\u0dff\u200c\u200d"
_LETTER = rf"(?:[^\W\d_{_UNSPACED}]|[{_MARKS}])"
_WORD = re.compile(
    rf"(?P<unspaced>[{_UNSPACED}]+)"  # scripts that leave no space between words
    r"|\d+(?:[.,]\d+)*"
    rf"|{_LETTER}+(?:'{_LETTER}+)*"
)
_ASCII_WORD = re.compile(r"\d+(?:[.,]\d+)*|[a-z]+(?:'[a-z]+)*")
"""What ``_WORD`` comes to where there are no letters but these; most text is so."""
_APOSTROPHES = str.maketrans(dict.fromkeys("\u2018\u2019\u02bc\u2032\uff07`\u00b4", "'"))
_LONGEST_STEMMED = 40  # longest word, in characters, that is stemmed and cached; anything longer is no English word


def with_plain_apostrophes(text: str) -> str:
    """Return ``text`` with every kind of apostrophe as ``'``."""
    return text.translate(_APOSTROPHES)


def fold(text: str) -> str:
    """Return ``text`` casefolded, with every kind of apostrophe as ``'``."""
    return with_plain_apostrophes(text).casefold()


STOP_WORDS = vocabulary("sentences").words("stop_words")


def words(text: str) -> list[str]:
    """Return the words and numbers of ``text`` in order, casefolded.

    Apostrophes of all kinds become ``'`` and stay inside a word; decimal and thousands separators stay inside a number.
    Runs of Chinese, Japanese, Korean, Thai and other scripts written without spaces come as overlapping pairs of
    characters; punctuation, symbols and emoji are left out.
    """
    if text.isascii():
        return _ASCII_WORD.findall(text.replace("`", "'").lower())
    found: list[str] = []
    for match in _WORD.finditer(fold(text)):
        word = match[0]
        if match.lastgroup == "unspaced" and len(word) > 2:
            found.extend(word[start : start + 2] for start in range(len(word) - 1))
        else:
            found.append(word)
    return found


def bare_words(text: str) -> list[str]:
    """Return the words of ``text`` without the ``'s`` of owners and of short forms: "twin" of "my twin's hair"."""
    return [word.removesuffix("'s") for word in words(text)]


def stems(text: str) -> list[str]:
    """Return the stems of the words of ``text`` that are no stop words, in order, repeats kept.

    English Snowball stems; words with letters beyond ASCII are left unstemmed.
    """
    return [stem(word) for word in words(text) if word not in STOP_WORDS]


def stem(word: str) -> str:
    """Return the English stem of a casefolded word; a long word or one beyond ASCII is returned as it is."""
    return _stem_ascii(word) if len(word) <= _LONGEST_STEMMED and word.isascii() else word


@lru_cache(maxsize=65_536)
def _stem_ascii(word: str) -> str:
    # A stemmer keeps the word it works on, so threads must not share one; making one costs a hundredth of a stem.
    return str(EnglishStemmer().stemWord(word))
