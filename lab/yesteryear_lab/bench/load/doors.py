"""Suites: what a door costs.

``doors``: a context over HTTP against the call itself and a bare endpoint, then many clients for a minute. Servers are
processes of their own; clients keep their connections. Generated pasts, seeded vectors; questions go through the real
model on either side. ``proxy``: what the proxy for chats adds to a reverse proxy that does nothing else.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from itertools import count, islice
from pathlib import Path
from statistics import median
from typing import NamedTuple

import yesteryear
from yesteryear_lab.bench.load.paired import Pair, compare, pair_rows, quantiles
from yesteryear_lab.bench.load.past import Past, make_past
from yesteryear_lab.bench.load.processes import CHAT, PIECES, AsyncClient, Client, Server
from yesteryear_lab.bench.load.seeded import SeededEmbedder, fill, open_seeded
from yesteryear_lab.bench.load.talk import line
from yesteryear_lab.bench.report import (
    Metrics,
    Progress,
    Report,
    StoreOptions,
    Suite,
    all_messages,
    at_least,
    scratch_folder,
    unfinished_rows,
)
from yesteryear_lab.figures import QUANTILES, elapsed_s, percentile

_OWNER = "ana"
_BUDGET = 1000
_WARM_UP_QUESTIONS = 20
_LOOKS = 2
"""How often the server's memory is looked at while the clients are there, and once more before."""


@dataclass(frozen=True, slots=True)
class DoorsOptions(StoreOptions):
    """What can be asked of ``doors``."""

    messages: int = at_least(20, 1_000)
    """Messages of the memory that is asked."""
    pairs: int = at_least(20, 500)
    """Questions of one run."""
    runs: int = at_least(1, 3)
    """How often they are asked; the median counts."""
    clients: int = at_least(1, 200)
    """Clients at the same time."""
    people: int = at_least(1, 20)
    """Whose memories they share."""
    seconds: float = at_least(0.1, 60.0)
    """For how long."""


def _run_doors(_: None, options: DoorsOptions, say: Progress) -> Report:
    """Measure what the way through a door costs, and what many clients do to it."""
    with scratch_folder(options.folder) as folder:
        runs, direct = _measure_overhead(folder / "one.db", options, say)
        metrics = compare(runs, "context") | {f"context_{name}": value for name, value in direct.items()}
        say(f"{options.clients} clients for {options.seconds:g} seconds")
        metrics |= _measure_crowd(folder / "many.db", options, say)
    settings = {"notes": ["bare of context: the call in this process and a bare endpoint, one after the other"]}
    bare = quantiles(runs, "context", lambda pair: pair.bare)
    return Report(options.pairs, metrics, {"bare": bare}, settings, pair_rows(runs, "context"))


DOORS = Suite(
    "context over HTTP against the call and a bare endpoint; many clients for a minute", _run_doors, DoorsOptions
)


def _measure_overhead(path: Path, options: DoorsOptions, say: Progress) -> tuple[list[list[Pair]], Metrics]:
    """Ask over HTTP, in this process, and a bare endpoint, one by one in turn."""
    embedder, past = SeededEmbedder(options.embedder), make_past(options.messages, seed=options.messages)
    say(f"{options.messages} messages")
    fill(path, {_OWNER: past}, embedder)
    numbers = count()
    with (
        open_seeded(path, embedder) as engine,
        Server("doors", str(path), "none", options.embedder) as server,
        Server("doors") as bare_server,
        closing(Client(server.port, _OWNER)) as client,
        closing(Client(bare_server.port, _OWNER)) as bare_client,
    ):
        ways = _Ways(engine.memory(user=_OWNER), client, bare_client, past)
        for question in map(past.question, islice(numbers, _WARM_UP_QUESTIONS)):
            ways.ask(question, 0)
        ways.calls.clear()
        runs = []
        for run in range(options.runs):
            say(f"run {run + 1} of {options.runs}: {options.pairs} questions")
            questions = map(past.question, islice(numbers, options.pairs))
            runs.append([ways.ask(question, turn) for turn, question in enumerate(questions)])
    call, endpoint = (percentile(times, 0.5) for times in zip(*ways.calls, strict=True))
    return runs, {"call_p50_ms": round(1e3 * call, 4), "endpoint_p50_ms": round(1e3 * endpoint, 4)}


@dataclass(frozen=True, slots=True)
class _Ways:
    """The ways in which a question is asked."""

    memory: yesteryear.Memory
    client: Client
    bare: Client
    past: Past
    calls: list[tuple[float, float]] = field(default_factory=list)
    """How long each call took in this process, and each bare request, in seconds."""

    def ask(self, question: str, turn: int) -> Pair:
        """Return how long a question took over HTTP, and both other ways together; they take turns in going first."""
        ways: list[Callable[[str], object]] = [self._over_http, self._here, self._to_nobody]
        took = {}
        for number in range(len(ways)):
            way = (number + turn) % len(ways)
            took[way] = elapsed_s(partial(ways[way], question))
        self.calls.append((took[1], took[2]))
        return Pair(ours=took[0], bare=took[1] + took[2])

    def _over_http(self, question: str) -> None:
        self.client.post("/v1/context", self._asked(question))

    def _to_nobody(self, question: str) -> None:
        self.bare.post("/v1/context", self._asked(question))

    def _here(self, question: str) -> None:
        asked = self._asked(question)
        self.memory.context(question, conversation=str(asked["conversation"]), budget=_BUDGET, at=self.past.now)

    def _asked(self, question: str) -> dict[str, object]:
        return {
            "message": question,
            "conversation": self.past.last_conversation,
            "budget": _BUDGET,
            "at": self.past.now.isoformat(),
        }


@dataclass(slots=True)
class _Crowd:
    """What clients have done together."""

    acknowledged: set[str] = field(default_factory=set)
    """Ids of messages that the server has taken."""
    sent: int = 0
    errors: int = 0
    observe_s: list[float] = field(default_factory=list)
    context_s: list[float] = field(default_factory=list)
    resident_mb: list[float | None] = field(default_factory=list)


def _measure_crowd(path: Path, options: DoorsOptions, say: Progress) -> Metrics:
    """Let many clients observe and ask, then stop the server and look for what it took."""
    people = [f"person-{number}" for number in range(options.people)]
    with Server("doors", str(path), "thread", options.embedder) as server:
        crowd = asyncio.run(_visit(server, people, options))
        server.stop()
    say(f"{len(crowd.acknowledged)} messages were taken; working in what is due")
    with yesteryear.open(path, worker="none", embedder=options.embedder) as engine:
        memories = [engine.memory(user=person) for person in people]
        for memory in memories:
            memory.flush()
        kept = {message.external_id for memory in memories for message in all_messages(memory)}
        unfinished = sum(unfinished_rows(memory.stats()) for memory in memories)
    start, *middle, end = crowd.resident_mb
    return {
        "crowd_requests": crowd.sent,
        "crowd_requests_per_s": round(crowd.sent / options.seconds, 1),
        "crowd_errors": crowd.errors,
        "crowd_acknowledged": len(crowd.acknowledged),
        "crowd_lost": len(crowd.acknowledged - kept),
        "crowd_unfinished": unfinished,
        **_times("crowd_observe", crowd.observe_s),
        **_times("crowd_context", crowd.context_s),
        "server_start_mb": _rounded(start),
        "server_middle_mb": _rounded(middle[-1]),
        "server_end_mb": _rounded(end),
    }


async def _visit(server: Server, people: list[str], options: DoorsOptions) -> _Crowd:
    crowd = _Crowd()
    loop = asyncio.get_running_loop()
    # Whoever asks first brings the model into memory, which is no growth.
    await _be_a_client(server.port, people[0], "before", crowd, until=loop.time())
    crowd.resident_mb.append(server.resident_mb())
    until = loop.time() + options.seconds
    clients = [
        loop.create_task(
            _be_a_client(server.port, people[number % len(people)], f"client-{number}", crowd, until=until)
        )
        for number in range(options.clients)
    ]
    for _ in range(_LOOKS):
        await asyncio.sleep(options.seconds / _LOOKS)
        crowd.resident_mb.append(server.resident_mb())
    await asyncio.gather(*clients)
    return crowd


async def _be_a_client(port: int, person: str, name: str, crowd: _Crowd, *, until: float) -> None:
    """Say something and ask for a context, again and again, and once at least."""
    loop = asyncio.get_running_loop()
    with closing(AsyncClient(port, person)) as client:
        for number in count():
            said = {"content": f"{line(number)} ({name})", "conversation": name, "id": f"{name}-{number}"}
            ask = partial(client.post, "/v1/context", {"message": line(number + 1), "conversation": name})
            for post, took in ((partial(client.post, "/v1/messages", said), crowd.observe_s), (ask, crowd.context_s)):
                crowd.sent += 1
                begun = time.perf_counter()
                try:
                    status = await post()
                except (OSError, EOFError):
                    crowd.errors += 1
                    return
                took.append(time.perf_counter() - begun)
                crowd.errors += status >= HTTPStatus.BAD_REQUEST
                if status == HTTPStatus.CREATED:
                    crowd.acknowledged.add(said["id"])
            if loop.time() >= until:
                return


def _times(name: str, took: list[float]) -> Metrics:
    return {f"{name}_{label}_ms": _rounded(1e3 * percentile(took, share)) for label, share in QUANTILES.items()}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 1)


_WARM_UP_ROUNDS = 20
_DEADLINE_MS = 150
"""What the proxy waits for recall, where no setting says otherwise."""


@dataclass(frozen=True, slots=True)
class ProxyOptions:
    """What can be asked of ``proxy``."""

    rounds: int = at_least(20, 300)
    """Requests of one run through each way, in turn."""
    runs: int = at_least(1, 3)
    """How often that is done; the median counts."""
    memories: int = at_least(1, 500)
    """Messages that are remembered of the person."""
    folder: str = ""
    """Where the store lies; the system's place for temporary files where empty."""


class Took(NamedTuple):
    """Times of one request, in milliseconds."""

    first_ms: float
    """Until the first byte of the reply."""
    whole_ms: float
    memory: str
    """What the memory did, by the header of the answer."""


def _run_proxy(_: None, options: ProxyOptions, say: Progress) -> Report:
    """Measure a bare proxy in turn with ours without memory, then with ours with it."""
    with ExitStack() as stack:
        store = stack.enter_context(scratch_folder(options.folder)) / "memory.db"
        say(f"remembering {options.memories} messages")
        _remember(store, options.memories)
        provider = stack.enter_context(Server("provider"))
        upstream = f"http://127.0.0.1:{provider.port}"
        bare = stack.enter_context(Server("bare-proxy", upstream)).port
        ours = stack.enter_context(Server("proxy", upstream, str(store))).port
        without = {"bare": partial(Client, bare), "off": partial(Client, ours)}
        with_memory = {"beside": partial(Client, bare), "on": partial(Client, ours, user="ana")}
        runs = []
        for run in range(options.runs):
            say(f"run {run + 1} of {options.runs}: {options.rounds} requests through each way")
            runs.append(_measure_ways(without, run, options.rounds) | _measure_ways(with_memory, run, options.rounds))
    metrics = _compare_ways(runs)
    baselines = {"bare": _way_quantiles(runs, "bare") | _way_quantiles(runs, "beside")}
    settings = {"deadline_ms": _DEADLINE_MS, "notes": [_NOTE]}
    rows = [
        {"run": number, "way": way, **took._asdict()}
        for number, run in enumerate(runs)
        for way, all_took in run.items()
        for took in all_took
    ]
    return Report(options.rounds, metrics, baselines, settings, rows)


PROXY = Suite(
    "chats through the proxy against a bare reverse proxy, without memory and with it", _run_proxy, ProxyOptions
)

_NOTE = (
    "bare: a reverse proxy on the same libraries that passes bytes on; off: ours without a user, so without memory; "
    "beside: the bare one in turn with on; on: ours with a user, recall and taking down; "
    f"the provider answers at once with {PIECES + 1} events"
)


def _ask(client: Client, run: int, number: int) -> Took:
    talk = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": f"{line(abs(number))} {run} {number}"},
    ]
    begun = time.perf_counter()
    response = client.ask(CHAT, {"model": "m", "stream": True, "messages": talk})
    response.read1(1)
    first = time.perf_counter()
    response.read()
    ended = time.perf_counter()
    memory = response.headers.get("x-yesteryear-memory", "")
    return Took(1000 * (first - begun), 1000 * (ended - begun), memory)


def _measure_ways(openers: Mapping[str, Callable[[], Client]], run: int, rounds: int) -> dict[str, list[Took]]:
    """Ask in turn; what is taken down behind one way's back would slow another, so few ways are measured at once."""
    took: dict[str, list[Took]] = {name: [] for name in openers}
    with ExitStack() as stack:
        ways = {name: stack.enter_context(closing(opener())) for name, opener in openers.items()}
        for number in range(-_WARM_UP_ROUNDS, rounds):
            for name, way in ways.items():
                taken = _ask(way, run, number)
                if number >= 0:
                    took[name].append(taken)
    return took


def _compare_ways(runs: list[dict[str, list[Took]]]) -> Metrics:
    """Return the figures of ours, and how they stand to the bare ones of the same run; medians over the runs."""
    metrics = _way_quantiles(runs, "off") | _way_quantiles(runs, "on")
    for share, at in QUANTILES.items():
        for part in ("first_ms", "whole_ms"):
            pairs = [(_at(run["off"], part, at), _at(run["bare"], part, at)) for run in runs]
            metrics[f"off_{share}_{part.removesuffix('_ms')}_ratio"] = round(median(o / b for o, b in pairs), 3)
        later = [_at(run["on"], "first_ms", at) - _at(run["beside"], "first_ms", at) for run in runs]
        metrics[f"on_{share}_first_later_ms"] = round(median(later), 2)
    on = [took.memory for run in runs for took in run["on"]]
    return metrics | {f"on_{use}_share": round(on.count(use) / len(on), 4) for use in ("used", "none", "late", "error")}


def _way_quantiles(runs: list[dict[str, list[Took]]], way: str) -> Metrics:
    return {
        f"{way}_{share}_{part}": round(median(_at(run[way], part, at) for run in runs), 3)
        for share, at in QUANTILES.items()
        for part in ("first_ms", "whole_ms")
    }


def _at(took: list[Took], part: str, share: float) -> float:
    return percentile([getattr(one, part) for one in took], share)


def _remember(store: Path, messages: int) -> None:
    with yesteryear.open(store, worker="none") as engine:
        memory = engine.memory(user="ana")
        memory.observe([{"content": line(number), "conversation": f"c{number // 30}"} for number in range(messages)])
        memory.flush()
