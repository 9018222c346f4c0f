"""Linear heads: what they answer, how they are written down, and that what is shipped is whole."""

from __future__ import annotations

from dataclasses import fields
from importlib import resources

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from yesteryear.core import heads
from yesteryear.core.heads import WEIGHTS_FILE, HeadsFile, LinearHead, find_head, heads_from_json, shipped, softmax
from yesteryear.errors import InputError
from yesteryear_lab import LABELLED
from yesteryear_lab.training.run import weights_hash
from yesteryear_lab.training.weights import CARD_FILE, fingerprint, heads_to_json, rounded


def a_head(*, model: str | None = None, seed: int = 0) -> LinearHead:
    """Return a head of three classes, two features and, with a model, two vectors of three numbers."""
    numbers = np.random.default_rng(seed)
    return LinearHead(
        name="mood",
        classes=("calm", "glad", "sad"),
        features=("tears", "smiles"),
        mean=np.array([0.1, 0.2], dtype=np.float32),
        scale=np.array([0.5, 0.25], dtype=np.float32),
        weights=numbers.normal(size=(3, 2)).astype(np.float32),
        bias=numbers.normal(size=3).astype(np.float32),
        model=model,
        vector_weights=numbers.normal(size=(3, 6)).astype(np.float32) if model else None,
    )


def same(one: LinearHead, other: LinearHead) -> bool:
    """Tell whether two heads are equal in every field."""
    return all(np.array_equal(getattr(one, field.name), getattr(other, field.name)) for field in fields(one))


def test_the_formula_is_kept() -> None:
    """Bias plus weights times standardised features plus vector weights times vectors, then softmax."""
    head, vectors = a_head(model="m"), np.arange(6, dtype=np.float32).reshape(2, 3) / 10
    assert head.vector_weights is not None
    row = (np.array([0.7, 0.3]) - head.mean) / head.scale
    logits = head.bias + head.weights @ row + head.vector_weights @ vectors.reshape(-1)
    expected = dict(zip(head.classes, softmax(logits.astype(np.float64)), strict=True))
    assert head.probabilities({"smiles": 0.3, "tears": 0.7}, vectors) == pytest.approx(expected, abs=1e-6)


@given(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3))
def test_probabilities_are_shares_of_one(tears: float, smiles: float) -> None:
    """However far off the features are."""
    found = a_head().probabilities({"tears": tears, "smiles": smiles})
    assert all(0 <= value <= 1 for value in found.values())
    assert sum(found.values()) == pytest.approx(1)


def test_a_missing_feature_is_named() -> None:
    """A head never takes silence for 0."""
    with pytest.raises(InputError, match="'mood' needs the feature 'smiles'"):
        a_head().probabilities({"tears": 1.0})


def test_vectors_go_with_the_head_that_reads_them() -> None:
    """Left out where they are needed, and given where they are not, they are refused."""
    features, vectors = {"tears": 0.0, "smiles": 0.0}, np.ones((2, 3), dtype=np.float32)
    for head, given_vectors in ((a_head(model="m"), None), (a_head(), vectors), (a_head(model="m"), vectors[:1])):
        with pytest.raises(InputError, match="values of vectors"):
            head.probabilities(features, given_vectors)


@given(st.integers(0, 1_000), st.sampled_from([None, "m"]))
def test_what_was_rounded_is_read_as_it_was_written(seed: int, model: str | None) -> None:
    """Writing and reading a rounded head changes nothing, and rounding moves no probability by a hundredth."""
    exact = a_head(model=model, seed=seed)
    head = rounded(exact)
    index_cache = HeadsFile({("mood", model): head}, {"mood": frozenset({fingerprint(["a"])})})
    read = heads_from_json(heads_to_json(index_cache))
    assert same(read.heads["mood", model], head)
    assert read.seen == index_cache.seen
    assert heads_to_json(read) == heads_to_json(index_cache)
    vectors = np.full((2, 3), 0.4, dtype=np.float32) if model else None
    features = {"tears": 1.0, "smiles": 0.5}
    assert head.probabilities(features, vectors) == pytest.approx(exact.probabilities(features, vectors), abs=0.01)


def test_fingerprints_tell_rows_apart() -> None:
    """Where one text ends and the next begins counts too."""
    assert len({fingerprint(texts) for texts in (["ab", "c"], ["a", "bc"], ["abc"], [])}) == 4


def test_an_unknown_head_is_none() -> None:
    """So that whoever asks can go on without it."""
    assert find_head("gate", model="nobody's") is None
    assert find_head("weather") is None


def test_the_card_speaks_of_the_shipped_weights() -> None:
    """Whoever changes the one without the other has not run `make train`."""
    folder = resources.files(heads)
    weights = (folder / WEIGHTS_FILE).read_text(encoding="utf-8")
    card = (folder / CARD_FILE).read_text(encoding="utf-8")
    assert f"`{weights_hash(weights)}`" in card
    for name in shipped().seen:
        assert f"## Head: {name}\n" in card
    for path in (LABELLED / "held-out").glob("secrets*.jsonl"):
        assert f" held-out/{path.name} |" in card


def test_the_shipped_weights_are_small() -> None:
    """Hundreds of kilobytes; a wheel of megabytes would be another design."""
    assert len((resources.files(heads) / WEIGHTS_FILE).read_bytes()) < 600_000
