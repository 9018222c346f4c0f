"""How long contexts take in stores with few and with many people, in PostgreSQL and in a file, in the same minutes."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import product
from statistics import median
from typing import NamedTuple

import yesteryear
from yesteryear_lab.bench.crowd import Template
from yesteryear_lab.bench.report import Metrics, Progress, percentile
from yesteryear_lab.bench.seeded import SeededEmbedder, open_seeded
from yesteryear_lab.bench.talk import line

_FAMILIAR = 4
"""So many people are asked again and again where indexes are to be warm."""
_WARM_UP_QUESTIONS = 20
_BUDGET = 1000
_QUANTILES = {"p50": 0.5, "p95": 0.95}


class Place(NamedTuple):
    """A store of one kind and size."""

    kind: str
    """postgres or sqlite."""
    size: str
    """small or large."""

    def __str__(self) -> str:
        return f"{self.kind}_{self.size}"


LARGE, SMALL = Place("postgres", "large"), Place("postgres", "small")
LARGE_FILE, SMALL_FILE = Place("sqlite", "large"), Place("sqlite", "small")

Took = dict[Place, list[float]]
"""How long each context took, in seconds, by store."""


@dataclass(frozen=True, slots=True)
class Store:
    """Where one store is, and who is in it."""

    address: str
    users: Sequence[str]
    """As they were filled: the first had the first template, and so on in turn."""


class CrowdContexts:
    """Asks for contexts in all stores, in turn, so that whatever disturbs the machine disturbs all of them.

    Args:
        stores: The stores; the people of a small one are the first of the large one.
        templates: What people in them have told.
        embedder: Embeds the questions.
        questions: Contexts of one run in each store.
        runs: How often; the medians count.
        say: Told what is being done.
    """

    def __init__(
        self,
        stores: Mapping[Place, Store],
        templates: Sequence[Template],
        embedder: SeededEmbedder,
        *,
        questions: int,
        runs: int,
        say: Progress,
    ) -> None:
        self._stores = stores
        self._templates = templates
        self._embedder = embedder
        self._questions = questions
        self._runs = runs
        self._say = say
        self._chance = random.Random(0)
        self._asked = 0
        self.metrics: Metrics = {}
        self.rows: list[Metrics] = []

    def measure(self) -> None:
        """Measure first contexts, warm ones, those of people at random, and those after a message from elsewhere."""
        with ExitStack() as ends:
            engines = {place: ends.enter_context(self._open(place)) for place in self._stores}
            for engine, number in product(engines.values(), range(_WARM_UP_QUESTIONS)):
                self._ask(engine, 0, number)
            self._first(engines)
            everybody = {place: range(len(store.users)) for place, store in self._stores.items()}
            few = dict.fromkeys(self._stores, range(min(_FAMILIAR, *map(len, everybody.values()))))
            self._run("spread", engines, everybody, lambda _place, _person: None)
            for place, engine in engines.items():
                self.metrics[f"spread_{place}_indexes"] = engine.describe()["index_owners"]
            self._warm_up(engines, few)
            self._run("warm", engines, few, lambda _place, _person: None)
            others = {place: ends.enter_context(self._open(place)) for place in self._stores}
            self._run("observed_elsewhere", engines, few, lambda place, person: self._observe(others[place], person))
        self._measure_embedding()

    def _open(self, place: Place) -> yesteryear.Engine:
        return open_seeded(self._stores[place].address, self._embedder)

    def _first(self, engines: Mapping[Place, yesteryear.Engine]) -> None:
        """Ask everybody once: each needs their index."""
        self._say("first contexts of everybody")
        took: Took = {place: [] for place in engines}
        for person in range(max(len(store.users) for store in self._stores.values())):
            for place, engine in self._in_turn(engines, person):
                if person < len(self._stores[place].users):
                    took[place].append(self._ask(engine, person, 0))
        self._tell("first", [took])

    def _warm_up(self, engines: Mapping[Place, yesteryear.Engine], people: Mapping[Place, Sequence[int]]) -> None:
        for place, engine in engines.items():
            for person in people[place]:
                self._ask(engine, person, 0)

    def _run(
        self,
        situation: str,
        engines: Mapping[Place, yesteryear.Engine],
        people: Mapping[Place, Sequence[int]],
        before: Callable[[Place, int], None],
    ) -> None:
        """Ask somebody of the people in each store, as often as there are questions, after something was done."""
        runs = []
        for run in range(self._runs):
            self._say(f"run {run + 1}: {situation}")
            took: Took = {place: [] for place in engines}
            for _ in range(self._questions):
                self._asked += 1
                for place, engine in self._in_turn(engines, self._asked):
                    person = self._chance.choice(people[place])
                    before(place, person)
                    took[place].append(self._ask(engine, person, self._asked))
            runs.append(took)
        self._tell(situation, runs)

    def _in_turn(
        self, engines: Mapping[Place, yesteryear.Engine], number: int
    ) -> Iterator[tuple[Place, yesteryear.Engine]]:
        """Yield all engines, each time another one first."""
        found = list(engines.items())
        begin = number % len(found)
        yield from found[begin:] + found[:begin]

    def _ask(self, engine: yesteryear.Engine, person: int, number: int) -> float:
        """Return how long a context took, in seconds."""
        past = self._templates[person % len(self._templates)].past
        memory = engine.memory(user=user_name(person))
        question = past.question(number)
        begun = time.perf_counter()
        memory.context(question, conversation=past.last_conversation, budget=_BUDGET, at=past.now)
        return time.perf_counter() - begun

    def _observe(self, engine: yesteryear.Engine, person: int) -> None:
        past = self._templates[person % len(self._templates)].past
        engine.memory(user=user_name(person)).observe(
            line(self._asked), conversation=past.last_conversation, at=past.now
        )

    def _tell(self, situation: str, runs: Sequence[Took]) -> None:
        for place in self._stores:
            for label, share in _QUANTILES.items():
                found = median(percentile(run[place], share) for run in runs)
                self.metrics[f"{situation}_{place}_{label}_ms"] = round(1e3 * found, 3)
        for label, share in _QUANTILES.items():
            for name, (ours, other) in _COMPARED.items():
                ratios = [percentile(run[ours], share) / percentile(run[other], share) for run in runs]
                self.metrics[f"{situation}_{name}_{label}_ratio"] = round(median(ratios), 3)
        self.rows += [
            {"id": f"{situation}-{place}-{run}-{number}", "ms": round(1e3 * took, 4)}
            for run, found in enumerate(runs)
            for place, times in found.items()
            for number, took in enumerate(times)
        ]

    def _measure_embedding(self) -> None:
        """Measure what every context has to wait for."""
        took = []
        for number in range(-_WARM_UP_QUESTIONS, self._questions):
            question = self._templates[0].past.question(number + self._asked)
            begun = time.perf_counter()
            self._embedder.embed_question(question)
            took.append(time.perf_counter() - begun)
        self.metrics["embedding_p50_ms"] = round(1e3 * percentile(took[_WARM_UP_QUESTIONS:], 0.5), 3)


_COMPARED = {
    "large_to_small": (LARGE, SMALL),
    "large_to_small_in_file": (LARGE_FILE, SMALL_FILE),
    "postgres_to_file": (LARGE, LARGE_FILE),
    "postgres_to_file_small": (SMALL, SMALL_FILE),
}


def user_name(person: int) -> str:
    """Return the name of somebody in a store."""
    return f"user-{person}"
