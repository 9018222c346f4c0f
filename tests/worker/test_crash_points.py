"""A worker that dies between any two of its writes leaves nothing undone and nothing done twice."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest

from tests.failing import CrashPoint, Moment, Write
from tests.worker.one_life import live, memories

pytestmark = pytest.mark.sampled

LIFE = ("-m", "tests.worker.one_life")
ROOT = Path(__file__).parents[2]

POINTS = [
    CrashPoint(write, moment, nth)
    for write, nth in (
        (Write.RECORD, 5),
        (Write.CLAIM, 1),
        (Write.POSTPONE, 1),
        (Write.SEGMENT, 2),
        (Write.ACTIVATE, 2),
        (Write.EMBED, 1),
        (Write.RELEASE, 1),
        (Write.MARK_MESSAGES, 1),
        (Write.MARK_EPISODES, 1),
        (Write.START_MODEL, 1),
        (Write.ACTIVATE, 8),
        (Write.FINISH_MODEL, 1),
        (Write.EXPIRE, 1),
        (Write.STRENGTHEN, 1),
        (Write.FORGET, 2),
        (Write.SCRUB, 1),
        (Write.NOTE, 4),
        (Write.DIGEST_ANEW, 1),
        (Write.FADE, 1),
        (Write.OTHER, 2),  # the yes to a proposal to forget
    )
    for moment in Moment
]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Counter[Write], dict[str, Any]]:
    """What is written in a life without accidents, and what is left of it."""
    path = tmp_path_factory.mktemp("undisturbed") / "memory.db"
    return live(path), memories(path)


class Doomed:
    """Starts processes that live until a crash point."""

    def __init__(self, starter: subprocess.Popen[str]) -> None:
        self._starter = starter

    def die(self, path: Path, point: CrashPoint) -> int:
        """Live until the crash point; return how the process ended."""
        assert self._starter.stdin is not None
        assert self._starter.stdout is not None
        self._starter.stdin.write(f"{path}\t{point.write}\t{point.moment}\t{point.nth}\n")
        self._starter.stdin.flush()
        return int(self._starter.stdout.readline())


@pytest.fixture(scope="module")
def doomed() -> Iterator[Doomed]:
    """A process that has everything loaded and starts others."""
    with subprocess.Popen([sys.executable, *LIFE], cwd=ROOT, stdin=PIPE, stdout=PIPE, text=True) as starter:
        yield Doomed(starter)


def test_a_life_without_accidents_comes_to_an_end(undisturbed: tuple[Counter[Write], dict[str, Any]]) -> None:
    """The comparison below means something only if work of every kind was done and finished."""
    writes, left = undisturbed
    assert {point.write for point in POINTS} <= set(writes)
    assert left["integrity_check"] == "ok"
    assert left["leases"] == []
    assert left["stats"]["messages.open"] == left["stats"]["vectors.due"] == 0
    of_facts = {name: count for name, count in left["stats"].items() if name.startswith("facts.")}
    facts = sum(of_facts.values()) - of_facts.get("facts.forgotten", 0)
    kept = left["stats"]["messages.keep"] + len(left["episodes"]) + facts
    assert left["stats"]["vectors.by_model"] == {"other-v1": kept}


@pytest.mark.parametrize(
    "point",
    [point if number % 6 == 0 else pytest.param(point, marks=pytest.mark.heavy) for number, point in enumerate(POINTS)],
    ids=lambda point: f"{point.moment}-{point.write}-{point.nth}",
)
def test_dying_at_a_write_changes_nothing_in_the_end(
    tmp_path: Path, point: CrashPoint, doomed: Doomed, undisturbed: tuple[Counter[Write], dict[str, Any]]
) -> None:
    """Whoever comes after a dead process brings everything to the same end as if it had never died."""
    path = tmp_path / "memory.db"
    assert doomed.die(path, point) == -signal.SIGKILL
    live(path)
    assert memories(path) == undisturbed[1]


@pytest.mark.exhaustive
@pytest.mark.heavy
@pytest.mark.parametrize("moment", Moment)
def test_dying_at_any_write_changes_nothing_in_the_end(
    tmp_path: Path, moment: Moment, doomed: Doomed, undisturbed: tuple[Counter[Write], dict[str, Any]]
) -> None:
    """The same for every single write of the life."""
    writes, left = undisturbed
    for write, times in writes.items():
        for nth in range(1, times + 1):
            path = tmp_path / f"{write}-{nth}.db"
            assert doomed.die(path, CrashPoint(write, moment, nth)) == -signal.SIGKILL
            live(path)
            assert memories(path) == left, f"after dying {moment} {write} {nth}"


@pytest.mark.heavy
@pytest.mark.parametrize(
    "points", [POINTS[::3], pytest.param(POINTS, marks=pytest.mark.exhaustive)], ids=["some", "all"]
)
def test_dying_again_and_again_changes_nothing_in_the_end(
    tmp_path: Path,
    points: Sequence[CrashPoint],
    doomed: Doomed,
    undisturbed: tuple[Counter[Write], dict[str, Any]],
) -> None:
    """One file on which process after process dies, each at another point, is finished by the last one."""
    path = tmp_path / "memory.db"
    ends = {doomed.die(path, point) for point in points}
    assert ends <= {0, -signal.SIGKILL}
    live(path)
    assert memories(path) == undisturbed[1]
