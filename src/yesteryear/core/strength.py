"""What is left of an importance: strength, computed whenever it is asked for and never stored."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class StrengthPolicy:
    """How memories fade."""

    half_life_days: float = 30.0
    """Days in which something unimportant loses half its strength; above 0 (document B's example)."""
    stretch: float = 6.0
    """How many times longer the half-life of the most important is; at least 1. 30 to 180 days."""


def strengths(
    importance: npt.NDArray[np.float64], age_days: npt.NDArray[np.float64], policy: StrengthPolicy
) -> npt.NDArray[np.float64]:
    """Return what is left of some importances.

    strength = importance * 2 ** (-age / half-life), half-life = half_life_days * stretch ** importance.

    Args:
        importance: Given when written, in [0, 1]; shape (n,).
        age_days: Days since then, at least 0; shape (n,).
        policy: Half-life and its stretch.

    Returns:
        Shape (n,), each in [0, importance]; non-increasing in age.

    Source: Human-Like Memory System document, section 4.3.
    """
    half_lives = policy.half_life_days * np.power(policy.stretch, importance)
    return importance * np.exp2(-age_days / half_lives)
