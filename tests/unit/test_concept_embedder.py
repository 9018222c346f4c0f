"""The geometry that tests of recall rely on."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.concepts import ConceptEmbedder

EMBEDDER = ConceptEmbedder({"animal": ["dog", "cat", "whale"], "food": ["bread", "soup"], "sport": ["run"]})
WORDS = st.text("aehlmnoxyzäö漢字🎉 .,'", max_size=60)


@given(st.sampled_from(["dog", "cats", "The whale"]), st.sampled_from(["Dogs", "my cat"]), WORDS, WORDS)
def test_texts_of_one_concept_are_near_whatever_their_words(one: str, other: str, left: str, right: str) -> None:
    """Other forms of a word and other words of the concept count alike."""
    vectors = EMBEDDER.embed([f"{one} {left}", f"{right} {other}"])
    assert float(vectors[0] @ vectors[1]) >= 0.8


@given(st.sampled_from(["dog", "whales"]), st.sampled_from(["soup", "running", ""]), WORDS, WORDS)
def test_texts_without_a_common_concept_are_far(one: str, other: str, left: str, right: str) -> None:
    """Common words alone bring nobody near."""
    vectors = EMBEDDER.embed([f"{one} {left}", f"{right} {other}"])
    assert float(vectors[0] @ vectors[1]) <= 0.3


@given(st.lists(st.text(), max_size=5))
def test_rows_are_of_unit_length_and_do_not_depend_on_each_other(texts: list[str]) -> None:
    """A text has one vector, alone and in company."""
    vectors = EMBEDDER.embed(texts)
    assert vectors.shape == (len(texts), EMBEDDER.profile.dimension)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    for text, vector in zip(texts, vectors, strict=True):
        assert np.array_equal(EMBEDDER.embed([text])[0], vector)
