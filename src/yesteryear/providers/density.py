"""Groups of vectors by density: HDBSCAN, as document B has it, where the ``clusters`` extra is installed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from yesteryear.core.vectors import Matrix
from yesteryear.errors import MissingExtra


@dataclass(frozen=True, slots=True)
class DensityGrouping:
    """Finds groups where rows lie close together, and leaves out what lies between them.

    Needs no threshold, so it fits any embedder; average linkage, which has one, is the default because it leaves
    nothing out and depends on nothing.

    Source: Human-Like Memory System document, section 6.1; R. Campello and others, Hierarchical density estimates for
    data clustering, 2015.
    """

    hdbscan: Callable[..., Any]
    """The class of scikit-learn; ``build_density`` finds it."""
    fewest: int = 2
    """Rows that make a group; at least 2."""

    def __call__(self, vectors: Matrix) -> Sequence[Sequence[int]]:
        """Return groups of row numbers, each rising; rows that lie alone are in none.

        Args:
            vectors: Shape (n, dimension), rows of unit length, on which distance orders as cosine does.
        """
        if len(vectors) < max(2, self.fewest):
            return []
        labels = self.hdbscan(min_cluster_size=max(2, self.fewest), copy=True).fit_predict(vectors)
        return [np.flatnonzero(labels == label).tolist() for label in sorted(set(labels.tolist()) - {-1})]


def build_density(fewest: int = 2) -> DensityGrouping:
    """Return the grouping, which takes a second to import and is refused at once where it cannot run.

    Args:
        fewest: Rows that make a group; at least 2.

    Raises:
        MissingExtra: scikit-learn is not installed.
    """
    try:
        from sklearn.cluster import HDBSCAN  # noqa: PLC0415 - an extra; only this grouping needs it
    except ImportError as exc:
        raise MissingExtra("groups by density need scikit-learn: pip install 'yesteryear[clusters]'") from exc
    return DensityGrouping(HDBSCAN, fewest)
