"""How trained heads are written down: JSON that a person can read and compare, the same bytes for the same heads."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Sequence

import numpy as np

from yesteryear.core.heads import HeadsFile, LinearHead, head_from_json

CARD_FILE = "MODEL_CARD.md"
_DECIMALS = 4  # digits kept after the point; what is beyond moves no probability by more than a thousandth
_STEPS = 127  # steps on either side of 0 in which vector weights are written
_FINGERPRINT_CHARS = 8  # of a row: with 4,000 rows, one unseen row in a million is taken for a seen one


def fingerprint(texts: Sequence[str]) -> str:
    """Return what stands for a labelled row: a hash of the texts that it judges, in order."""
    digest = hashlib.sha256("\0".join(texts).encode("utf-8", errors="surrogatepass"))
    return digest.hexdigest()[:_FINGERPRINT_CHARS]


def heads_to_json(file: HeadsFile) -> str:
    """Return heads as JSON, rounded; ``heads_from_json`` gives back what was written, not what was trained."""
    heads = sorted(file.heads.values(), key=lambda head: (head.name, head.model or ""))
    written = ",\n".join(map(_head_to_json, heads))
    seen = ",\n".join(f"{json.dumps(name)}:\n{_in_lines(sorted(rows))}" for name, rows in sorted(file.seen.items()))
    about = json.dumps("Trained heads. Written by make train; see MODEL_CARD.md.")
    return f'{{"about": {about},\n"heads": [\n{written}\n],\n"seen": {{\n{seen}\n}}}}\n'


def rounded(head: LinearHead) -> LinearHead:
    """Return a head as it will be after it was written and read."""
    return head_from_json(json.loads(_head_to_json(head)))


def _head_to_json(head: LinearHead) -> str:
    columns = zip(head.features, head.mean, head.scale, head.weights.T, strict=True)
    lines = [f"  {json.dumps(name)}: {_numbers([mean, scale, *weights])}" for name, mean, scale, weights in columns]
    entry = {
        "name": json.dumps(head.name),
        "model": json.dumps(head.model),
        "classes": json.dumps(head.classes),
        "bias": _numbers(head.bias),
        "features": "{\n" + ",\n".join(lines) + "\n }",
    }
    if head.vector_weights is not None:
        steps = np.abs(head.vector_weights).max(axis=1) / _STEPS
        steps = np.where(steps > 0, steps, 1.0)
        levels = np.rint(head.vector_weights / steps[:, None]).astype(np.int8)
        entry["vector_steps"] = json.dumps([float(f"{step:.6g}") for step in steps])
        rows = ",\n".join(f"  {json.dumps(base64.b64encode(row.tobytes()).decode('ascii'))}" for row in levels)
        entry["vector_weights"] = f"[\n{rows}\n ]"
    return "{" + ",\n ".join(f"{json.dumps(name)}: {value}" for name, value in entry.items()) + "}"


def _numbers(values: Iterable[float]) -> str:
    # adding 0 turns -0.0 into 0.0, which would otherwise depend on the sign of nothing
    return json.dumps([round(float(value), _DECIMALS) + 0.0 for value in values])


def _in_lines(words: Sequence[str]) -> str:
    return json.dumps([" ".join(words[start : start + 12]) for start in range(0, len(words), 12)], indent=1)
