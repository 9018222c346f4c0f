"""The embedder without a model: words and pieces of words, hashed into a vector.

The fallback when no model is installed. It knows spelling, not meaning: "car" and "automobile" are strangers to it.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from yesteryear.core.language.tokens import STOP_WORDS, stem, words
from yesteryear.core.vectors import EmbedderProfile, Matrix, Purpose, unit_rows

PROFILE = EmbedderProfile(model="hashing-v1", dimension=384, duplicate=0.8, candidate=0.3, related=0.25)
"""Thresholds from 1,200 labelled pairs of facts and as many random pairs. At or above 0.3 lie 83 % of the pairs
that repeat, refine, change or contradict each other and 0.4 % of random ones; above 0.25, 87 % of pairs with a
common subject and 2 % of random ones; above 0.8, 12 % of the repeating pairs and 1 % of those that merely stand
side by side."""


@dataclass(frozen=True, slots=True)
class HashingPolicy:
    """What of a text counts, and how much; other numbers make vectors that need another model name."""

    stem_weight: float = 1.0
    """Weight of a word's stem, at least 0."""
    stop_word_weight: float = 0.2
    """Weight of a word such as "the", at least 0; a text of nothing else still has a direction."""
    piece_weight: float = 0.5
    """Weight of each run of letters in a word, at least 0; inflections and misspellings meet there. Measured over
    pairs of facts, 0 to 0.8: more helps to find the same in other words, with little gain above 0.5."""
    piece_length: int = 4
    """Letters in such a run, at least 2, the word's boundaries included. Measured: 3 and 5 are no better."""


class HashingEmbedder:
    """Vectors from spelling alone, the same in every process and on every machine. Holds no state.

    A text is its weighted words and word pieces, each counted as 1 + ln(count) and added with a sign of its own at
    a place of its own; both come from a hash. Questions and documents are treated alike.
    """

    def __init__(self, policy: HashingPolicy | None = None) -> None:
        self._policy = policy or HashingPolicy()

    @property
    def profile(self) -> EmbedderProfile:
        """The model's name, dimension and thresholds."""
        return PROFILE

    def embed(self, texts: Sequence[str], *, purpose: Purpose = Purpose.DOCUMENT) -> Matrix:  # noqa: ARG002
        """Return shape (len(texts), 384), float32, rows of unit length; texts without words share one direction."""
        sums = np.zeros((len(texts), PROFILE.dimension))
        sums[:, 0] = np.finfo(np.float32).eps  # so that no row is zero
        for row, text in zip(sums, texts, strict=True):
            for (feature, weight), count in Counter(_features(text, self._policy)).items():
                place, sign = _place(feature)
                row[place] += sign * weight * (1 + math.log(count))
        return unit_rows(sums)

    def close(self) -> None:
        """Do nothing; there is nothing to release."""


def _features(text: str, policy: HashingPolicy) -> Iterator[tuple[str, float]]:
    for word in words(text):
        if word in STOP_WORDS:
            yield word, policy.stop_word_weight
            continue
        stemmed = stem(word)
        yield stemmed, policy.stem_weight
        bounded = f"<{stemmed}>"
        for start in range(len(bounded) - policy.piece_length + 1):
            yield f"~{bounded[start : start + policy.piece_length]}", policy.piece_weight


@lru_cache(maxsize=65_536)
def _place(feature: str) -> tuple[int, int]:
    # Python's own hash differs from process to process.
    digest = hashlib.blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    number = int.from_bytes(digest, "little")
    return (number >> 1) % PROFILE.dimension, 1 if number & 1 else -1
