"""Suite: kill a process while it writes and works, open what it left, and look for anything lost or done twice.

A file lives through several kills in a row, so that a killed process also finds what an earlier one has left behind.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

import yesteryear
from yesteryear.errors import InputError, YesteryearError
from yesteryear_lab.bench.report import (
    Metrics,
    Progress,
    Report,
    machine,
    read_options,
    scratch_folder,
    unfinished_rows,
)
from yesteryear_lab.bench.talk import USERS, Sent

_KILLS_A_FILE = 5
_RESENT = 6
"""So many of the last acknowledged messages are sent again after each kill, as a careful client would."""
_PAGE = 1000


@dataclass(frozen=True, slots=True)
class DurabilityOptions:
    """What can be asked of this suite."""

    kills: int = 300
    """How many processes are killed with ``synchronous`` FULL; at least 1."""
    kills_normal: int = 60
    """How many more with NORMAL, beside it; at least 0."""
    seed: int = 1
    longest_delay_s: float = 1.5
    """A process is killed this long or less after its first acknowledgement, in seconds."""
    at_once: int = 2
    """How many files are tried at the same time; at least 1."""
    folder: str = ""
    """Where the files lie; the system's place for temporary files where empty."""


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


def run_durability(data: Path | None, given: Mapping[str, str], on_progress: Progress) -> Report:
    """Kill, reopen, compare; with FULL, and with NORMAL beside it."""
    if data is not None:
        raise InputError("the durability suite makes its own messages; leave --data out")
    options = read_options(DurabilityOptions, given)
    if options.kills < 1 or options.kills_normal < 0 or options.at_once < 1 or options.longest_delay_s < 0:
        raise InputError("kills and at_once are at least 1; kills_normal and longest_delay_s at least 0")
    full, rows = _kill_many("full", options.kills, options, on_progress)
    baselines: dict[str, Metrics] = {}
    if options.kills_normal:
        normal, more_rows = _kill_many("normal", options.kills_normal, options, on_progress)
        baselines["normal"] = asdict(normal)
        rows += more_rows
    settings = {
        **asdict(options),
        **machine(),
        "note": "kill -9 cannot show what a power cut does: the system still writes what the process handed over. "
        "FULL and NORMAL look the same here; only FULL waits for the disk before it acknowledges.",
    }
    return Report(options.kills, asdict(full), baselines, settings, rows)


def _kill_many(
    durability: str, kills: int, options: DurabilityOptions, on_progress: Progress
) -> tuple[Findings, list[Metrics]]:
    """Kill ``kills`` processes, several to a file, and add up what was found."""
    shares = [min(_KILLS_A_FILE, kills - begun) for begun in range(0, kills, _KILLS_A_FILE)]
    total, rows = Findings(), []
    with scratch_folder(options.folder) as folder, ThreadPoolExecutor(options.at_once) as pool:
        trials = pool.map(
            lambda trial: list(
                _kill_in_a_row(folder / f"{trial[0]}.db", durability, trial[1], f"{options.seed}.{trial[0]}", options)
            ),
            enumerate(shares),
        )
        for number, found in enumerate(trials):
            for kill, findings in enumerate(found):
                total.add(findings)
                rows.append({"id": f"{durability}-{number}-{kill}", **asdict(findings)})
            on_progress(f"{durability}: {total.kills} of {kills} kills, {total.acknowledged} messages acknowledged")
    return total, rows


def _kill_in_a_row(
    path: Path, durability: str, kills: int, seed: str, options: DurabilityOptions
) -> Iterator[Findings]:
    delays = random.Random(seed)
    acknowledged: dict[Sent, None] = {}
    for kill in range(kills):
        before = len(acknowledged)
        resend = list(acknowledged)[-_RESENT:]
        sent = _write_until_killed(
            path, durability, f"{seed}.{kill}", resend, delay_s=delays.uniform(0, options.longest_delay_s)
        )
        acknowledged |= dict.fromkeys(sent)
        with yesteryear.open(path, worker="none", embedder="hashing", durability=durability) as engine:
            findings = inspect(engine, acknowledged)
        findings.kills, findings.acknowledged = 1, len(acknowledged) - before
        yield findings


def _write_until_killed(path: Path, durability: str, seed: str, resend: list[Sent], *, delay_s: float) -> list[Sent]:
    """Return what a process has acknowledged before it was killed."""
    command = [sys.executable, "-m", "yesteryear_lab.bench.victim", str(path), durability, seed]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:  # noqa: S603 - our own module
        if child.stdin is None or child.stdout is None:
            raise YesteryearError("no pipes to the process that is to be killed")
        child.stdin.write("".join("\t".join(sent) + "\n" for sent in resend).encode())
        child.stdin.close()
        output = child.stdout.readline()
        time.sleep(delay_s)
        if not output or child.poll() is not None:
            raise YesteryearError(f"the process that was to be killed ended by itself, with status {child.wait()}")
        child.kill()
        output += child.stdout.read()
    return [Sent(*text.decode().split("\t")) for text in output.split(b"\n")[:-1]]


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
    too_many = abs(sum(stats["vectors.by_model"].values()) - embedded) if is_countable else 0
    return Findings(
        lost=sum(present.get(sent) != sent.content for sent in expected),
        doubled=len(messages) - len({(m.key, m.name) for m in messages}) + _out_of_order(messages),
        done_twice=_overlaps(episodes) + _misplaced(messages, episodes) + too_many,
        due_left=unfinished_rows(stats) + sum(message.verdict is None for message in messages),
    )


def all_messages(memory: yesteryear.Memory) -> Iterator[yesteryear.Message]:
    """Return every message of a scope, page by page."""
    after = ""
    while page := memory.messages(after=after, limit=_PAGE):
        yield from page
        after = page[-1].id


def all_episodes(memory: yesteryear.Memory) -> Iterator[yesteryear.Episode]:
    """Return every episode of a scope, page by page."""
    after = None
    while page := memory.episodes(after=after, limit=_PAGE):
        yield from page
        after = page[-1].id


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
