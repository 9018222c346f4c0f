"""How heads are written down: JSON that a person can read and compare, the same bytes for the same heads.

Named features stand one a line, with their mean, scale and a weight for each class. Vector weights, of which there are
thousands, are rounded to 255 steps a class and written in base 64.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from yesteryear.core.linear import LinearHead
from yesteryear.core.vectors import Matrix

_DECIMALS = 4
"""Digits kept after the point; what is beyond moves no probability by more than a thousandth."""
_STEPS = 127
"""Steps on either side of 0 in which vector weights are written."""
_FINGERPRINT_CHARS = 8
"""Hexadecimal digits that stand for a row: with 4,000 rows, one unseen row in a million is taken for a seen one."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """Heads by name and model, and the fingerprints of the rows each name was trained on."""

    heads: Mapping[tuple[str, str | None], LinearHead]
    seen: Mapping[str, frozenset[str]]


def fingerprint(texts: Sequence[str]) -> str:
    """Return what stands for a labelled row: a hash of the texts that it judges, in order."""
    digest = hashlib.sha256("\0".join(texts).encode("utf-8", errors="surrogatepass"))
    return digest.hexdigest()[:_FINGERPRINT_CHARS]


def heads_to_json(shelf: Shelf) -> str:
    """Return heads as JSON, rounded; ``heads_from_json`` gives back what was written, not what was trained."""
    heads = sorted(shelf.heads.values(), key=lambda head: (head.name, head.model or ""))
    written = ",\n".join(_head_to_json(head) for head in heads)
    seen = ",\n".join(f"{json.dumps(name)}:\n{_block(sorted(rows))}" for name, rows in sorted(shelf.seen.items()))
    about = json.dumps("Trained heads. Written by make train; see MODEL_CARD.md.")
    return f'{{"about": {about},\n"heads": [\n{written}\n],\n"seen": {{\n{seen}\n}}}}\n'


def heads_from_json(text: str) -> Shelf:
    """Return the heads that ``heads_to_json`` wrote."""
    found = json.loads(text)
    heads = [_head_from_json(entry) for entry in found["heads"]]
    return Shelf(
        heads={(head.name, head.model): head for head in heads},
        seen={
            name: frozenset(word for line in lines for word in line.split()) for name, lines in found["seen"].items()
        },
    )


def rounded(head: LinearHead) -> LinearHead:
    """Return a head as it will be after it was written and read."""
    return _head_from_json(json.loads(_head_to_json(head)))


def _head_to_json(head: LinearHead) -> str:
    columns = zip(head.features, head.mean, head.scale, head.weights.T, strict=True)
    entry: list[tuple[str, str]] = [
        ("name", json.dumps(head.name)),
        ("model", json.dumps(head.model)),
        ("classes", json.dumps(head.classes)),
        ("bias", _numbers(head.bias)),
    ]
    lines = [f"  {json.dumps(name)}: {_numbers([mean, scale, *weights])}" for name, mean, scale, weights in columns]
    entry.append(("features", "{\n" + ",\n".join(lines) + "\n }"))
    if head.vector_weights is not None:
        steps = np.abs(head.vector_weights).max(axis=1) / _STEPS
        steps = np.where(steps > 0, steps, 1.0)
        levels = np.rint(head.vector_weights / steps[:, None]).astype(np.int8)
        entry.append(("vector_steps", json.dumps([float(f"{step:.6g}") for step in steps])))
        rows = ",\n".join(f"  {json.dumps(base64.b64encode(row.tobytes()).decode('ascii'))}" for row in levels)
        entry.append(("vector_weights", f"[\n{rows}\n ]"))
    return "{" + ",\n ".join(f"{json.dumps(name)}: {value}" for name, value in entry) + "}"


def _head_from_json(entry: Mapping[str, Any]) -> LinearHead:
    columns = np.array(list(entry["features"].values()), dtype=np.float32).reshape(-1, 2 + len(entry["classes"]))
    vector_weights: Matrix | None = None
    if "vector_weights" in entry:
        levels = [np.frombuffer(base64.b64decode(row), dtype=np.int8) for row in entry["vector_weights"]]
        vector_weights = (
            np.stack(levels).astype(np.float32) * np.array(entry["vector_steps"], dtype=np.float32)[:, None]
        )
    return LinearHead(
        name=entry["name"],
        classes=tuple(entry["classes"]),
        features=tuple(entry["features"]),
        mean=columns[:, 0],
        scale=columns[:, 1],
        weights=columns[:, 2:].T,
        bias=np.array(entry["bias"], dtype=np.float32),
        model=entry["model"],
        vector_weights=vector_weights,
    )


def _numbers(values: Iterable[float]) -> str:
    # adding 0 turns -0.0 into 0.0, which would otherwise depend on the sign of nothing
    return json.dumps([round(float(value), _DECIMALS) + 0.0 for value in values])


def _block(words: Sequence[str]) -> str:
    lines = [" ".join(words[start : start + 12]) for start in range(0, len(words), 12)]
    return json.dumps(lines, indent=1)
