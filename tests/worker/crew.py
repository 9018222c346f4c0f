"""Processes that write to one server and work on it: whoever is killed is replaced, and so is the server.

All are forked from a process that has worked before, so that whoever is killed was at work and not still getting ready.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import yesteryear
from yesteryear_lab.bench.load.durability import Findings, inspect
from yesteryear_lab.bench.load.processes import Fork
from yesteryear_lab.bench.load.talk import EPISODE_MESSAGES, USERS, Sent
from yesteryear_lab.postgres_server import PostgresServer

READY_S = 120.0
"""How long a process may take until it is at work, in seconds; they share the processors with those that work."""
LONGEST_DELAY_S = 0.4
"""Longest time between two kills once all are at work, in seconds."""
LONGEST_PAUSE_S = "1.0"
"""Longest pause of each of a writer's threads between two messages, in seconds; the workers are to keep up."""
RESENT = 6
"""So many of the last acknowledged messages are sent again by a new writer, as a careful client would."""
WORKER, WRITER, SERVER = "worker", "victim", "server"


@dataclass(slots=True)
class Member:
    """One of the processes, and the file in which it tells what it has done: a pipe would fill up."""

    role: str
    process: Fork
    log: Path

    @property
    def is_ready(self) -> bool:
        """Whether it has told something."""
        return self.log.stat().st_size > 0

    @property
    def has_ended(self) -> bool:
        """Whether it is no more."""
        return self.process.status is not None


@dataclass(slots=True)
class Crew:
    """So many workers and writers, in a role each. Whoever ends is replaced."""

    url: str
    folder: Path
    wanted: dict[str, int]
    seed: int
    members: list[Member] = field(default_factory=list)
    acknowledged: list[Sent] = field(default_factory=list)
    """What writers that are gone were told to be on disk."""
    begun: int = 0

    def fill(self) -> None:
        """Replace whoever is missing, and wait until all are at work."""
        deadline = time.monotonic() + READY_S
        while True:
            for member in [member for member in self.members if member.has_ended]:
                self.dismiss(member)
            for role, wanted in self.wanted.items():
                for _ in range(wanted - sum(member.role == role for member in self.members)):
                    self.begin(role)
            if all(member.is_ready for member in self.members):
                return
            assert time.monotonic() < deadline, f"the processes were not at work after {READY_S:g} seconds"
            time.sleep(0.02)

    def kill(self, role: str, chance: random.Random) -> None:
        """Kill one of those in a role."""
        self.dismiss(chance.choice([member for member in self.members if member.role == role]))

    def dismiss(self, member: Member) -> None:
        """End a process, and note what it was told; a line that broke off says nothing."""
        with member.process as process:
            process.kill()
        self.members.remove(member)
        if member.role == WRITER:
            lines = member.log.read_text(encoding="utf-8").split("\n")[:-1]
            self.acknowledged += [Sent(*line.split("\t")) for line in lines]
        member.log.unlink()

    def begin(self, role: str) -> None:
        """Start somebody in a role."""
        self.begun += 1
        log = self.folder / f"{role}-{self.begun}"
        seed = f"{self.seed}.{self.begun}"
        told = {WORKER: ("hashing", str(EPISODE_MESSAGES)), WRITER: ("full", seed, "none", LONGEST_PAUSE_S)}
        log.touch()
        process = Fork(role, self.url, *told[role], out=log, is_quiet=True)  # they complain while the server is gone
        if role == WRITER:
            process.say(*("\t".join(sent) for sent in self.acknowledged[-RESENT:]), is_all=True)
        self.members.append(Member(role, process, log))


def kill_often(
    folder: Path, *, kills: int, writer_kills: int, server_kills: int, workers: int, writers: int, seed: int = 1
) -> tuple[Findings, int]:
    """Write, work and kill; return what was found of what was acknowledged, and how many episodes the workers made."""
    with PostgresServer({"max_connections": "200"}) as server:  # with its usual care: every commit reaches the disk
        server.execute("CREATE ROLE app LOGIN", "CREATE DATABASE memory OWNER app")
        server.execute("CREATE EXTENSION vector", database="memory")
        url = server.url("memory", role="app")
        with a_crew(Crew(url, folder, {WORKER: workers, WRITER: writers}, seed)) as crew:
            strike(crew, server, [WORKER] * kills + [WRITER] * writer_kills + [SERVER] * server_kills)
        with yesteryear.open(
            url, worker="none", embedder="hashing", episode_message_threshold=EPISODE_MESSAGES
        ) as engine:
            episodes = count_episodes(engine)
            findings = inspect(engine, crew.acknowledged)
    findings.acknowledged = len(set(crew.acknowledged))
    return findings, episodes


@contextmanager
def a_crew(crew: Crew) -> Iterator[Crew]:
    """Lend the processes, and end them."""
    try:
        yield crew
    finally:
        for member in list(crew.members):
            crew.dismiss(member)


def strike(crew: Crew, server: PostgresServer, strokes: list[str]) -> None:
    """Kill whoever's turn it is, in a random order, once everybody is at work."""
    chance = random.Random(crew.seed)
    chance.shuffle(strokes)
    for who in strokes:
        crew.fill()
        time.sleep(chance.uniform(0, LONGEST_DELAY_S))
        if who == SERVER:
            server.kill()
            time.sleep(chance.uniform(0, LONGEST_DELAY_S))
            server.start()
        else:
            crew.kill(who, chance)
    crew.fill()


def count_episodes(engine: yesteryear.Engine) -> int:
    """Return how many episodes were worked through, those that gave way to newer ones too."""
    stats = [engine.memory(user=user).stats() for user in USERS]
    return sum(each.get(f"episodes.{status}", 0) for each in stats for status in ("active", "archived"))
