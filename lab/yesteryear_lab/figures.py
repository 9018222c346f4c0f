"""Shares, means and quantiles: every figure of a suite or of a model card comes down to these."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any, TypeVar

Label = TypeVar("Label", bound=Hashable)

QUANTILES = {"p50": 0.5, "p95": 0.95}  # those that are told of times, by their names


def ratio(part: float, whole: float) -> float:
    """Return a part of a whole; 0 where there is nothing to share."""
    return part / whole if whole else 0.0


def mean(values: Iterable[float]) -> float:
    """Return the mean; 0 of nothing."""
    listed = list(values)
    return ratio(sum(listed), len(listed))


def share(values: Iterable[float]) -> float | None:
    """Return the mean with four digits, as reports show it; None of nothing."""
    listed = list(values)
    return round(fmean(listed), 4) if listed else None


def f1(pairs: Iterable[tuple[Label, Label]], label: Label) -> float:
    """Return the harmonic mean of precision and recall of one label, in [0, 1]; pairs are of label and answer."""
    listed = list(pairs)
    hits = sum(gold == answer == label for gold, answer in listed)
    return ratio(2 * hits, sum((gold == label) + (answer == label) for gold, answer in listed))


def detection(pairs: Iterable[tuple[bool, bool]]) -> dict[str, float]:
    """Return precision, recall and F1 of saying yes; pairs are of what is so and what was said."""
    listed = list(pairs)
    return {
        "precision": mean(is_so for is_so, is_said in listed if is_said),
        "recall": mean(is_said for is_so, is_said in listed if is_so),
        "f1": f1(listed, True),
    }


def macro_f1(pairs: Sequence[tuple[Label, Label]], labels: Iterable[Label]) -> float:
    """Return the mean of F1 over some labels."""
    return mean(f1(pairs, label) for label in labels)


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which ``share`` (in [0, 1]) of the values lie; the nearest one, nothing in between."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def rounded(figures: Mapping[str, object]) -> dict[str, object]:
    """Return figures with four digits behind the point; what is no such number stays."""
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in figures.items()}


def known(figures: Mapping[str, object]) -> dict[str, Any]:
    """Return the figures of which something was measured."""
    return {name: value for name, value in figures.items() if value is not None}


def elapsed_s(call: Callable[[], object]) -> float:
    """Return how long a call took, in seconds."""
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun
