"""How much an episode matters, given once when it is written; what is left of it later is strength."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from yesteryear.errors import InputError


@dataclass(frozen=True, slots=True)
class ImportancePolicy:
    """What each factor adds to importance; every field but ``base`` is the weight, in [0, 1], of a factor in [0, 1].

    Emotion, self-relevance and commitment have the weights of the Human-Like Memory System document, section 4.3, where
    they are called emotion, personal and decision. The other four are ours, after "Learning What to Remember"
    (arXiv 2606.12945), and wait to be tuned on recall.
    """

    base: float = 0.1  # importance of talk in which no factor was found, in [0, 1]
    emotion: float = 0.3  # how strongly the person felt
    self_relevance: float = 0.2  # how much of it is about the person: work, health, ways, history
    commitment: float = 0.2  # how much was decided or promised
    relationship: float = 0.1
    """How much of it is about people close to them, or about what binds them and their listener."""
    novelty: float = 0.05  # how much the person added that the other side had not said before
    explicit_request: float = 0.3  # whether they asked that it be remembered
    reliability: float = 0.05  # how much of it the person said themself rather than quoted or pasted


def importance(signals: Mapping[str, float], policy: ImportancePolicy) -> float:
    """Return how much a stretch of talk matters.

    importance = min(1, base + sum of weight * factor), in [0, 1], non-decreasing in every factor. A factor without a
    signal is 0; signals that the policy does not weigh count for nothing.
    """
    total = policy.base
    for factor in fields(policy):
        signal = signals.get(factor.name, 0.0) if factor.name != "base" else 0.0
        if not 0.0 <= signal <= 1.0:
            raise InputError(f"the factor {factor.name!r} of importance must be in [0, 1], got {signal!r}")
        total += getattr(policy, factor.name) * signal
    return min(1.0, total)
