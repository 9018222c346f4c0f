"""What a message does in a talk: it only asks, is about the past, begins something, goes on, or carries nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.language.tokens import STOP_WORDS, fold, stem, stems, words
from yesteryear.core.language.vocabulary import vocabulary

_QUESTIONS, _TOPICS, _LEXICON = vocabulary("questions"), vocabulary("topics"), vocabulary("lexicon")

_WORD = re.compile(r"\w")
_MARK = re.compile(r"[?？؟][^\w\s]*\s*$")  # a question mark at the end, whatever signs go with it
_START = 120  # how many characters of a message are read for how it begins
_TELLS_NOTHING = frozenset(map(stem, _TOPICS.words("of_any_talk")))  # stems that turn up in talk about anything
_FILLERS = _LEXICON.words("fillers") - _TOPICS.words("answers")  # without an answer the talk reads differently
_LONGEST_FILLER_WORDS = 6  # most words of a sentence that is looked at for filler; longer ones say something


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


def asks_about_past(question: str) -> bool:
    """Tell whether a question is about what has been, so that what held once is an answer to it."""
    return _QUESTIONS["former"].search(fold(question)) is not None


def asks_for_the_other(question: str) -> bool:
    """Tell whether a question is for what the one addressed said: "what did you suggest", "the list you gave me".

    False for what the speaker said ("what did I tell you"), and for other questions about the one addressed.
    """
    return _QUESTIONS["other"].search(fold(question)) is not None


def speaks_of_past(text: str) -> bool:
    """Tell whether a text speaks of what has been: then "on Saturday" is the last one, else it may be the next."""
    return _QUESTIONS["past"].search(fold(text)) is not None


def has_value(text: str) -> bool:
    """Tell whether a statement carries a number, a day or a month: something that may be another one tomorrow."""
    return _QUESTIONS["value"].search(fold(text)) is not None


def begins_with(form: Literal["openers", "greetings", "continuations"], text: str) -> bool:
    """Tell whether ``text`` begins by announcing another subject ("By the way"), with a greeting, or by going on.

    What goes on begins with a word that leans on what was said before: yes, it, she, but, thanks.
    """
    return _TOPICS[form].match(text[:_START].replace("\u2019", "'")) is not None


def after_turn(text: str, start: int, end: int) -> int:
    """Return where a sentence goes on behind words that only turn to it: "Speaking of work, I've quit".

    Its start where it has none, or goes on with what they name ("Speaking of Zoe, she's moved").
    """
    found = _TOPICS["turns"].match(text, start, end)
    return found.end() if found else start


def topic_stems(text: str) -> frozenset[str]:
    """Return the stems of ``text`` that say what it is about: no stop words, words of all talk, or single letters."""
    return frozenset(
        found for found in stems(text) if found not in _TELLS_NOTHING and (len(found) > 2 or not found.isascii())
    )


def trim_filler(sentences: Sequence[str]) -> list[str]:
    """Return the sentences that are not made of filler words only; all of them if nothing would be left."""
    return [sentence for sentence in sentences if not is_filler(sentence)] or list(sentences)


def is_filler(sentence: str) -> bool:
    """Tell whether a sentence is made of filler words only ("haha ok"); false for an answer, and for a question."""
    said = words(fold(sentence))
    return 0 < len(said) <= _LONGEST_FILLER_WORDS and "?" not in sentence and _FILLERS.issuperset(said)


def is_idle(message: str) -> bool:
    """Tell whether a message is nothing but filler: "thanks love", "lol"; not where it is empty."""
    said = split_sentences(message[:_START])
    goes_on = not _TOPICS.words("asks_on").isdisjoint(words(message[:_START]))
    return bool(said) and not goes_on and len(message) <= _START and all(map(says_nothing, said))


def says_nothing(sentence: str) -> bool:
    """Tell whether a sentence is filler, or only turns to somebody by their name ("Thanks, Nia!")."""
    return is_filler(sentence) or _TOPICS["addresses"].fullmatch(sentence) is not None
