"""Suite: what the proxy for chats adds to a reverse proxy that does nothing else; without a memory and with one."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

import yesteryear
from yesteryear.errors import InputError
from yesteryear_lab.bench.report import Metrics, Progress, Report, machine, percentile, read_options, scratch_folder
from yesteryear_lab.bench.talk import line

_PATH = "/v1/chat/completions"
_ENDS_WITHIN_S = 30.0
_WARM_UP = 20
_SHARES = {"p50": 0.5, "p95": 0.95}
_DEADLINE_MS = 150
"""What the proxy waits for recall, where no setting says otherwise."""


@dataclass(frozen=True, slots=True)
class ProxyOptions:
    """What can be asked of this suite."""

    rounds: int = 300
    """Requests of one run through each way, in turn; at least 20."""
    runs: int = 3
    """How often that is done; the median counts; at least 1."""
    memories: int = 500
    """Messages that are remembered of the person; at least 1."""
    folder: str = ""
    """Where the store lies; the system's place for temporary files where empty."""


class Took(NamedTuple):
    """Times of one request, in milliseconds."""

    first_ms: float
    """Until the first byte of the reply."""
    whole_ms: float
    memory: str
    """What the memory did, by the header of the answer."""


def run_proxy(data: Path | None, given: Mapping[str, str], on_progress: Progress) -> Report:
    """Measure a bare proxy in turn with ours without memory, then with ours with it."""
    if data is not None:
        raise InputError("the proxy suite makes its own talk; leave --data out")
    options = read_options(ProxyOptions, given)
    if min(options.rounds - 19, options.runs, options.memories) < 1:
        raise InputError("rounds is at least 20, runs and memories at least 1")
    with ExitStack() as stack:
        store = stack.enter_context(scratch_folder(options.folder)) / "memory.db"
        on_progress(f"remembering {options.memories} messages")
        _remember(store, options.memories)
        provider = stack.enter_context(_serving("provider", "-", store))
        bare = stack.enter_context(_serving("bare", f"http://127.0.0.1:{provider}", store))
        ours = stack.enter_context(_serving("ours", f"http://127.0.0.1:{provider}", store))
        without = {"bare": partial(_Way, bare), "off": partial(_Way, ours)}
        with_memory = {"beside": partial(_Way, bare), "on": partial(_Way, ours, user="ana")}
        runs = []
        for run in range(options.runs):
            on_progress(f"run {run + 1} of {options.runs}: {options.rounds} requests through each way")
            runs.append(_measure(without, run, options.rounds) | _measure(with_memory, run, options.rounds))
    metrics = _compare(runs)
    baselines = {"bare": _quantiles(runs, "bare") | _quantiles(runs, "beside")}
    settings = {**asdict(options), **machine(), "deadline_ms": _DEADLINE_MS, "notes": [_NOTE]}
    rows = [
        {"run": number, "way": way, **took._asdict()}
        for number, run in enumerate(runs)
        for way, all_took in run.items()
        for took in all_took
    ]
    return Report(options.rounds, metrics, baselines, settings, rows)


_NOTE = (
    "bare: a reverse proxy on the same libraries that passes bytes on; off: ours without a user, so without memory; "
    "beside: the bare one in turn with on; on: ours with a user, recall and taking down; "
    "the provider answers at once with 41 events"
)


class _Way:
    """One connection to a server, on which requests follow one another."""

    def __init__(self, port: int, *, user: str = "") -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port)
        self._headers = {"content-type": "application/json"} | ({"x-yesteryear-user": user} if user else {})

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def ask(self, run: int, number: int) -> Took:
        """Ask once."""
        talk = [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": f"{line(abs(number))} {run} {number}"},
        ]
        body = json.dumps({"model": "m", "stream": True, "messages": talk})
        begun = time.perf_counter()
        self._connection.request("POST", _PATH, body, self._headers)
        response = self._connection.getresponse()
        response.read1(1)
        first = time.perf_counter()
        response.read()
        ended = time.perf_counter()
        memory = response.headers.get("x-yesteryear-memory", "")
        return Took(1000 * (first - begun), 1000 * (ended - begun), memory)


def _measure(openers: Mapping[str, Callable[[], _Way]], run: int, rounds: int) -> dict[str, list[Took]]:
    """Ask in turn; what is taken down behind one way's back would slow another, so few ways are measured at once."""
    took: dict[str, list[Took]] = {name: [] for name in openers}
    with ExitStack() as stack:
        ways = {name: stack.enter_context(closing(opener())) for name, opener in openers.items()}
        for number in range(-_WARM_UP, rounds):
            for name, way in ways.items():
                taken = way.ask(run, number)
                if number >= 0:
                    took[name].append(taken)
    return took


def _compare(runs: list[dict[str, list[Took]]]) -> Metrics:
    """Return the figures of ours, and how they stand to the bare ones of the same run; medians over the runs."""
    metrics = _quantiles(runs, "off") | _quantiles(runs, "on")
    for share, at in _SHARES.items():
        for part in ("first_ms", "whole_ms"):
            pairs = [(_at(run["off"], part, at), _at(run["bare"], part, at)) for run in runs]
            metrics[f"off_{share}_{part.removesuffix('_ms')}_ratio"] = round(median(o / b for o, b in pairs), 3)
        later = [_at(run["on"], "first_ms", at) - _at(run["beside"], "first_ms", at) for run in runs]
        metrics[f"on_{share}_first_later_ms"] = round(median(later), 2)
    on = [took.memory for run in runs for took in run["on"]]
    return metrics | {f"on_{use}_share": round(on.count(use) / len(on), 4) for use in ("used", "none", "late", "error")}


def _quantiles(runs: list[dict[str, list[Took]]], way: str) -> Metrics:
    return {
        f"{way}_{share}_{part}": round(median(_at(run[way], part, at) for run in runs), 3)
        for share, at in _SHARES.items()
        for part in ("first_ms", "whole_ms")
    }


def _at(took: list[Took], part: str, share: float) -> float:
    return percentile([getattr(one, part) for one in took], share)


def _remember(store: Path, messages: int) -> None:
    with yesteryear.open(store, worker="none") as engine:
        memory = engine.memory(user="ana")
        memory.observe([{"content": line(number), "conversation": f"c{number // 30}"} for number in range(messages)])
        memory.flush()


@contextmanager
def _serving(role: str, upstream: str, store: Path) -> Iterator[int]:
    """Run a server; lend its port."""
    command = [sys.executable, "-m", "yesteryear_lab.bench.proxy_servers", role, upstream, str(store)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        try:
            assert process.stdout is not None  # noqa: S101 - it is a pipe
            yield int(process.stdout.readline())
        finally:
            process.communicate(timeout=_ENDS_WITHIN_S)
