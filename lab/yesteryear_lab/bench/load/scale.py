"""Suite: many people in one PostgreSQL, against few people there and against the same people in a file.

Everybody has had one of a few generated pasts, with seeded vectors; the questions go through the real model.
"""

from __future__ import annotations

import base64
import json
import random
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import product
from math import ceil
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import numpy as np

import yesteryear
from yesteryear.core.vectors import Purpose
from yesteryear.errors import InputError
from yesteryear_lab.bench.load.paired import quantiles, ratios
from yesteryear_lab.bench.load.past import WARM_UP_QUESTIONS, Past, make_past
from yesteryear_lab.bench.load.seeded import SeededEmbedder, StatingAnalyst, live, open_seeded, warn_of
from yesteryear_lab.bench.load.talk import line
from yesteryear_lab.bench.load.throughput import measure_workers, measure_writers
from yesteryear_lab.bench.report import (
    Metrics,
    Progress,
    Report,
    StoreOptions,
    all_messages,
    as_suite,
    at_least,
    measure_fsync_ms,
    open_idle,
)
from yesteryear_lab.figures import elapsed_s, mean, percentile
from yesteryear_lab.postgres_server import PostgresServer

_MESSAGE_SHARE = 0.9  # of memories; the rest are the episodes, of about 14 messages, and a fact of each
_MEMORIES = ("messages.keep", "messages.skip", "episodes.active", "facts.stable", "facts.tentative")
"""What is counted, as ``stats`` names it."""
_ROLE = "app"  # whom the engine connects as: no superuser, so that row-level security is part of what is measured
_SERVER = {"shared_buffers": "1GB"}  # all else as PostgreSQL is shipped, so a commit waits for the disk
_SLOWER = {"commit_delay": 2000, "commit_siblings": 0}
"""What makes each flush of the log wait for 2 ms more, as on a slower disk; in microseconds."""
_SERVER_SETTINGS = ("server", "pgvector", "fsync", "synchronous_commit", "connections", "bypasses_row_security")
_FEWEST_MEMORIES = 40  # of a person, so that there are some episodes
_FAMILIAR = 4  # so many people are asked again and again where indexes are to be warm
_HITS = 20  # that are compared


class Places(NamedTuple):
    """Where the rows of the two sizes go."""

    small: str
    large: str
    slower: str  # the large one, whose commits wait as on a slower disk


@dataclass(frozen=True, slots=True)
class Template:
    """A past that many people have had."""

    path: Path  # as it is exported
    past: Past
    memories: int  # messages, episodes and facts


def make_templates(folder: Path, embedder: SeededEmbedder, *, memories: int, number: int) -> list[Template]:
    """Live through some pasts of at least so many memories each, and export them into a folder."""
    templates = []
    for seed in range(1, number + 1):
        past, path = make_past(ceil(memories * _MESSAGE_SHARE), seed=seed), folder / f"past-{seed}.zip"
        with open_idle(":memory:", embedder=embedder, analyst=StatingAnalyst(), reader="words") as engine:
            memory = engine.memory(user="template")
            live(memory, past)
            memory.export(path)
            found = sum(count for name, count in memory.stats().items() if name in _MEMORIES)
        templates.append(Template(path, past, found))
    return templates


def fill_crowd(store: str, embedder: SeededEmbedder, templates: Sequence[Template], users: Sequence[str]) -> None:
    """Let people take in the templates, in turn; no secrets are looked for in talk without meaning."""
    with open_idle(store, embedder=embedder, durability="normal", redact_secrets=False) as engine:
        for number, user in enumerate(users):
            engine.memory(user=user).import_(templates[number % len(templates)].path)


@contextmanager
def lend_places() -> Iterator[Places]:
    """Lend the databases of a server of our own, which is gone afterwards."""
    with PostgresServer(_SERVER) as server:
        server.execute(f"CREATE ROLE {_ROLE} LOGIN", f"GRANT SET ON PARAMETER {', '.join(_SLOWER)} TO {_ROLE}")
        for name in ("small", "large"):
            server.execute(f"CREATE DATABASE {name} OWNER {_ROLE}")
            server.execute("CREATE EXTENSION vector", database=name)
        small, large = (server.url(name, role=_ROLE) for name in ("small", "large"))
        options = quote(" ".join(f"-c {name}={value}" for name, value in _SLOWER.items()))
        yield Places(small, large, f"{large}&options={options}")


LARGE, SMALL, LARGE_FILE, SMALL_FILE = "postgres_large", "postgres_small", "sqlite_large", "sqlite_small"
"""The stores: of two kinds and two sizes."""

Took = dict[str, list[float]]  # how long each context took, in seconds, by store


@dataclass(frozen=True, slots=True)
class Store:
    """Where one store is, and who is in it."""

    address: str
    users: Sequence[str]  # as they were filled: the first had the first template, and so on in turn


class CrowdContexts:
    """Asks for contexts in all stores, in turn, so that whatever disturbs the machine disturbs all of them.

    The people of a small store are the first of the large one, and had the first templates.
    """

    def __init__(
        self,
        stores: Mapping[str, Store],
        templates: Sequence[Template],
        embedder: SeededEmbedder,
        options: ScaleOptions,
        say: Progress,
    ) -> None:
        self._stores = stores
        self._templates = templates
        self._embedder = embedder
        self._questions, self._runs = options.questions, options.runs
        self._say = say
        self._chance = random.Random(0)
        self._asked = 0
        self.metrics: Metrics = {}
        self.rows: list[Metrics] = []

    def measure(self) -> None:
        """Measure first contexts, warm ones, those of people at random, and those after a message from elsewhere."""
        with ExitStack() as ends:

            def open_all() -> dict[str, yesteryear.Engine]:
                stores = self._stores.items()
                return {name: ends.enter_context(open_seeded(store.address, self._embedder)) for name, store in stores}

            engines = open_all()
            for engine, number in product(engines.values(), range(WARM_UP_QUESTIONS)):
                self._ask(engine, 0, number)
            self._first(engines)
            everybody = {place: range(len(store.users)) for place, store in self._stores.items()}
            familiar = dict.fromkeys(self._stores, range(min(_FAMILIAR, *map(len, everybody.values()))))
            self._run("spread", engines, everybody)
            for place, engine in engines.items():
                self.metrics[f"spread_{place}_indexes"] = engine.describe()["index_owners"]
                for person in familiar[place]:
                    self._ask(engine, person, 0)
            self._run("warm", engines, familiar)
            self._run("observed_elsewhere", engines, familiar, open_all())
        questions = map(self._templates[0].past.question, range(self._asked, self._asked + self._questions))
        took = [elapsed_s(partial(self._embedder.embed_question, question)) for question in questions]
        self.metrics["embedding_p50_ms"] = round(1e3 * percentile(took, 0.5), 3)

    def _first(self, engines: Mapping[str, yesteryear.Engine]) -> None:
        """Ask everybody once: each needs their index."""
        self._say("first contexts of everybody")
        took: Took = {place: [] for place in engines}
        for person in range(max(len(store.users) for store in self._stores.values())):
            for place, engine in self._in_turn(engines, person):
                if person < len(self._stores[place].users):
                    took[place].append(self._ask(engine, person, 0))
        self._tell("first", [took])

    def _run(
        self,
        situation: str,
        engines: Mapping[str, yesteryear.Engine],
        people: Mapping[str, Sequence[int]],
        others: Mapping[str, yesteryear.Engine] | None = None,
    ) -> None:
        """Ask somebody of the people in each store, as often as there are questions; after a message by ``others``."""
        runs = []
        for run in range(self._runs):
            self._say(f"run {run + 1}: {situation}")
            took: Took = {place: [] for place in engines}
            for _ in range(self._questions):
                self._asked += 1
                for place, engine in self._in_turn(engines, self._asked):
                    person = self._chance.choice(people[place])
                    if others is not None:
                        past, memory = self._past(person), others[place].memory(user=user_name(person))
                        memory.observe(line(self._asked), conversation=past.last_conversation, at=past.now)
                    took[place].append(self._ask(engine, person, self._asked))
            runs.append(took)
        self._tell(situation, runs)

    def _in_turn(
        self, engines: Mapping[str, yesteryear.Engine], number: int
    ) -> Iterator[tuple[str, yesteryear.Engine]]:
        """Yield all engines, each time another one first."""
        found = list(engines.items())
        begin = number % len(found)
        yield from found[begin:] + found[:begin]

    def _past(self, person: int) -> Past:
        return self._templates[person % len(self._templates)].past

    def _ask(self, engine: yesteryear.Engine, person: int, number: int) -> float:
        """Return how long a context took, in seconds."""
        past = self._past(person)
        return elapsed_s(partial(past.ask, engine.memory(user=user_name(person)), past.question(number)))

    def _tell(self, situation: str, runs: Sequence[Took]) -> None:
        times = {place: [run[place] for run in runs] for place in self._stores}
        for place, taken in times.items():
            self.metrics |= quantiles(f"{situation}_{place}_*", taken)
        for name, (ours, other) in _COMPARED.items():
            self.metrics |= ratios(f"{situation}_{name}_*", times[ours], times[other])
        self.rows += [
            {"id": f"{situation}-{place}-{run}-{number}", "ms": round(1e3 * took, 4)}
            for run, found in enumerate(runs)
            for place, times in found.items()
            for number, took in enumerate(times)
        ]


_COMPARED = {
    "large_to_small": (LARGE, SMALL),
    "large_to_small_in_file": (LARGE_FILE, SMALL_FILE),
    "postgres_to_file": (LARGE, LARGE_FILE),
    "postgres_to_file_small": (SMALL, SMALL_FILE),
}


def user_name(person: int) -> str:
    """Return the name of somebody in a store."""
    return f"user-{person}"


def measure_exactness(
    stores: Sequence[str],
    templates: Sequence[Template],
    embedder: SeededEmbedder,
    folder: Path,
    *,
    people: Sequence[int],
    questions: int,
) -> tuple[Metrics, list[Metrics]]:
    """Compare the first twenty hits of one store with those of another, and the nearest twenty with a plain search.

    Returns the share of questions with the same hits, scores and order in both stores (``recall_equal``) and the mean
    share of the nearest that the first store finds (``nearest_exact``), and a row a question.
    """
    ours, other = (open_seeded(store, embedder) for store in stores)
    near = open_idle(stores[0], embedder=embedder, recall_preset="classic")
    rows: list[Metrics] = []
    with ours, other, near:
        for person in people:
            past, user = templates[person % len(templates)].past, user_name(person)
            plain = _PlainSearch(near.memory(user=user), folder / f"{user}.zip", embedder)
            for number in range(questions):
                question = past.question(number)
                pair = [engine.memory(user=user).recall(question, limit=_HITS, at=past.now) for engine in (ours, other)]
                one, same = ([(hit.id, hit.part, hit.score) for hit in found] for found in pair)
                rows.append({"id": f"exact-{user}-{number}", "equal": one == same, "nearest": plain.compare(question)})
    equal, nearest = (mean(row[name] for row in rows) for name in ("equal", "nearest"))
    return {"recall_equal": equal, "nearest_exact": nearest}, rows


class _PlainSearch:
    """All vectors of a person's words, and a memory whose hits are the nearest of them, whatever their order."""

    def __init__(self, memory: yesteryear.Memory, path: Path, embedder: SeededEmbedder) -> None:
        self._memory = memory
        self._embedder = embedder
        memory.export(path)
        with zipfile.ZipFile(path) as archive, archive.open("vectors.jsonl") as lines:
            found = [json.loads(line) for line in lines]
        path.unlink()
        shown = {message.id for message in all_messages(memory) if message.is_recallable}
        excerpts = [row for row in found if row["grain"] == "excerpt" and row["ref"] in shown]
        self._names = [(row["ref"], row["part"]) for row in excerpts]
        self._vectors = np.array([np.frombuffer(base64.b64decode(row["vector"]), dtype="<f2") for row in excerpts])

    def compare(self, question: str) -> float:
        """Return which share of the nearest the memory finds."""
        hits = self._memory.recall(question, limit=_HITS, kinds=["excerpt"])
        vector = self._embedder.embed([hits.reading.text], purpose=Purpose.QUERY)[0]
        nearest = np.argsort(-(self._vectors.astype(np.float32) @ vector), kind="stable")[:_HITS]
        expected = {self._names[number] for number in nearest}
        return len(expected & {(hit.id, hit.part) for hit in hits}) / len(expected)


@dataclass(frozen=True, slots=True)
class ScaleOptions(StoreOptions):
    """What can be asked of this suite."""

    users: int = at_least(2, 40)  # people in the large store
    memories: int = 40_000  # messages, episodes and facts in the large store, in all; everybody has as many
    small: int = at_least(1, 4_000)  # memories in the small store, of people with as many as in the large one
    templates: int = at_least(1, 4)  # how many different pasts there are
    questions: int = at_least(20, 100)  # contexts of one run in each store
    runs: int = at_least(1, 3)  # how often each is run; the median counts
    exact_people: int = at_least(1, 10)  # people whose hits are compared with a plain search, 10 questions each
    writers: int = at_least(2, 16)  # how many write at once
    messages: int = at_least(1, 40)  # messages of each of them in one run
    backlog: int = at_least(30, 960)  # messages that worker processes drain in one run

    @property
    def small_users(self) -> int:
        """How many people are in the small store."""
        return max(1, round(self.users * self.small / self.memories))


@as_suite("many people in PostgreSQL: against few, against a file; writers and workers together", ScaleOptions)
def suite(_: None, options: ScaleOptions, say: Progress) -> Report:
    """Let workers and writers work in the large store, fill both, and ask."""
    if options.memories < _FEWEST_MEMORIES * options.users:
        raise InputError(f"everybody has at least {_FEWEST_MEMORIES} memories; ask for more of them, or fewer users")
    if options.small > options.memories:
        raise InputError("small is at most as many as memories")
    embedder = SeededEmbedder(options.embedder)
    folder = Path(options.folder)
    with lend_places() as places:
        # Workers first: nobody else may have work that is due.
        metrics, rows = measure_workers(places.large, backlog=options.backlog, runs=options.runs, say=say)
        stores, runs = {"disk": places.large, "slower_disk": places.slower}, options.runs
        written, more = measure_writers(stores, writers=options.writers, messages=options.messages, runs=runs, say=say)
        asked, more_rows, memories = _measure_contexts(places, options, embedder, folder, say)
        with open_idle(places.large, embedder=embedder) as engine:
            described = engine.describe()
        settings = {
            **{name: described[name] for name in _SERVER_SETTINGS},
            "embedder": embedder.profile.model,
            "fsync_ms": round(measure_fsync_ms(folder), 3),
            "memories_small": memories * options.small_users,
            "memories_large": memories * options.users,
            "bytes_large": described["bytes"],
            "notes": [
                "memories: messages, episodes and facts; their vectors are drawn, those of questions the model's",
                *warn_of(embedder.profile.model),
            ],
        }
    return Report(options.questions, metrics | written | asked, {}, settings, rows + more + more_rows)


def _measure_contexts(
    places: Places, options: ScaleOptions, embedder: SeededEmbedder, folder: Path, say: Progress
) -> tuple[Metrics, list[Metrics], int]:
    """Return metrics, rows, and how many memories each person has."""
    of_each = options.memories // options.users
    templates = make_templates(folder, embedder, memories=of_each, number=options.templates)
    everybody = [user_name(person) for person in range(options.users)]
    the_first = everybody[: options.small_users]
    stores = {
        SMALL: Store(places.small, the_first),
        SMALL_FILE: Store(str(folder / "small.db"), the_first),
        LARGE: Store(places.large, everybody),
        LARGE_FILE: Store(str(folder / "large.db"), everybody),
    }
    for place, store in stores.items():
        say(f"{len(store.users)} people with {templates[0].memories} memories each: {place}")
        fill_crowd(store.address, embedder, templates, store.users)
    say("exactness")
    step = max(1, options.users // options.exact_people)
    compared = places.large, stores[LARGE_FILE].address
    people = range(0, options.users, step)[: options.exact_people]
    exact, rows = measure_exactness(compared, templates, embedder, folder, people=people, questions=10)
    contexts = CrowdContexts(stores, templates, embedder, options, say)
    contexts.measure()
    memories = round(sum(template.memories for template in templates) / len(templates))
    return exact | contexts.metrics, rows + contexts.rows, memories
