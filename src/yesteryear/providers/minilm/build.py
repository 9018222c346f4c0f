"""From the published weights of all-MiniLM-L6-v2 to the model that is run: a BERT graph with weights of 8 bits.

The graph reads one text at a time: there is no padding, hence no mask, and no text changes another one's vector.

Rounding is simple and exact, so the result is the same, byte for byte, on every machine. Two things keep it close
to the original (measured over 200 texts from 2 to 256 tokens, cosine to the unrounded model):

* A handful of channels carry values ten times as large as all others. Inputs are rounded with one scale for all
  channels, so these few are kept apart and multiplied unrounded: mean .992 becomes .999, minimum .976 becomes .997.
* Processors without VNNI add two neighbouring products in 16 bits and clip what does not fit: minimum .964. Scales
  leave room for the sum of two neighbours, so that nothing is ever clipped: minimum .997 on these as well.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from yesteryear.errors import ProviderError
from yesteryear.providers.minilm.onnx_writer import Graph
from yesteryear.providers.minilm.weights import DIMENSION
from yesteryear.providers.minilm.wordpiece import MAX_TOKENS

if TYPE_CHECKING:
    from pathlib import Path

Floats: TypeAlias = npt.NDArray[np.float32]
Tensors: TypeAlias = Mapping[str, Floats]
"""The published weights by name; matrices are (outputs, inputs)."""

_LAYERS = 6
"""Source: the model's config.json, as for heads and epsilon."""
_HEADS = 12
_EPSILON = 1e-12

_LOUD_HIDDEN = (63, 99, 157, 223)
"""Channels of the hidden state that stand out in most layers. Largest values over 2,000 chat messages: 30 in
channel 99, 17 in 223, 11 in 63, 8 in 157; half of all channels stay below 2.2. Keeping 8 channels apart gains
nothing more."""
_LOUD_INNER: Mapping[int, tuple[int, ...]] = {0: (856,), 1: (607,), 2: (218, 1004), 3: (358,)}
"""By layer, the channels inside the feed-forward block with values above 10 (14 to 25) over the same messages."""

_LARGEST = 127
"""Largest rounded weight, and the largest sum of two neighbouring ones: times 255 it fits into 16 bits."""


def read_tensors(path: Path) -> Tensors:
    """Return the float32 tensors of a safetensors file, mapped from disk rather than read.

    Raises:
        ProviderError: the file is cut short or is no safetensors file.
    """
    try:
        content = np.memmap(path, dtype=np.uint8, mode="r")
        start = 8 + int.from_bytes(content[:8].tobytes(), "little")
        header = json.loads(content[8:start].tobytes())
        header.pop("__metadata__", None)
        return {
            name: content[start:][slice(*entry["data_offsets"])].view("<f4").reshape(entry["shape"])
            for name, entry in header.items()
            if entry["dtype"] == "F32"
        }
    except (ValueError, KeyError, TypeError) as exc:
        raise ProviderError(f"{path.name} is no complete safetensors file; download it again") from exc


def build_model(tensors: Tensors, *, rounded: bool = True) -> bytes:
    """Return the ONNX file that turns the token numbers of one text into the mean of its token vectors.

    Input ``tokens``: int64, shape (tokens,), at most ``MAX_TOKENS``. Output ``mean``: float32, shape (384,), not
    yet of unit length.

    Args:
        tensors: The published weights.
        rounded: Whether weights get 8 bits (23 MB, nearly three times as fast) or keep their 32 (90 MB, for
        comparison).

    Raises:
        ProviderError: a tensor is missing.
    """
    try:
        return _Bert(tensors, rounded=rounded).to_bytes()
    except KeyError as exc:
        raise ProviderError(f"the weights have no tensor {exc}; they belong to another model") from exc


def round_columns(weights: Floats) -> tuple[npt.NDArray[np.int8], Floats]:
    """Round each column to whole numbers in [-127, 127] and return them with the scale of each column.

    weights = rounded * scale + error. The scale is also large enough for the sum of rows 2k and 2k + 1 to stay within
    [-128, 128], which is what the 8-bit multiplication of older x86 processors needs.

    Args:
        weights: Shape (inputs, outputs), an even number of inputs.

    Returns:
        Whole numbers of shape (inputs, outputs) and scales of shape (outputs,).
    """
    neighbours = weights.reshape(-1, 2, weights.shape[1]).sum(axis=1)
    largest = np.maximum(np.abs(weights).max(axis=0), np.abs(neighbours).max(axis=0))
    scales = np.maximum(largest / _LARGEST, np.finfo(np.float32).tiny).astype(np.float32)
    return np.rint(weights / scales).astype(np.int8), scales


class _Bert:
    """The graph while it is built, from the token numbers up. Method by method in the order of the data."""

    def __init__(self, tensors: Tensors, *, rounded: bool) -> None:
        self._tensors = tensors
        self._rounded = rounded
        self._graph = Graph("all-MiniLM-L6-v2")

    def to_bytes(self) -> bytes:
        hidden = self._embeddings()
        for layer in range(_LAYERS):
            hidden = self._feed_forward(layer, self._attention(layer, hidden))
        self._graph.node("ReduceMean", [hidden, self._integers("first axis", 0)], "mean", keepdims=0)
        return self._graph.to_bytes(
            inputs={"tokens": ("int64", ["tokens"])}, outputs={"mean": ("float32", [DIMENSION])}
        )

    def _floats(self, name: str, values: Floats) -> str:
        return self._graph.constant(name, values.astype(np.float32))

    def _integers(self, name: str, *values: int) -> str:
        return self._graph.constant(name, np.array(values, dtype=np.int64))

    def _embeddings(self) -> str:
        words = self._tensors["embeddings.word_embeddings.weight"]
        kinds = self._tensors["embeddings.token_type_embeddings.weight"]
        positions = self._tensors["embeddings.position_embeddings.weight"][:MAX_TOKENS] + kinds[0]
        length = self._graph.node("Shape", ["tokens"], "length")
        zero = self._integers("first axis", 0)
        place = self._graph.node("Slice", [self._floats("positions", positions), zero, length, zero], "place")
        word = self._rounded_rows(words) if self._rounded else self._look_up("words", words, "word")
        return self._normalised(self._graph.node("Add", [word, place], "word in place"), "embeddings.LayerNorm")

    def _look_up(self, name: str, rows: Floats | npt.NDArray[np.int8], result: str) -> str:
        return self._graph.node("Gather", [self._graph.constant(name, rows), "tokens"], result)

    def _rounded_rows(self, words: npt.NDArray[np.float32]) -> str:
        scales = (np.abs(words).max(axis=1, keepdims=True) / _LARGEST).astype(np.float32)
        rows = self._look_up("words", np.rint(words / scales).astype(np.int8), "word rounded")
        scale = self._look_up("word scales", scales, "word scale")
        return self._graph.node("Mul", [self._as_float(rows), scale], "word")

    def _attention(self, layer: int, hidden: str) -> str:
        block = f"encoder.layer.{layer}.attention"
        parts = [f"{block}.self.{part}" for part in ("query", "key", "value")]
        shrink = np.float32((DIMENSION // _HEADS) ** -0.5)  # the usual 1/sqrt(d) of attention, put into the weights
        weights = [self._tensors[f"{part}.weight"] for part in parts]
        biases = [self._tensors[f"{part}.bias"] for part in parts]
        weights[0], biases[0] = weights[0] * shrink, biases[0] * shrink
        joint = self._weighted(
            hidden, np.concatenate(weights), np.concatenate(biases), f"{block}.self", loud=_LOUD_HIDDEN
        )
        self._graph.node("Split", [joint], *parts, axis=1, num_outputs=3)
        query, key, value = (
            self._by_head(part, order) for part, order in zip(parts, ([1, 0, 2], [1, 2, 0], [1, 0, 2]), strict=True)
        )
        fit = self._graph.node("MatMul", [query, key], f"{block}.fit")
        share = self._graph.node("Softmax", [fit], f"{block}.share", axis=-1)
        mixed = self._graph.node("MatMul", [share, value], f"{block}.mixed")
        by_token = self._graph.node("Transpose", [mixed], f"{block}.by token", perm=[1, 0, 2])
        flat = self._graph.node("Reshape", [by_token, self._integers("flat", 0, DIMENSION)], f"{block}.flat")
        return self._output(flat, f"{block}.output", hidden)

    def _by_head(self, part: str, order: list[int]) -> str:
        shape = self._integers("heads", 0, _HEADS, DIMENSION // _HEADS)
        heads = self._graph.node("Reshape", [part, shape], f"{part}.heads")
        return self._graph.node("Transpose", [heads], f"{part}.by head", perm=order)

    def _feed_forward(self, layer: int, hidden: str) -> str:
        block = f"encoder.layer.{layer}"
        inner = self._linear(hidden, f"{block}.intermediate.dense", loud=_LOUD_HIDDEN)
        active = self._graph.node("Gelu", [inner], f"{block}.active")
        return self._output(active, f"{block}.output", hidden, loud=_LOUD_INNER.get(layer, ()))

    def _output(self, inner: str, block: str, hidden: str, *, loud: tuple[int, ...] = ()) -> str:
        change = self._linear(inner, f"{block}.dense", loud=loud)
        return self._normalised(self._graph.node("Add", [change, hidden], f"{block}.sum"), f"{block}.LayerNorm")

    def _normalised(self, hidden: str, name: str) -> str:
        weight, bias = (self._floats(f"{name}.{part}", self._tensors[f"{name}.{part}"]) for part in ("weight", "bias"))
        return self._graph.node("LayerNormalization", [hidden, weight, bias], name, axis=-1, epsilon=_EPSILON)

    def _linear(self, hidden: str, dense: str, *, loud: tuple[int, ...]) -> str:
        weights, bias = self._tensors[f"{dense}.weight"], self._tensors[f"{dense}.bias"]
        return self._weighted(hidden, weights, bias, dense, loud=loud)

    def _weighted(self, hidden: str, weights: Floats, bias: Floats, name: str, *, loud: tuple[int, ...]) -> str:
        by_input = np.ascontiguousarray(weights.T)
        if self._rounded:
            return self._rounded_sum(hidden, by_input, self._floats(f"{name}.bias", bias), name, loud)
        product = self._graph.node("MatMul", [hidden, self._floats(f"{name}.weight", by_input)], f"{name}.product")
        return self._graph.node("Add", [product, self._floats(f"{name}.bias", bias)], name)

    def _rounded_sum(self, hidden: str, weights: Floats, bias: str, name: str, loud: tuple[int, ...]) -> str:
        if not loud:
            return self._graph.node("Add", [self._rounded_product(hidden, weights, name), bias], name)
        is_quiet = np.ones((1, len(weights)), dtype=np.float32)
        is_quiet[0, loud] = 0
        quiet = self._graph.node("Mul", [hidden, self._floats(f"quiet {loud}", is_quiet)], f"{hidden}.quiet")
        product = self._rounded_product(quiet, weights * is_quiet.T, name)
        rounded = self._graph.node("Add", [product, bias], f"{name}.rounded")
        channels = self._graph.node("Gather", [hidden, self._integers(f"loud {loud}", *loud)], f"{name}.loud", axis=1)
        weight = self._floats(f"{name}.loud weight", weights[list(loud)])
        aside = self._graph.node("MatMul", [channels, weight], f"{name}.aside")
        return self._graph.node("Add", [rounded, aside], name)

    def _rounded_product(self, hidden: str, weights: Floats, name: str) -> str:
        rounded, scales = round_columns(weights)
        weight = self._graph.constant(f"{name}.weight", rounded)
        steps, step, zero = (f"{hidden}.{part}" for part in ("steps", "step", "zero"))
        self._graph.node("DynamicQuantizeLinear", [hidden], steps, step, zero)
        whole = self._graph.node("MatMulInteger", [steps, weight, zero], f"{name}.whole numbers")
        scale = self._graph.node("Mul", [step, self._floats(f"{name}.scales", scales)], f"{name}.scale")
        return self._graph.node("Mul", [self._as_float(whole), scale], f"{name}.product")

    def _as_float(self, name: str) -> str:
        return self._graph.node("Cast", [name], f"{name}.float", to=1)
