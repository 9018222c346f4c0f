"""An embedder whose geometry is known beforehand: texts that share a concept are near, all others are not."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from yesteryear.core.language.tokens import stems
from yesteryear.core.vectors import EmbedderProfile, Matrix, Purpose, unit_rows

_WORD_AXES = 32
"""Axes over which words that stand for no concept are spread."""
_WORD_SHARE = 0.3
"""Length of the words' part beside that of the concepts, which is 1."""


class ConceptEmbedder:
    """Vectors for tests, the same on every machine. Holds no state.

    Each concept is an axis of its own, and a word stands for its concept in all its forms. The other words of a text
    only make small differences. So two texts with the same concepts have a cosine of at least 0.8, two without a common
    one of at most 0.3 where at least one of them has any, whatever their words are.

    Args:
        concepts: The words that stand for each concept; a word may stand for several.
        model: Name under which the vectors are stored; another one makes another model.
    """

    def __init__(self, concepts: Mapping[str, Collection[str]], *, model: str = "concepts-v1") -> None:
        self._axes: dict[str, list[int]] = {}
        for axis, words in enumerate(concepts.values()):
            for stem in stems(" ".join(words)):
                self._axes.setdefault(stem, []).append(axis)
        self._concepts = len(concepts)
        self._profile = EmbedderProfile(
            model=model, dimension=self._concepts + _WORD_AXES, duplicate=0.96, candidate=0.95, related=0.4
        )

    @property
    def profile(self) -> EmbedderProfile:
        """The model's name, dimension and thresholds."""
        return self._profile

    def embed(self, texts: Sequence[str], *, purpose: Purpose = Purpose.DOCUMENT) -> Matrix:
        """Return shape (len(texts), dimension), float32, rows of unit length; questions and documents are alike."""
        meanings = np.zeros((len(texts), self._concepts))
        words = np.zeros((len(texts), _WORD_AXES))
        words[:, 0] = np.finfo(np.float32).eps  # so that no row is zero
        for row, text in enumerate(texts):
            for stem in stems(text):
                meanings[row, self._axes.get(stem, [])] = 1
                digest = hashlib.blake2b(stem.encode("utf-8", "surrogatepass"), digest_size=8).digest()
                words[row, digest[0] % _WORD_AXES] += 1 if digest[1] % 2 else -1
        return unit_rows(np.hstack([unit_rows(meanings), _WORD_SHARE * unit_rows(words)]))

    def close(self) -> None:
        """Do nothing; there is nothing to release."""
