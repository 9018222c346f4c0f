"""Vectors of statements and of single words, each made once.

A statement stands in many pairs and a word in many statements, so what the embedder made is kept: the cost of judging a
pair is then some products of small matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import TYPE_CHECKING

from yesteryear.core.vectors import Matrix, Purpose

if TYPE_CHECKING:
    from yesteryear.ports import Embedder

_KEPT = 20_000
"""Vectors kept at most: 30 MB of 384 values each."""
_AT_ONCE = 4
"""Texts embedded between two chances to give way: a few milliseconds."""


class TextVectors:
    """Vectors by model and text. Safe to use from several threads: at worst a text is embedded twice."""

    def __init__(self) -> None:
        """Begin with none."""
        self._kept: dict[tuple[str, str], Matrix] = {}

    def of(self, texts: Iterable[str], embedder: Embedder, *, give_way: Callable[[], None]) -> dict[str, Matrix]:
        """Return the vector of each text, shape (dimension,), by text.

        Args:
            texts: Statements or words; repeats are embedded once.
            embedder: Makes what is not kept.
            give_way: Called before each few texts that are embedded.

        Raises:
            ProviderError: the embedder could not answer.
        """
        model = embedder.profile.model
        wanted = dict.fromkeys(texts)
        found = {text: vector for text in wanted if (vector := self._kept.get((model, text))) is not None}
        missing = iter([text for text in wanted if text not in found])
        while batch := list(islice(missing, _AT_ONCE)):
            give_way()
            for text, vector in zip(batch, embedder.embed(batch, purpose=Purpose.DOCUMENT), strict=True):
                found[text] = self._kept[model, text] = vector
        while len(self._kept) > _KEPT:
            self._kept.pop(next(iter(self._kept)), None)
        return found
