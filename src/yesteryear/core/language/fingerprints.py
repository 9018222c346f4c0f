"""Fingerprints of sentences: to tell that the same was said, without keeping what was said."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

_BETWEEN = re.compile(r"[\s!-/:-@\[-`{-~\u2010-\u2027\u3001-\u3011\uff01\uff0c\uff1f]+")
"""White space and punctuation; emoji and marks say something."""


def fingerprint(sentence: str) -> int:
    """Return a 64-bit hash of a sentence's words; the same for other case, spacing and punctuation."""
    words = _BETWEEN.sub(" ", sentence.casefold()).strip()
    return int.from_bytes(hashlib.blake2b(words.encode(errors="replace"), digest_size=8).digest(), "big")


def fingerprints(sentences: Iterable[str]) -> frozenset[int]:
    """Return the fingerprints of some sentences."""
    return frozenset(map(fingerprint, sentences))
