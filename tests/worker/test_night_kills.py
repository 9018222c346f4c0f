"""A night that is killed at any step leaves no half of it to be seen; whoever runs it again comes to the same end."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from subprocess import PIPE
from typing import Any, NamedTuple

import pytest

from tests.failing import CrashPoint, Moment, Write
from tests.worker.one_night import Death, faded, known, live, opened, pass_night

pytestmark = pytest.mark.sampled

NIGHT = ("-m", "tests.worker.one_night")
SEED = 17
WRITES = ((Write.JUDGE, 1), (Write.JUDGE, 2), (Write.JUDGE, 3), (Write.FADE, 1), (Write.SETTLE, 1))
POINTS = [Death(CrashPoint(write, moment, nth)) for write, nth in WRITES for moment in Moment]
STATEMENTS, MOMENTS = 130, 60
"""Kills at statements and at random moments; with those at each write, 200."""


class Undisturbed(NamedTuple):
    """A night that nobody kills."""

    path: Path
    """As it was before."""
    before: Any
    after: Any
    talk: Any
    """What is left of the talk afterwards."""
    writes: Counter[Write]
    statements: int
    took_s: float


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    """What is known before and after."""
    folder = tmp_path_factory.mktemp("undisturbed")
    path, done = folder / "before.db", folder / "after.db"
    live(path)
    with opened(path) as (engine, _):
        before = known(engine.memory(user="ana"))
    shutil.copy(path, done)
    begun = time.perf_counter()
    writes, statements = pass_night(done)
    took_s = time.perf_counter() - begun
    with opened(done) as (engine, _):
        memory = engine.memory(user="ana")
        return Undisturbed(path, before, known(memory), faded(memory), writes, statements, took_s)


class Doomed:
    """Starts processes that run the night until they die."""

    def __init__(self, starter: subprocess.Popen[str]) -> None:
        self._starter = starter

    def die(self, path: Path, death: Death) -> int:
        """Run the night until the death; return how the process ended."""
        assert self._starter.stdin is not None
        assert self._starter.stdout is not None
        self._starter.stdin.write(f"{path}\t{death.line()}\n")
        self._starter.stdin.flush()
        return int(self._starter.stdout.readline())


@pytest.fixture(scope="module")
def doomed() -> Iterator[Doomed]:
    """A process that has everything loaded and starts others."""
    with subprocess.Popen([sys.executable, *NIGHT], stdin=PIPE, stdout=PIPE, text=True) as starter:
        yield Doomed(starter)


def check(path: Path, night: Undisturbed) -> bool:
    """Check that belief is as before the night or after it, then run it again; tell whether it had been done."""
    with opened(path) as (engine, _):
        memory = engine.memory(user="ana")
        found = known(memory)
        assert found in (night.before, night.after)
        memory.consolidate()
        assert known(memory) == night.after
        assert faded(memory) == night.talk
        assert memory.consolidate().is_empty
        assert [(report.state, len(report.changes)) for report in memory.nights()] == [("done", len(changed(night)))]
        assert engine.describe(check=True)["integrity_check"] == "ok"
    return bool(found == night.after)


def changed(night: Undisturbed) -> list[Any]:
    """Return the facts that the night changes."""
    return [fact for fact in night.after[0] if fact not in night.before[0]]


def kill_all(deaths: Sequence[Death], folder: Path, night: Undisturbed, doomed: Doomed) -> Counter[bool]:
    """Kill a night for each death; count how often it had been done by then."""
    done: Counter[bool] = Counter()
    for number, death in enumerate(deaths):
        path = folder / f"{number}.db"
        shutil.copy(night.path, path)
        ended = doomed.die(path, death)
        assert ended == -signal.SIGKILL or (death.after_s and ended == 0), death
        done[check(path, night)] += 1
        path.unlink()
    return done


def test_a_night_that_nobody_kills_comes_to_an_end(undisturbed: Undisturbed) -> None:
    """The comparisons below mean something only if every kind of work was done."""
    assert {write for write, _ in WRITES} <= set(undisturbed.writes)
    assert len(changed(undisturbed)) > 40
    assert undisturbed.before[1] == []
    assert len(undisturbed.after[1]) > 10


@pytest.mark.parametrize(
    "death", POINTS, ids=lambda death: f"{death.point.moment}-{death.point.write}-{death.point.nth}"
)
def test_dying_at_a_write_of_the_night_changes_nothing_in_the_end(
    tmp_path: Path, death: Death, doomed: Doomed, undisturbed: Undisturbed
) -> None:
    """What was judged is kept, what was not settled is not to be seen."""
    done = kill_all([death], tmp_path, undisturbed, doomed)
    assert death.point is not None
    assert done == {death.point == CrashPoint(Write.SETTLE, Moment.AFTER): 1}


@pytest.mark.parametrize("deaths", [POINTS[::3], POINTS], ids=["some", "all"])
def test_dying_again_and_again_goes_on_where_it_was(
    tmp_path: Path, deaths: Sequence[Death], doomed: Doomed, undisturbed: Undisturbed
) -> None:
    """One file on which process after process dies, each a little later."""
    path = tmp_path / "memory.db"
    shutil.copy(undisturbed.path, path)
    for death in deaths:
        assert doomed.die(path, death) in (0, -signal.SIGKILL)
    assert check(path, undisturbed)


@pytest.mark.exhaustive
@pytest.mark.heavy
def test_two_hundred_kills_leave_no_half_a_night(tmp_path: Path, doomed: Doomed, undisturbed: Undisturbed) -> None:
    """At each write, before statements drawn at random, and at random moments."""
    print(f"seed {SEED}")
    chance = random.Random(SEED)
    nths = chance.sample(range(1, undisturbed.statements + 1), STATEMENTS)
    deaths = [*POINTS, *(Death(nth=nth) for nth in nths)]
    # A process of its own takes its time to begin; some moments have to come after its night.
    deaths += [Death(after_s=chance.uniform(0.01, 6 * undisturbed.took_s)) for _ in range(MOMENTS)]
    assert len(deaths) == 200
    done = kill_all(deaths, tmp_path, undisturbed, doomed)
    assert min(done.values()) > 10, "kills before and after the night was settled"
