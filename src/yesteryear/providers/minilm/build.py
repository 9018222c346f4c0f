"""From the published weights of all-MiniLM-L6-v2 to the model that is run: BERT with weights of 8 bits, as ONNX.

The graphs are data (``*.graph``, made by ``tools/make_graphs.py``) and take the weights that are written behind them.
They read one text at a time: there is no padding, hence no mask, and no text changes another one's vector. Bytes depend
on nothing but the weights. Over 200 texts the lowest cosine to the unrounded model is .997, for two reasons: the few
channels with values ten times as large as all others are multiplied unrounded (.976 without), and scales leave room for
the sum of two neighbours, which processors without VNNI add in 16 bits (.964 without).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from yesteryear.errors import ProviderError
from yesteryear.providers.minilm.weights import DIMENSION, MAX_TOKENS, MODEL_FILE

Array: TypeAlias = npt.NDArray[Any]
Floats: TypeAlias = npt.NDArray[np.float32]
Tensors: TypeAlias = Mapping[str, Floats]
"""Weights by the names they were published under; matrices are (outputs, inputs)."""

MODEL_GRAPH, READER_GRAPH, UNROUNDED_GRAPH = "model.graph", "reader.graph", "unrounded.graph"
LAYERS, HEADS = 6, 12  # Source: the model's config.json
LOUD_HIDDEN = (63, 99, 157, 223)
"""Channels of the hidden state that stand out in most layers. Largest values over 2,000 chat messages: 30 in
channel 99, 17 in 223, 11 in 63, 8 in 157; half of all channels stay below 2.2. Keeping 8 channels apart gains
nothing more."""
LOUD_INNER: Mapping[int, tuple[int, ...]] = {0: (856,), 1: (607,), 2: (218, 1004), 3: (358,)}
"""By layer, the channels inside the feed-forward block with values above 10 (14 to 25) over the same messages."""
_LARGEST = 127  # largest rounded weight, and the largest sum of two neighbouring ones: times 255 it fits into 16 bits
_WORTH_SHARING = 2**16  # bytes of a constant from which it is looked for in the file beside
DATA_TYPES = {"float32": 1, "int8": 3, "int64": 7}  # what ONNX calls them


def read_tensors(path: Path) -> tuple[dict[str, Floats], dict[str, str]]:
    """Return the numbers of a safetensors file that have 8, 16 or 32 bits, by name, and what is said about them.

    Those of 32 bits are mapped from disk rather than read.

    Raises:
        ProviderError: the file is cut short or is no safetensors file.
    """
    try:
        content = np.asarray(np.memmap(path, dtype=np.uint8, mode="r"))
        start = 8 + int.from_bytes(content[:8].tobytes(), "little")
        header = json.loads(content[8:start].tobytes())
        told, numbers = header.pop("__metadata__", {}), content[start:]
        return {
            name: numbers[slice(*entry["data_offsets"])].view(form).reshape(entry["shape"]).astype("<f4", copy=False)
            for name, entry in header.items()
            if (form := {"I8": "i1", "F16": "<f2", "F32": "<f4"}.get(entry["dtype"]))
        }, told
    except (ValueError, KeyError, TypeError) as exc:
        raise ProviderError(f"{path.name} is no complete safetensors file; download it again") from exc


def build_encoder(
    graph: str, tensors: Tensors, difference: Tensors = MappingProxyType({}), *, beside: bytes = b""
) -> bytes:
    """Return the ONNX file of an encoder: a graph with its weights. Inputs are int64, shape (tokens,).

    ``MODEL_GRAPH`` turns the ``tokens`` of one text, at most ``MAX_TOKENS``, into the ``mean`` of their vectors,
    float32, shape (384,), not yet of unit length: 23 MB, and nearly three times as fast as without rounding. The others
    also take ``own``, 1 for the words that are to be read and 0 for what was said before, and return ``hidden``,
    float32, shape (tokens, 384), the vector of each token; ``UNROUNDED_GRAPH`` has 32 bits (90 MB), for comparison, and
    is the model's with no word its own.

    Args:
        graph: Which of the three.
        tensors: The published weights.
        difference: What is added to them, by name.
        beside: The bytes of ``model.onnx``, where that will lie in the same folder: what is the same there is not
            written again.

    Raises:
        ProviderError: a tensor is missing.
    """
    changed = {name: values + difference[name] if name in difference else values for name, values in tensors.items()}
    try:
        weights = dict(_weights(changed, is_rounded=graph != UNROUNDED_GRAPH))
    except KeyError as exc:
        raise ProviderError(f"the weights have no tensor {exc}; they belong to another model") from exc
    if graph == MODEL_GRAPH:
        del weights["marks"]
    written = b"".join(field(5, tensor(name, values, beside)) for name, values in weights.items())
    # Two messages of this format one behind the other are read as one, with the lists of both.
    return (Path(__file__).parent / graph).read_bytes() + field(7, written)


def _weights(tensors: Tensors, *, is_rounded: bool) -> Iterator[tuple[str, Array]]:
    """Yield what the graphs take from the weights, by the names they have there."""
    words, kinds, positions = (
        tensors[f"embeddings.{part}_embeddings.weight"] for part in ("word", "token_type", "position")
    )
    yield "marks", kinds - kinds[0]
    yield "positions", positions[:MAX_TOKENS] + kinds[0]
    if is_rounded:
        scales = (np.abs(words).max(axis=1, keepdims=True) / _LARGEST).astype(np.float32)
        words = np.rint(words / scales).astype(np.int8)
        yield "word scales", scales
    yield "words", words
    norms = ["embeddings.LayerNorm"]
    for layer in range(LAYERS):
        block = f"encoder.layer.{layer}"
        denses = {
            f"{block}.attention.self": LOUD_HIDDEN,
            f"{block}.attention.output.dense": (),
            f"{block}.intermediate.dense": LOUD_HIDDEN,
            f"{block}.output.dense": LOUD_INNER.get(layer, ()),
        }
        for name, loud in denses.items():
            weights, bias = _dense(tensors, name)
            yield f"{name}.bias", bias
            yield from _by_input(name, np.array(weights.T, order="C"), loud if is_rounded else None)
        norms += [f"{block}.attention.output.LayerNorm", f"{block}.output.LayerNorm"]
    for part in ("weight", "bias"):
        yield from ((f"{norm}.{part}", tensors[f"{norm}.{part}"]) for norm in norms)


def _dense(tensors: Tensors, name: str) -> tuple[Floats, Floats]:
    """Return the matrix and the bias of a layer; query, key and value of an attention are one, called ``self``."""
    if not name.endswith(".self"):
        return tensors[f"{name}.weight"], tensors[f"{name}.bias"]
    shrink = np.float32((DIMENSION // HEADS) ** -0.5)  # the usual 1/sqrt(d) of attention, put into the weights
    joint = []
    for what in ("weight", "bias"):
        query, key, value = (tensors[f"{name}.{part}.{what}"] for part in ("query", "key", "value"))
        joint.append(np.concatenate([query * shrink, key, value]))
    return joint[0], joint[1]


def _by_input(name: str, weights: Floats, loud: tuple[int, ...] | None) -> Iterator[tuple[str, Array]]:
    """Yield a matrix, shape (inputs, outputs): rounded but for the loud inputs, or as it is where ``loud`` is None."""
    if loud is None:
        yield f"{name}.weight", weights
        return
    if loud:
        yield f"{name}.loud weight", weights[list(loud)]
        weights[list(loud)] = 0
    rounded, scales = round_columns(weights)
    yield f"{name}.weight", rounded
    yield f"{name}.scales", scales


def round_columns(weights: Floats) -> tuple[npt.NDArray[np.int8], Floats]:
    """Round each column to whole numbers in [-127, 127]; return them, shape (inputs, outputs), and the columns' scales.

    weights = rounded * scale + error. The scale is also large enough for the sum of rows 2k and 2k + 1 to stay within
    [-128, 128], which is what the 8-bit multiplication of older x86 processors needs; inputs are even in number.
    """
    neighbours = weights.reshape(-1, 2, weights.shape[1]).sum(axis=1)
    largest = np.maximum(np.abs(weights).max(axis=0), np.abs(neighbours).max(axis=0))
    scales = np.maximum(largest / _LARGEST, np.finfo(np.float32).tiny).astype(np.float32)
    return np.rint(weights / scales).astype(np.int8), scales


def tensor(name: str, values: Array, beside: bytes = b"") -> bytes:
    """Return a constant as a graph holds it; what stands word for word in the model file ``beside`` is taken there."""
    raw = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("<")).tobytes()
    place = beside.find(raw) if len(raw) >= _WORTH_SHARING else -1
    where = {"location": MODEL_FILE, "offset": str(place), "length": str(len(raw))}
    shared = b"".join(field(13, field(1, key) + field(2, value)) for key, value in where.items()) + field(14, 1)
    lengths = b"".join(field(1, length) for length in values.shape)
    content = field(9, raw) if place < 0 else shared
    return lengths + field(2, DATA_TYPES[values.dtype.name]) + field(8, name) + content


def field(number: int, value: int | str | bytes) -> bytes:
    """Return a field of a Protocol Buffers message: a whole number, or its length and what it holds."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
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
