"""Values that change: numbers and days in what people say, words of change, and questions about what holds now.

English.
"""

from __future__ import annotations

import re

from yesteryear.core.language.lexicon import fold, phrases
from yesteryear.core.language.tokens import STOP_WORDS, stem, stems, words

_VALUE = re.compile(
    r"\d|\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    r"|(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|hundred|thousand"
    r"|half|twice|once|dozen|noon|midnight)"
    r"|(?:january|february|march|april|june|july|august|september|october|november|december))\b"
)

_ARTICLES = frozenset({"a", "an", "the", "this", "that"})
_OWNERS = frozenset({"my", "our", "your", "his", "her", "its", "their"})
"""Of words that say little by themselves, those that say whose something is."""

_CHANGE = phrases(
    r"""
    now changed? changing actually instead switched moved moving updated? new newer no_longer not_anymore anymore
    any_more rather_than after_all turns_out correction corrected revised rescheduled postponed pushed_(?:back|to|out)
    brought_forward raised increased went_(?:up|down) dropped lowered reduced cut cut_(?:down|back|to) bumped extended
    shortened up_(?:to|from) down_(?:to|from) from_now_on as_of since_then these_days ended_up replaced swapped
    cancel+ed decided_(?:on|to|against) settled_on went_with going_with has_become became
    """
)

_VALUE_QUESTION = phrases(
    r"""
    how_(?:much|many|long|often|old|far|big|tall|large|high|fast|late|early|heavy|wide|deep|soon|frequently)
    what_(?:time|day|date|days|number|amount|percentage|price|size|rate|score|version|budget|deadline|weight)
    what(?:'s|_is|_are|s)_(?:my|our|the|his|her|their|its|\w+'s) when
    which_(?:day|days|date|time|version|month|year|week) currently current now at_the_moment these_days latest
    """
)

_PAST_QUESTION = re.compile(r"\b(?:how \w+|what \w+|which \w+)(?: \w+){0,2} (?:did|was|were|had)\b")
"""What something was, once."""

_EARLIER_QUESTION = phrases(
    r"""
    first firstly original originally initial initially earlier earliest previous previously before used_to old former
    formerly beginning back_then at_first ever history when_(?:did|was|were|had|has|have)
    """
)


def has_value(text: str) -> bool:
    """Tell whether a statement carries a number, a day or a month: something that may be another one tomorrow."""
    return _VALUE.search(fold(text)) is not None


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
    return _CHANGE.search(fold(text)) is not None


def asks_for_present_value(question: str) -> bool:
    """Tell whether a question asks for a value as it is now: how much, when, which day.

    False for questions about what was: first, before, originally, or at one time.
    """
    folded = fold(question)
    is_past = _EARLIER_QUESTION.search(folded) or _PAST_QUESTION.search(folded)
    return _VALUE_QUESTION.search(folded) is not None and not is_past
