"""Groups of vectors by density: HDBSCAN, as document B has it, where the ``clusters`` extra is installed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from yesteryear.core.vectors import Matrix
from yesteryear.errors import MissingExtra


def build_density() -> Callable[[Matrix], Sequence[Sequence[int]]]:
    """Return a grouping that finds where two rows or more lie close together, and leaves out the rest.

    It takes rows of unit length, shape (n, dimension), on which distance orders as cosine does, and returns groups of
    row numbers, each rising. It needs no threshold, so it fits any embedder; average linkage, which has one, is the
    default because it leaves nothing out and depends on nothing. Takes a second to import, and is refused at once where
    it cannot run.

    Source: Human-Like Memory System document, section 6.1; R. Campello and others, Hierarchical density estimates for
    data clustering, 2015.
    """
    try:
        from sklearn.cluster import HDBSCAN  # noqa: PLC0415 - an extra; only this grouping needs it
    except ImportError as exc:
        raise MissingExtra("groups by density need scikit-learn: pip install 'yesteryear[clusters]'") from exc

    def group(vectors: Matrix) -> list[list[int]]:
        if len(vectors) < 2:
            return []
        labels = HDBSCAN(min_cluster_size=2, copy=True).fit_predict(vectors)
        return [np.flatnonzero(labels == label).tolist() for label in sorted(set(labels.tolist()) - {-1})]

    return group
