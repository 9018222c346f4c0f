"""Several processes write to one server and work on it, and are killed at any moment, as the server itself is."""

from __future__ import annotations

from typing import Any

import pytest

from yesteryear_lab.bench.suites import run_suite

CLEAN = {"lost": 0, "doubled": 0, "done_twice": 0, "due_left": 0, "corrupt": 0}


def kill(**options: int) -> dict[str, Any]:
    """Return the metrics of so many kills."""
    given = {name: str(value) for name, value in options.items()}
    report = run_suite("processes", data=None, rows=False, options=given, on_progress=lambda _: None)
    metrics = report["metrics"]
    assert isinstance(metrics, dict)
    return metrics


@pytest.mark.heavy
def test_kills_of_workers_writers_and_the_server_lose_nothing() -> None:
    """A few of each, with two workers and one writer; enough for slow workers to come to their first episode."""
    metrics = kill(kills=8, writer_kills=1, server_kills=1, workers=2, writers=1)
    assert {name: metrics[name] for name in CLEAN} == CLEAN
    assert metrics["acknowledged"] > 5
    assert metrics["episodes_by_workers"] > 0


@pytest.mark.exhaustive
@pytest.mark.heavy
def test_two_hundred_kills_with_four_workers_lose_nothing() -> None:
    """Often enough to meet what is rare; the server itself is killed twenty times."""
    metrics = kill(kills=200, writer_kills=20, server_kills=20, workers=4, writers=2, seed=2)
    assert {name: metrics[name] for name in CLEAN} == CLEAN
    assert metrics["acknowledged"] > 240
