"""A suite: processes that write and work are killed; is anything lost or done twice?

One process with a file is killed again and again, so that a killed process also finds what an earlier one has left
behind. All are forked from a process that has worked before, so that whoever is killed was at work and not still
getting ready for it.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

import yesteryear
from yesteryear.errors import YesteryearError
from yesteryear_lab.bench.load.processes import Fork
from yesteryear_lab.bench.load.talk import USERS, Sent
from yesteryear_lab.bench.report import (
    Metrics,
    Progress,
    Report,
    all_messages,
    as_suite,
    at_least,
    scratch_folder,
    unfinished_rows,
)

_KILLS_A_FILE, _PAGE = 5, 1000
_RESENT = 6  # so many of the last acknowledged messages are sent again after each kill, as a careful client would


@dataclass(frozen=True, slots=True)
class DurabilityOptions:
    """What can be asked of ``durability``."""

    kills: int = at_least(1, 300)  # how many processes are killed with ``synchronous`` FULL
    kills_normal: int = at_least(0, 30)  # how many more with NORMAL, beside it
    seed: int = 1
    longest_delay_s: float = at_least(0, 1.0)
    """A process is killed this long or less after its first acknowledgement, in seconds."""
    at_once: int = at_least(1, 2)  # how many files are tried at the same time
    folder: str = ""  # where the files lie; the system's place for temporary files where empty


@dataclass(slots=True)
class Findings:
    """What became of what was acknowledged. Everything but the first two should be 0."""

    kills: int = 0
    acknowledged: int = 0
    lost: int = 0  # acknowledged and not there, or with another text
    doubled: int = 0  # there more than once, or out of the order of its conversation
    done_twice: int = 0
    """Messages in two episodes or in none that should be in one, episodes that overlap, vectors too many or too few."""
    due_left: int = 0  # rows still unfinished after everything was worked through
    corrupt: int = 0  # files that SQLite's own check complains of

    def add(self, other: Findings) -> None:
        """Add the numbers of another trial."""
        for name, value in asdict(other).items():
            setattr(self, name, getattr(self, name) + value)


@as_suite("processes killed while they write and work: nothing lost, nothing twice", DurabilityOptions)
def suite(_: None, options: DurabilityOptions, say: Progress) -> Report:
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
        with Fork("victim", str(path), durability, f"{seed}.{kill}") as victim:
            victim.say(*("\t".join(sent) for sent in [*acknowledged][-_RESENT:]), is_all=True)
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
    messages, episodes, stats = list(all_messages(memory)), list(_all_episodes(memory)), memory.stats()
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


def _all_episodes(memory: yesteryear.Memory) -> Iterator[yesteryear.Episode]:
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
