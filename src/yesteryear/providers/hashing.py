"""The embedder without a model: words and pieces of words, hashed into a vector.

The fallback when no model is installed. It knows spelling, not meaning: "car" and "automobile" are strangers to it.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from yesteryear.core.language.tokens import STOP_WORDS, stem, words
from yesteryear.core.vectors import EmbedderProfile, Matrix, Purpose, unit_rows

PROFILE = EmbedderProfile(model="hashing-v1", dimension=384, duplicate=0.8, candidate=0.3, related=0.25)
"""Thresholds from 1,200 labelled pairs of facts and as many random pairs. At or above 0.3 lie 83 % of the pairs
that repeat, refine, change or contradict each other and 0.4 % of random ones; above 0.25, 87 % of pairs with a
common subject and 2 % of random ones; above 0.8, 12 % of the repeating pairs and 1 % of those that merely stand
side by side."""
# Other weights make vectors that need another model name.
_STEM_WEIGHT, _STOP_WORD_WEIGHT = 1.0, 0.2
"""Weights of a word's stem, and of a word such as "the"; a text of nothing else still has a direction."""
_PIECE_WEIGHT = 0.5
"""Weight of each run of letters in a word; inflections and misspellings meet there. Measured over pairs of facts, 0 to
0.8: more helps to find the same in other words, with little gain above 0.5."""
_PIECE_LENGTH = 4
"""Letters in such a run, the word's boundaries included. Measured: 3 and 5 are no better."""


class HashingEmbedder:
    """Vectors from spelling alone, the same in every process and on every machine. Holds no state.

    A text is its weighted words and word pieces, each counted as 1 + ln(count) and added with a sign of its own at
    a place of its own; both come from a hash. Questions and documents are treated alike.
    """

    @property
    def profile(self) -> EmbedderProfile:
        """The model's name, dimension and thresholds."""
        return PROFILE

    def embed(self, texts: Sequence[str], *, purpose: Purpose = Purpose.DOCUMENT) -> Matrix:  # noqa: ARG002
        """Return shape (len(texts), 384), float32, rows of unit length; texts without words share one direction."""
        sums = np.zeros((len(texts), PROFILE.dimension))
        sums[:, 0] = np.finfo(np.float32).eps  # so that no row is zero
        for row, text in zip(sums, texts, strict=True):
            for (feature, weight), count in Counter(_features(text)).items():
                place, sign = _place(feature)
                row[place] += sign * weight * (1 + math.log(count))
        return unit_rows(sums)

    def close(self) -> None:
        """Do nothing; there is nothing to release."""


def _features(text: str) -> Iterator[tuple[str, float]]:
    for word in words(text):
        if word in STOP_WORDS:
            yield word, _STOP_WORD_WEIGHT
            continue
        stemmed = stem(word)
        yield stemmed, _STEM_WEIGHT
        bounded = f"<{stemmed}>"
        for start in range(len(bounded) - _PIECE_LENGTH + 1):
            yield f"~{bounded[start : start + _PIECE_LENGTH]}", _PIECE_WEIGHT


@lru_cache(maxsize=65_536)
def _place(feature: str) -> tuple[int, int]:
    # Python's own hash differs from process to process.
    digest = hashlib.blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    number = int.from_bytes(digest, "little")
    return (number >> 1) % PROFILE.dimension, 1 if number & 1 else -1
