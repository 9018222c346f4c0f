"""From the published weights of all-MiniLM-L6-v2 to the model that is run: BERT with weights of 8 bits, as ONNX.

The graph reads one text at a time: there is no padding, hence no mask, and no text changes another one's vector. Bytes
depend on nothing but the weights. Over 200 texts the lowest cosine to the unrounded model is .997, for two reasons: the
few channels with values ten times as large as all others are multiplied unrounded (.976 without), and scales leave room
for the sum of two neighbours, which processors without VNNI add in 16 bits (.964 without).
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from yesteryear.errors import ProviderError
from yesteryear.providers.minilm.weights import DIMENSION, MAX_TOKENS, MODEL_FILE

if TYPE_CHECKING:
    from pathlib import Path

Array: TypeAlias = npt.NDArray[Any]
Floats: TypeAlias = npt.NDArray[np.float32]
Tensors: TypeAlias = Mapping[str, Floats]
"""The published weights by name; matrices are (outputs, inputs)."""
Forms: TypeAlias = Mapping[str, tuple[str, Sequence[int | str]]]
"""Names of inputs or outputs with their data type, such as ``int64``, and their shape; a name in a shape stands for a
length that is known only when the model runs."""

_LAYERS, _HEADS, _EPSILON = 6, 12, 1e-12
"""Source: the model's config.json."""
_LOUD_HIDDEN = (63, 99, 157, 223)
"""Channels of the hidden state that stand out in most layers. Largest values over 2,000 chat messages: 30 in
channel 99, 17 in 223, 11 in 63, 8 in 157; half of all channels stay below 2.2. Keeping 8 channels apart gains
nothing more."""
_LOUD_INNER: Mapping[int, tuple[int, ...]] = {0: (856,), 1: (607,), 2: (218, 1004), 3: (358,)}
"""By layer, the channels inside the feed-forward block with values above 10 (14 to 25) over the same messages."""
_LARGEST = 127
"""Largest rounded weight, and the largest sum of two neighbouring ones: times 255 it fits into 16 bits."""
_WORTH_SHARING = 2**16
"""Bytes of a constant from which it is looked for in the file beside."""
_IR_VERSION, _OPSET = 9, 20
"""The oldest operator set that has Gelu; read by onnxruntime 1.17 and later."""
_DATA_TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int64": 7}
_ATTRIBUTE_FLOAT, _ATTRIBUTE_INT, _ATTRIBUTE_INTS = 1, 2, 7


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


def build_model(
    tensors: Tensors,
    difference: Mapping[str, Floats] = MappingProxyType({}),
    *,
    beside: bytes = b"",
    rounded: bool = True,
) -> bytes:
    """Return the ONNX file that turns the token numbers of one text into the mean of its token vectors.

    Input ``tokens``: int64, shape (tokens,), at most ``MAX_TOKENS``. Output ``mean``: float32, shape (384,), not yet of
    unit length. Weights get 8 bits (23 MB, nearly three times as fast), or keep their 32 for comparison (90 MB).

    Args:
        tensors: The published weights.
        difference: What is added to them, by name.
        beside: The bytes of ``model.onnx``, where that will lie in the same folder: what is the same there is not
            written again.
        rounded: Whether weights get 8 bits.

    Raises:
        ProviderError: a tensor is missing.
    """
    return _built(
        lambda: _Bert("all-MiniLM-L6-v2", _changed(tensors, difference), rounded=rounded, beside=beside).build()
    )


def build_reader(tensors: Tensors, difference: Mapping[str, Floats], *, beside: bytes | None) -> bytes:
    """Return the ONNX file of the reader's encoder: the published weights with a trained difference.

    Inputs ``tokens`` and ``own``: int64, shape (tokens,); ``own`` is 1 for the words that are to be read and 0 for what
    was said before. Output ``hidden``: float32, shape (tokens, 384), the vector of each token.

    Args:
        tensors, difference, beside: As above; None for ``beside`` writes all of it, not rounded, for comparison.

    Raises:
        ProviderError: a tensor is missing.
    """
    changed, rounded = _changed(tensors, difference), beside is not None
    return _built(lambda: _Bert("yesteryear reader", changed, rounded=rounded, beside=beside or b"").build_reader())


def _changed(tensors: Tensors, difference: Mapping[str, Floats]) -> Tensors:
    return {name: values + difference[name] if name in difference else values for name, values in tensors.items()}


def _built(build: Callable[[], bytes]) -> bytes:
    try:
        return build()
    except KeyError as exc:
        raise ProviderError(f"the weights have no tensor {exc}; they belong to another model") from exc


def round_columns(weights: Floats) -> tuple[npt.NDArray[np.int8], Floats]:
    """Round each column to whole numbers in [-127, 127]; return them, shape (inputs, outputs), and the columns' scales.

    weights = rounded * scale + error. The scale is also large enough for the sum of rows 2k and 2k + 1 to stay within
    [-128, 128], which is what the 8-bit multiplication of older x86 processors needs; inputs are even in number.
    """
    neighbours = weights.reshape(-1, 2, weights.shape[1]).sum(axis=1)
    largest = np.maximum(np.abs(weights).max(axis=0), np.abs(neighbours).max(axis=0))
    scales = np.maximum(largest / _LARGEST, np.finfo(np.float32).tiny).astype(np.float32)
    return np.rint(weights / scales).astype(np.int8), scales


class Graph:
    """A computation that grows by constants and nodes; each addition returns the name of its result.

    A model file is a Protocol Buffers message: written with the few fields of ``onnx.proto`` that one transformer
    needs, it takes no further package. The runtime checks it when it loads it.
    """

    def __init__(self, name: str, *, beside: bytes = b"") -> None:
        """Begin; constants that stand word for word in the model file ``beside`` this one are taken from there."""
        self._name = name
        self._beside = beside
        self._constants: dict[str, bytes] = {}
        self._nodes: list[bytes] = []

    def constant(self, name: str, values: Array) -> str:
        """Add a tensor, unless one of this name is there already."""
        if name not in self._constants:
            raw = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("<")).tobytes()
            lengths = [_field(1, length) for length in values.shape]
            data_type = _field(2, _DATA_TYPES[values.dtype.name])
            self._constants[name] = b"".join([*lengths, data_type, _field(8, name), self._content(raw)])
        return name

    def _content(self, raw: bytes) -> bytes:
        """Return the bytes of a tensor, or where they stand in the file beside."""
        place = self._beside.find(raw) if len(raw) >= _WORTH_SHARING else -1
        if place < 0:
            return _field(9, raw)
        where = {"location": MODEL_FILE, "offset": str(place), "length": str(len(raw))}
        return b"".join(_field(13, _field(1, key) + _field(2, value)) for key, value in where.items()) + _field(14, 1)

    def node(self, operation: str, inputs: Sequence[str], *results: str, **attributes: float | Sequence[int]) -> str:
        """Add an operation of the ONNX standard set and return the name of its first result."""
        places = [*(_field(1, name) for name in inputs), *(_field(2, name) for name in results)]
        settings = [_field(5, _attribute(name, value)) for name, value in attributes.items()]
        self._nodes.append(b"".join([*places, _field(3, results[0]), _field(4, operation), *settings]))
        return results[0]

    def to_bytes(self, inputs: Forms, outputs: Forms) -> bytes:
        """Return the model file."""
        graph = [
            *(_field(1, node) for node in self._nodes),
            _field(2, self._name),
            *(_field(5, tensor) for tensor in self._constants.values()),
            *(_field(11, _value(name, *form)) for name, form in inputs.items()),
            *(_field(12, _value(name, *form)) for name, form in outputs.items()),
        ]
        maker, operators = _field(2, "yesteryear"), _field(1, "") + _field(2, _OPSET)
        return _field(1, _IR_VERSION) + maker + _field(7, b"".join(graph)) + _field(8, operators)


class _Bert(Graph):
    """The graph of the model, from the token numbers up. Method by method in the order of the data."""

    def __init__(self, name: str, tensors: Tensors, *, rounded: bool, beside: bytes = b"") -> None:
        super().__init__(name, beside=beside)
        self._tensors, self._rounded = tensors, rounded

    def build(self) -> bytes:
        self.node(
            "ReduceMean", [self._encoded(self._word_in_place()), self._integers("first axis", 0)], "mean", keepdims=0
        )
        return self.to_bytes({"tokens": ("int64", ["tokens"])}, {"mean": ("float32", [DIMENSION])})

    def build_reader(self) -> bytes:
        kinds = self._tensors["embeddings.token_type_embeddings.weight"]
        mark = self.node("Gather", [self._floats("marks", kinds - kinds[0]), "own"], "mark")
        hidden = self._encoded(self.node("Add", [self._word_in_place(), mark], "marked word"))
        self.node("Identity", [hidden], "hidden")
        form = ("int64", ["tokens"])
        return self.to_bytes({"tokens": form, "own": form}, {"hidden": ("float32", ["tokens", DIMENSION])})

    def _encoded(self, words: str) -> str:
        hidden = self._normalised(words, "embeddings.LayerNorm")
        for layer in range(_LAYERS):
            block = f"encoder.layer.{layer}"
            hidden = self._attention(f"{block}.attention", hidden)
            inner = self._linear(hidden, f"{block}.intermediate.dense", loud=_LOUD_HIDDEN)
            active = self.node("Gelu", [inner], f"{block}.active")
            hidden = self._output(active, f"{block}.output", hidden, loud=_LOUD_INNER.get(layer, ()))
        return hidden

    def _floats(self, name: str, values: Floats) -> str:
        return self.constant(name, values.astype(np.float32))

    def _integers(self, name: str, *values: int) -> str:
        return self.constant(name, np.array(values, dtype=np.int64))

    def _word_in_place(self) -> str:
        words = self._tensors["embeddings.word_embeddings.weight"]
        kinds = self._tensors["embeddings.token_type_embeddings.weight"]
        positions = self._tensors["embeddings.position_embeddings.weight"][:MAX_TOKENS] + kinds[0]
        length = self.node("Shape", ["tokens"], "length")
        zero = self._integers("first axis", 0)
        place = self.node("Slice", [self._floats("positions", positions), zero, length, zero], "place")
        if self._rounded:
            scales = (np.abs(words).max(axis=1, keepdims=True) / _LARGEST).astype(np.float32)
            rows = self._looked_up("words", np.rint(words / scales).astype(np.int8), "word rounded")
            scale = self._looked_up("word scales", scales, "word scale")
            word = self.node("Mul", [self._as_float(rows), scale], "word")
        else:
            word = self._looked_up("words", words, "word")
        return self.node("Add", [word, place], "word in place")

    def _looked_up(self, name: str, rows: Array, result: str) -> str:
        return self.node("Gather", [self.constant(name, rows), "tokens"], result)

    def _attention(self, block: str, hidden: str) -> str:
        parts = [f"{block}.self.{part}" for part in ("query", "key", "value")]
        shrink = np.float32((DIMENSION // _HEADS) ** -0.5)  # the usual 1/sqrt(d) of attention, put into the weights
        weights = [self._tensors[f"{part}.weight"] for part in parts]
        biases = [self._tensors[f"{part}.bias"] for part in parts]
        weights[0], biases[0] = weights[0] * shrink, biases[0] * shrink
        joint = self._weighted(
            hidden, np.concatenate(weights), np.concatenate(biases), f"{block}.self", loud=_LOUD_HIDDEN
        )
        self.node("Split", [joint], *parts, axis=1, num_outputs=3)
        shape = self._integers("heads", 0, _HEADS, DIMENSION // _HEADS)
        by_head = []
        for part, order in zip(parts, ([1, 0, 2], [1, 2, 0], [1, 0, 2]), strict=True):
            heads = self.node("Reshape", [part, shape], f"{part}.heads")
            by_head.append(self.node("Transpose", [heads], f"{part}.by head", perm=order))
        query, key, value = by_head
        fit = self.node("MatMul", [query, key], f"{block}.fit")
        share = self.node("Softmax", [fit], f"{block}.share", axis=-1)
        mixed = self.node("MatMul", [share, value], f"{block}.mixed")
        by_token = self.node("Transpose", [mixed], f"{block}.by token", perm=[1, 0, 2])
        flat = self.node("Reshape", [by_token, self._integers("flat", 0, DIMENSION)], f"{block}.flat")
        return self._output(flat, f"{block}.output", hidden)

    def _output(self, inner: str, block: str, hidden: str, *, loud: tuple[int, ...] = ()) -> str:
        change = self._linear(inner, f"{block}.dense", loud=loud)
        return self._normalised(self.node("Add", [change, hidden], f"{block}.sum"), f"{block}.LayerNorm")

    def _normalised(self, hidden: str, name: str) -> str:
        weight, bias = (self._floats(f"{name}.{part}", self._tensors[f"{name}.{part}"]) for part in ("weight", "bias"))
        return self.node("LayerNormalization", [hidden, weight, bias], name, axis=-1, epsilon=_EPSILON)

    def _linear(self, hidden: str, dense: str, *, loud: tuple[int, ...]) -> str:
        weights, bias = self._tensors[f"{dense}.weight"], self._tensors[f"{dense}.bias"]
        return self._weighted(hidden, weights, bias, dense, loud=loud)

    def _weighted(self, hidden: str, weights: Floats, bias: Floats, name: str, *, loud: tuple[int, ...]) -> str:
        by_input = np.ascontiguousarray(weights.T)
        if not self._rounded:
            product = self.node("MatMul", [hidden, self._floats(f"{name}.weight", by_input)], f"{name}.product")
            return self.node("Add", [product, self._floats(f"{name}.bias", bias)], name)
        offset = self._floats(f"{name}.bias", bias)
        if not loud:
            return self.node("Add", [self._rounded_product(hidden, by_input, name), offset], name)
        is_quiet = np.ones((1, len(by_input)), dtype=np.float32)
        is_quiet[0, loud] = 0
        quiet = self.node("Mul", [hidden, self._floats(f"quiet {loud}", is_quiet)], f"{hidden}.quiet")
        product = self._rounded_product(quiet, by_input * is_quiet.T, name)
        rounded = self.node("Add", [product, offset], f"{name}.rounded")
        channels = self.node("Gather", [hidden, self._integers(f"loud {loud}", *loud)], f"{name}.loud", axis=1)
        weight = self._floats(f"{name}.loud weight", by_input[list(loud)])
        return self.node("Add", [rounded, self.node("MatMul", [channels, weight], f"{name}.aside")], name)

    def _rounded_product(self, hidden: str, weights: Floats, name: str) -> str:
        rounded, scales = round_columns(weights)
        weight = self.constant(f"{name}.weight", rounded)
        steps, step, zero = (f"{hidden}.{part}" for part in ("steps", "step", "zero"))
        self.node("DynamicQuantizeLinear", [hidden], steps, step, zero)
        whole = self.node("MatMulInteger", [steps, weight, zero], f"{name}.whole numbers")
        scale = self.node("Mul", [step, self._floats(f"{name}.scales", scales)], f"{name}.scale")
        return self.node("Mul", [self._as_float(whole), scale], f"{name}.product")

    def _as_float(self, name: str) -> str:
        return self.node("Cast", [name], f"{name}.float", to=1)


def _value(name: str, data_type: str, shape: Sequence[int | str]) -> bytes:
    lengths = (_field(1 if isinstance(length, int) else 2, length) for length in shape)
    dimensions = b"".join(_field(1, length) for length in lengths)
    tensor_type = _field(1, _DATA_TYPES[data_type]) + _field(2, dimensions)
    return _field(1, name) + _field(2, _field(1, tensor_type))


def _attribute(name: str, value: float | Sequence[int]) -> bytes:
    if isinstance(value, int):
        return _field(1, name) + _field(3, value) + _field(20, _ATTRIBUTE_INT)
    if isinstance(value, float):
        return _field(1, name) + _field(2, value) + _field(20, _ATTRIBUTE_FLOAT)
    return _field(1, name) + b"".join(_field(8, each) for each in value) + _field(20, _ATTRIBUTE_INTS)


def _field(number: int, value: float | str | bytes) -> bytes:
    """Return a field of a Protocol Buffers message: a whole number, four bytes, or its length and what it holds."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    if isinstance(value, float):
        return _varint(number << 3 | 5) + struct.pack("<f", value)
    content = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    value &= 2**64 - 1  # negative numbers are written as their two's complement
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)
