"""Fitting a linear head, the same result every time, and holding rows out to judge it.

L2-regularised multinomial logistic regression; folds keep the labels' shares and never part near-duplicates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from sklearn.linear_model import LogisticRegression

from yesteryear.core.heads import LinearHead, softmax
from yesteryear.core.vectors import Matrix, Purpose, embed_in_batches
from yesteryear.errors import InputError
from yesteryear_lab.training.recipe import go_on
from yesteryear_lab.training.weights import rounded

if TYPE_CHECKING:
    from yesteryear.ports import Embedder

Rows = npt.NDArray[np.intp]  # numbers of rows

SEED = 7  # of the order in which groups are dealt out
FOLDS = 5  # parts that the rows are dealt into
NEAR_DUPLICATE = 0.8  # cosine in [-1, 1] above which two rows are too alike to stand on both sides


@dataclass(frozen=True, slots=True)
class FitPolicy:
    """How strongly a head is held back from learning its rows by heart."""

    inverse_l2: float = 0.1
    """C of the regression, at least 0.0001; smaller is smoother. Source: measured by cross-validation on the gate."""
    vector_factor: float = 6.0
    """Factor on vectors, whose single values are small against standardised features. Source: as above."""
    scale_floor: float = 0.05
    """Added to the standard deviation of a feature, in its unit: a feature that hardly ever speaks must not shout."""
    most_steps: int = 2_000  # steps of the optimiser at most; it stops by itself long before
    tolerance: float = 1e-5
    """Gradient, at most, at which the optimiser stops; small enough for the rounded weights not to depend on it."""


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """Labelled rows as numbers."""

    names: tuple[str, ...]  # of the features
    features: npt.NDArray[np.float64]  # shape (n, features)
    labels: tuple[str, ...]  # one a row
    vectors: Matrix | None = None  # shape (n, vectors x dimension), or None for a head without a model
    weights: npt.NDArray[np.float64] | None = None  # shape (n,): how much each row counts; None for all the same

    def some(self, rows: Rows) -> Samples:
        """Return some rows."""
        return Samples(
            self.names,
            self.features[rows],
            tuple(self.labels[row] for row in rows),
            None if self.vectors is None else self.vectors[rows],
            None if self.weights is None else self.weights[rows],
        )

    def with_others(self, others: Samples, *, weight: float = 1.0) -> Samples:
        """Return rows and others of the same features, each of which counts so much."""
        counts = np.ones(len(self.labels)) if self.weights is None else self.weights
        vectors = None if self.vectors is None or others.vectors is None else np.vstack([self.vectors, others.vectors])
        return Samples(
            self.names,
            np.vstack([self.features, others.features]),
            (*self.labels, *others.labels),
            vectors,
            np.concatenate([counts, np.full(len(others.labels), weight)]),
        )


def read_questions(
    texts: Sequence[str],
    labels: Sequence[str],
    embedder: Embedder,
    features: Callable[[str], Mapping[str, float]] = lambda _: {},
) -> Samples:
    """Return labelled messages as they are embedded as questions, with what ``features`` tells of each by name."""
    vectors = embed_in_batches(
        lambda some: embedder.embed(some, purpose=Purpose.QUERY),
        texts,
        batch=embedder.profile.batch,
        yield_to_foreground=go_on,
    )
    return Samples(*stack([features(text) for text in texts]), tuple(labels), np.stack(vectors))


def stack(features: Sequence[Mapping[str, float]]) -> tuple[tuple[str, ...], npt.NDArray[np.float64]]:
    """Return names and values, shape (n, features), of rows that all have the same features."""
    names = tuple(features[0])
    return names, np.array([[row[name] for name in names] for row in features], dtype=np.float64)


def fit_head(name: str, samples: Samples, policy: FitPolicy, *, model: str | None = None) -> LinearHead:
    """Return the head that explains the samples best, rounded as it will be shipped.

    Minimises the cross-entropy plus |weights|² / 2C, standardised features and scaled vectors alike; the bias is free.

    Samples have vectors exactly when a model, by ``EmbedderProfile.model``, is named, and at least two labels.
    """
    classes = tuple(sorted(set(samples.labels)))
    if len(classes) < 2 or (model is None) is not (samples.vectors is None):
        raise InputError(
            f"the head {name!r} needs rows of two labels at least, and vectors exactly when it has a model"
        )
    mean = samples.features.mean(axis=0)
    scale = samples.features.std(axis=0) + policy.scale_floor
    columns = [(samples.features - mean) / scale]
    if samples.vectors is not None:
        columns.append(policy.vector_factor * samples.vectors.astype(np.float64))
    regression = regression_of(policy)
    regression.fit(np.hstack(columns), list(samples.labels), sample_weight=samples.weights)
    coefficients, bias = np.asarray(regression.coef_), np.asarray(regression.intercept_)
    if len(classes) == 2:  # scikit-learn then only keeps the second class
        coefficients, bias = np.vstack([-coefficients, coefficients]) / 2, np.array([-bias[0], bias[0]]) / 2
    width = len(samples.names)
    head = LinearHead(
        name=name,
        classes=classes,
        features=samples.names,
        mean=mean.astype(np.float32),
        scale=scale.astype(np.float32),
        weights=coefficients[:, :width].astype(np.float32),
        bias=bias.astype(np.float32),
        model=model,
        vector_weights=(policy.vector_factor * coefficients[:, width:]).astype(np.float32) if model else None,
    )
    return rounded(head)


def predict(head: LinearHead, samples: Samples) -> npt.NDArray[np.float64]:
    """Return shape (n, classes): the probabilities that ``head.probabilities`` gives for each row."""
    logits = head.bias + ((samples.features - head.mean) / head.scale) @ head.weights.T.astype(np.float64)
    if head.vector_weights is not None:
        if samples.vectors is None:
            raise InputError(f"the head {head.name!r} reads vectors")
        logits = logits + samples.vectors @ head.vector_weights.T.astype(np.float64)
    return softmax(logits)


def regression_of(policy: FitPolicy) -> LogisticRegression:
    """Return the regression of a policy, not yet fitted."""
    return LogisticRegression(C=policy.inverse_l2, max_iter=policy.most_steps, tol=policy.tolerance, solver="lbfgs")


def near_duplicates(vectors: Matrix, *, above: float = NEAR_DUPLICATE) -> list[int]:
    """Return a group number for each row; rows linked by cosines above a threshold have the same."""
    _, groups = connected_components(csr_array(vectors @ vectors.T > above), directed=False)
    return [int(group) for group in groups]


def deal_folds(
    labels: Sequence[str], groups: Sequence[object], *, folds: int = FOLDS, seed: int = SEED
) -> list[tuple[Rows, Rows]]:
    """Return pairs of rows to train on and rows to test on; each row is tested once, and no group is parted.

    Groups (persons, series, near-duplicates) are dealt in a shuffled order, the largest first, each to the fold that
    has fewest of its labels so far, so that all folds have nearly the same mixture.
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
