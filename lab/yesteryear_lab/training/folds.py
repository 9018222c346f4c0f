"""How rows are held out: folds that keep the labels' shares and never part near-duplicates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from yesteryear.core.vectors import Matrix

Rows = npt.NDArray[np.intp]
"""Numbers of rows."""

SEED = 7
"""Of the order in which groups are dealt out."""
FOLDS = 5
"""Parts that the rows are dealt into."""
NEAR_DUPLICATE = 0.8
"""Cosine in [-1, 1] above which two rows are too alike to stand on both sides."""


def near_duplicates(vectors: Matrix, *, above: float = NEAR_DUPLICATE) -> list[int]:
    """Return a group number for each row; rows linked by cosines above a threshold have the same.

    Args:
        vectors: Shape (n, d), rows of unit length.
        above: Threshold in [-1, 1].
    """
    group = list(range(len(vectors)))

    def root(row: int) -> int:
        while group[row] != row:
            group[row] = group[group[row]]
            row = group[row]
        return row

    for one, other in np.argwhere(np.triu(vectors @ vectors.T > above, k=1)).tolist():
        group[max(root(one), root(other))] = min(root(one), root(other))
    return [root(row) for row in range(len(group))]


def deal_folds(
    labels: Sequence[str], groups: Sequence[object], *, folds: int = FOLDS, seed: int = SEED
) -> list[tuple[Rows, Rows]]:
    """Return pairs of rows to train on and rows to test on; each row is tested once.

    Groups are dealt in a shuffled order, the largest first, each to the fold that has fewest of its labels so far, so
    that all folds have nearly the same mixture.

    Args:
        labels: Of each row.
        groups: Of each row; rows of one group are never parted. Persons, series, near-duplicates.
        folds: At least 2.
        seed: Of the shuffle.
    """
    members: dict[object, list[int]] = {}
    for row, name in enumerate(groups):
        members.setdefault(name, []).append(row)
    groups_of_rows = list(members.values())
    order = np.random.default_rng(seed).permutation(len(groups_of_rows)).tolist()
    dealt = sorted((groups_of_rows[number] for number in order), key=len, reverse=True)
    names = {label: number for number, label in enumerate(sorted(set(labels)))}
    totals = np.bincount([names[label] for label in labels], minlength=len(names))
    counts = np.zeros((folds, len(names)))
    fold_of = np.zeros(len(labels), dtype=np.intp)
    for rows in dealt:
        added = np.bincount([names[labels[row]] for row in rows], minlength=len(names))
        crowding = (counts * added / totals).sum(axis=1) + counts.sum(axis=1) / len(labels) / len(labels)
        chosen = int(crowding.argmin())
        counts[chosen] += added
        fold_of[rows] = chosen
    return [(np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)) for fold in range(folds)]
