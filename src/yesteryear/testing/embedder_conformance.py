"""What every embedder has to do, as tests: subclass ``EmbedderConformance`` and say how to make one.

::

    class TestMyEmbedder(EmbedderConformance):
        @pytest.fixture
        def embedder(self):
            return MyEmbedder()
"""

# ruff: noqa: S101 - tests are made of asserts

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest

from yesteryear.core.vectors import Matrix, Purpose
from yesteryear.ports import Embedder

TEXTS = (
    "",
    " ",
    "ok",
    "🎉🎂",
    "我喜欢在周末爬山",
    "Naïve café\u0301",
    "\ud800 lone",
    "\x00\x07",
    "I run in the morning",
)
"""What people type, and what only programs do."""


def documents(embedder: Embedder, texts: Sequence[str]) -> Matrix:
    """Embed texts that are kept."""
    return embedder.embed(texts, purpose=Purpose.DOCUMENT)


class EmbedderConformance:
    """Rows of unit length that depend on their text alone; the subclass gives the fixture ``embedder``."""

    def test_rows_are_float32_of_unit_length(self, embedder: Embedder) -> None:
        """Whatever the text, even an empty one."""
        vectors = documents(embedder, TEXTS)
        assert vectors.shape == (len(TEXTS), embedder.profile.dimension)
        assert vectors.dtype == np.float32
        assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-5)

    def test_no_text_gives_no_row(self, embedder: Embedder) -> None:
        """With the right width, so that rows can be stacked."""
        assert documents(embedder, []).shape == (0, embedder.profile.dimension)

    def test_a_text_has_the_same_vector_in_any_company(self, embedder: Embedder) -> None:
        """Bit for bit: alone, first, last and repeated."""
        alone = [documents(embedder, [text])[0] for text in TEXTS]
        together = documents(embedder, [*TEXTS, "a long one " * 200, *reversed(TEXTS)])
        assert np.array_equal(together[: len(TEXTS)], np.stack(alone))
        assert np.array_equal(together[len(TEXTS) + 1 :], np.stack(alone[::-1]))

    def test_ten_thousand_words_are_one_row(self, embedder: Embedder) -> None:
        """Long texts are read in part or summed up, never refused."""
        words = " ".join(f"word{number}" for number in range(10_000))
        assert np.linalg.norm(documents(embedder, [words])[0]) == pytest.approx(1, abs=1e-5)

    def test_threads_get_the_vectors_they_asked_for(self, embedder: Embedder) -> None:
        """Several at once, from the first call after closing on."""
        texts = [f"note {number} about the garden" for number in range(24)]
        expected = documents(embedder, texts)
        embedder.close()
        with ThreadPoolExecutor(4) as pool:
            found = list(
                pool.map(partial(documents, embedder), (texts[start : start + 6] for start in range(0, 24, 6)))
            )
        assert np.array_equal(np.concatenate(found), expected)

    def test_shared_words_bring_texts_nearer_than_none(self, embedder: Embedder) -> None:
        """By more than the profile's line for a shared subject."""
        run, runs, tax = documents(embedder, ["I run in the morning", "My morning runs", "The tax office wrote again"])
        assert run @ runs > embedder.profile.related > run @ tax

    def test_thresholds_rise_from_related_to_duplicate(self, embedder: Embedder) -> None:
        """And all are cosines."""
        profile = embedder.profile
        assert -1 < profile.related < profile.candidate < profile.duplicate < 1
