"""What may be left out when something is shown again: greetings and thanks that carry nothing.

English. The store keeps every word; only what is shown gets shorter.
"""

from __future__ import annotations

from collections.abc import Sequence

from yesteryear.core.language.lexicon import FILLERS, fold
from yesteryear.core.language.tokens import word_set, words

_ANSWERS = word_set("yes yeah yep yup ya no nope nah agreed done right exactly indeed true sure")
"""Filler that may be an answer: without it the talk reads differently."""
_LONGEST = 6
"""Most words of a sentence that is looked at; longer ones say something."""


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
        0 < len(said) <= _LONGEST
        and "?" not in sentence
        and all(word in FILLERS and word not in _ANSWERS for word in said)
    )
