"""Suite: how long a caller waits, against the least that a durable message needs; idle, beside a worker, in a crowd."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple, TypeAlias

import yesteryear
from yesteryear.errors import InputError, YesteryearError
from yesteryear_lab.bench.load.paired import (
    CONVERSATION,
    BareInsert,
    Pair,
    compare,
    measure_pairs,
    pair_rows,
    quantiles,
)
from yesteryear_lab.bench.load.processes import gather
from yesteryear_lab.bench.load.talk import line
from yesteryear_lab.bench.report import Metrics, Progress, Report, Suite, at_least, measure_fsync_ms, scratch_folder
from yesteryear_lab.figures import elapsed_s, percentile

_COMPARABLE_FSYNC_MS = 0.3
"""On a disk whose fsync is faster than this, in milliseconds, a ratio says more about the disk than about us."""
_BACKLOG_OF_EACH_PAIR = 6
_BACKLOG_CONVERSATION = 300
_LARGEST_BACKLOG = 100_000
_SMALL_STORE = 240
_WARM_UP_QUERIES = 20
_QUERIES_EACH_COLD_ONE = 10
_WORKER_START_S = 30.0
_MESSAGES_OF_EACH_CALLER = 40

Runs: TypeAlias = list[list[Pair]]


@dataclass(frozen=True, slots=True)
class LatencyOptions:
    """What can be asked of this suite."""

    pairs: int = at_least(20, 500)
    """Messages of one run, ours and bare."""
    runs: int = at_least(1, 3)
    """How often each variant is run; the median counts."""
    callers: int = at_least(2, 64)
    """How many observe at once."""
    imports: int = at_least(1, 15)
    """Fresh processes for each import time."""
    queries: int = at_least(1, 100)
    """Contexts asked for with the index loaded, and a tenth as many without."""
    embedder: str = "hashing"
    """What the busy worker embeds with."""
    folder: str = ""
    """Where the files lie, on the disk to be measured; the system's place for temporary files where empty."""


def _run(_: None, options: LatencyOptions, say: Progress) -> Report:
    """Measure all variants."""
    metrics: Metrics = {}
    bare: Metrics = {}
    rows: list[Metrics] = []
    variants: dict[str, Callable[[Path, LatencyOptions], tuple[Runs, Metrics]]] = {
        "idle": _idle,
        "thread": partial(_beside_worker, is_thread=True),
        "process": partial(_beside_worker, is_thread=False),
    }
    with scratch_folder(options.folder) as folder:
        fsyncs_ms = [measure_fsync_ms(folder)]
        for name, variant in variants.items():
            say(f"{options.runs} runs of {options.pairs} pairs: {name}")
            runs, busy = variant(folder, options)
            metrics |= compare(runs, name) | busy
            bare |= quantiles(runs, name, lambda pair: pair.bare)
            rows += pair_rows(runs, name)
        say(f"{options.callers} callers at once")
        crowd, one = _callers(folder, options)
        say("import and context")
        imports, stdlib = _imports(options)
        metrics |= crowd | imports | _context(folder, options)
        fsyncs_ms.append(measure_fsync_ms(folder))
    fsync_ms = min(fsyncs_ms)  # the better one: others may have kept the disk busy
    for name in ("thread", "process"):
        metrics |= _against_idle(name, metrics, bare)
    baselines = {"bare_insert": bare, "one_caller": one, "stdlib_import": stdlib}
    settings = {"fsync_ms": round(fsync_ms, 3), "notes": _notes(fsync_ms)}
    return Report(options.pairs, metrics, baselines, settings, rows)


SUITE = Suite("observe against a bare durable insert, idle and under load; import time", _run, LatencyOptions)


def _notes(fsync_ms: float) -> list[str]:
    notes = ["bare: BEGIN IMMEDIATE, INSERT of the same text, COMMIT; WAL, synchronous=FULL; its own file beside ours"]
    if fsync_ms < _COMPARABLE_FSYNC_MS:
        notes.append(
            f"not comparable: an fsync takes {fsync_ms:.3f} ms here, under {_COMPARABLE_FSYNC_MS} ms; the ratios are "
            "larger than on a disk that takes its time, so see the differences in microseconds (extra_us)"
        )
    return notes


def _against_idle(name: str, ours: Metrics, bare: Metrics) -> Metrics:
    """Return what the worker costs in all: ours beside it against the bare operation on an idle machine."""
    return {
        f"{name}_{share}_ratio_to_idle": round(ours[f"{name}_{share}_ms"] / bare[f"idle_{share}_ms"], 3)
        for share in ("p50", "p95")
    }


def _idle(folder: Path, options: LatencyOptions) -> tuple[Runs, Metrics]:
    """Measure with nobody else at work."""
    runs = []
    for run in range(options.runs):
        with (
            BareInsert(folder / f"idle-{run}-bare.db") as bare,
            yesteryear.open(folder / f"idle-{run}.db", worker="none", embedder="hashing") as engine,
        ):
            runs.append(measure_pairs(engine.memory(user="ana"), bare, options.pairs))
    return runs, {}


def _beside_worker(folder: Path, options: LatencyOptions, *, is_thread: bool) -> tuple[Runs, Metrics]:
    """Measure while a worker drains a backlog: in a thread of the same engine, or in a process with the same file."""
    name = "thread" if is_thread else "process"
    runs: Runs = []
    cpu_shares, rows_per_s, left = [], [], []
    backlog = _BACKLOG_OF_EACH_PAIR * options.pairs
    while len(runs) < options.runs:
        path = folder / f"{name}-{len(runs)}-{backlog}.db"
        _pile_up(path, backlog)
        worker, embedder = ("thread", options.embedder) if is_thread else ("none", "hashing")
        others = [] if is_thread else [(str(path), options.embedder)]
        with (
            BareInsert(path.with_suffix(".bare")) as bare,
            yesteryear.open(path, worker=worker, embedder=embedder) as engine,
            gather("worker", others),
        ):
            memory = engine.memory(user="ana")
            _wait_for_work(memory, backlog)
            before, cpu, begun = _unfinished(memory), _others_cpu_s(), time.perf_counter()
            pairs = measure_pairs(memory, bare, options.pairs)
            cpu, took, unfinished = _others_cpu_s() - cpu, time.perf_counter() - begun, _unfinished(memory)
        if not unfinished:  # the worker ran out of work before the run was over
            backlog = _larger(backlog)
            continue
        runs.append(pairs)
        cpu_shares.append(cpu / took)
        rows_per_s.append((before - unfinished) / took)
        left.append(unfinished)
    if is_thread:
        busy: Metrics = {"thread_worker_cpu_share": round(median(cpu_shares), 3)}
    else:
        busy = {"process_worker_rows_per_s": round(median(rows_per_s))}
    return runs, busy | {f"{name}_backlog_left": min(left)}


def _others_cpu_s() -> float:
    """Return the processor time that all other threads of this process have taken, in seconds."""
    return time.process_time() - time.thread_time()


def _pile_up(path: Path, messages: int) -> None:
    """Leave a backlog that nobody works on yet."""
    with yesteryear.open(path, worker="none", embedder="hashing") as engine:
        memory = engine.memory(user="ana")
        for first in range(0, messages, _BACKLOG_CONVERSATION):
            numbers = range(first, min(messages, first + _BACKLOG_CONVERSATION))
            memory.observe([{"content": line(n)} for n in numbers], conversation=f"backlog-{first}")


def _unfinished(memory: yesteryear.Memory) -> int:
    """Count the steps that the backlog still needs: two a message, to be judged and to be embedded."""
    judging = sum(each.open_messages for each in memory.conversations() if each.key.name != CONVERSATION)
    embedding: int = memory.stats()["vectors.due"]
    return 2 * judging + embedding


def _wait_for_work(memory: yesteryear.Memory, backlog: int) -> None:
    """Return once the worker has begun.

    Raises:
        YesteryearError: it does not begin.
    """
    deadline = time.monotonic() + _WORKER_START_S
    while _unfinished(memory) == 2 * backlog:
        if time.monotonic() > deadline:
            raise YesteryearError("the worker does not begin; its log says why")
        time.sleep(0.005)


def _larger(backlog: int) -> int:
    if backlog * 2 > _LARGEST_BACKLOG:
        raise InputError("no backlog is large enough to keep the worker busy for a run; ask for fewer pairs")
    return backlog * 2


class Load(NamedTuple):
    """What some callers have achieved."""

    messages_per_second: float
    messages_per_commit: float


def _callers(folder: Path, options: LatencyOptions) -> tuple[Metrics, Metrics]:
    """Return metrics of many callers against one, each the median over the runs, and those of the one."""
    crowd: Metrics = {}
    alone: Metrics = {}
    ways: dict[str, Callable[[Path, int, int], Load]] = {"tasks": _observe_in_tasks, "threads": _observe_in_threads}
    for name, measure in ways.items():
        ones, manys = [], []
        for run in range(options.runs):
            ones.append(measure(folder / f"{name}-{run}-one.db", 1, options.pairs))
            manys.append(measure(folder / f"{name}-{run}-many.db", options.callers, _MESSAGES_OF_EACH_CALLER))
        ratios = [m.messages_per_second / o.messages_per_second for m, o in zip(manys, ones, strict=True)]
        crowd |= {
            f"{name}_messages_per_commit": round(median(load.messages_per_commit for load in manys), 1),
            f"{name}_rate_ratio": round(median(ratios), 2),
            f"{name}_messages_per_s": round(median(load.messages_per_second for load in manys)),
        }
        alone[f"{name}_messages_per_s"] = round(median(load.messages_per_second for load in ones))
    return crowd, alone


def _observe_in_tasks(path: Path, callers: int, messages: int) -> Load:
    """Let ``callers`` tasks of one event loop observe ``messages`` each, one after another."""
    return asyncio.run(_run_tasks(path, callers, messages))


async def _run_tasks(path: Path, callers: int, messages: int) -> Load:
    async with yesteryear.open_async(path, worker="none", embedder="hashing") as engine:
        memory = engine.memory(user="ana")

        async def call(caller: int) -> None:
            for number in range(messages):
                await memory.observe(line(number), conversation=f"c{caller}")

        before = await engine.describe()
        begun = time.perf_counter()
        await asyncio.gather(*(call(caller) for caller in range(callers)))
        took = time.perf_counter() - begun
        after = await engine.describe()
    total = callers * messages
    return Load(total / took, total / (after["commits"] - before["commits"]))


def _observe_in_threads(path: Path, callers: int, messages: int) -> Load:
    """Let ``callers`` threads observe ``messages`` each, one after another."""
    with yesteryear.open(path, worker="none", embedder="hashing") as engine:
        memory = engine.memory(user="ana")

        def call(caller: int) -> None:
            for number in range(messages):
                memory.observe(line(number), conversation=f"c{caller}")

        before = engine.describe()
        with ThreadPoolExecutor(callers) as pool:
            begun = time.perf_counter()
            list(pool.map(call, range(callers)))
            took = time.perf_counter() - begun
        after = engine.describe()
    total = callers * messages
    return Load(total / took, total / (after["commits"] - before["commits"]))


def _imports(options: LatencyOptions) -> tuple[Metrics, Metrics]:
    """Compare import times in fresh processes, which take turns."""
    ours, stdlib = [], []
    for _ in range(options.imports):
        ours.append(_import_s("import yesteryear"))
        stdlib.append(_import_s("import sqlite3, asyncio, json"))
    return (
        {
            "import_ratio": round(median(ours) / median(stdlib), 3),
            "import_ms": round(1e3 * median(ours), 2),
        },
        {"import_ms": round(1e3 * median(stdlib), 2)},
    )


def _import_s(statement: str) -> float:
    code = f"import time; begun = time.perf_counter(); {statement}; print(time.perf_counter() - begun)"
    command = [sys.executable, "-c", code]
    return float(subprocess.run(command, check=True, capture_output=True).stdout)  # noqa: S603 - our own code


def _context(folder: Path, options: LatencyOptions) -> Metrics:
    """Measure ``context`` on a small store; warm with its index loaded, cold without, the model warm in both."""
    path = folder / "context.db"
    _pile_up(path, _SMALL_STORE)

    def ask(engine: yesteryear.Engine, number: int) -> float:
        return elapsed_s(partial(engine.memory(user="ana").context, line(number), budget=1000))

    with yesteryear.open(path, worker="none", embedder=options.embedder) as engine:
        engine.memory(user="ana").flush()
        warm = [ask(engine, number) for number in range(_WARM_UP_QUERIES + options.queries)][_WARM_UP_QUERIES:]
    cold = []
    for number in range(0, options.queries, _QUERIES_EACH_COLD_ONE):
        with yesteryear.open(path, worker="none", embedder=options.embedder) as engine:
            engine.memory(user="ben").observe("I am somebody else: the model gets warm, the index measured does not.")
            engine.memory(user="ben").flush()
            cold.append(ask(engine, number))
    return {
        "context_warm_p50_ms": round(1e3 * percentile(warm, 0.5), 2),
        "context_warm_p95_ms": round(1e3 * percentile(warm, 0.95), 2),
        "context_cold_p50_ms": round(1e3 * percentile(cold, 0.5), 2),
    }
