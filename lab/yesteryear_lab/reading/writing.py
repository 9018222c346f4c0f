"""Writing what the reader has learnt into the file that is shipped (safetensors, 16 bits)."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from yesteryear.providers.minilm.trained import ROW_SCALE

_MATRIX, _LARGEST, _LEAST_SCALE = 2, 127, 1e-6
"""Dimensions of what is rounded, the largest whole number, and the least that it may stand for."""


def write_trained(
    path: Path,
    tensors: Mapping[str, npt.NDArray[np.float32]],
    *,
    classes: Mapping[str, Sequence[str]],
    temperatures: Mapping[str, float],
    is_rounded: bool = False,
) -> None:
    """Write tensors and what their rows stand for; the same bytes for the same numbers.

    ``is_rounded``, matrices have 8 bits, and a scale for each row.
    """
    about = {"classes": {k: list(v) for k, v in classes.items()}, "temperatures": dict(temperatures)}
    header: dict[str, object] = {"__metadata__": {"reader": json.dumps(about)}}
    content, place = [], 0
    written = dict(tensors)
    for name, values in tensors.items() if is_rounded else ():
        if values.ndim == _MATRIX:
            scale = np.maximum(np.abs(values).max(axis=1, keepdims=True) / _LARGEST, _LEAST_SCALE).astype("<f2")
            written |= {name: np.rint(values / scale).astype(np.int8), name + ROW_SCALE: scale}
    for name, values in sorted(written.items()):
        form, kind = ("i1", "I8") if values.dtype == np.int8 else ("<f2", "F16")
        raw = np.ascontiguousarray(values, dtype=form).tobytes()
        header[name] = {"dtype": kind, "shape": list(values.shape), "data_offsets": [place, place + len(raw)]}
        content.append(raw)
        place += len(raw)
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    path.write_bytes(len(head).to_bytes(8, "little") + head + b"".join(content))


def fit_temperature(logits: npt.NDArray[np.float32], gold: npt.NDArray[np.int64]) -> float:
    """Return what to divide logits by so that what was held out is likeliest; shape (n, classes), or (n,) for a yes.

    By looking: a handful of values between a half and three.
    """

    def loss(temperature: float) -> float:
        scaled = logits / temperature
        if logits.ndim == 1:
            return float(np.mean(np.logaddexp(0, scaled) - gold * scaled))
        peak = scaled.max(axis=1, keepdims=True)
        whole = peak[:, 0] + np.log(np.exp(scaled - peak).sum(axis=1))
        return float(np.mean(whole - scaled[np.arange(len(gold)), gold]))

    return min((math.exp(step / 20) for step in range(-14, 23)), key=loss)
