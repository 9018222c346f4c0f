"""Building the model file: rounding, and the file format as the runtime reads it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tests.unit.test_model_install import shapes
from tools.make_graphs import FOLDER, Graph, render
from yesteryear.errors import ProviderError
from yesteryear.providers.minilm.build import (
    MODEL_GRAPH,
    READER_GRAPH,
    UNROUNDED_GRAPH,
    build_encoder,
    read_tensors,
    round_columns,
)

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


def test_the_shipped_graphs_are_those_the_tool_writes() -> None:
    """Nobody changes them by hand, nor the tool without writing them anew."""
    assert render() == {path.name: path.read_bytes() for path in FOLDER.glob("*.graph")}


CHANGED = "encoder.layer.5.output.dense.weight"
DIFFERENCE = {CHANGED: np.random.default_rng(8).normal(scale=0.05, size=(384, 1536)).astype(np.float32)}


@pytest.fixture(scope="module")
def tensors() -> dict[str, np.ndarray]:
    """Return small random weights of the model's shape."""
    chance = np.random.default_rng(7)
    return {
        name: np.float32(0.05) * chance.standard_normal(shape, dtype=np.float32) + name.endswith("LayerNorm.weight")
        for name, shape in shapes().items()
    }


@pytest.fixture(scope="module")
def model(tensors: dict[str, np.ndarray]) -> bytes:
    """Return the embedding model that the reader lies beside."""
    return build_encoder(MODEL_GRAPH, tensors)


def hidden(reader: bytes | Path) -> np.ndarray:
    """Return what a reader's encoder makes of a few tokens, of which the last two are to be read."""
    session = onnxruntime.InferenceSession(
        reader if isinstance(reader, bytes) else str(reader), providers=["CPUExecutionProvider"]
    )
    found: np.ndarray = session.run(None, {"tokens": np.array([2, 5, 3, 7, 3]), "own": np.array([0, 0, 0, 1, 1])})[0]
    return found


def test_a_reader_shares_with_the_model_what_is_the_same_in_both(
    tensors: dict[str, np.ndarray], model: bytes, tmp_path: Path
) -> None:
    """With one matrix changed most of it is looked up beside it; the same bytes twice."""
    reader = build_encoder(READER_GRAPH, tensors, DIFFERENCE, beside=model)
    assert reader == build_encoder(READER_GRAPH, tensors, DIFFERENCE, beside=model)
    assert len(reader) < len(model) / 4
    (tmp_path / "model.onnx").write_bytes(model)
    (tmp_path / "reader.onnx").write_bytes(reader)
    found = hidden(tmp_path / "reader.onnx")
    whole = hidden(build_encoder(UNROUNDED_GRAPH, tensors, DIFFERENCE))
    assert found.shape == whole.shape == (5, 384)
    assert np.corrcoef(found.ravel(), whole.ravel())[0, 1] > 0.95


def test_a_reader_is_the_model_with_a_difference_and_a_mark(tensors: dict[str, np.ndarray]) -> None:
    """Without either it reads as the embedding model does; each of them changes what it makes of a text."""
    plain = hidden(build_encoder(UNROUNDED_GRAPH, tensors, {}))
    changed = hidden(build_encoder(UNROUNDED_GRAPH, tensors, DIFFERENCE))
    kinds = "embeddings.token_type_embeddings.weight"
    same = tensors | {kinds: tensors[kinds][[0, 0]]}
    unmarked = hidden(build_encoder(UNROUNDED_GRAPH, same, {}))
    session = onnxruntime.InferenceSession(build_encoder(MODEL_GRAPH, tensors), providers=["CPUExecutionProvider"])
    mean = session.run(None, {"tokens": np.array([2, 5, 3, 7, 3])})[0]
    assert hidden(build_encoder(READER_GRAPH, same, {})).mean(axis=0) == pytest.approx(mean, abs=1e-4)
    assert not np.allclose(plain, unmarked, atol=1e-3)
    assert not np.allclose(plain, changed, atol=1e-3)


def test_a_reader_needs_all_the_weights(tensors: dict[str, np.ndarray]) -> None:
    """Those of another model are refused."""
    without = {name: values for name, values in tensors.items() if name != CHANGED}
    with pytest.raises(ProviderError, match=CHANGED):
        build_encoder(READER_GRAPH, without, {})


@pytest.mark.parametrize("content", [b"", b"\x00" * 4, b"\xff" * 64, b"\x02\0\0\0\0\0\0\0[]", b"\x02\0\0\0\0\0\0\0{}"])
def test_a_file_without_the_weights_is_refused(tmp_path: Path, content: bytes) -> None:
    """Empty, cut short, of another format, or with nothing in it."""
    path = tmp_path / "model.safetensors"
    path.write_bytes(content)
    with pytest.raises(ProviderError):
        build_encoder(MODEL_GRAPH, read_tensors(path)[0])
