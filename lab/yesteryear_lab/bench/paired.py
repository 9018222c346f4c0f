"""Ours and the bare operation, one by one in turn, so that whatever disturbs the machine disturbs both."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from statistics import median
from types import TracebackType
from typing import NamedTuple

import yesteryear
from yesteryear_lab.bench.report import Metrics, percentile
from yesteryear_lab.bench.talk import line

CONVERSATION = "measured"
"""Name of the conversation that measured messages go to."""
_WARM_UP_PAIRS = 50


class Pair(NamedTuple):
    """How long ours and the bare operation took, in seconds."""

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

    return take_turns(ours, bare, map(line, range(-_WARM_UP_PAIRS, how_many)))[_WARM_UP_PAIRS:]


def take_turns(ours: Callable[[str], object], bare: Callable[[str], object], texts: Iterable[str]) -> list[Pair]:
    """Return how long each text took, ours and bare; they take turns in going first."""
    pairs = []
    for number, text in enumerate(texts):
        if number % 2:
            pair = Pair(ours=timed(ours, text), bare=timed(bare, text))
        else:
            pair = Pair(bare=timed(bare, text), ours=timed(ours, text))
        pairs.append(pair)
    return pairs


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


def pair_rows(runs: Sequence[Sequence[Pair]], name: str) -> list[Metrics]:
    """Return an entry for each pair, by run and number."""
    return [
        {"id": f"{name}-{run}-{number}", "ours_ms": round(1e3 * pair.ours, 4), "bare_ms": round(1e3 * pair.bare, 4)}
        for run, pairs in enumerate(runs)
        for number, pair in enumerate(pairs)
    ]


def timed(operation: Callable[[str], object], text: str) -> float:
    """Return how long an operation took on a text, in seconds."""
    begun = time.perf_counter()
    operation(text)
    return time.perf_counter() - begun
