"""Linear heads: from named features, and vectors where there are some, to the probabilities of a few classes.

Pure arithmetic; what a head is trained on stands in its model card, what its answer leads to in the policy that asks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from yesteryear.core.vectors import Matrix
from yesteryear.errors import InputError


@dataclass(frozen=True, slots=True, eq=False)
class LinearHead:
    """A trained multinomial logistic regression.

    logits = bias + weights · (features - mean) / scale + vector_weights · vectors.

    A head without ``model`` reads named features only. One with a model also reads vectors, and only that model's:
    the numbers of another mean something else.
    """

    name: str
    """What it tells, such as ``gate``."""
    classes: tuple[str, ...]
    """At least two."""
    features: tuple[str, ...]
    """Names, in the order of the columns of ``weights``."""
    mean: Matrix
    """Shape (features,): of the training rows."""
    scale: Matrix
    """Shape (features,), above 0: what a difference from the mean is divided by."""
    weights: Matrix
    """Shape (classes, features)."""
    bias: Matrix
    """Shape (classes,)."""
    model: str | None = None
    """``EmbedderProfile.model`` of the vectors it reads, or None."""
    vector_weights: Matrix | None = None
    """Shape (classes, vectors x dimension), or None without a model."""

    def probabilities(self, features: Mapping[str, float], vectors: Matrix | None = None) -> dict[str, float]:
        """Return the probability of each class, in [0, 1]; together they make 1.

        Args:
            features: By name; names the head does not know are passed over.
            vectors: Shape (vectors, dimension) in the order of training; to be left out by heads without a model.

        Raises:
            InputError: a feature is missing, or the vectors are not those the head was trained with.
        """
        logits = self.logits(features) + (0 if vectors is None and self.model is None else self.vector_logits(vectors))
        return dict(zip(self.classes, softmax(logits).tolist(), strict=True))

    def logits(self, features: Mapping[str, float]) -> npt.NDArray[np.float64]:
        """Return shape (classes,): bias and named features alone.

        Raises:
            InputError: a feature is missing.
        """
        try:
            row = np.array([features[name] for name in self.features], dtype=np.float64)
        except KeyError as exc:
            raise InputError(f"the head {self.name!r} needs the feature {exc}") from exc
        found: npt.NDArray[np.float64] = self.bias + self.weights @ ((row - self.mean) / self.scale)
        return found

    def vector_logits(self, vectors: Matrix | None) -> npt.NDArray[np.float64]:
        """Return shape (classes,): what the vectors add.

        Raises:
            InputError: the vectors are not those the head was trained with.
        """
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
