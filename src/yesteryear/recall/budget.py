"""What fits: choosing lines by worth per token, never cutting one, never going over."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from math import log
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Candidate(Generic[T]):
    """Something that may be shown."""

    item: T
    score: float
    tokens: int
    """Cost of its line; above 0."""
    group: Hashable
    """Items of one group share a header."""
    group_tokens: int
    """Cost of the group's header, paid once."""


@dataclass(frozen=True, slots=True)
class BudgetPolicy:
    """How lines compete."""

    length_penalty: float = 0.25
    """Score that an item loses for each factor e of its length in tokens; at least 0."""
    misses: int = 8
    """After so many items in a row that do not fit, the rest is left out."""


def pack(
    candidates: Sequence[Candidate[T]], *, budget: int, policy: BudgetPolicy
) -> tuple[list[Candidate[T]], list[Candidate[T]]]:
    """Choose the best candidates that fit: best first by score - penalty * ln(tokens), skip what does not fit and fill.

    Args:
        candidates: In the order that decides ties.
        budget: Tokens there are; what is chosen never costs more.
        policy: How lines compete.

    Returns:
        The chosen ones, best first, and the others.
    """
    order = sorted(
        range(len(candidates)),
        key=lambda i: (-(candidates[i].score - policy.length_penalty * log(max(candidates[i].tokens, 1))), i),
    )
    chosen: list[Candidate[T]] = []
    dropped: list[Candidate[T]] = []
    groups: set[Hashable] = set()
    left, misses = budget, 0
    for position in order:
        candidate = candidates[position]
        cost = candidate.tokens + (0 if candidate.group in groups else candidate.group_tokens)
        if misses >= policy.misses or cost > left:
            misses += 1
            dropped.append(candidate)
            continue
        misses = 0
        left -= cost
        groups.add(candidate.group)
        chosen.append(candidate)
    return chosen, dropped


def shrink_to_fit(
    chosen: list[Candidate[T]], *, cost_of: Callable[[Sequence[T]], int], budget: int
) -> tuple[list[Candidate[T]], list[Candidate[T]]]:
    """Drop the last chosen until the whole, counted as it will be shown, fits.

    Lines are counted one by one while packing; together they may cost a token more here and there.
    """
    kept, dropped = list(chosen), []
    while kept and cost_of([candidate.item for candidate in kept]) > budget:
        dropped.append(kept.pop())
    return kept, dropped
