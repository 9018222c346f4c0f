"""Several processes write to one server and work on it, and are killed at any moment, as the server itself is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.worker.crew import kill_often
from yesteryear_lab.bench.load.durability import Findings


@pytest.mark.heavy
def test_kills_of_workers_writers_and_the_server_lose_nothing(tmp_path: Path) -> None:
    """A few of each, with two workers and one writer; enough for slow workers to come to their first episode."""
    found, episodes = kill_often(tmp_path, kills=8, writer_kills=1, server_kills=1, workers=2, writers=1)
    assert found == Findings(acknowledged=found.acknowledged)
    assert found.acknowledged > 5
    assert episodes > 0


@pytest.mark.exhaustive
@pytest.mark.heavy
def test_two_hundred_kills_with_four_workers_lose_nothing(tmp_path: Path) -> None:
    """Often enough to meet what is rare; the server itself is killed twenty times."""
    found, _ = kill_often(tmp_path, kills=200, writer_kills=20, server_kills=20, workers=4, writers=2, seed=2)
    assert found == Findings(acknowledged=found.acknowledged)
    assert found.acknowledged > 240
