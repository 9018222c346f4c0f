"""The part of the ONNX file format that one transformer needs.

A model file is a Protocol Buffers message. Written here with the few field numbers of ``onnx.proto`` that matter,
it needs no further package, and its bytes depend on nothing but what is put in: the same weights give the same file
everywhere.

Deliberately absent: reading, checking (the runtime does that when it loads the file), and every type not used here.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
Attribute: TypeAlias = int | float | Sequence[int]

_IR_VERSION = 9
_OPSET = 20
"""The oldest operator set that has Gelu; read by onnxruntime 1.17 and later."""

_VARINT, _BYTES, _FLOAT32 = 0, 2, 5  # wire types
_DATA_TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int64": 7}
_ATTRIBUTE_FLOAT, _ATTRIBUTE_INT, _ATTRIBUTE_INTS = 1, 2, 7


class Graph:
    """A computation that grows by constants and nodes; each addition returns the name of its result."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._constants: dict[str, bytes] = {}
        self._nodes: list[bytes] = []

    def constant(self, name: str, values: Array) -> str:
        """Add a tensor, unless one of this name is there already."""
        if name not in self._constants:
            self._constants[name] = _tensor(name, values)
        return name

    def node(self, operation: str, inputs: Sequence[str], *results: str, **attributes: Attribute) -> str:
        """Add an operation of the ONNX standard set and return the name of its first result."""
        self._nodes.append(
            b"".join(_string(1, name) for name in inputs)
            + b"".join(_string(2, name) for name in results)
            + _string(3, results[0])
            + _string(4, operation)
            + b"".join(_message(5, _attribute(name, value)) for name, value in attributes.items())
        )
        return results[0]

    def to_bytes(
        self,
        *,
        inputs: Mapping[str, tuple[str, Sequence[int | str]]],
        outputs: Mapping[str, tuple[str, Sequence[int | str]]],
    ) -> bytes:
        """Return the model file.

        Args:
            inputs: Name of each input with its data type, such as ``int64``, and its shape; a name in a shape
                stands for a length that is known only when the model runs.
            outputs: The same for each output.
        """
        graph = [
            *(_message(1, node) for node in self._nodes),
            _string(2, self._name),
            *(_message(5, tensor) for tensor in self._constants.values()),
            *(_message(11, _value(name, *kind)) for name, kind in inputs.items()),
            *(_message(12, _value(name, *kind)) for name, kind in outputs.items()),
        ]
        return (
            _integer(1, _IR_VERSION)
            + _string(2, "yesteryear")
            + _message(7, b"".join(graph))
            + _message(8, _string(1, "") + _integer(2, _OPSET))
        )


def _tensor(name: str, values: Array) -> bytes:
    little_endian = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("<"))
    return (
        b"".join(_integer(1, length) for length in values.shape)
        + _integer(2, _DATA_TYPES[values.dtype.name])
        + _string(8, name)
        + _message(9, little_endian.tobytes())
    )


def _value(name: str, data_type: str, shape: Sequence[int | str]) -> bytes:
    lengths = (_integer(1, length) if isinstance(length, int) else _string(2, length) for length in shape)
    dimensions = b"".join(_message(1, length) for length in lengths)
    tensor_type = _integer(1, _DATA_TYPES[data_type]) + _message(2, dimensions)
    return _string(1, name) + _message(2, _message(1, tensor_type))


def _attribute(name: str, value: Attribute) -> bytes:
    if isinstance(value, int):
        return _string(1, name) + _integer(3, value) + _integer(20, _ATTRIBUTE_INT)
    if isinstance(value, float):
        return _string(1, name) + _key(2, _FLOAT32) + struct.pack("<f", value) + _integer(20, _ATTRIBUTE_FLOAT)
    return _string(1, name) + b"".join(_integer(8, each) for each in value) + _integer(20, _ATTRIBUTE_INTS)


def _integer(field: int, value: int) -> bytes:
    return _key(field, _VARINT) + _varint(value)


def _string(field: int, text: str) -> bytes:
    return _message(field, text.encode())


def _message(field: int, payload: bytes) -> bytes:
    return _key(field, _BYTES) + _varint(len(payload)) + payload


def _key(field: int, wire_type: int) -> bytes:
    return _varint(field << 3 | wire_type)


def _varint(value: int) -> bytes:
    value &= 2**64 - 1  # negative numbers are written as their two's complement
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)
