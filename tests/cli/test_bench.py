"""``yesteryear bench`` runs a suite and prints its report."""

from __future__ import annotations

import pytest

from tests.cli.stage import Run

ONE_KILL = ("durability", "--option", "kills=1", "--option", "kills_normal=0")


@pytest.mark.heavy
def test_a_suite_is_run_with_its_options(run: Run) -> None:
    """One document with the figures, what they depend on, and the rows behind them; how far it is goes to stderr."""
    done = run("bench", *ONE_KILL, "--rows", "--json")
    assert done.code == 0
    report = done.json
    assert list(report) == ["suite", "data", "n", "metrics", "baselines", "settings", "rows"]
    assert (report["suite"], report["n"], report["metrics"]["lost"]) == ("durability", 1, 0)
    assert len(report["rows"]) == 1
    assert done.stderr != ""


def test_suites_are_listed(run: Run) -> None:
    """Each with what it measures."""
    names = [line.partition(":")[0] for line in run("bench").stdout.splitlines()]
    assert {"latency", "durability", "ingest"} <= set(names)


def test_an_unknown_option_is_refused(run: Run) -> None:
    """With the names of those there are."""
    done = run("bench", "durability", "--option", "deaths=1")
    assert done.code == 1
    assert "no option 'deaths'; there are: kills" in done.stderr
