"""Several processes write to one server and work on it, and are killed at any moment, as the server itself is."""

from __future__ import annotations

import random
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

import yesteryear
from tests.conftest import administer
from tests.worker.processes import hear, start
from tests.workshop import SOUND
from yesteryear.bench.durability import examine
from yesteryear.bench.talk import Sent
from yesteryear.testing.postgres_server import PostgresServer

PEOPLE = ("ana", "ben")
LONGEST_DELAY_S = 0.4
"""Longest time between two kills, in seconds."""


@dataclass
class Crew:
    """Processes that work on one store; whoever ends is replaced."""

    url: str
    workers: int
    members: list[tuple[str, subprocess.Popen[str]]] = field(default_factory=list)
    acknowledged: list[Sent] = field(default_factory=list)

    def fill(self) -> None:
        """Replace whoever has ended, and wait until all are at work."""
        for role, process in list(self.members):
            if process.poll() is not None:
                self.dismiss(role, process)
        present = [role for role, _ in self.members]
        wanted = [*(set(PEOPLE) - set(present)), *["worker"] * (self.workers - present.count("worker"))]
        fresh = [
            (role, start("work for ever", self.url) if role == "worker" else start("write", self.url, role))
            for role in wanted
        ]
        for role, process in fresh:
            self.note(role, hear(process) + "\n")
        self.members += fresh

    def kill(self, number: int) -> None:
        """Kill one of the members."""
        role, process = self.members[number % len(self.members)]
        process.kill()
        self.dismiss(role, process)

    def dismiss(self, role: str, process: subprocess.Popen[str]) -> None:
        """Note what somebody who has ended was told to be on disk."""
        output, _ = process.communicate(timeout=30)
        self.members.remove((role, process))
        self.note(role, output)

    def note(self, role: str, output: str) -> None:
        """Note what a writer was told to be on disk; a line that broke off tells nothing."""
        if role in PEOPLE:
            lines = output.splitlines(keepends=True)
            self.acknowledged += [Sent(*line.strip().split("\t")) for line in lines if line.endswith("\n")]


@contextmanager
def a_crew(url: str, workers: int) -> Iterator[Crew]:
    """Lend processes, and end them."""
    crew = Crew(url, workers)
    try:
        yield crew
    finally:
        while crew.members:
            crew.kill(0)


def check_kills(*, kills: int, server_kills: int, workers: int, seed: int) -> None:
    """Fail where anything that was acknowledged is lost, or anything was done twice."""
    delays = random.Random(seed)
    with PostgresServer() as server:
        administer(server, "CREATE EXTENSION vector")
        with a_crew(server.url(), workers) as crew:
            for number in range(kills + server_kills):
                crew.fill()
                time.sleep(delays.uniform(0, LONGEST_DELAY_S))
                if server_kills and number % (1 + kills // server_kills) == 0:
                    server.kill()
                    time.sleep(delays.uniform(0, LONGEST_DELAY_S))
                    server.start()
                else:
                    crew.kill(delays.randrange(workers + len(PEOPLE)))
        assert {sent.user for sent in crew.acknowledged} == set(PEOPLE)
        with yesteryear.open(server.url(), worker="none", embedder="hashing", episode_message_threshold=4) as engine:
            for person in PEOPLE:
                memory = engine.memory(user=person)
                memory.flush()
                findings = examine(memory, [sent for sent in crew.acknowledged if sent.user == person])
                assert {name: getattr(findings, name) for name in SOUND} == SOUND
                assert len(memory.episodes(limit=1)) == 1


def test_kills_of_workers_writers_and_the_server_lose_nothing() -> None:
    """A few of each, with two workers."""
    check_kills(kills=6, server_kills=2, workers=2, seed=1)


@pytest.mark.exhaustive
@pytest.mark.heavy
def test_two_hundred_kills_with_four_workers_lose_nothing() -> None:
    """Often enough to meet what is rare; the server itself is killed twenty times."""
    check_kills(kills=200, server_kills=20, workers=4, seed=2)
