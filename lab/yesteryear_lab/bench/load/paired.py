"""Ours and the bare operation, one by one in turn, so that whatever disturbs the machine disturbs both."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from statistics import median
from types import TracebackType
from typing import NamedTuple

import yesteryear
from yesteryear_lab.bench.load.talk import line
from yesteryear_lab.bench.report import Metrics
from yesteryear_lab.figures import QUANTILES, elapsed_s, percentile

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
            pair = Pair(ours=elapsed_s(partial(ours, text)), bare=elapsed_s(partial(bare, text)))
        else:
            pair = Pair(bare=elapsed_s(partial(bare, text)), ours=elapsed_s(partial(ours, text)))
        pairs.append(pair)
    return pairs


def compare(runs: Sequence[Sequence[Pair]], name: str) -> Metrics:
    """Return the median over the runs of the ratios of p50 and p95, and our worst time of all."""
    ratios: Metrics = {}
    extra: Metrics = {}
    for label, at in QUANTILES.items():
        both = [(percentile([p.ours for p in run], at), percentile([p.bare for p in run], at)) for run in runs]
        ratios[f"{name}_{label}_ratio"] = round(median(ours / bare for ours, bare in both), 3)
        extra[f"{name}_{label}_extra_us"] = round(1e6 * median(ours - bare for ours, bare in both), 1)
    return {
        **ratios,
        **extra,
        f"{name}_worst_ms": round(1e3 * max(pair.ours for run in runs for pair in run), 2),
        **quantiles(runs, name, lambda pair: pair.ours),
    }


def quantiles(runs: Sequence[Sequence[Pair]], name: str, which: Callable[[Pair], float]) -> Metrics:
    """Return p50 and p95 in milliseconds, each the median over the runs."""
    return {
        f"{name}_{label}_ms": round(1e3 * median(percentile([which(pair) for pair in run], share) for run in runs), 4)
        for label, share in QUANTILES.items()
    }


def pair_rows(runs: Sequence[Sequence[Pair]], name: str) -> list[Metrics]:
    """Return an entry for each pair, by run and number."""
    return [
        {"id": f"{name}-{run}-{number}", "ours_ms": round(1e3 * pair.ours, 4), "bare_ms": round(1e3 * pair.bare, 4)}
        for run, pairs in enumerate(runs)
        for number, pair in enumerate(pairs)
    ]
