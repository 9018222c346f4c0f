"""Groups of episodes on one subject, by average linkage of their vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from yesteryear.core.vectors import EmbedderProfile, Matrix

Grouping = Callable[[Matrix], Sequence[Sequence[int]]]
"""Takes unit rows of shape (n, dimension), n at least 2, and returns groups of row numbers; rows may be left out."""
_OUT = -np.inf


@dataclass(frozen=True, slots=True)
class ClusterPolicy:
    """What counts as a group."""

    fewest: int = 2
    """Episodes that make a group, at least 1."""


def cluster(
    vectors: Mapping[str, Matrix],
    *,
    profile: EmbedderProfile,
    policy: ClusterPolicy,
    grouping: Grouping | None = None,
) -> list[tuple[str, ...]]:
    """Group what is about one subject.

    Args:
        vectors: By id, each of shape (dimension,) and unit length.
        profile: Of the model that made them; two groups are joined while the mean cosine between them is at least
            ``profile.related``.
        policy: How many make a group.
        grouping: Another way of grouping; None for average linkage.

    Returns:
        Groups of ids in alphabetical order, by the first of each. They depend neither on the order of ``vectors`` nor
        on the ids: rows are compared in the order of their values.
    """
    ids = sorted(vectors, key=lambda name: (vectors[name].tobytes(), name))
    if len(ids) < max(2, policy.fewest):
        return [(name,) for name in ids] if policy.fewest <= 1 else []
    matrix = np.stack([vectors[name] for name in ids])
    groups = average_linkage(matrix, at_least=profile.related) if grouping is None else grouping(matrix)
    return sorted(tuple(sorted(ids[row] for row in group)) for group in groups if len(group) >= policy.fewest)


def average_linkage(vectors: Matrix, *, at_least: float) -> list[list[int]]:
    """Group rows by average linkage: the two groups with the highest mean cosine are joined while it is high enough.

    Follows chains of nearest neighbours, which gives the same groups in n^2 steps: two groups that are each other's
    nearest can be joined at once, as joining others brings nothing nearer.

    Args:
        vectors: Shape (n, dimension), rows of unit length.
        at_least: Lowest mean cosine in [-1, 1] at which two groups are joined.

    Returns:
        Groups of row numbers, each sorted, by their first row; every row is in one.

    Source: F. Murtagh, A survey of recent advances in hierarchical clustering algorithms, The Computer Journal 26,
    1983.
    """
    rows = np.asarray(vectors, dtype=np.float64)
    likeness = rows @ rows.T
    np.fill_diagonal(likeness, _OUT)
    groups = {row: [row] for row in range(len(rows))}
    is_open = np.ones(len(rows), dtype=bool)
    chain: list[int] = []
    while is_open.any():
        tip = chain[-1] if chain else int(np.argmax(is_open))
        chain = chain or [tip]
        nearest = int(np.argmax(likeness[tip]))
        if likeness[tip, nearest] < at_least:
            _close(likeness, is_open, tip)
            chain.pop()
        elif len(chain) > 1 and likeness[tip, chain[-2]] >= likeness[tip, nearest]:
            one, other = sorted((chain.pop(), chain.pop()))
            _join(likeness, one, other, len(groups[one]), len(groups[other]))
            _close(likeness, is_open, other)
            groups[one] += groups.pop(other)
        else:
            chain.append(nearest)
    return sorted(sorted(group) for group in groups.values())


def _join(likeness: npt.NDArray[np.float64], one: int, other: int, size: int, other_size: int) -> None:
    """Put the mean cosines of the group that two make in the place of the first one's."""
    mean = (size * likeness[one] + other_size * likeness[other]) / (size + other_size)
    likeness[one], likeness[:, one] = mean, mean
    likeness[one, one] = _OUT


def _close(likeness: npt.NDArray[np.float64], is_open: npt.NDArray[np.bool_], row: int) -> None:
    """Take a row out: nothing is joined with it any more."""
    likeness[row], likeness[:, row] = _OUT, _OUT
    is_open[row] = False
