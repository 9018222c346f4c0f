"""A copy is killed again and again, and goes on where it was."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.exports import fill, fill_long, opened
from yesteryear.core.scope import Scope

COMMAND = (sys.executable, "-c", "from yesteryear.cli import main; main()", "copy", "--json")
PEOPLE = [Scope(user=f"person {number}") for number in range(6)]
KILLS = 3
SHORTEST_S, LONGEST_S = 0.3, 1.2


@pytest.mark.heavy
def test_a_killed_copy_goes_on_where_it_was(tmp_path: Path, postgres_url: str) -> None:
    """From a file to a server and back, killed wherever it strikes: each row once, the same hash everywhere."""
    delays = random.Random(5)
    file, back = tmp_path / "memory.db", tmp_path / "back.db"
    with opened(file) as store:
        fill(store, PEOPLE[0])
        for scope in PEOPLE[1:]:
            fill_long(store, scope, 6)
    there = copy_through_kills(file, postgres_url, delays)
    again = copy_through_kills(postgres_url, back, delays)
    assert [person["user"] for person in there["people"]] == [scope.user for scope in PEOPLE]
    assert again["people"] == there["people"]


def copy_through_kills(
    source: Path | str, target: Path | str, delays: random.Random
) -> dict[str, list[dict[str, str]]]:
    """Copy a store, kill the process a few times on the way, and return what the last one reports."""
    for _ in range(KILLS):
        with subprocess.Popen([*COMMAND, str(source), str(target)], stdout=subprocess.DEVNULL) as doomed:
            time.sleep(delays.uniform(SHORTEST_S, LONGEST_S))
            doomed.kill()
    done = subprocess.run([*COMMAND, str(source), str(target)], capture_output=True, text=True, check=True)
    report: dict[str, list[dict[str, str]]] = json.loads(done.stdout)
    return report
