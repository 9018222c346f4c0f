"""How much more several writers write than one, and several workers work through than one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from statistics import median
from typing import NamedTuple, TypeAlias

import yesteryear
from yesteryear_lab.bench.load.processes import gather
from yesteryear_lab.bench.load.talk import line, pile_up, write
from yesteryear_lab.bench.report import Metrics, Progress, open_idle, unfinished_rows

WORKERS = (1, 2, 4)  # how many processes drain the same backlog
_WARM_UP = range(-5, 0)
_EPISODE_MESSAGES = 15
_MESSAGES_OF_OWNER = 2 * _EPISODE_MESSAGES
_LOOK_S = 0.05
"""Pause between two looks whether the workers are done, in seconds: looking takes a few milliseconds of a processor."""
_LONGEST_DRAIN_S = 600.0


class Written(NamedTuple):
    """What some writers have achieved."""

    messages_per_s: float
    cpu_s: float  # processor time of the writers a message, in seconds; what the server takes is not in it
    messages_per_commit: float | None = None  # None where each writer has an engine of its own


Way: TypeAlias = Callable[[str, Sequence[str], int], Written]
"""How some people at once, by their names, write so many messages each; who is named twice does so twice."""


def measure_writers(
    stores: Mapping[str, str], *, writers: int, messages: int, runs: int, say: Progress
) -> tuple[Metrics, list[Metrics]]:
    """Compare several writers with one alone: sharing an engine, for users of their own or one user, or a process each.

    Returns metrics, and an entry for each measurement.
    """
    ways: dict[str, Way] = {"threads": write_in_threads, "together": write_in_threads, "processes": _write_apart}
    found: dict[str, list[Written]] = {}
    metrics: Metrics = {}
    for name, store in stores.items():
        for way, measure in ways.items():
            say(f"{writers} writers against one: {name}, {way}")
            ones, many = found[f"{name}_one_{way}"], found[f"{name}_{way}"] = [], []
            for run in range(runs):
                users = [f"{way}-{run}-{0 if way == 'together' else writer}" for writer in range(writers)]
                ones.append(measure(store, [f"{way}-{run}-one"], min(writers * messages, 300)))
                many.append(measure(store, users, messages))
            metrics[f"write_{name}_{way}_ratio"] = rate_ratio(many, ones)
    for name, all_written in found.items():
        metrics[f"write_{name}_messages_per_s"] = round(median(each.messages_per_s for each in all_written))
        metrics[f"write_{name}_cpu_ms"] = round(1e3 * median(each.cpu_s for each in all_written), 3)
    rows = [
        {"id": f"write-{name}-{run}", "messages_per_s": written.messages_per_s, "cpu_s": written.cpu_s}
        for name, all_written in found.items()
        for run, written in enumerate(all_written)
    ]
    return metrics, rows


def rate_ratio(many: Sequence[Written], ones: Sequence[Written]) -> float:
    """Return how many times as much was written as by one, the median over the runs."""
    return round(median(m.messages_per_s / o.messages_per_s for m, o in zip(many, ones, strict=True)), 2)


def write_in_threads(store: str, users: Sequence[str], messages: int) -> Written:
    """Let threads of one engine observe, one message after another."""
    writers = len(users)
    with open_idle(store) as engine, ThreadPoolExecutor(writers) as pool:
        memories = [engine.memory(user=user) for user in users]
        list(pool.map(partial(write, numbers=_WARM_UP), memories))
        commits, cpu, begun = engine.describe()["commits"], time.process_time(), time.perf_counter()
        list(pool.map(partial(write, numbers=range(messages)), memories))
        took, cpu = time.perf_counter() - begun, time.process_time() - cpu
        commits = engine.describe()["commits"] - commits
    total = writers * messages
    return Written(total / took, cpu / total, total / commits)


def write_in_tasks(store: str, users: Sequence[str], messages: int) -> Written:
    """Do the same with tasks of one event loop."""
    return asyncio.run(_run_tasks(store, users, messages))


async def _run_tasks(store: str, users: Sequence[str], messages: int) -> Written:
    async with yesteryear.open_async(store, worker="none", embedder="hashing") as engine:

        async def call(user: str) -> None:
            for number in range(messages):
                await engine.memory(user=user).observe(line(number), conversation="c")

        commits, cpu, begun = (await engine.describe())["commits"], time.process_time(), time.perf_counter()
        await asyncio.gather(*map(call, users))
        took, cpu = time.perf_counter() - begun, time.process_time() - cpu
        commits = (await engine.describe())["commits"] - commits
    total = len(users) * messages
    return Written(total / took, cpu / total, total / commits)


def _write_apart(store: str, users: Sequence[str], messages: int) -> Written:
    with gather("writer", [(store, user, str(messages)) for user in users]) as team:
        begun = time.perf_counter()
        for writer in team:
            writer.say("go")
        cpu = sum(float(writer.hear()) for writer in team)
        took = time.perf_counter() - begun
    total = len(users) * messages
    return Written(total / took, cpu / total)


def measure_workers(store: str, *, backlog: int, runs: int, say: Progress) -> tuple[Metrics, list[Metrics]]:
    """Let one, two and four worker processes drain backlogs of the same size; return metrics, and a row for each."""
    owners = max(1, backlog // _MESSAGES_OF_OWNER)
    rates: dict[int, list[float]] = {workers: [] for workers in WORKERS}
    for run in range(runs):
        for workers in WORKERS:
            say(f"run {run + 1}: {workers} worker processes")
            took = _drain(store, [f"backlog-{run}-{workers}-{owner}" for owner in range(owners)], workers)
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
    with open_idle(store) as engine:
        memories = [engine.memory(user=user) for user in users]
        with gather("hand", [(store, "hashing")] * workers) as team:
            for memory in memories:
                for name in pile_up(memory, _MESSAGES_OF_OWNER, of_conversation=_EPISODE_MESSAGES):
                    memory.close_episode(name)
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
