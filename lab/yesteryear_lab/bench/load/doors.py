"""Suites: what a door costs.

``doors``: a context over HTTP against the call itself and a bare endpoint, then many clients for a minute. Servers are
processes of their own; clients keep their connections. Generated pasts, seeded vectors; questions go through the real
model on either side. ``proxy``: what the proxy for chats adds to a reverse proxy that does nothing else.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from http.client import HTTPException
from itertools import chain, count, cycle, islice
from pathlib import Path
from typing import NamedTuple

import yesteryear
from yesteryear_lab.bench.load.paired import Pair, compare, extras_s, quantiles, ratios, time_in_turn
from yesteryear_lab.bench.load.past import BUDGET, WARM_UP_QUESTIONS, make_past
from yesteryear_lab.bench.load.processes import CHAT, PIECES, Client, Server
from yesteryear_lab.bench.load.seeded import SeededEmbedder, fill, open_seeded
from yesteryear_lab.bench.load.talk import line, pile_up
from yesteryear_lab.bench.report import (
    Metrics,
    Progress,
    Report,
    StoreOptions,
    all_messages,
    as_suite,
    at_least,
    open_idle,
    unfinished_rows,
)
from yesteryear_lab.figures import percentile

_OWNER = "ana"
_VERBS = {"observe": "/v1/messages", "context": "/v1/context"}
_LOOKED_AT = ("start", "middle", "end")
"""When the server's memory is looked at: before the clients are there, and twice meanwhile."""


@dataclass(frozen=True, slots=True)
class DoorsOptions(StoreOptions):
    """What can be asked of ``doors``."""

    messages: int = at_least(20, 1_000)  # messages of the memory that is asked
    pairs: int = at_least(20, 500)  # questions of one run
    runs: int = at_least(1, 3)  # how often they are asked; the median counts
    clients: int = at_least(1, 200)  # clients at the same time
    people: int = at_least(1, 20)  # whose memories they share
    seconds: float = at_least(0.1, 60.0)  # for how long


@as_suite("context over HTTP against the call and a bare endpoint; many clients for a minute", DoorsOptions)
def doors_suite(_: None, options: DoorsOptions, say: Progress) -> Report:
    """Measure what the way through a door costs, and what many clients do to it."""
    runs = _measure_overhead(Path(options.folder, "one.db"), options, say)
    compared = compare([[Pair(http, call + bare) for http, call, bare in run] for run in runs], "context")
    _http, calls, endpoints = zip(*chain.from_iterable(runs), strict=True)
    parts = {"context_call_p50_ms": calls, "context_endpoint_p50_ms": endpoints}
    metrics = compared.metrics | {name: round(1e3 * percentile(took, 0.5), 4) for name, took in parts.items()}
    say(f"{options.clients} clients for {options.seconds:g} seconds")
    metrics |= _measure_crowd(Path(options.folder, "many.db"), options, say)
    settings = {"notes": ["bare of context: the call in this process and a bare endpoint, one after the other"]}
    return Report(options.pairs, metrics, {"bare": compared.bare}, settings, compared.rows)


def _measure_overhead(path: Path, options: DoorsOptions, say: Progress) -> list[list[list[float]]]:
    """Ask over HTTP, in this process, and a bare endpoint, one by one in turn; return the times of each run."""
    embedder, past = SeededEmbedder(options.embedder), make_past(options.messages, seed=options.messages)
    say(f"{options.messages} messages")
    fill(path, {_OWNER: past}, embedder)
    asked = {"conversation": past.last_conversation, "budget": BUDGET, "at": past.now.isoformat()}
    numbers = count()
    with (
        open_seeded(path, embedder) as engine,
        Server("doors", str(path), "none", options.embedder) as server,
        Server("doors") as bare_server,
        closing(Client(server.port, _OWNER)) as client,
        closing(Client(bare_server.port, _OWNER)) as bare_client,
    ):
        ways = (
            lambda question: client.post("/v1/context", {"message": question, **asked}),
            partial(past.ask, engine.memory(user=_OWNER)),
            lambda question: bare_client.post("/v1/context", {"message": question, **asked}),
        )

        def ask(how_many: int) -> list[list[float]]:
            questions = map(past.question, islice(numbers, how_many))
            return [time_in_turn(ways, question, turn) for turn, question in enumerate(questions)]

        ask(WARM_UP_QUESTIONS)
        runs = []
        for run in range(options.runs):
            say(f"run {run + 1} of {options.runs}: {options.pairs} questions")
            runs.append(ask(options.pairs))
    return runs


class Answered(NamedTuple):
    """What became of a request."""

    verb: str
    status: int | None  # None where the connection broke
    took_s: float
    id: str  # of the message that was sent


def _measure_crowd(path: Path, options: DoorsOptions, say: Progress) -> Metrics:
    """Let many clients observe and ask, then stop the server and look for what it took."""
    people = [f"person-{number}" for number in range(options.people)]
    with Server("doors", str(path), "thread", options.embedder) as server:
        # Whoever asks first brings the model into memory, which is no growth.
        answers = _be_a_client(server.port, people[0], "before", until=0.0)
        resident_mb = [server.resident_mb()]
        until = time.monotonic() + options.seconds
        with ThreadPoolExecutor(options.clients) as pool:
            clients = [
                pool.submit(_be_a_client, server.port, person, f"client-{number}", until=until)
                for number, person in enumerate(islice(cycle(people), options.clients))
            ]
            for _ in _LOOKED_AT[1:]:
                time.sleep(options.seconds / len(_LOOKED_AT[1:]))
                resident_mb.append(server.resident_mb())
            answers += chain.from_iterable(client.result() for client in clients)
        server.stop()
    acknowledged = {each.id for each in answers if each.status == HTTPStatus.CREATED}
    say(f"{len(acknowledged)} messages were taken; working in what is due")
    with open_idle(path, embedder=options.embedder, reader="words") as engine:
        memories = [engine.memory(user=person) for person in people]
        for memory in memories:
            memory.flush()
        kept = {message.external_id for memory in memories for message in all_messages(memory)}
        unfinished = sum(unfinished_rows(memory.stats()) for memory in memories)
    took = {verb: [each.took_s for each in answers if each.verb == verb and each.status] for verb in _VERBS}
    return {
        "crowd_requests": len(answers),
        "crowd_requests_per_s": round(len(answers) / options.seconds, 1),
        "crowd_errors": sum(each.status is None or each.status >= HTTPStatus.BAD_REQUEST for each in answers),
        "crowd_acknowledged": len(acknowledged),
        "crowd_lost": len(acknowledged - kept),
        "crowd_unfinished": unfinished,
        **quantiles("crowd_observe_*", [took["observe"]], digits=1),
        **quantiles("crowd_context_*", [took["context"]], digits=1),
        **{f"server_{name}_mb": mb for name, mb in zip(_LOOKED_AT, resident_mb, strict=True)},
    }


def _be_a_client(port: int, person: str, name: str, *, until: float) -> list[Answered]:
    """Say something and ask for a context, again and again, and once at least."""
    answers: list[Answered] = []
    with closing(Client(port, person)) as client:
        for number in count():
            said = {"content": f"{line(number)} ({name})", "conversation": name, "id": f"{name}-{number}"}
            asked = {"message": line(number + 1), "conversation": name}
            for (verb, path), body in zip(_VERBS.items(), (said, asked), strict=True):
                status, begun = None, time.perf_counter()
                with suppress(OSError, HTTPException):
                    reply = client.ask(path, body)
                    reply.read()
                    status = reply.status
                answers.append(Answered(verb, status, time.perf_counter() - begun, said["id"]))
                if status is None:
                    return answers
            if time.monotonic() >= until:
                return answers
    return answers


_PARTS = ("first", "whole")
_WARM_UP_ROUNDS = 20
_CONVERSATION_MESSAGES = 30
_DEADLINE_MS = 150  # what the proxy waits for recall, where no setting says otherwise


@dataclass(frozen=True, slots=True)
class ProxyOptions:
    """What can be asked of ``proxy``."""

    rounds: int = at_least(20, 300)  # requests of one run through each way, in turn
    runs: int = at_least(1, 3)  # how often that is done; the median counts
    memories: int = at_least(1, 500)  # messages that are remembered of the person
    folder: str = ""  # where the store lies; the system's place for temporary files where empty


class Took(NamedTuple):
    """Times of one request, in seconds."""

    first: float  # until the first byte of the reply
    whole: float
    memory: str  # what the memory did, by the header of the answer


@as_suite("chats through the proxy against a bare reverse proxy, without memory and with it", ProxyOptions)
def proxy_suite(_: None, options: ProxyOptions, say: Progress) -> Report:
    """Measure a bare proxy in turn with ours without memory, then with ours with it."""
    with ExitStack() as stack:
        store = Path(options.folder, "memory.db")
        say(f"remembering {options.memories} messages")
        with yesteryear.open(store, worker="none") as engine:
            memory = engine.memory(user=_OWNER)
            list(pile_up(memory, options.memories, of_conversation=_CONVERSATION_MESSAGES))
            memory.flush()
        provider = stack.enter_context(Server("provider"))
        upstream = f"http://127.0.0.1:{provider.port}"
        bare = stack.enter_context(Server("bare-proxy", upstream)).port
        ours = stack.enter_context(Server("proxy", upstream, str(store))).port
        without = {"bare": Client(bare), "off": Client(ours)}
        with_memory = {"beside": Client(bare), "on": Client(ours, _OWNER)}
        for client in (*without.values(), *with_memory.values()):
            stack.callback(client.close)
        runs = []
        for run in range(options.runs):
            say(f"run {run + 1} of {options.runs}: {options.rounds} requests through each way")
            runs.append(_measure_ways(without, run, options.rounds) | _measure_ways(with_memory, run, options.rounds))
    rows = [
        {"run": number, "way": way, "first_ms": 1e3 * took.first, "whole_ms": 1e3 * took.whole, "memory": took.memory}
        for number, run in enumerate(runs)
        for way, all_took in run.items()
        for took in all_took
    ]
    baselines = {"bare": _way_quantiles(runs, "bare") | _way_quantiles(runs, "beside")}
    settings = {"deadline_ms": _DEADLINE_MS, "notes": [_NOTE]}
    return Report(options.rounds, _compare_ways(runs), baselines, settings, rows)


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
    return Took(first - begun, ended - begun, memory)


def _measure_ways(ways: Mapping[str, Client], run: int, rounds: int) -> dict[str, list[Took]]:
    """Ask in turn; what is taken down behind one way's back would slow another, so few ways are measured at once."""
    took: dict[str, list[Took]] = {name: [] for name in ways}
    for number in range(-_WARM_UP_ROUNDS, rounds):
        for name, way in ways.items():
            taken = _ask(way, run, number)
            if number >= 0:
                took[name].append(taken)
    return took


def _compare_ways(runs: Sequence[Mapping[str, Sequence[Took]]]) -> Metrics:
    """Return the figures of ours, and how they stand to the bare ones of the same run; medians over the runs."""
    metrics = _way_quantiles(runs, "off") | _way_quantiles(runs, "on")
    for part in _PARTS:
        metrics |= ratios(f"off_*_{part}", _times(runs, "off", part), _times(runs, "bare", part))
    later = extras_s(_times(runs, "on", "first"), _times(runs, "beside", "first"))
    metrics |= {f"on_{label}_first_later_ms": round(1e3 * extra, 2) for label, extra in later.items()}
    on = [took.memory for run in runs for took in run["on"]]
    return metrics | {f"on_{use}_share": round(on.count(use) / len(on), 4) for use in ("used", "none", "late", "error")}


def _way_quantiles(runs: Sequence[Mapping[str, Sequence[Took]]], way: str) -> Metrics:
    first, whole = (quantiles(f"{way}_*_{part}", _times(runs, way, part)) for part in _PARTS)
    return first | whole


def _times(runs: Sequence[Mapping[str, Sequence[Took]]], way: str, part: str) -> list[list[float]]:
    return [[getattr(took, part) for took in run[way]] for run in runs]
