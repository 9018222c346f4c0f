"""Questions: which text only asks, and which question is for the other side's words, or about the past; and values."""

from __future__ import annotations

import re

from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.language.tokens import STOP_WORDS, fold, words
from yesteryear.core.language.vocabulary import vocabulary

_EN = vocabulary("questions")
_LEXICON = vocabulary("lexicon")

_WORD = re.compile(r"\w")
_MARK = re.compile(r"[?？؟][^\w\s]*\s*$")
"""A question mark at the end, whatever signs go with it."""


def asks_about_past(question: str) -> bool:
    """Tell whether a question is about what has been, so that what held once is an answer to it."""
    return _EN["former"].search(fold(question)) is not None


def speaks_of_past(text: str) -> bool:
    """Tell whether a text speaks of what has been: then "on Saturday" is the last one, else it may be the next."""
    return _EN["past"].search(fold(text)) is not None


def asks(text: str) -> bool:
    """Tell whether ``text`` is nothing but questions, and none of them speaks of the speaker.

    A turn that also states something, or that asks about "I", "my" or "we", tells of its speaker.
    """
    if not any(mark in text for mark in "?？؟"):
        return False
    folded = fold(text)
    if STOP_WORDS.isdisjoint(words(folded)):
        return False  # who speaks of whom can be told in English only
    sentences = [sentence for sentence in split_sentences(folded) if _WORD.search(sentence)]
    return bool(sentences) and all(map(_MARK.search, sentences)) and not _LEXICON["speaker"].search(folded)


def asks_for_the_other(question: str) -> bool:
    """Tell whether a question is for what the one addressed said: "what did you suggest", "the list you gave me".

    False for what the speaker said ("what did I tell you"), and for other questions about the one addressed.
    """
    return _EN["other"].search(fold(question)) is not None


def has_value(text: str) -> bool:
    """Tell whether a statement carries a number, a day or a month: something that may be another one tomorrow."""
    return _EN["value"].search(fold(text)) is not None
