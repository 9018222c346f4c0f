"""An embedder that reads each text once, for suites that fill many stores with the same talk."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from yesteryear.core.vectors import EmbedderProfile, Matrix, Purpose
from yesteryear.providers.registry import build_embedder


class CachedEmbedder:
    """Remembers every vector it has made, for as long as it lives.

    Args:
        name: Which model, as the setting ``embedder`` names it.
    """

    def __init__(self, name: str) -> None:
        self._model = build_embedder(name)
        self._known: dict[tuple[Purpose, str], Matrix] = {}

    @property
    def profile(self) -> EmbedderProfile:
        """That of the model."""
        return self._model.profile

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Matrix:
        """Return shape (len(texts), dimension), float32, rows of unit length."""
        new = [text for text in dict.fromkeys(texts) if (purpose, text) not in self._known]
        if new:
            vectors = self._model.embed(new, purpose=purpose)
            self._known |= {(purpose, text): vector for text, vector in zip(new, vectors, strict=True)}
        rows = [self._known[purpose, text] for text in texts]
        return np.stack(rows) if rows else self._model.embed([], purpose=purpose)

    def close(self) -> None:
        """Keep the model: the next engine goes on with it."""
