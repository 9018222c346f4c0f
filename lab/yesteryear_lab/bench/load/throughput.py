"""How much more several writers write than one, and several workers work through than one."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count
from statistics import median
from typing import NamedTuple

import yesteryear
from yesteryear_lab.bench.load.processes import gather
from yesteryear_lab.bench.load.talk import line, write
from yesteryear_lab.bench.report import Metrics, Progress, unfinished_rows

WORKERS = (1, 2, 4)
"""How many processes drain the same backlog."""
_EPISODE_MESSAGES = 15
_MESSAGES_OF_OWNER = 2 * _EPISODE_MESSAGES
_LOOK_S = 0.05
"""Pause between two looks whether the workers are done, in seconds: looking takes a few milliseconds of a processor."""
_LONGEST_DRAIN_S = 600.0


class Written(NamedTuple):
    """What some writers have achieved."""

    messages_per_s: float
    cpu_s: float
    """Processor time of the writers a message, in seconds; what the server takes is not in it."""


def measure_writers(
    stores: Mapping[str, str], *, writers: int, messages: int, runs: int, say: Progress
) -> tuple[Metrics, list[Metrics]]:
    """Compare several writers with one alone: sharing an engine, for users of their own or one user, or a process each.

    Returns:
        Metrics, and an entry for each measurement.
    """
    numbers = count()
    ways: dict[str, Callable[[str, int, int, int], Written]] = {
        "threads": _write_in_threads,
        "together": partial(_write_in_threads, is_one_owner=True),
        "processes": _write_apart,
    }
    found: dict[str, list[Written]] = {}
    for run in range(runs):
        for name, store in stores.items():
            say(f"run {run + 1}: {writers} writers against one, {name}")
            for way, measure in ways.items():
                one = measure(store, 1, min(writers * messages, 300), next(numbers))
                found.setdefault(f"{name}_one_{way}", []).append(one)
                found.setdefault(f"{name}_{way}", []).append(measure(store, writers, messages, next(numbers)))
    metrics: Metrics = {}
    for name in stores:
        for way in ways:
            ones, many = found[f"{name}_one_{way}"], found[f"{name}_{way}"]
            ratios = [m.messages_per_s / o.messages_per_s for m, o in zip(many, ones, strict=True)]
            metrics[f"write_{name}_{way}_ratio"] = round(median(ratios), 2)
    for name, all_written in found.items():
        metrics[f"write_{name}_messages_per_s"] = round(median(each.messages_per_s for each in all_written))
        metrics[f"write_{name}_cpu_ms"] = round(1e3 * median(each.cpu_s for each in all_written), 3)
    rows = [
        {"id": f"write-{name}-{run}", **written._asdict()}
        for name, all_written in found.items()
        for run, written in enumerate(all_written)
    ]
    return metrics, rows


def _write_in_threads(store: str, writers: int, messages: int, number: int, *, is_one_owner: bool = False) -> Written:
    users = [f"thread-{number}-{0 if is_one_owner else writer}" for writer in range(writers)]
    with yesteryear.open(store, worker="none", embedder="hashing") as engine, ThreadPoolExecutor(writers) as pool:
        memories = [engine.memory(user=user) for user in users]
        list(pool.map(partial(write, numbers=range(-5, 0)), memories))
        cpu, begun = time.process_time(), time.perf_counter()
        list(pool.map(partial(write, numbers=range(messages)), memories))
        took, cpu = time.perf_counter() - begun, time.process_time() - cpu
    return Written(writers * messages / took, cpu / (writers * messages))


def _write_apart(store: str, writers: int, messages: int, number: int) -> Written:
    arguments = [(store, f"process-{number}-{writer}", str(messages)) for writer in range(writers)]
    with gather("writer", arguments) as team:
        begun = time.perf_counter()
        for writer in team:
            writer.say("go")
        cpu = sum(float(writer.hear()) for writer in team)
        took = time.perf_counter() - begun
    return Written(writers * messages / took, cpu / (writers * messages))


def measure_workers(store: str, *, backlog: int, runs: int, say: Progress) -> tuple[Metrics, list[Metrics]]:
    """Let one, two and four worker processes drain backlogs of the same size; return metrics, and a row for each."""
    owners = max(1, backlog // _MESSAGES_OF_OWNER)
    rates: dict[int, list[float]] = {workers: [] for workers in WORKERS}
    numbers = count()
    for run in range(runs):
        for workers in WORKERS:
            say(f"run {run + 1}: {workers} worker processes")
            number = next(numbers)
            users = [f"backlog-{number}-{owner}" for owner in range(owners)]
            took = _drain(store, users, workers)
            rates[workers].append(owners * _MESSAGES_OF_OWNER / took)
    metrics: Metrics = {f"drain_{n}_messages_per_s": round(median(found), 1) for n, found in rates.items()}
    for more, fewer in ((2, 1), (4, 2)):
        ratios = [m / f for m, f in zip(rates[more], rates[fewer], strict=True)]
        metrics[f"drain_{more}_to_{fewer}_ratio"] = round(median(ratios), 2)
    rows = [
        {"id": f"drain-{workers}-{run}", "messages_per_s": rate}
        for workers, found in rates.items()
        for run, rate in enumerate(found)
    ]
    return metrics, rows


def _drain(store: str, users: Sequence[str], workers: int) -> float:
    """Return how long some workers took for all that some people have said, in seconds."""
    with yesteryear.open(store, worker="none", embedder="hashing") as engine:
        memories = [engine.memory(user=user) for user in users]
        with gather("hand", [(store, "hashing")] * workers) as team:
            for memory in memories:
                _pile_up(memory)
            begun = time.perf_counter()
            for worker in team:
                worker.say("go")
            deadline = begun + _LONGEST_DRAIN_S
            for memory in memories:
                while unfinished_rows(memory.stats()):
                    if time.perf_counter() > deadline:
                        raise yesteryear.YesteryearError("the workers do not come to an end")
                    time.sleep(_LOOK_S)
            return time.perf_counter() - begun


def _pile_up(memory: yesteryear.Memory) -> None:
    """Let a person say some things that nobody works on yet, in conversations that are over."""
    for first in range(0, _MESSAGES_OF_OWNER, _EPISODE_MESSAGES):
        name = f"backlog-{first}"
        memory.observe([{"content": line(first + n)} for n in range(_EPISODE_MESSAGES)], conversation=name)
        memory.close_episode(name)
