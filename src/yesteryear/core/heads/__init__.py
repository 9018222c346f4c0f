"""Linear heads: trained classifiers, and those that are shipped in ``weights.json``.

Named features stand one a line there; vector weights, of which there are thousands, are steps of a class in base 64. It
and ``MODEL_CARD.md`` are written by ``make train``, never by hand.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

import numpy as np
import numpy.typing as npt

from yesteryear.core.vectors import Matrix
from yesteryear.errors import InputError

WEIGHTS_FILE = "weights.json"


@dataclass(frozen=True, slots=True, eq=False)
class LinearHead:
    """A trained multinomial logistic regression.

    logits = bias + weights · (features - mean) / scale + vector_weights · vectors.

    A head without ``model`` reads named features only. One with a model also reads vectors, and only that model's:
    the numbers of another mean something else.
    """

    name: str  # what it tells, such as `gate`
    classes: tuple[str, ...]  # at least two
    features: tuple[str, ...]  # names, in the order of the columns of `weights`
    mean: Matrix  # shape (features,): of the training rows
    scale: Matrix  # shape (features,), above 0: what a difference from the mean is divided by
    weights: Matrix  # shape (classes, features)
    bias: Matrix  # shape (classes,)
    model: str | None = None  # `EmbedderProfile.model` of the vectors it reads, or None
    vector_weights: Matrix | None = None  # shape (classes, vectors x dimension), or None without a model

    def probabilities(self, features: Mapping[str, float], vectors: Matrix | None = None) -> dict[str, float]:
        """Return the probability of each class, in [0, 1]; together they make 1.

        ``features`` are by name; names the head does not know are passed over. ``vectors``, of shape (vectors,
        dimension), are in the order of training, and left out by heads without a model.
        """
        logits = self.logits(features) + (0 if vectors is None and self.model is None else self.vector_logits(vectors))
        return dict(zip(self.classes, softmax(logits).tolist(), strict=True))

    def logits(self, features: Mapping[str, float]) -> npt.NDArray[np.float64]:
        """Return shape (classes,): bias and named features alone; raises InputError: a feature is missing."""
        try:
            row = np.array([features[name] for name in self.features], dtype=np.float64)
        except KeyError as exc:
            raise InputError(f"the head {self.name!r} needs the feature {exc}") from exc
        found: npt.NDArray[np.float64] = self.bias + self.weights @ ((row - self.mean) / self.scale)
        return found

    def vector_logits(self, vectors: Matrix | None) -> npt.NDArray[np.float64]:
        """Return shape (classes,): what the vectors add, which must be those the head was trained with."""
        expected = 0 if self.vector_weights is None else self.vector_weights.shape[1]
        given = 0 if vectors is None else vectors.size
        if self.vector_weights is None or vectors is None or expected != given:
            raise InputError(f"the head {self.name!r} reads {expected} values of vectors, not {given}")
        found: npt.NDArray[np.float64] = self.vector_weights.astype(np.float64) @ vectors.reshape(-1)
        return found


def softmax(logits: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return probabilities along the last axis: exp(logit) over the sum of all; no logit is too large."""
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    found: npt.NDArray[np.float64] = powers / powers.sum(axis=-1, keepdims=True)
    return found


@dataclass(frozen=True, slots=True)
class HeadsFile:
    """Heads by name and model, and the fingerprints of the rows each name was trained on."""

    heads: Mapping[tuple[str, str | None], LinearHead]
    seen: Mapping[str, frozenset[str]]


def find_head(name: str, *, model: str | None = None) -> LinearHead | None:
    """Return a shipped head by what it tells, such as ``gate``; None where there is none.

    Of the embedder called ``model``, or without one the head that reads named features only.
    """
    return shipped().heads.get((name, model))


@lru_cache(maxsize=1)
def shipped() -> HeadsFile:
    """Return all that is shipped; read once."""
    return heads_from_json((resources.files(__package__) / WEIGHTS_FILE).read_text(encoding="utf-8"))


def heads_from_json(text: str) -> HeadsFile:
    """Return the heads of such a file."""
    found = json.loads(text)
    heads = map(head_from_json, found["heads"])
    seen = {name: frozenset(word for line in lines for word in line.split()) for name, lines in found["seen"].items()}
    return HeadsFile({(head.name, head.model): head for head in heads}, seen)


def head_from_json(entry: Mapping[str, Any]) -> LinearHead:
    """Return the head that stands in an entry of such a file."""
    columns = np.array(list(entry["features"].values()), dtype=np.float32).reshape(-1, 2 + len(entry["classes"]))
    vector_weights: Matrix | None = None
    if "vector_weights" in entry:
        levels = [np.frombuffer(base64.b64decode(row), dtype=np.int8) for row in entry["vector_weights"]]
        steps = np.array(entry["vector_steps"], dtype=np.float32)
        vector_weights = np.stack(levels).astype(np.float32) * steps[:, None]
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
