"""Questions, and the values they ask for: which text only asks, for whose words, and about what was or holds now."""

from __future__ import annotations

import re

from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.language.tokens import STOP_WORDS, fold, stem, stems, words
from yesteryear.core.language.vocabulary import vocabulary

_EN = vocabulary("questions")
_LEXICON = vocabulary("lexicon")

_WORD = re.compile(r"\w")
_MARK = re.compile(r"[?？؟][^\w\s]*\s*$")
"""A question mark at the end, whatever signs go with it."""


_ARTICLES = _EN.words("articles")
_OWNERS = _EN.words("owners")


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


def same_slot(one: str, other: str, question: str) -> bool:
    """Tell whether two statements give a value to the same thing, as far as the question names it.

    They share a content word of the question, and what stands before it, an owner or another content word: "my budget"
    is neither "Ben's budget" nor "the travel budget".
    """
    asked = set(stems(question))
    others = _slots(other)
    return any(name in asked and others.get(name) == before for name, before in _slots(one).items())


def _slots(text: str) -> dict[str, str]:
    """Return what stands before each content word, by its stem; of several the first counts."""
    slots: dict[str, str] = {}
    before = ""
    for word in words(text):
        is_content = word not in STOP_WORDS
        if is_content:
            slots.setdefault(stem(word), before)
        if word not in _ARTICLES:
            before = word if is_content or word in _OWNERS else ""
    return slots


def tells_change(text: str) -> bool:
    """Tell whether a statement has a word of change in it, such as "now", "moved" or "instead"."""
    return _EN["change"].search(fold(text)) is not None


def asks_for_present_value(question: str) -> bool:
    """Tell whether a question asks for a value as it is now: how much, when, which day.

    False for questions about what was: first, before, originally, or at one time.
    """
    folded = fold(question)
    is_past = _EN["earlier_question"].search(folded) or _EN["past_question"].search(folded)
    return _EN["value_question"].search(folded) is not None and not is_past
