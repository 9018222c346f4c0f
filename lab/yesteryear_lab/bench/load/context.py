"""Suite: how long a context takes, against embedding the question alone, which no recall by meaning can do without.

Generated pasts of two sizes, seeded vectors; the questions go through the real model. Warm means that the index is
loaded and some questions were asked before; cold that the process and the model are warm and the index is not.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count, islice
from pathlib import Path
from statistics import median
from typing import TypeAlias

import yesteryear
from yesteryear_lab.bench.load.paired import Pair, compare, take_turns
from yesteryear_lab.bench.load.past import BUDGET, WARM_UP_QUESTIONS, make_past
from yesteryear_lab.bench.load.processes import Fork, gather
from yesteryear_lab.bench.load.seeded import SeededEmbedder, fill, open_seeded, warn_of
from yesteryear_lab.bench.report import (
    Metrics,
    Progress,
    Report,
    StoreOptions,
    as_suite,
    at_least,
    measure_fsync_ms,
    scratch_folder,
)
from yesteryear_lab.figures import elapsed_s

_OWNER, _KNOWN = "ana", "guest"
"""Whom the questions are about, and whom a fresh process knows already when it meets her."""
_KNOWN_MESSAGES = 60
_NEWS_SEED = -1
_MESSAGES_OF_OTHERS = 100
_SIZES = ("small", "large")

Say: TypeAlias = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class ContextOptions(StoreOptions):
    """What can be asked of this suite."""

    small: int = at_least(20, 1_000)  # messages of the small memory
    messages: int = at_least(20, 15_000)  # messages of the large memory, about 1,000 episodes
    pairs: int = at_least(20, 200)  # questions of one run, ours and bare
    runs: int = at_least(1, 3)  # how often each is run; the median counts
    owners: int = at_least(1, 100)  # other people in the store


@as_suite("context against embedding the question alone; cold, after a message, among others", ContextOptions)
def suite(_: None, options: ContextOptions, say: Progress) -> Report:
    """Measure both sizes in all situations."""
    embedder = SeededEmbedder(options.embedder)
    folder = Path(options.folder)
    bench = _Bench(folder, options, embedder, say)
    for size in _SIZES:
        bench.measure_size(size)
    bench.measure_crowd()
    model = embedder.profile.model
    settings = {
        "embedder": model,
        "fsync_ms": round(measure_fsync_ms(folder), 3),
        "episodes": bench.episodes,
        "notes": [
            "bare of warm: the question embedded, nothing else; of observed: warm; of crowd: the same without others",
            *warn_of(model),
        ],
    }
    return Report(options.pairs, bench.metrics, {"bare": bench.bare}, settings, bench.rows)


class _Bench:
    """The stores, and what was found out about them."""

    def __init__(self, folder: Path, options: ContextOptions, embedder: SeededEmbedder, say: Progress) -> None:
        self._folder = folder
        self._options = options
        self._embedder = embedder
        self._say = say
        self._numbers = count()
        self._pasts = {
            size: make_past(messages, seed=messages)
            for size, messages in zip(_SIZES, (options.small, options.messages), strict=True)
        }
        self.episodes: dict[str, int] = {}  # how many are active, by size
        self.metrics: Metrics = {}
        self.bare: Metrics = {}
        self.rows: list[Metrics] = []

    def measure_size(self, size: str) -> None:
        """Fill a store, then ask: cold, warm, and after a message from here or elsewhere."""
        past = self._pasts[size]
        self._say(f"{size}: {len(past.messages)} messages")
        fill(self._store(size), {_OWNER: past, _KNOWN: make_past(_KNOWN_MESSAGES, seed=0)}, self._embedder)
        self._meet(size, size, [_OWNER])
        self._run(f"warm_{size}", partial(self._warm, size))
        self._run(f"observed_{size}", partial(self._observed, size))
        self._run(f"observed_elsewhere_{size}", partial(self._observed_elsewhere, size))

    def measure_crowd(self) -> None:
        """Ask in the small store with many others in it, and in one without."""
        others = [f"other-{number}" for number in range(self._options.owners)]
        self._say(f"{len(others)} others of {_MESSAGES_OF_OTHERS} messages")
        shutil.copyfile(self._store("small"), self._store("crowd"))
        pasts = {user: make_past(_MESSAGES_OF_OTHERS, seed=number) for number, user in enumerate(others, 1)}
        fill(self._store("crowd"), pasts, self._embedder)
        self._meet("other", "crowd", others)
        self._run("crowd", partial(self._crowd, others))

    def _run(self, name: str, measure: Callable[[], list[Pair]]) -> None:
        self._say(f"{self._options.runs} runs of {self._options.pairs} pairs: {name}")
        compared = compare([measure() for _ in range(self._options.runs)], name)
        self.metrics |= compared.metrics
        self.bare |= compared.bare
        self.rows += compared.rows

    def _warm(self, size: str) -> list[Pair]:
        """Compare a context with its question embedded."""
        with self._warm_memory(size) as ask:
            return take_turns(ask, self._embedder.embed_question, self._questions(size))

    def _observed(self, size: str) -> list[Pair]:
        """Compare the first context after a message of this process with the second."""
        past = self._pasts[size]
        with self._copy(size) as path, open_seeded(path, self._embedder) as engine:
            memory = engine.memory(user=_OWNER)

            def observe(text: str) -> None:
                memory.observe(text, conversation=past.last_conversation, at=past.now)

            return self._after_each(observe, self._get_warm(memory, size), size)

    def _observed_elsewhere(self, size: str) -> list[Pair]:
        """Compare the first context after a message of another process with the second."""
        past = self._pasts[size]
        with (
            self._copy(size) as path,
            open_seeded(path, self._embedder) as engine,
            gather("observer", [(str(path), _OWNER, past.last_conversation, past.now.isoformat())]) as (observer,),
        ):

            def observe(text: str) -> None:
                observer.say(text)
                observer.hear()

            return self._after_each(observe, self._get_warm(engine.memory(user=_OWNER), size), size)

    def _crowd(self, others: Sequence[str]) -> list[Pair]:
        """Compare a context beside many loaded indexes with one that is alone."""
        with (
            self._warm_memory("small") as alone,
            self._copy("crowd") as path,
            open_seeded(path, self._embedder) as engine,
        ):
            for user in others:
                engine.memory(user=user).context("What have I told you so far?", budget=BUDGET)
            among_others = self._get_warm(engine.memory(user=_OWNER), "small")
            return take_turns(among_others, alone, self._questions("small"))

    def _after_each(self, observe: Say, ask: Say, size: str) -> list[Pair]:
        pairs = []
        news = make_past(self._options.pairs, seed=_NEWS_SEED).messages
        for message, first, second in zip(news, self._questions(size), self._questions(size), strict=True):
            observe(message["content"])
            pairs.append(Pair(ours=elapsed_s(partial(ask, first)), bare=elapsed_s(partial(ask, second))))
        return pairs

    def _meet(self, name: str, store: str, users: Sequence[str]) -> None:
        """Let fresh processes meet people for the first time; note the median of what one of them cost."""
        self._say(f"fresh processes: {name}")
        met = []
        for _ in range(self._options.runs):
            with Fork("newcomer", str(self._store(store)), self._options.embedder, _KNOWN, *users) as newcomer:
                met.append(json.loads(newcomer.hear()))
        for figure, value in met[0].items():
            digits = 4 if isinstance(value, float) else None
            found = None if value is None else round(median(each[figure] for each in met), digits)
            self.metrics[f"{figure}_{name}"] = found

    @contextmanager
    def _warm_memory(self, size: str) -> Iterator[Say]:
        with self._copy(size) as path, open_seeded(path, self._embedder) as engine:
            yield self._get_warm(engine.memory(user=_OWNER), size)

    def _get_warm(self, memory: yesteryear.Memory, size: str) -> Say:
        """Return what asks a memory for a context, once it has been asked for some."""
        past = self._pasts[size]
        self.episodes.setdefault(size, memory.stats()["episodes.active"])
        ask = partial(past.ask, memory)
        for question in islice(self._questions(size), WARM_UP_QUESTIONS):
            ask(question)
        return ask

    def _questions(self, size: str) -> Iterator[str]:
        """Yield as many questions as a run has pairs, none of them asked before."""
        return map(self._pasts[size].question, islice(self._numbers, self._options.pairs))

    @contextmanager
    def _copy(self, store: str) -> Iterator[Path]:
        """Lend a store that may be written to."""
        with scratch_folder(str(self._folder)) as folder:
            yield Path(shutil.copy(self._store(store), folder))

    def _store(self, name: str) -> Path:
        return self._folder / f"{name}.db"
