"""Ours and the bare operation, one by one in turn, so that whatever disturbs the machine disturbs both."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from statistics import median
from types import TracebackType
from typing import NamedTuple

import yesteryear
from yesteryear.bench.report import Metrics, percentile
from yesteryear.bench.talk import line

CONVERSATION = "measured"
"""Name of the conversation that measured messages go to."""
_WARM_UP_PAIRS = 50


class Pair(NamedTuple):
    """How long the same message took, in seconds."""

    ours: float
    bare: float


class BareInsert(AbstractContextManager["BareInsert"]):
    """The least that a durable message needs: one row in one transaction, synced, in a file of its own."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute("CREATE TABLE message (id INTEGER PRIMARY KEY, at REAL, content TEXT NOT NULL)")

    def __call__(self, content: str) -> None:
        """Insert one message; it is on disk when this returns."""
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.execute("INSERT INTO message (at, content) VALUES (?, ?)", (time.time(), content))
        self._connection.execute("COMMIT")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()


def measure_pairs(memory: yesteryear.Memory, bare: BareInsert, how_many: int) -> list[Pair]:
    """Return how long each of ``how_many`` messages took, ours and bare; they take turns in going first."""

    def ours(content: str) -> None:
        memory.observe(content, conversation=CONVERSATION)

    pairs = []
    for number in range(-_WARM_UP_PAIRS, how_many):
        content = line(number)
        if number % 2:
            pair = Pair(ours=_timed(ours, content), bare=_timed(bare, content))
        else:
            pair = Pair(bare=_timed(bare, content), ours=_timed(ours, content))
        pairs.append(pair)
    return pairs[_WARM_UP_PAIRS:]


def compare(runs: Sequence[Sequence[Pair]], name: str) -> Metrics:
    """Return the median over the runs of the ratios of p50 and p95, and our worst time of all."""

    def ratio(share: float) -> float:
        return median(
            percentile([pair.ours for pair in run], share) / percentile([pair.bare for pair in run], share)
            for run in runs
        )

    return {
        f"{name}_p50_ratio": round(ratio(0.5), 3),
        f"{name}_p95_ratio": round(ratio(0.95), 3),
        f"{name}_p50_extra_us": round(1e6 * _difference(runs, 0.5), 1),
        f"{name}_p95_extra_us": round(1e6 * _difference(runs, 0.95), 1),
        f"{name}_worst_ms": round(1e3 * max(pair.ours for run in runs for pair in run), 2),
        **quantiles(runs, name, lambda pair: pair.ours),
    }


def quantiles(runs: Sequence[Sequence[Pair]], name: str, which: Callable[[Pair], float]) -> Metrics:
    """Return p50 and p95 in milliseconds, each the median over the runs."""
    return {
        f"{name}_{label}_ms": round(1e3 * median(percentile([which(pair) for pair in run], share) for run in runs), 4)
        for label, share in (("p50", 0.5), ("p95", 0.95))
    }


def _difference(runs: Sequence[Sequence[Pair]], share: float) -> float:
    return median(
        percentile([pair.ours for pair in run], share) - percentile([pair.bare for pair in run], share) for run in runs
    )


def _timed(operation: Callable[[str], None], content: str) -> float:
    begun = time.perf_counter()
    operation(content)
    return time.perf_counter() - begun
