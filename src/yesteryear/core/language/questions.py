"""Questions: which text only asks, and which question is for the other side's words. English."""

from __future__ import annotations

import re

from yesteryear.core.language import lexicon
from yesteryear.core.language.lexicon import fold, phrases
from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.language.tokens import STOP_WORDS, words

_WORD = re.compile(r"\w")
_MARK = re.compile(r"[?？؟][^\w\s]*\s*$")
"""A question mark at the end, whatever signs go with it."""

_SAY = (
    "(?:say|tell|suggest|recommend|advise|propose|mention|explain|answer|reply|list|give|write|show|describe|come_up)"
)
_SAID = "(?:said|told|suggested|recommended|advised|proposed|mentioned|explained|answered|replied|listed|described)"
_GAVE = "(?:gave|given|wrote|written|showed|shown|shared|provided|came_up|come_up|called|named|picked)"
_WAS_SAYING = "(?:saying|telling|suggesting|recommending|advising|proposing|explaining|describing)"
_WORDS = "(?:recommend|suggest|explan)ations?|suggestions?|advice|answers?|repl(?:y|ies)|responses?|proposals?|tips?"
_LATELY = r"(?:just_|once_|also_|already_|first_|last_|originally_|previously_|specifically_|actually_|earlier_)?"
_OTHER = phrases(
    rf"""
    did_you_{_LATELY}{_SAY} (?:have|had)_you_{_LATELY}{_SAID}
    you(?:'ve|'d|_have|_had)?_{_LATELY}(?:{_SAID}|{_GAVE}) you_were_{_LATELY}{_WAS_SAYING}
    your_(?:\w+_){{0,2}}(?:{_WORDS})
    """
)
"""What was said, written or given by the one addressed."""


_PAST = phrases(
    r"""
    did didn't was were wasn't weren't had went said told came got saw made took gave felt thought met bought left ago
    last yesterday previous past back happened \w+ed
    """
)


_FORMER = phrases(
    r"""
    did didn't was were wasn't weren't had hadn't used_to previously previous formerly former before earlier originally
    initially at_first back_then once ago yesterday past ever last_(?:week|month|year|time|spring|summer|autumn|winter)
    """
)


def asks_about_past(question: str) -> bool:
    """Tell whether a question is about what has been, so that what held once is an answer to it."""
    return _FORMER.search(fold(question)) is not None


def speaks_of_past(text: str) -> bool:
    """Tell whether a text speaks of what has been: then "on Saturday" is the last one, else it may be the next."""
    return _PAST.search(fold(text)) is not None


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
    return bool(sentences) and all(map(_MARK.search, sentences)) and not lexicon.SPEAKER.search(folded)


def asks_for_the_other(question: str) -> bool:
    """Tell whether a question is for what the one addressed said: "what did you suggest", "the list you gave me".

    False for what the speaker said ("what did I tell you"), and for other questions about the one addressed.
    """
    return _OTHER.search(fold(question)) is not None
