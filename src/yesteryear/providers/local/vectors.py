"""Vectors of texts, made a few at a time so that whoever waits may go first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from yesteryear.core.vectors import Matrix, Purpose

if TYPE_CHECKING:
    from yesteryear.ports import Embedder

_KEPT = 20_000
"""Vectors kept at most: 30 MB of 384 values each."""
_AT_ONCE = 4
"""Texts embedded between two chances to give way: a few milliseconds."""


class TextVectors:
    """Vectors of statements and words by model and text: both stand in many pairs, and are embedded once.

    Safe to use from several threads: at worst a text is embedded twice.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self._kept: dict[tuple[str, str], Matrix] = {}

    def of(
        self, texts: Iterable[str], embedder: Embedder, *, yield_to_foreground: Callable[[], None]
    ) -> dict[str, Matrix]:
        """Return the vector of each text, shape (dimension,), by text; whoever waits may go first before each few.

        Raises:
            ProviderError: the embedder could not answer.
        """
        model = embedder.profile.model
        wanted = dict.fromkeys(texts)
        found = {text: vector for text in wanted if (vector := self._kept.get((model, text))) is not None}
        missing = [text for text in wanted if text not in found]
        for start in range(0, len(missing), _AT_ONCE):
            batch = missing[start : start + _AT_ONCE]
            yield_to_foreground()
            for text, vector in zip(batch, embedder.embed(batch, purpose=Purpose.DOCUMENT), strict=True):
                found[text] = self._kept[model, text] = vector
        while len(self._kept) > _KEPT:
            self._kept.pop(next(iter(self._kept)), None)
        return found
