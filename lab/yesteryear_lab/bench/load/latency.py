"""Suite: how long a caller waits, against the least that a durable message needs; idle, beside a worker, in a crowd."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import yesteryear
from yesteryear.errors import InputError, YesteryearError
from yesteryear_lab.bench.load.paired import Pair, compare, take_turns
from yesteryear_lab.bench.load.processes import gather
from yesteryear_lab.bench.load.talk import line, pile_up
from yesteryear_lab.bench.load.throughput import Way, rate_ratio, write_in_tasks, write_in_threads
from yesteryear_lab.bench.report import (
    Metrics,
    Progress,
    Report,
    as_suite,
    at_least,
    measure_fsync_ms,
    open_idle,
)

_COMPARABLE_FSYNC_MS = 0.3
"""On a disk whose fsync is faster than this, in milliseconds, a ratio says more about the disk than about us."""
_CONVERSATION = "measured"  # name of the conversation that measured messages go to
_WARM_UP_PAIRS = 50
_BACKLOG_OF_EACH_PAIR = 6
_BACKLOG_CONVERSATION = 300
_LARGEST_BACKLOG = 100_000
_WORKER_START_S = 30.0
_MESSAGES_OF_EACH_CALLER = 40


@dataclass(frozen=True, slots=True)
class LatencyOptions:
    """What can be asked of this suite."""

    pairs: int = at_least(20, 500)  # messages of one run, ours and bare
    runs: int = at_least(1, 3)  # how often each variant is run; the median counts
    callers: int = at_least(2, 64)  # how many observe at once
    imports: int = at_least(1, 15)  # fresh processes for each import time
    embedder: str = "hashing"  # what the busy worker embeds with
    folder: str = ""
    """Where the files lie, on the disk to be measured; the system's place for temporary files where empty."""


@as_suite("observe against a bare durable insert, idle and under load; import time (contexts: context)", LatencyOptions)
def suite(_: None, options: LatencyOptions, say: Progress) -> Report:
    """Measure all variants."""
    metrics: Metrics = {}
    bare: Metrics = {}
    rows: list[Metrics] = []
    folder = Path(options.folder)
    before_ms = measure_fsync_ms(folder)
    for name in ("idle", "thread", "process"):
        say(f"{options.runs} runs of {options.pairs} pairs: {name}")
        if name == "idle":
            runs = [_pairs(folder / f"idle-{run}.db", options.pairs) for run in range(options.runs)]
        else:
            runs, left = _beside_worker(folder, options, is_thread=name == "thread")
            metrics[f"{name}_backlog_left"] = left
        compared = compare(runs, name)
        metrics |= compared.metrics
        bare |= compared.bare
        rows += compared.rows
    say(f"{options.callers} callers at once")
    crowd, one = _callers(folder, options)
    say("import")
    imports, stdlib = _imports(options)
    metrics |= crowd | imports
    fsync_ms = min(before_ms, measure_fsync_ms(folder))  # the better one: others may have kept the disk busy
    baselines = {"bare_insert": bare, "one_caller": one, "stdlib_import": stdlib}
    settings = {"fsync_ms": round(fsync_ms, 3), "notes": _notes(fsync_ms)}
    return Report(options.pairs, metrics, baselines, settings, rows)


def _notes(fsync_ms: float) -> list[str]:
    notes = ["bare: BEGIN IMMEDIATE, INSERT of the same text, COMMIT; WAL, synchronous=FULL; its own file beside ours"]
    if fsync_ms < _COMPARABLE_FSYNC_MS:
        notes.append(
            f"not comparable: an fsync takes {fsync_ms:.3f} ms here, under {_COMPARABLE_FSYNC_MS} ms; the ratios are "
            "larger than on a disk that takes its time, so see the differences in microseconds (extra_us)"
        )
    return notes


def _pairs(path: Path, how_many: int) -> list[Pair]:
    """Measure with nobody else at work."""
    with open_idle(path) as engine:
        return _measure_pairs(engine.memory(user="ana"), path, how_many)


def _measure_pairs(memory: yesteryear.Memory, path: Path, how_many: int) -> list[Pair]:
    """Return how long each of so many messages took, ours and bare, which goes to a file beside."""

    def ours(content: str) -> None:
        memory.observe(content, conversation=_CONVERSATION)

    with _bare_file(path.with_suffix(".bare")) as connection:

        def bare(content: str) -> None:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO message (at, content) VALUES (?, ?)", (time.time(), content))
            connection.execute("COMMIT")

        return take_turns(ours, bare, map(line, range(-_WARM_UP_PAIRS, how_many)))[_WARM_UP_PAIRS:]


@contextmanager
def _bare_file(path: Path) -> Iterator[sqlite3.Connection]:
    """Lend a file for the least that a durable message needs: one row in one transaction, synced."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("CREATE TABLE message (id INTEGER PRIMARY KEY, at REAL, content TEXT NOT NULL)")
        yield connection
    finally:
        connection.close()


def _beside_worker(folder: Path, options: LatencyOptions, *, is_thread: bool) -> tuple[list[list[Pair]], int]:
    """Measure while a worker drains a backlog: in a thread of the same engine, or in a process with the same file.

    Returns the pairs of each run, and how much of the backlog was left at least.
    """
    runs: list[list[Pair]] = []
    left = []
    backlog = _BACKLOG_OF_EACH_PAIR * options.pairs
    while len(runs) < options.runs:
        path = folder / f"{'thread' if is_thread else 'process'}-{len(runs)}-{backlog}.db"
        with open_idle(path) as engine:
            list(pile_up(engine.memory(user="ana"), backlog, of_conversation=_BACKLOG_CONVERSATION))
        worker, embedder = ("thread", options.embedder) if is_thread else ("none", "hashing")
        others = [] if is_thread else [(str(path), options.embedder)]
        with yesteryear.open(path, worker=worker, embedder=embedder) as engine, gather("worker", others):
            memory = engine.memory(user="ana")
            _wait_for_work(memory, backlog)
            pairs = _measure_pairs(memory, path, options.pairs)
            unfinished = _unfinished(memory)
        if unfinished:
            runs.append(pairs)
            left.append(unfinished)
        elif backlog * 2 > _LARGEST_BACKLOG:
            raise InputError("no backlog is large enough to keep the worker busy for a run; ask for fewer pairs")
        else:  # the worker ran out of work before the run was over
            backlog *= 2
    return runs, min(left)


def _unfinished(memory: yesteryear.Memory) -> int:
    """Count the steps that the backlog still needs: two a message, to be judged and to be embedded."""
    judging = sum(each.open_messages for each in memory.conversations() if each.key.name != _CONVERSATION)
    embedding: int = memory.stats()["vectors.due"]
    return 2 * judging + embedding


def _wait_for_work(memory: yesteryear.Memory, backlog: int) -> None:
    """Return once the worker has begun."""
    deadline = time.monotonic() + _WORKER_START_S
    while _unfinished(memory) == 2 * backlog:
        if time.monotonic() > deadline:
            raise YesteryearError("the worker does not begin; its log says why")
        time.sleep(0.005)


def _callers(folder: Path, options: LatencyOptions) -> tuple[Metrics, Metrics]:
    """Return metrics of many callers against one, each the median over the runs, and those of the one."""
    crowd: Metrics = {}
    alone: Metrics = {}
    ways: dict[str, Way] = {"tasks": write_in_tasks, "threads": write_in_threads}
    for name, measure in ways.items():
        ones, many = [], []
        for run in range(options.runs):
            ones.append(measure(str(folder / f"{name}-{run}-one.db"), ["ana"], options.pairs))
            callers = ["ana"] * options.callers
            many.append(measure(str(folder / f"{name}-{run}-many.db"), callers, _MESSAGES_OF_EACH_CALLER))
        crowd |= {
            f"{name}_messages_per_commit": round(median(each.messages_per_commit or 0 for each in many), 1),
            f"{name}_rate_ratio": rate_ratio(many, ones),
            f"{name}_messages_per_s": round(median(each.messages_per_s for each in many)),
        }
        alone[f"{name}_messages_per_s"] = round(median(each.messages_per_s for each in ones))
    return crowd, alone


def _imports(options: LatencyOptions) -> tuple[Metrics, Metrics]:
    """Compare import times in fresh processes, which take turns."""
    statements = ("import yesteryear", "import sqlite3, asyncio, json")
    took = [[_import_s(statement) for statement in statements] for _ in range(options.imports)]
    ours, stdlib = (median(column) for column in zip(*took, strict=True))
    told = {"import_ratio": round(ours / stdlib, 3), "import_ms": round(1e3 * ours, 2)}
    return told, {"import_ms": round(1e3 * stdlib, 2)}


def _import_s(statement: str) -> float:
    code = f"import time; begun = time.perf_counter(); {statement}; print(time.perf_counter() - begun)"
    command = [sys.executable, "-c", code]
    return float(subprocess.run(command, check=True, capture_output=True).stdout)  # noqa: S603 - our own code
