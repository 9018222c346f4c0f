"""Whether text that somebody brought along may concern what is known of them: reason to ask, never to believe."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from yesteryear.core.language.quoting import own_words
from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.language.tokens import fold, stems
from yesteryear.core.language.vocabulary import vocabulary

_LEXICON = vocabulary("lexicon")

_SHARED = 2
"""Content words that a sentence and a statement share from which they speak of one thing."""
_MOST_WORDS = 25
"""Words of the longest sentence that is asked about."""
_ONE_AT_A_TIME = ("home", "occupation")
"""What has one value at a time, so that another value concerns it whatever words it has."""


def concerning(content: str, statement: str, *, subject: str, is_whole: bool) -> str:
    """Return the first brought-along sentence that may concern a statement, or nothing.

    It speaks in the first person or names the person, and shares words with the statement; about home and work it need
    share none.

    Args:
        content: The message.
        statement: What is known.
        subject: Of whom.
        is_whole: Whether the message was brought along as a whole.
    """
    brought = content if is_whole else own_words(content)[1]
    known = set(stems(statement)) - set(stems(subject))
    for sentence in split_sentences(brought):
        if len(sentence.split()) <= _MOST_WORDS and _is_about(sentence, statement, subject, known):
            return sentence.strip(" \"'“”«»>*-.")
    return ""


def _is_about(sentence: str, statement: str, subject: str, known: AbstractSet[str]) -> bool:
    folded, stated = fold(sentence), fold(statement)
    if not (_LEXICON["speaker"].search(folded) or fold(subject) in folded) or sentence.rstrip().endswith("?"):
        return False
    shared = len(set(stems(sentence)) & known)
    is_same = any(_LEXICON[topic].search(folded) and _LEXICON[topic].search(stated) for topic in _ONE_AT_A_TIME)
    return is_same or shared >= min(_SHARED, max(1, len(known)))
