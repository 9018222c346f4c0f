"""Suite: how long a caller waits, against the least that a durable message needs; idle, beside a worker, in a crowd."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import TypeAlias

import yesteryear
from yesteryear.errors import InputError, YesteryearError
from yesteryear_lab.bench.beside import process_beside
from yesteryear_lab.bench.callers import compare_callers, measure_tasks, measure_threads
from yesteryear_lab.bench.paired import CONVERSATION, BareInsert, Pair, compare, measure_pairs, pair_rows, quantiles
from yesteryear_lab.bench.report import (
    Metrics,
    Progress,
    Report,
    machine,
    measure_fsync_ms,
    percentile,
    read_options,
    scratch_folder,
)
from yesteryear_lab.bench.talk import line

_COMPARABLE_FSYNC_MS = 0.3
"""On a disk whose fsync is faster than this, in milliseconds, a ratio says more about the disk than about us."""
_BACKLOG_OF_EACH_PAIR = 6
_BACKLOG_CONVERSATION = 300
_LARGEST_BACKLOG = 100_000
_SMALL_STORE = 240
_WARM_UP_QUERIES = 20
_QUERIES_EACH_COLD_ONE = 10
_WORKER_START_S = 30.0

Runs: TypeAlias = list[list[Pair]]


@dataclass(frozen=True, slots=True)
class LatencyOptions:
    """What can be asked of this suite."""

    pairs: int = 500
    """Messages of one run, ours and bare; at least 20."""
    runs: int = 3
    """How often each variant is run; the median counts; at least 1."""
    callers: int = 64
    """How many observe at once; at least 2."""
    imports: int = 15
    """Fresh processes for each import time; at least 1."""
    queries: int = 100
    """Contexts asked for with the index loaded, and a tenth as many without; at least 1."""
    embedder: str = "hashing"
    """What the busy worker embeds with."""
    folder: str = ""
    """Where the files lie, on the disk to be measured; the system's place for temporary files where empty."""


def run_latency(data: Path | None, given: Mapping[str, str], on_progress: Progress) -> Report:
    """Measure all variants."""
    if data is not None:
        raise InputError("the latency suite makes its own messages; leave --data out")
    options = read_options(LatencyOptions, given)
    if min(options.pairs - 19, options.runs, options.callers - 1, options.imports, options.queries) < 1:
        raise InputError("pairs is at least 20, callers at least 2, runs, imports and queries at least 1")
    metrics: Metrics = {}
    bare: Metrics = {}
    rows: list[Metrics] = []
    with scratch_folder(options.folder) as folder:
        fsyncs_ms = [measure_fsync_ms(folder)]
        for name, variant in (("idle", _idle), ("thread", _beside_thread), ("process", _beside_process)):
            on_progress(f"{options.runs} runs of {options.pairs} pairs: {name}")
            runs, busy = variant(folder, options)
            metrics |= compare(runs, name) | busy
            bare |= quantiles(runs, name, lambda pair: pair.bare)
            rows += pair_rows(runs, name)
        on_progress(f"{options.callers} callers at once")
        crowd, one = _callers(folder, options)
        on_progress("import and context")
        imports, stdlib = _imports(options)
        metrics |= crowd | imports | _context(folder, options)
        fsyncs_ms.append(measure_fsync_ms(folder))
    fsync_ms = min(fsyncs_ms)  # the better one: others may have kept the disk busy
    for name in ("thread", "process"):
        metrics |= _against_idle(name, metrics, bare)
    baselines = {"bare_insert": bare, "one_caller": one, "stdlib_import": stdlib}
    settings = {**asdict(options), **machine(), "fsync_ms": round(fsync_ms, 3), "notes": _notes(fsync_ms)}
    return Report(options.pairs, metrics, baselines, settings, rows)


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


def _beside_thread(folder: Path, options: LatencyOptions) -> tuple[Runs, Metrics]:
    """Measure with the worker thread of the same engine busy all the time; say how busy."""
    runs: Runs = []
    shares, left = [], []
    backlog = _BACKLOG_OF_EACH_PAIR * options.pairs
    while len(runs) < options.runs:
        path = folder / f"thread-{len(runs)}-{backlog}.db"
        _pile_up(path, backlog)
        with (
            BareInsert(path.with_suffix(".bare")) as bare,
            yesteryear.open(path, worker="thread", embedder=options.embedder) as engine,
        ):
            memory = engine.memory(user="ana")
            _wait_for_work(memory, backlog)
            others, begun = time.process_time() - time.thread_time(), time.perf_counter()
            pairs = measure_pairs(memory, bare, options.pairs)
            share = (time.process_time() - time.thread_time() - others) / (time.perf_counter() - begun)
            unfinished = _unfinished(memory)
        if not unfinished:  # the worker ran out of work before the run was over
            backlog = _larger(backlog)
            continue
        runs.append(pairs)
        shares.append(share)
        left.append(unfinished)
    return runs, {"thread_worker_cpu_share": round(median(shares), 3), "thread_backlog_left": min(left)}


def _beside_process(folder: Path, options: LatencyOptions) -> tuple[Runs, Metrics]:
    """Measure while the worker of another process drains a backlog in the same file."""
    runs: Runs = []
    done, left = [], []
    backlog = _BACKLOG_OF_EACH_PAIR * options.pairs
    while len(runs) < options.runs:
        path = folder / f"process-{len(runs)}-{backlog}.db"
        _pile_up(path, backlog)
        with (
            BareInsert(path.with_suffix(".bare")) as bare,
            yesteryear.open(path, worker="none", embedder="hashing") as engine,
            process_beside("yesteryear_lab.bench.drainer", str(path), options.embedder),
        ):
            memory = engine.memory(user="ana")
            _wait_for_work(memory, backlog)
            before, begun = _unfinished(memory), time.perf_counter()
            pairs = measure_pairs(memory, bare, options.pairs)
            took, unfinished = time.perf_counter() - begun, _unfinished(memory)
        if not unfinished:
            backlog = _larger(backlog)
            continue
        runs.append(pairs)
        done.append((before - unfinished) / took)
        left.append(unfinished)
    return runs, {"process_worker_rows_per_s": round(median(done)), "process_backlog_left": min(left)}


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


def _callers(folder: Path, options: LatencyOptions) -> tuple[Metrics, Metrics]:
    crowd: Metrics = {}
    alone: Metrics = {}
    for name, measure in (("tasks", measure_tasks), ("threads", measure_threads)):
        many, one = compare_callers(
            folder, name, measure, callers=options.callers, messages_of_one=options.pairs, runs=options.runs
        )
        crowd |= many
        alone |= one
    return crowd, alone


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
    with yesteryear.open(path, worker="none", embedder=options.embedder) as engine:
        memory = engine.memory(user="ana")
        memory.flush()
        warm = [_context_s(memory, number) for number in range(_WARM_UP_QUERIES + options.queries)][_WARM_UP_QUERIES:]
    cold = []
    for number in range(0, options.queries, _QUERIES_EACH_COLD_ONE):
        with yesteryear.open(path, worker="none", embedder=options.embedder) as engine:
            engine.memory(user="ben").observe("I am somebody else: the model gets warm, the index measured does not.")
            engine.memory(user="ben").flush()
            cold.append(_context_s(engine.memory(user="ana"), number))
    return {
        "context_warm_p50_ms": round(1e3 * percentile(warm, 0.5), 2),
        "context_warm_p95_ms": round(1e3 * percentile(warm, 0.95), 2),
        "context_cold_p50_ms": round(1e3 * percentile(cold, 0.5), 2),
    }


def _context_s(memory: yesteryear.Memory, number: int) -> float:
    begun = time.perf_counter()
    memory.context(line(number), budget=1000)
    return time.perf_counter() - begun
