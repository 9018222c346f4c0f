"""Whether a message needs anything remembered: "what's the square root of 144?" does not, "what shall I cook?" does.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import log1p

from yesteryear.core.heads import find_head
from yesteryear.core.language.tokens import STOP_WORDS, words
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.vectors import Matrix

_BY_PERSON = vocabulary("questions").words("by_person")

HEAD = "need"
"""Name of the head that tells from a message's vector as a question, and its function words, what it needs."""
MEMORY, NOTHING = "memory", "nothing"
_FEWEST_WORDS = 3  # of a message below which it is looked for as it stands: "passport number". Source: set by hand
LENGTH = "length"  # name of the feature that is the logarithm of the number of words, and one
NAMES = (*sorted(STOP_WORDS), LENGTH)
"""Features: which function words there are. Who asks about "my" or "she" asks about what they told."""


def need_features(text: str, names: Iterable[str] = NAMES) -> dict[str, float]:
    """Return by name whether a message has a word, 0 or 1, and how long it is."""
    said = words(text)
    found = dict.fromkeys(names, 0.0)
    return {**found, **{word: 1.0 for word in said if word in found}, LENGTH: log1p(len(said))}


def needs_memory(text: str, vector: Matrix | None, *, model: str | None) -> float:
    """Return how likely a good reply to a message rests on what was said before, in [0, 1].

    ``vector`` is the message's, shape (dimension,), of ``model``. 1 where there is none that the head reads, of a word
    or two, and of food, drink, medicine, sport, travel and taste: what anybody may ask of these may harm one who must
    not have it.
    """
    head, said = find_head(HEAD, model=model) if model else None, words(text)
    if head is None or vector is None or len(said) < _FEWEST_WORDS or not _BY_PERSON.isdisjoint(said):
        return 1.0
    return head.probabilities(need_features(text, head.features), vector)[MEMORY]
