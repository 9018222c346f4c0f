"""What a message says about the course of a talk: does it begin something, go on, or share words (English)."""

from __future__ import annotations

import re

from yesteryear.core.language.tokens import stem, stems, word_set

_OPENERS = re.compile(
    r"\W*(?:(?:ok(?:ay)?|so|and|but|oh|hey|right|well|also|yeah|thanks?|now)\b\W{0,3}){0,3}"
    r"(?:by the way|btw|on (?:another|a different|a(?:n unrelated)?(?: side)?) (?:note|topic|subject)"
    r"|(?:completely |totally )?(?:unrelated|off[- ]topic|different (?:topic|subject|question|thing))\b"
    r"|(?:(?:changing|change of|to change|let'?s change|switching|new) (?:the )?(?:topics?|subject|gears))"
    r"|(?:something|one) (?:else|more thing)|another (?:thing|question|topic|subject)"
    r"|(?:the )?other (?:thing|news|topic)|next (?:topic|question|thing|up)\b"
    r"|(?:anyways?|anyhow),? (?:how|what|did|do|have|are|can|could|on)\b"
    r"|moving on|speaking of which|before i forget|(?:can|could|may) i ask (?:you )?(?:about )?something else)",
    re.IGNORECASE,
)
_GREETINGS = re.compile(
    r"\W*(?:hi|hiya|hello|hey|good (?:morning|afternoon|evening)|(?:morning|evening)[!.,]|back again|me again"
    r"|it's me|happy new year|merry christmas)\b(?! (?:there's|that's))",
    re.IGNORECASE,
)
_CONTINUATIONS = re.compile(
    r"\W*(?:yes|yeah|yep|yup|no|nope|nah|not|ok|okay|sure|true|right|exactly|it|it's|its|that|that's|thats|this|he|she|they"
    r"|them|him|her|his|he's|she's|they're|and|but|because|cause|cos|or|so|well|thanks|thank|also|which|then|maybe|mostly"
    r"|still|both|all|none|nothing|same|done|good|great|haha|lol|hm+|oh|ah|too|only|just|never|always|plus|except)\b",
    re.IGNORECASE,
)
_START = 120
"""How many characters of a message are read for how it begins."""
_TELLS_NOTHING = frozenset(
    stem(word)
    for word in word_set("""
    get got go going come know think thing like want say tell said day time today week year good well yes yeah okay ok
    sorry thank make take need really right one two now new still back much even way see look feel keep first last work
    use never always nothing something everything long ask told ever sound put great love nice hope maybe lot hi hey
    hello please help
    """)
)
"""Stems that turn up in talk about anything."""


def opens_topic(text: str) -> bool:
    """Tell whether ``text`` begins by announcing another subject, as in "By the way" or "Something else:"."""
    return _OPENERS.match(_beginning(text)) is not None


def greets(text: str) -> bool:
    """Tell whether ``text`` begins with a greeting."""
    return _GREETINGS.match(_beginning(text)) is not None


def continues(text: str) -> bool:
    """Tell whether ``text`` begins with a word that leans on what was said before: yes, it, she, but, thanks."""
    return _CONTINUATIONS.match(_beginning(text)) is not None


def topic_stems(text: str) -> frozenset[str]:
    """Return the stems of ``text`` that say what it is about: no stop words, words of all talk, or single letters."""
    return frozenset(
        found for found in stems(text) if found not in _TELLS_NOTHING and (len(found) > 2 or not found.isascii())
    )


def _beginning(text: str) -> str:
    return text[:_START].replace("\u2019", "'")
