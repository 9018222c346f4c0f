"""What a message says about the course of a talk: does it begin something, go on, share words, or carry nothing."""

from __future__ import annotations

from collections.abc import Sequence

from yesteryear.core.language.tokens import fold, stem, stems, words
from yesteryear.core.language.vocabulary import vocabulary

_EN = vocabulary("topics")

_START = 120
"""How many characters of a message are read for how it begins."""
_TELLS_NOTHING = frozenset(map(stem, _EN.words("of_any_talk")))
"""Stems that turn up in talk about anything."""
_FILLERS, _ANSWERS = vocabulary("lexicon").words("fillers"), _EN.words("answers")
"""Words that carry nothing, and those of them that may be an answer: without it the talk reads differently."""
_LONGEST_FILLER_WORDS = 6
"""Most words of a sentence that is looked at for filler; longer ones say something."""


def opens_topic(text: str) -> bool:
    """Tell whether ``text`` begins by announcing another subject, as in "By the way" or "Something else:"."""
    return _EN["openers"].match(_beginning(text)) is not None


def greets(text: str) -> bool:
    """Tell whether ``text`` begins with a greeting."""
    return _EN["greetings"].match(_beginning(text)) is not None


def continues(text: str) -> bool:
    """Tell whether ``text`` begins with a word that leans on what was said before: yes, it, she, but, thanks."""
    return _EN["continuations"].match(_beginning(text)) is not None


def topic_stems(text: str) -> frozenset[str]:
    """Return the stems of ``text`` that say what it is about: no stop words, words of all talk, or single letters."""
    return frozenset(
        found for found in stems(text) if found not in _TELLS_NOTHING and (len(found) > 2 or not found.isascii())
    )


def _beginning(text: str) -> str:
    return text[:_START].replace("\u2019", "'")


def trim_filler(sentences: Sequence[str]) -> list[str]:
    """Return the sentences that are not made of filler words only; all of them if nothing would be left.

    Args:
        sentences: Of something that was said.
    """
    if len(sentences) < 2:
        return list(sentences)
    return [sentence for sentence in sentences if not _is_filler(sentence)] or list(sentences)


def _is_filler(sentence: str) -> bool:
    said = words(fold(sentence))
    return (
        0 < len(said) <= _LONGEST_FILLER_WORDS
        and "?" not in sentence
        and all(word in _FILLERS and word not in _ANSWERS for word in said)
    )
