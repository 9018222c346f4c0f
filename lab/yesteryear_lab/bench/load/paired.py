"""Times, ours and the bare operation's, taken one by one in turn, so that whatever disturbs the machine disturbs both.

Names of figures have a star where the quantile is named: "warm_*" becomes ``warm_p50_ms`` and ``warm_p95_ms``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from statistics import median
from typing import NamedTuple, TypeAlias

from yesteryear_lab.bench.report import Metrics
from yesteryear_lab.figures import QUANTILES, elapsed_s, percentile

Times: TypeAlias = Sequence[Sequence[float]]  # of each run, in seconds


class Pair(NamedTuple):
    """How long ours and the bare operation took, in seconds."""

    ours: float
    bare: float


def take_turns(ours: Callable[[str], object], bare: Callable[[str], object], texts: Iterable[str]) -> list[Pair]:
    """Return how long each text took, ours and bare; they take turns in going first."""
    return [Pair(*time_in_turn((ours, bare), text, turn)) for turn, text in enumerate(texts, 1)]


def time_in_turn(ways: Sequence[Callable[[str], object]], text: str, turn: int) -> list[float]:
    """Return how long a text took each way, in seconds; each turn another way goes first."""
    took = [0.0] * len(ways)
    for number in range(len(ways)):
        way = (number + turn) % len(ways)
        took[way] = elapsed_s(partial(ways[way], text))
    return took


def quantiles(name: str, runs: Times, *, digits: int = 3) -> Metrics:
    """Return p50 and p95 in milliseconds, each the median over the runs."""
    return {
        f"{name.replace('*', label)}_ms": round(1e3 * median(percentile(run, at) for run in runs), digits)
        for label, at in QUANTILES.items()
    }


def ratios(name: str, ours: Times, bare: Times) -> Metrics:
    """Return the median over the runs of the ratios of p50 and of p95."""
    return {
        f"{name.replace('*', label)}_ratio": round(
            median(percentile(one, at) / percentile(other, at) for one, other in zip(ours, bare, strict=True)), 3
        )
        for label, at in QUANTILES.items()
    }


def extras_s(ours: Times, bare: Times) -> dict[str, float]:
    """Return by quantile how much longer ours took, in seconds, the median over the runs."""
    return {
        label: median(percentile(one, at) - percentile(other, at) for one, other in zip(ours, bare, strict=True))
        for label, at in QUANTILES.items()
    }


class Compared(NamedTuple):
    """What pairs of some runs come to."""

    metrics: Metrics  # ratios, differences, our own times and the worst of them
    bare: Metrics  # times of the bare operation
    rows: list[Metrics]  # an entry for each pair, by run and number


def compare(runs: Sequence[Sequence[Pair]], name: str) -> Compared:
    """Return the figures of ours against the bare operation, medians over the runs."""
    ours, bare = ([[pair[side] for pair in run] for run in runs] for side in (0, 1))
    metrics = {
        **ratios(f"{name}_*", ours, bare),
        **{f"{name}_{label}_extra_us": round(1e6 * extra, 1) for label, extra in extras_s(ours, bare).items()},
        f"{name}_worst_ms": round(1e3 * max(map(max, ours)), 2),
        **quantiles(f"{name}_*", ours, digits=4),
    }
    rows = [
        {"id": f"{name}-{run}-{number}", "ours_ms": round(1e3 * pair.ours, 4), "bare_ms": round(1e3 * pair.bare, 4)}
        for run, pairs in enumerate(runs)
        for number, pair in enumerate(pairs)
    ]
    return Compared(metrics, quantiles(f"{name}_*", bare, digits=4), rows)
