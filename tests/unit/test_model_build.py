"""Building the model file: rounding, and the file format as the runtime reads it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from yesteryear.errors import ProviderError
from yesteryear.providers.minilm.build import Graph, build_model, read_tensors, round_columns

MATRICES = arrays.arrays(
    np.float32,
    st.tuples(st.sampled_from([2, 4, 6]), st.integers(1, 4)),
    elements=st.floats(-100, 100, width=32),
)


@given(MATRICES)
def test_rounding_errs_by_half_a_step_at_most(weights: np.ndarray) -> None:
    """In every column, by its own step."""
    rounded, scales = round_columns(weights)
    assert rounded.dtype == np.int8
    assert (np.abs(rounded * scales - weights) <= 0.5001 * scales).all()


@given(MATRICES)
def test_two_neighbours_never_overflow_sixteen_bits(weights: np.ndarray) -> None:
    """Even multiplied by the largest 8-bit inputs, as older processors add them."""
    rounded = round_columns(weights)[0].astype(np.int64)
    pairs = rounded.reshape(-1, 2, rounded.shape[1])
    largest = 255 * np.maximum(np.maximum(pairs, 0).sum(axis=1), -np.minimum(pairs, 0).sum(axis=1))
    assert (largest <= 2**15 - 1).all()


def test_the_runtime_computes_what_the_graph_says() -> None:
    """Constants of all types, several results, and each kind of attribute."""
    graph = Graph("test")
    weights = np.arange(6, dtype=np.float32).reshape(3, 2)
    product = graph.node("MatMul", ["x", graph.constant("weights", weights)], "product")
    normal = graph.node(
        "LayerNormalization", [product, graph.constant("one", np.ones(2, np.float32))], "normal", axis=-1, epsilon=1e-3
    )
    turned = graph.node("Transpose", [normal], "turned", perm=[1, 0])
    graph.node("Split", [turned], "first", "second", axis=0, num_outputs=2)
    graph.node("Add", ["first", graph.constant("far", np.full((1, 200), 0.5, np.float32))], "shifted")
    small = graph.constant("small", np.array([-3, 4], np.int8))
    graph.node("Cast", [graph.node("Gather", [small, graph.constant("last", np.array([1]))], "picked")], "cast", to=7)
    file = graph.to_bytes(
        {"x": ("float32", ["rows", 3])},
        {"shifted": ("float32", [1, "rows"]), "second": ("float32", [1, "rows"]), "cast": ("int64", [1])},
    )
    x = np.random.default_rng(1).normal(size=(200, 3)).astype(np.float32)
    shifted, second, cast = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"]).run(None, {"x": x})
    plain = x @ weights
    spread = np.sqrt(plain.var(axis=1, keepdims=True) + 1e-3)
    expected = ((plain - plain.mean(axis=1, keepdims=True)) / spread).T
    assert shifted[0] == pytest.approx(expected[0] + 0.5, abs=1e-5)
    assert second[0] == pytest.approx(expected[1], abs=1e-5)
    assert cast.tolist() == [4]


@pytest.mark.parametrize("content", [b"", b"\x00" * 4, b"\xff" * 64, b"\x02\0\0\0\0\0\0\0[]", b"\x02\0\0\0\0\0\0\0{}"])
def test_a_file_without_the_weights_is_refused(tmp_path: Path, content: bytes) -> None:
    """Empty, cut short, of another format, or with nothing in it."""
    path = tmp_path / "model.safetensors"
    path.write_bytes(content)
    with pytest.raises(ProviderError):
        build_model(read_tensors(path))
