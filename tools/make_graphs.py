"""Write the graphs into ``providers/minilm``: BERT without its weights, as ONNX, which ``model install`` fills in.

``model.graph`` makes a vector of a text, ``reader.graph`` one of each token, which knows the words that are to be read
from those said before; both multiply in 8 bits. ``unrounded.graph`` is the reader's in 32 bits, against which both are
checked. What weights a graph takes, and under what names, stands in ``providers/minilm/build.py``.

    python tools/make_graphs.py
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from yesteryear.providers.minilm import build
from yesteryear.providers.minilm.build import DATA_TYPES, HEADS, LAYERS, LOUD_HIDDEN, LOUD_INNER, field, tensor
from yesteryear.providers.minilm.weights import DIMENSION

FOLDER = Path(build.__file__).parent
Forms: TypeAlias = Mapping[str, tuple[str, Sequence[int | str]]]
"""Names of inputs or outputs with their data type, such as ``int64``, and their shape; a name in a shape stands for a
length that is known only when the model runs."""
TOKENS: tuple[str, Sequence[int | str]] = ("int64", ["tokens"])
EPSILON = 1e-12
"""Source: the model's config.json."""
IR_VERSION, OPSET = 9, 20
"""The oldest operator set that has Gelu; read by onnxruntime 1.17 and later."""
_ATTRIBUTE_FLOAT, _ATTRIBUTE_INT, _ATTRIBUTE_INTS = 1, 2, 7
_FLOAT_VALUE = bytes([2 << 3 | 5])
"""Before the four bytes of a number that an attribute holds."""


def main() -> None:
    """Write the graphs."""
    for name, content in render().items():
        (FOLDER / name).write_bytes(content)
        print(f"{FOLDER / name}: {len(content):,} bytes")


def render() -> dict[str, bytes]:
    """Return what belongs into each file."""
    return {
        "model.graph": Bert("all-MiniLM-L6-v2", is_rounded=True).embedding(),
        "reader.graph": Bert("yesteryear reader", is_rounded=True).reading(),
        "unrounded.graph": Bert("yesteryear reader", is_rounded=False).reading(),
    }


class Graph:
    """A computation that grows by constants and nodes; each addition returns the name of its result.

    A model file is a Protocol Buffers message: written with the few fields of ``onnx.proto`` that one transformer
    needs, it takes no further package. The runtime checks it when it loads it.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._constants: dict[str, bytes] = {}
        self._nodes: list[bytes] = []

    def constant(self, name: str, values: npt.NDArray[Any]) -> str:
        """Add a tensor, unless one of this name is there already."""
        self._constants[name] = tensor(name, values)
        return name

    def node(self, operation: str, inputs: Sequence[str], *results: str, **attributes: float | Sequence[int]) -> str:
        """Add an operation of the ONNX standard set and return the name of its first result."""
        places = [*(field(1, name) for name in inputs), *(field(2, name) for name in results)]
        settings = [field(5, _attribute(name, value)) for name, value in attributes.items()]
        self._nodes.append(b"".join([*places, field(3, results[0]), field(4, operation), *settings]))
        return results[0]

    def to_bytes(self, inputs: Forms, outputs: Forms) -> bytes:
        """Return the model file."""
        graph = [
            *(field(1, node) for node in self._nodes),
            field(2, self._name),
            *(field(5, values) for values in self._constants.values()),
            *(field(11, _value(name, *form)) for name, form in inputs.items()),
            *(field(12, _value(name, *form)) for name, form in outputs.items()),
        ]
        maker, operators = field(2, "yesteryear"), field(1, "") + field(2, OPSET)
        return field(1, IR_VERSION) + maker + field(7, b"".join(graph)) + field(8, operators)


class Bert(Graph):
    """The graph of the model, from the token numbers up. Method by method in the order of the data."""

    def __init__(self, name: str, *, is_rounded: bool) -> None:
        super().__init__(name)
        self._is_rounded = is_rounded

    def embedding(self) -> bytes:
        """Return the graph that ends in the mean of the tokens' vectors."""
        encoded = self._encoded(self._word_in_place())
        self.node("ReduceMean", [encoded, self._integers("first axis", 0)], "mean", keepdims=0)
        return self.to_bytes({"tokens": TOKENS}, {"mean": ("float32", [DIMENSION])})

    def reading(self) -> bytes:
        """Return the graph that ends in the vector of each token, and marks what is to be read."""
        mark = self.node("Gather", ["marks", "own"], "mark")
        hidden = self._encoded(self.node("Add", [self._word_in_place(), mark], "marked word"))
        self.node("Identity", [hidden], "hidden")
        return self.to_bytes({"tokens": TOKENS, "own": TOKENS}, {"hidden": ("float32", ["tokens", DIMENSION])})

    def _encoded(self, words: str) -> str:
        hidden = self._normalised(words, "embeddings.LayerNorm")
        for layer in range(LAYERS):
            block = f"encoder.layer.{layer}"
            hidden = self._attention(f"{block}.attention", hidden)
            inner = self._weighted(hidden, f"{block}.intermediate.dense", loud=LOUD_HIDDEN)
            active = self.node("Gelu", [inner], f"{block}.active")
            hidden = self._output(active, f"{block}.output", hidden, loud=LOUD_INNER.get(layer, ()))
        return hidden

    def _integers(self, name: str, *values: int) -> str:
        return self.constant(name, np.array(values, dtype=np.int64))

    def _word_in_place(self) -> str:
        length = self.node("Shape", ["tokens"], "length")
        zero = self._integers("first axis", 0)
        place = self.node("Slice", ["positions", zero, length, zero], "place")
        if self._is_rounded:
            rows = self.node("Gather", ["words", "tokens"], "word rounded")
            scale = self.node("Gather", ["word scales", "tokens"], "word scale")
            word = self.node("Mul", [self._as_float(rows), scale], "word")
        else:
            word = self.node("Gather", ["words", "tokens"], "word")
        return self.node("Add", [word, place], "word in place")

    def _attention(self, block: str, hidden: str) -> str:
        parts = [f"{block}.self.{part}" for part in ("query", "key", "value")]
        self.node("Split", [self._weighted(hidden, f"{block}.self", loud=LOUD_HIDDEN)], *parts, axis=1, num_outputs=3)
        shape = self._integers("heads", 0, HEADS, DIMENSION // HEADS)
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
        change = self._weighted(inner, f"{block}.dense", loud=loud)
        return self._normalised(self.node("Add", [change, hidden], f"{block}.sum"), f"{block}.LayerNorm")

    def _normalised(self, hidden: str, name: str) -> str:
        inputs = [hidden, f"{name}.weight", f"{name}.bias"]
        return self.node("LayerNormalization", inputs, name, axis=-1, epsilon=EPSILON)

    def _weighted(self, hidden: str, name: str, *, loud: tuple[int, ...]) -> str:
        if not self._is_rounded:
            product = self.node("MatMul", [hidden, f"{name}.weight"], f"{name}.product")
            return self.node("Add", [product, f"{name}.bias"], name)
        if not loud:
            return self.node("Add", [self._rounded_product(hidden, name), f"{name}.bias"], name)
        inputs = DIMENSION if loud == LOUD_HIDDEN else 4 * DIMENSION
        is_quiet = np.ones((1, inputs), dtype=np.float32)
        is_quiet[0, loud] = 0
        quiet = self.node("Mul", [hidden, self.constant(f"quiet {loud}", is_quiet)], f"{hidden}.quiet")
        rounded = self.node("Add", [self._rounded_product(quiet, name), f"{name}.bias"], f"{name}.rounded")
        channels = self.node("Gather", [hidden, self._integers(f"loud {loud}", *loud)], f"{name}.loud", axis=1)
        aside = self.node("MatMul", [channels, f"{name}.loud weight"], f"{name}.aside")
        return self.node("Add", [rounded, aside], name)

    def _rounded_product(self, hidden: str, name: str) -> str:
        steps, step, zero = (f"{hidden}.{part}" for part in ("steps", "step", "zero"))
        self.node("DynamicQuantizeLinear", [hidden], steps, step, zero)
        whole = self.node("MatMulInteger", [steps, f"{name}.weight", zero], f"{name}.whole numbers")
        scale = self.node("Mul", [step, f"{name}.scales"], f"{name}.scale")
        return self.node("Mul", [self._as_float(whole), scale], f"{name}.product")

    def _as_float(self, name: str) -> str:
        return self.node("Cast", [name], f"{name}.float", to=1)


def _value(name: str, data_type: str, shape: Sequence[int | str]) -> bytes:
    lengths = (field(1 if isinstance(length, int) else 2, length) for length in shape)
    dimensions = b"".join(field(1, length) for length in lengths)
    tensor_type = field(1, DATA_TYPES[data_type]) + field(2, dimensions)
    return field(1, name) + field(2, field(1, tensor_type))


def _attribute(name: str, value: float | Sequence[int]) -> bytes:
    if isinstance(value, int):
        return field(1, name) + field(3, value) + field(20, _ATTRIBUTE_INT)
    if isinstance(value, float):
        return field(1, name) + _FLOAT_VALUE + struct.pack("<f", value) + field(20, _ATTRIBUTE_FLOAT)
    return field(1, name) + b"".join(field(8, each) for each in value) + field(20, _ATTRIBUTE_INTS)


if __name__ == "__main__":
    main()
