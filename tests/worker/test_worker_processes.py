"""Workers in several processes on one store: real ones, that share, wait, die and are interrupted."""

from __future__ import annotations

import json
import random
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest

import yesteryear
from tests.worker.one_life import OtherEmbedder
from tests.worker.processes import hear, say, started
from tests.workshop import SOUND, damage, open_workshop, tell
from yesteryear.sync.engine import Engine
from yesteryear_lab.bench.load.durability import examine
from yesteryear_lab.bench.load.talk import Sent

PEOPLE = [f"person {number}" for number in range(8)]
INTERRUPTIONS = 4
LONGEST_DELAY_S = 0.3


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.heavy)])
def path(request: pytest.FixtureRequest, tmp_path: Path | str) -> Path | str:
    """A file of its own, or a server."""
    if request.param == "postgres":
        url: str = request.getfixturevalue("postgres_url")
        return url
    return tmp_path / "memory.db"


def leave_work(path: Path | str, messages: int, *people: str) -> None:
    """Say so much to each that somebody has work to do."""
    with yesteryear.open(path, worker="none", embedder="hashing", episode_message_threshold=4) as engine:
        for person in people:
            tell(engine.memory(user=person), messages)


@pytest.mark.heavy
def test_two_processes_share_the_work_and_do_nothing_twice(path: Path | str) -> None:
    """Each takes other people's conversations, and in the end everything was done by one of them, once."""
    leave_work(path, 60, *PEOPLE)
    with started("work", path) as one, started("work", path) as other:
        assert hear(one) == hear(other) == "ready"
        say(one)
        say(other)
        done = [json.loads(hear(one)), json.loads(hear(other))]
    assert all(each["episodes"] > 0 and each["failures"] == 0 for each in done)
    assert sum(each["episodes"] for each in done) == 15 * len(PEOPLE)
    with yesteryear.open(path, worker="none", embedder="hashing", episode_message_threshold=4) as engine:
        for person in PEOPLE:
            assert damage(engine.memory(user=person)) == SOUND


@pytest.mark.heavy
def test_a_living_process_keeps_what_it_holds(path: Path | str) -> None:
    """Another worker does not touch the rows of somebody whom a slow process works for; flush() waits for it."""
    leave_work(path, 4, "ana")
    with started("hold", path) as slow, started("work", path) as other:
        assert hear(slow) == "digesting"
        assert hear(other) == "ready"
        say(other)
        assert json.loads(hear(other))["episodes"] == 0
        say(slow)
        assert json.loads(hear(slow))["episodes"] == 1
    with yesteryear.open(path, worker="none", embedder="hashing", episode_message_threshold=4) as engine:
        assert damage(engine.memory(user="ana")) == SOUND


@pytest.mark.heavy
def test_the_lease_of_a_dead_process_is_taken_over_at_once(path: Path | str) -> None:
    """A worker that was killed in the middle of its work is replaced without waiting for its lease to run out."""
    leave_work(path, 4, "ana")
    with started("hold", path) as doomed:
        assert hear(doomed) == "digesting"
        doomed.kill()
        doomed.wait()
    with started("work", path) as other:
        assert hear(other) == "ready"
        say(other)
        assert json.loads(hear(other))["episodes"] == 1
    with yesteryear.open(path, worker="none", embedder="hashing", episode_message_threshold=4) as engine:
        assert damage(engine.memory(user="ana")) == SOUND


@pytest.mark.heavy
def test_ctrl_c_ends_a_worker_between_two_rows(path: Path | str) -> None:
    """Interrupted again and again, a worker ends each time, and the last one finishes everything once."""
    delays = random.Random(3)
    leave_work(path, 400, "ana")
    for _ in range(INTERRUPTIONS):
        with started("work for ever", path) as worker:
            assert hear(worker) == "ready"
            time.sleep(delays.uniform(0, LONGEST_DELAY_S))
            worker.send_signal(signal.SIGINT)
            worker.communicate(timeout=30)
            assert worker.returncode not in (0, -signal.SIGKILL)
    with yesteryear.open(path, worker="none", embedder="hashing", episode_message_threshold=4) as engine:
        memory = engine.memory(user="ana")
        memory.flush()
        assert len(memory.episodes(limit=1000)) == 100
        assert damage(memory) == SOUND


@pytest.mark.heavy
def test_ctrl_c_while_talking_loses_nothing_that_was_acknowledged(path: Path | str) -> None:
    """Wherever the interrupt strikes, the process ends in order and every acknowledged message is there, once."""
    delays = random.Random(4)
    sent: list[Sent] = []
    for _ in range(INTERRUPTIONS):
        with started("chat", path) as chat:
            first = hear(chat)
            time.sleep(delays.uniform(0, LONGEST_DELAY_S))
            chat.send_signal(signal.SIGINT)
            output, errors = chat.communicate(timeout=30)
            assert "KeyboardInterrupt" in errors.splitlines()[-1]
            sent += [Sent(*line.split("\t")) for line in (first, *output.splitlines())]
    with yesteryear.open(path, worker="none", embedder="hashing", episode_message_threshold=4) as engine:
        memory = engine.memory(user="ana")
        assert engine.describe(check=True).get("integrity_check", "ok") == "ok"
        assert engine._ports.store.leases() == []
        memory.flush()
        findings = examine(memory, sent)
    assert {name: getattr(findings, name) for name in SOUND} == SOUND


@pytest.mark.heavy
def test_nobody_notices_that_another_process_changes_the_model(path: Path | str) -> None:
    """Before, half way and while the new vectors take over, each answer is whole and of one model.

    The other model's vectors are the mirrored ones, so that within one model every score is the same in both, and
    between the two none is.
    """
    leave_work(path, 60, "ana")
    with open_workshop(path) as shop:
        engine = Engine(replace(shop.ports, other_embedder={"other-v1": OtherEmbedder()}.get), shop.policies)
        memory = engine.memory(user="ana")
        memory.flush()
        expected = answers(memory)
        served = set()
        with started("reembed", path) as changing:
            assert hear(changing) == "half way"
            assert set(memory.stats()["vectors.by_model"]) == {"hashing-v1", "other-v1"}
            assert answers(memory) == expected
            say(changing)
            while changing.poll() is None:
                served.add(memory.stats()["vectors.model"])
                assert answers(memory) == expected
            assert json.loads(hear(changing))["failures"] == 0
        assert memory.stats()["vectors.model"] == "other-v1"
        assert answers(memory) == expected
        assert served


def answers(memory: yesteryear.Memory) -> list[tuple[str, float]]:
    """Return what is found for some questions, with how near it is in meaning; nothing is less than it could be."""
    found = [memory.recall(question, limit=5) for question in ("When do I run?", "What about my evenings?")]
    assert [hits.notes for hits in found] == [(), ()]
    return [(hit.text, round(hit.signals["vector"], 3)) for hits in found for hit in hits]
