"""Many callers at once: how many share a commit, and how much faster that is than one alone."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from typing import NamedTuple

import yesteryear
from yesteryear_lab.bench.report import Metrics
from yesteryear_lab.bench.talk import line

_MESSAGES_OF_EACH = 40


class Load(NamedTuple):
    """What some callers have achieved."""

    messages_per_second: float
    messages_per_commit: float


def compare_callers(
    folder: Path, name: str, measure: Callable[[Path, int, int], Load], *, callers: int, messages_of_one: int, runs: int
) -> tuple[Metrics, Metrics]:
    """Return metrics of many callers against one, each the median over the runs, and those of the one."""
    ones, manys = [], []
    for run in range(runs):
        ones.append(measure(folder / f"{name}-{run}-one.db", 1, messages_of_one))
        manys.append(measure(folder / f"{name}-{run}-many.db", callers, _MESSAGES_OF_EACH))
    many = {
        f"{name}_messages_per_commit": round(median(load.messages_per_commit for load in manys), 1),
        f"{name}_rate_ratio": round(
            median(m.messages_per_second / o.messages_per_second for m, o in zip(manys, ones, strict=True)), 2
        ),
        f"{name}_messages_per_s": round(median(load.messages_per_second for load in manys)),
    }
    return many, {f"{name}_messages_per_s": round(median(load.messages_per_second for load in ones))}


def measure_tasks(path: Path, callers: int, messages: int) -> Load:
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


def measure_threads(path: Path, callers: int, messages: int) -> Load:
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
