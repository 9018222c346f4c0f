"""How alike two statements are by vectors: apart, and read as one text.

Pure: the vectors come from whoever asks. A cosine alone cannot tell a contradiction from a paraphrase. What tells more
is in which directions the vectors differ, and what becomes of them when the model reads both statements at once and
each word meets those of the other.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from yesteryear.core.vectors import Matrix, unit_rows
from yesteryear.providers.local.verdicts.frame import Frame

_DIRECTION = 0.5
"""Weight of where the later statement lies from the earlier, beside 1 for how far. Source: cross-validation."""
_TOGETHER = 1.5
"""Weight of what reading both at once adds, beside 1 as above. Source: cross-validation."""


def texts_to_embed(a: Frame, b: Frame) -> tuple[str, ...]:
    """Return the texts whose vectors are read: both statements, both without their owner's name, and both as one."""
    return a.text, b.text, a.nameless, b.nameless, _joined(a, b)


def pair_vectors(a: Frame, b: Frame, vectors: Mapping[str, Matrix]) -> Matrix:
    """Return what a head reads: distance and direction of the statements, and what is new when they are read as one.

    Args:
        a: The earlier statement.
        b: The later one.
        vectors: Shape (dimension,), unit length, of every text that ``texts_to_embed`` names.

    Returns:
        Shape (3 x dimension,).
    """
    one, other = vectors[a.nameless], vectors[b.nameless]
    new = vectors[_joined(a, b)] - unit_rows(one + other)
    return np.concatenate([np.abs(one - other), _DIRECTION * (other - one), _TOGETHER * new])


def likeness(a: Frame, b: Frame, vectors: Mapping[str, Matrix]) -> dict[str, float]:
    """Return cosines, each in [-1, 1]: as said, without the owner's name, and of each with both read as one.

    Arguments are those of ``pair_vectors``.
    """
    together = vectors[_joined(a, b)]
    return {
        "cosine": float(vectors[a.text] @ vectors[b.text]),
        "nameless_cosine": float(vectors[a.nameless] @ vectors[b.nameless]),
        "a_in_both": float(vectors[a.nameless] @ together),
        "b_in_both": float(vectors[b.nameless] @ together),
    }


def _joined(a: Frame, b: Frame) -> str:
    return f"{a.nameless.rstrip(' .')}. {b.nameless}"
