"""Suite: what a door costs. A context over HTTP against the call itself and a bare endpoint; many clients for a minute.

Servers are processes of their own; clients keep their connections. Generated pasts, seeded vectors; questions go
through the real model on either side.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, field
from functools import partial
from http import HTTPStatus
from itertools import count, islice
from pathlib import Path

import yesteryear
from yesteryear.errors import InputError
from yesteryear_lab.bench.knocking import AsyncClient, Client, Server, a_server
from yesteryear_lab.bench.paired import Pair, compare, pair_rows, quantiles, timed
from yesteryear_lab.bench.past import Past, make_past
from yesteryear_lab.bench.report import (
    Metrics,
    Progress,
    Report,
    machine,
    percentile,
    read_options,
    scratch_folder,
    unfinished_rows,
)
from yesteryear_lab.bench.seeded import SeededEmbedder, fill, open_seeded
from yesteryear_lab.bench.talk import line

_OWNER = "ana"
_BUDGET = 1000
_WARM_UP_QUESTIONS = 20
_LOOKS = 2
"""How often the server's memory is looked at while the clients are there, and once more before."""
_PAGE = 1000


@dataclass(frozen=True, slots=True)
class DoorsOptions:
    """What can be asked of this suite."""

    messages: int = 1_000
    """Messages of the memory that is asked; at least 20."""
    pairs: int = 500
    """Questions of one run; at least 20."""
    runs: int = 3
    """How often they are asked; the median counts; at least 1."""
    clients: int = 200
    """Clients at the same time; at least 1."""
    people: int = 20
    """Whose memories they share; at least 1."""
    seconds: float = 60.0
    """For how long; above 0."""
    embedder: str = "auto"
    folder: str = ""
    """Where the stores lie; the system's place for temporary files where empty."""


def run_doors(data: Path | None, given: Mapping[str, str], on_progress: Progress) -> Report:
    """Measure what the way through a door costs, and what many clients do to it."""
    if data is not None:
        raise InputError("the doors suite makes its own memories; leave --data out")
    options = read_options(DoorsOptions, given)
    if min(options.messages - 19, options.pairs - 19, options.runs, options.clients, options.people) < 1:
        raise InputError("messages and pairs are at least 20, runs, clients and people at least 1")
    if options.seconds <= 0:
        raise InputError("seconds are above 0")
    with scratch_folder(options.folder) as folder:
        runs, direct = _measure_overhead(folder / "one.db", options, on_progress)
        metrics = compare(runs, "context") | {f"context_{name}": value for name, value in direct.items()}
        on_progress(f"{options.clients} clients for {options.seconds:g} seconds")
        metrics |= _measure_crowd(folder / "many.db", options, on_progress)
    settings = {
        **asdict(options),
        **machine(),
        "notes": ["bare of context: the call in this process and a bare endpoint, one after the other"],
    }
    bare = quantiles(runs, "context", lambda pair: pair.bare)
    return Report(options.pairs, metrics, {"bare": bare}, settings, pair_rows(runs, "context"))


def _measure_overhead(path: Path, options: DoorsOptions, on_progress: Progress) -> tuple[list[list[Pair]], Metrics]:
    """Ask over HTTP, in this process, and a bare endpoint, one by one in turn."""
    embedder, past = SeededEmbedder(options.embedder), make_past(options.messages, seed=options.messages)
    on_progress(f"{options.messages} messages")
    fill(path, {_OWNER: past}, embedder)
    numbers = count()
    with (
        open_seeded(path, embedder) as engine,
        a_server(str(path), "none", options.embedder) as server,
        a_server() as bare_server,
        closing(Client(server.port, _OWNER)) as client,
        closing(Client(bare_server.port, _OWNER)) as bare_client,
    ):
        ways = _Ways(engine.memory(user=_OWNER), client, bare_client, past)
        for question in map(past.question, islice(numbers, _WARM_UP_QUESTIONS)):
            ways.ask(question, 0)
        ways.calls.clear()
        runs = []
        for run in range(options.runs):
            on_progress(f"run {run + 1} of {options.runs}: {options.pairs} questions")
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
            took[way] = timed(ways[way], question)
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


def _measure_crowd(path: Path, options: DoorsOptions, on_progress: Progress) -> Metrics:
    """Let many clients observe and ask, then stop the server and look for what it took."""
    people = [f"person-{number}" for number in range(options.people)]
    with a_server(str(path), "thread", options.embedder) as server:
        crowd = asyncio.run(_visit(server, people, options))
        server.stop()
    on_progress(f"{len(crowd.acknowledged)} messages were taken; working in what is due")
    with yesteryear.open(path, worker="none", embedder=options.embedder) as engine:
        memories = [engine.memory(user=person) for person in people]
        for memory in memories:
            memory.flush()
        kept = {name for memory in memories for name in _ids_in(memory)}
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


def _ids_in(memory: yesteryear.Memory) -> Iterable[str]:
    """Yield the callers' ids of all messages."""
    last = ""
    while page := memory.messages(after=last, limit=_PAGE):
        yield from (message.external_id or "" for message in page)
        last = page[-1].id


def _times(name: str, took: list[float]) -> Metrics:
    quantiles_ms = {label: 1e3 * percentile(took, share) for label, share in (("p50", 0.5), ("p95", 0.95))}
    return {f"{name}_{label}_ms": _rounded(value) for label, value in quantiles_ms.items()}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 1)
