"""An erasure that is killed at any step is finished by whoever comes next, and nobody else loses anything."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from subprocess import PIPE

import pytest

from tests.canaries import BEN, Planted, left_in, plant
from tests.rows import add
from tests.worker.erasures import Death, erase_until
from tests.workshop import Workshop, open_workshop
from yesteryear.core.rows.queries import EpisodeQuery, MessageQuery
from yesteryear.storage.sqlite.store import SQLiteStore
from yesteryear.testing.builders import a_message

STARTER = Path(__file__).with_name("erasures.py")
BOTH_SAID = "something that two people have said to each other word by word"
"""It is found in the files after one of them was erased, so that all is written anew."""
RANDOM_KILLS = 30
LONGEST_DELAY_S = 1.5


def live(path: Path, *, seed: int) -> Planted:
    """Leave a file with somebody who is going to be erased, and somebody who is not."""
    store = SQLiteStore(path)
    planted = plant(store, seed=seed)
    add(store, a_message(BOTH_SAID, id="both", scope=planted.scope), scope=planted.scope)
    add(store, a_message(BOTH_SAID, id="both", scope=BEN), scope=BEN)
    store.close()
    return planted


def of_ben(shop: Workshop) -> object:
    """Return what is kept of the other one."""
    with shop.ports.store.read(BEN) as tx:
        return tx.messages.page(MessageQuery(limit=999)), tx.episodes.page(EpisodeQuery(limit=999)), tx.owner()


@pytest.fixture(scope="module")
def statements(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What an erasure that nobody disturbs does, statement by statement."""
    path = tmp_path_factory.mktemp("undisturbed") / "memory.db"
    planted = live(path, seed=0)
    done = erase_until(path, planted.scope.user, lambda *_: None)
    assert left_in(path.parent, planted.words) == {}
    return done


class Doomed:
    """Starts processes that erase until they die."""

    def __init__(self, starter: subprocess.Popen[str]) -> None:
        self._starter = starter

    def die(self, path: Path, planted: Planted, death: Death) -> int:
        """Erase until the death; return how the process ended."""
        assert self._starter.stdin is not None
        assert self._starter.stdout is not None
        self._starter.stdin.write(f"{path}\t{planted.scope.user}\t{death.nth}\t{death.steps_into}\n")
        self._starter.stdin.flush()
        return int(self._starter.stdout.readline())


@pytest.fixture(scope="module")
def doomed() -> Iterator[Doomed]:
    """A process that has everything loaded and starts others."""
    with subprocess.Popen([sys.executable, str(STARTER)], stdin=PIPE, stdout=PIPE, text=True) as starter:
        yield Doomed(starter)


def check_finished(path: Path, planted: Planted, *, by_worker: bool) -> None:
    """Let a worker come, or the person ask again; check that they are gone, that it is told, and all else is there."""
    with open_workshop(path) as shop:
        memory, before = shop.engine.memory(planted.scope), of_ben(shop)
        is_gone = not memory.messages()
        waiting = shop.ports.store.erasures()
        assert not is_gone or waiting or left_in(path.parent, planted.words) == {}, "nobody would know of it"
        if by_worker and is_gone:
            shop.work()
        else:
            memory.erase()
        assert shop.ports.store.erasures() == []
        assert left_in(path.parent, planted.words) == {}
        receipt = memory.erase()
        assert (receipt.is_pending, receipt.generation) == (False, 1)
        assert receipt.removed["message"] > 0
        assert receipt.sealed() == receipt
        assert of_ben(shop) == before
        assert len(shop.memory("ben").messages(limit=999)) > 20
        assert shop.engine.describe(check=True)["integrity_check"] == "ok"
    assert left_in(path.parent, planted.words) == {}


STEPS = {
    "COMMIT": "the rows are gone for good",
    "VACUUM": "the database is written anew",
    "INSERT INTO erasure": "the receipt is written",
}
"""Before which statements to die, and what they do; of those that come twice the last one."""


@pytest.mark.heavy
@pytest.mark.parametrize("statement", STEPS)
def test_an_erasure_that_was_killed_is_finished(
    tmp_path: Path, statement: str, doomed: Doomed, statements: list[str]
) -> None:
    """By the worker or by asking again."""
    path = tmp_path / "memory.db"
    planted = live(path, seed=len(statement))
    nth = max(number for number, done in enumerate(statements, start=1) if done == statement)
    assert doomed.die(path, planted, Death(nth)) == -signal.SIGKILL
    check_finished(path, planted, by_worker=nth % 2 == 0)


@pytest.mark.heavy
def test_an_erasure_that_was_killed_while_it_wrote_all_anew_is_finished(
    tmp_path: Path, doomed: Doomed, statements: list[str]
) -> None:
    """In the middle of it, when half of the new file is in the log; and killed again at the next attempt."""
    path = tmp_path / "memory.db"
    planted = live(path, seed=5)
    nth = statements.index("VACUUM") + 1
    assert doomed.die(path, planted, Death(nth, steps_into=150)) == -signal.SIGKILL
    assert doomed.die(path, planted, Death(2, steps_into=50)) == -signal.SIGKILL
    check_finished(path, planted, by_worker=True)


@pytest.mark.exhaustive
@pytest.mark.heavy
def test_an_erasure_that_was_killed_before_any_statement_is_finished(
    tmp_path: Path, doomed: Doomed, statements: list[str]
) -> None:
    """Each of them, one after the other."""
    for nth, statement in enumerate(statements, start=1):
        folder = tmp_path / str(nth)
        folder.mkdir()
        planted = live(folder / "memory.db", seed=nth)
        assert doomed.die(folder / "memory.db", planted, Death(nth)) == -signal.SIGKILL, statement
        check_finished(folder / "memory.db", planted, by_worker=nth % 2 == 0)


ERASE = """
import sys
from pathlib import Path
from tests.worker.erasures import erase_until

erase_until(Path(sys.argv[1]), sys.argv[2], lambda number, sql, store: print(number, flush=True))
"""


@pytest.mark.exhaustive
@pytest.mark.heavy
def test_an_erasure_that_was_killed_at_any_moment_is_finished(tmp_path: Path) -> None:
    """While a checkpoint copies, while the files are looked through, while nothing happens."""
    delays = random.Random(11)
    for run in range(RANDOM_KILLS):
        folder = tmp_path / str(run)
        folder.mkdir()
        path = folder / "memory.db"
        planted = live(path, seed=run)
        command = [sys.executable, "-c", ERASE, str(path), planted.scope.user]
        with subprocess.Popen(command, stdout=PIPE, text=True) as erasing:
            assert erasing.stdout is not None
            erasing.stdout.readline()
            time.sleep(delays.uniform(0, LONGEST_DELAY_S))
            erasing.kill()
        check_finished(path, planted, by_worker=run % 2 == 0)
