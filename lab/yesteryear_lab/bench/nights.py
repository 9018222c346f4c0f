"""Suite: nights. Is belief the same however many there were and in whatever order talk was learnt? What do they cost?

The first part tells a talk several times over and compares the facts: in another order, with one night or one after
each day, a night run twice, a night undone. The second measures the night of a person with a full memory, after a day's
new talk, against embedding that talk, and what callers notice of it.
"""

from __future__ import annotations

import random
import threading
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from functools import partial
from itertools import groupby
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any, TypeAlias

import numpy as np

import yesteryear
from yesteryear.core.vectors import Matrix, Purpose, unit_rows
from yesteryear.providers.local.analyst import LocalAnalyst
from yesteryear.providers.registry import build_embedder, build_reader
from yesteryear_lab.bench.generated_lives import make_life
from yesteryear_lab.bench.load.paired import quantiles
from yesteryear_lab.bench.load.past import BUDGET, Past, make_past
from yesteryear_lab.bench.load.processes import gather
from yesteryear_lab.bench.load.seeded import CachedEmbedder, SeededEmbedder, StatingAnalyst, live
from yesteryear_lab.bench.report import (
    MOST_FACTS,
    Metrics,
    Progress,
    Report,
    StoreOptions,
    as_suite,
    at_least,
    lend_memory,
    open_idle,
)
from yesteryear_lab.bench.stories import Story, read_stories, story_of_life
from yesteryear_lab.figures import elapsed_s, percentile

_OWNER = "ana"
_MESSAGES_OF_EPISODE = 15
_DAY_MESSAGES, _DAY_EPISODES = 45, 3  # what a day brings
_SMALL_EPISODES = 40  # of each of many people
_SUBJECT_SHARE = 0.7
"""Cosine of a vector with that of its subject: two on one subject then have 0.5, as talk on one subject has."""
_EPISODES_OF_SUBJECT = 20
_WARM_UP = 10
_NOTE = "CPU times are of the whole process; a pair is judged when a fact is told, or in the night"


class SubjectEmbedder(SeededEmbedder):
    """Gives each document a vector of its own near that of one of some subjects; questions go to the model."""

    def __init__(self, name: str, *, subjects: int) -> None:
        super().__init__(name)
        self._subjects = unit_rows(np.random.default_rng(0).standard_normal((subjects, self.profile.dimension)))

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Matrix:
        """Return shape (len(texts), dimension), float32, rows of unit length."""
        own = super().embed(texts, purpose=purpose)
        if purpose is Purpose.QUERY or not texts:
            return own
        chosen = [zlib.crc32(text.encode()) % len(self._subjects) for text in texts]
        return unit_rows(_SUBJECT_SHARE * self._subjects[chosen] + (1 - _SUBJECT_SHARE**2) ** 0.5 * own)


class NightCost:
    """Measures nights."""

    def __init__(self, options: NightsOptions, say: Progress) -> None:
        self._folder = Path(options.folder)
        self._options = options
        self._say = say
        self._model = build_embedder(options.embedder)
        subjects = max(1, options.episodes // _EPISODES_OF_SUBJECT)
        self._embedder = SubjectEmbedder(options.embedder, subjects=subjects)
        self._analyst = StatingAnalyst(LocalAnalyst(pair_reader=build_reader("auto")))

    def measure(self) -> Metrics:
        """Return all figures."""
        asked = self._options
        self._say(f"filling a memory with {asked.episodes} episodes and {asked.facts} facts")
        full = self._folder / "full.db"
        past = make_past(asked.episodes * _MESSAGES_OF_EPISODE, seed=1)
        self._fill(full, {_OWNER: past}, every=max(1, asked.episodes // asked.facts))
        self._say(f"{asked.runs} nights after a day each")
        metrics = self._full(full, past)
        self._say(f"{asked.questions} contexts and messages beside a night")
        metrics |= self._beside(full, past, asked.questions)
        self._say(f"nights of {asked.owners // 2} and of {asked.owners} people")
        return metrics | self._crowd(asked.owners)

    def _full(self, path: Path, past: Past) -> Metrics:
        """Measure nights of a full memory, each after a day's talk, and that talk embedded."""
        nights, compared, embedded, judged = [], [], [], []
        with self._open(path, past.now) as (engine, clock):
            memory = engine.memory(user=_OWNER)
            first = _cpu_s(memory.consolidate)
            self._analyst.is_judging, self._analyst.states_every = True, 1
            for run in range(self._options.runs):
                news = _next_day(clock.now(), seed=run)
                clock.set(news.now)
                memory.observe(list(news.messages))
                compared.append(_cpu_s(memory.flush))
                before = self._analyst.judged
                nights.append(_cpu_s(memory.consolidate))
                judged.append(self._analyst.judged - before)
                embedded.append(_cpu_s(partial(self._embed_day, news)))
            stats = memory.stats()
        night, day = median(nights), median(embedded)
        return {
            "night_ratio": round(night / day, 3),
            "night_cpu_s": round(night, 3),
            "first_night_cpu_s": round(first, 3),
            "day_embedded_cpu_s": round(day, 4),
            "day_told_cpu_s": round(median(compared), 3),
            "night_judged": median(judged),
            "full_episodes": stats["episodes.active"],
            "full_facts": sum(n for name, n in stats.items() if name in ("facts.tentative", "facts.stable")),
        }

    def _embed_day(self, news: Past) -> None:
        """Embed what a day brings: each message, and a summary of each episode."""
        said = [message["content"] for message in news.messages]
        size = len(said) // _DAY_EPISODES
        summaries = [" ".join(" ".join(said[start : start + size]).split()[:90]) for start in range(0, len(said), size)]
        for text in [*said, *summaries[:_DAY_EPISODES]]:
            self._model.embed([text], purpose=Purpose.DOCUMENT)

    def _beside(self, path: Path, past: Past, questions: int) -> Metrics:
        """Measure contexts and messages while nights go on, one after the other, and while none does.

        Nights of a worker in a process of its own, then of one in a thread of this process.
        """
        metrics: Metrics = {}
        with self._open(path, past.now) as (engine, _):
            memory = engine.memory(user=_OWNER)

            calls: dict[str, Callable[[int], object]] = {
                "context": lambda number: memory.context(past.question(number), budget=BUDGET),
                "observe": lambda number: memory.observe(f"{past.question(number)} Tell me.", conversation="beside"),
            }
            worker = gather("sleeper", [(str(path), self._options.embedder, _OWNER, past.now.isoformat())])

            def time_all() -> dict[str, list[float]]:
                numbers = range(-_WARM_UP, questions)
                took = {name: [elapsed_s(partial(call, n)) for n in numbers] for name, call in calls.items()}
                return {name: times[_WARM_UP:] for name, times in took.items()}

            for place, nights in (("worker", worker), ("thread", _nights_in_a_thread(memory))):
                idle = time_all()
                with nights:
                    busy = time_all()
                for name in calls:
                    metrics |= quantiles(f"{name}_{place}_idle_*", [idle[name]])
                    metrics |= quantiles(f"{name}_{place}_night_*", [busy[name]])
                    slower = percentile(busy[name], 0.5) / percentile(idle[name], 0.5)
                    metrics[f"{name}_beside_{place}_ratio"] = round(slower, 3)
        return metrics

    def _crowd(self, owners: int) -> Metrics:
        """Compare the nights of some people with those of twice as many in one store."""
        path, users = self._folder / "crowd.db", [f"user-{number}" for number in range(owners)]
        half = owners // 2
        some = self._nights_of(path, users[:half], new=users[:half])
        many = self._nights_of(path, users, new=users[half:])
        return {"owner_night_cpu_s": round(many, 4), "owners_ratio": round(many / some, 3)}

    def _nights_of(self, path: Path, users: Sequence[str], *, new: Sequence[str]) -> float:
        """Return the CPU time of a night of each of some people, of whom some are added first, in seconds."""
        pasts = {
            user: make_past(_SMALL_EPISODES * _MESSAGES_OF_EPISODE, seed=zlib.crc32(user.encode())) for user in new
        }
        self._fill(path, pasts, every=1)
        with self._open(path, max(past.now for past in pasts.values()) + timedelta(days=1)) as (engine, _):
            return sum(_cpu_s(engine.memory(user=user).consolidate) for user in users) / len(users)

    def _fill(self, path: Path, pasts: Mapping[str, Past], *, every: int) -> None:
        """Let people have had their pasts, read by words, with a fact in one of so many episodes."""
        self._analyst.is_judging, self._analyst.states_every = False, every
        for user, past in pasts.items():
            with self._open(path, past.now, reader="words") as (engine, _):
                live(engine.memory(user=user), past)

    @contextmanager
    def _open(
        self, path: Path, at: datetime, *, reader: str = "auto"
    ) -> Iterator[tuple[yesteryear.Engine, yesteryear.ReplayClock]]:
        clock = yesteryear.ReplayClock(at)
        given = {"embedder": self._embedder, "analyst": self._analyst, "clock": clock, "reader": reader}
        with open_idle(path, durability="normal", **given) as engine:
            yield engine, clock


def _next_day(now: datetime, *, seed: int) -> Past:
    """Return the talk of the day after ``now``: three conversations, and the night that follows."""
    past = make_past(_DAY_MESSAGES, seed=10_000 + seed)
    size = _DAY_MESSAGES // _DAY_EPISODES
    messages = []
    for number, message in enumerate(past.messages):
        talk, minute = divmod(number, size)
        at = now + timedelta(hours=6 + 4 * talk, minutes=minute)
        messages.append({**message, "conversation": f"day {seed} {talk}", "at": at.isoformat()})
    return Past(tuple(messages), now + timedelta(days=1))


@contextmanager
def _nights_in_a_thread(memory: yesteryear.Memory) -> Iterator[None]:
    """Run nights in another thread, one after the other; each does all its work and writes nothing."""
    ends = threading.Event()

    def go_on() -> None:
        while not ends.is_set():
            memory.consolidate(dry_run=True)

    thread = threading.Thread(target=go_on)
    thread.start()
    try:
        yield
    finally:
        ends.set()
        thread.join()


def _cpu_s(work: Callable[[], object]) -> float:
    """Return the CPU time that this process spent while something was done, in seconds."""
    begun = process_time()
    work()
    return process_time() - begun


_USER = "somebody"
Message: TypeAlias = Mapping[str, Any]
Belief: TypeAlias = dict[str, tuple[object, ...]]
"""By project and statement: what is believed of it, in words that do not depend on ids."""


@dataclass(frozen=True, slots=True)
class NightsOptions(StoreOptions):
    """What can be asked of this suite."""

    messages: int = at_least(10, 300)  # messages of each talk that is told again and again
    stories: int = at_least(1, 1)  # how many talks: of the file, or generated ones
    seed: int = 1  # of the order in which conversations are told
    episodes: int = at_least(0, 1000)  # episodes of the full memory; 0 leaves the costs out
    facts: int = at_least(10, 500)  # facts of the full memory
    owners: int = at_least(2, 8)  # people whose nights are compared with those of half as many
    questions: int = at_least(20, 100)
    """Contexts asked for, and messages observed, while a night goes on and while none does."""
    runs: int = at_least(1, 3)  # days that are measured; the median counts


@as_suite("talk told in several ways and nights run: the same belief each time, and cheap", NightsOptions, needs=None)
def suite(data: Path | None, options: NightsOptions, say: Progress) -> Report:
    """Tell each talk in four ways and compare; then measure."""
    embedder, chance, rows = CachedEmbedder(options.embedder), random.Random(options.seed), []
    for story in _stories(options, data):
        say(f"{story.id}: {len(story.messages)} messages, told in four ways")
        rows.append(_compare(story, embedder, chance))
    metrics: Metrics = {name: sum(row[name] for row in rows) for name in rows[0] if name != "id"}
    settings: Metrics = {"embedder": embedder.profile.model}
    if options.episodes:
        metrics |= NightCost(options, say).measure()
        settings["notes"] = [_NOTE]
    return Report(metrics["facts"], metrics, {}, settings, rows)


def _stories(options: NightsOptions, data: Path | None) -> list[Story]:
    numbers = range(1, options.stories + 1)
    stories = read_stories(data, [1]) if data else [story_of_life(make_life("dev", number), [1]) for number in numbers]
    return [replace(story, messages=story.messages[: options.messages]) for story in stories[: options.stories]]


def _compare(story: Story, embedder: CachedEmbedder, chance: random.Random) -> Metrics:
    """Return how many facts there are, and how many are otherwise after each thing that must change none."""
    end = story.messages[-1]["at"] + timedelta(days=1)
    talks = [list(talk) for _, talk in groupby(story.messages, key=lambda message: message["conversation"])]
    with lend_memory(_USER, end, embedder) as (memory, _):
        told = _learn(memory, talks)
        memory.consolidate()
        in_order = _belief(memory)
        again = memory.consolidate()
        twice = _belief(memory)
        if memory.nights():
            memory.undo()
        undone = _belief(memory)
    with lend_memory(_USER, end, embedder) as (memory, _):
        _learn(memory, chance.sample(talks, len(talks)))
        memory.consolidate()
        other_order = _belief(memory)
    one_night, every_night = (_live(talks, end, embedder, is_nightly=is_nightly) for is_nightly in (False, True))
    return {
        "id": story.id,
        "messages": len(story.messages),
        "facts": len(in_order),
        "twice_changed": max(_differences(in_order, twice), 0 if again.is_empty else 1),
        "undo_changed": _differences(told, undone),
        "order_changed": _differences(in_order, other_order),
        "nightly_changed": _differences(one_night, every_night),
    }


def _learn(memory: yesteryear.Memory, talks: Sequence[Sequence[Message]]) -> Belief:
    """Tell talks after the event, in the order given; return what is believed then."""
    memory.configure(fading=False)
    for talk in talks:
        memory.observe(talk)
        memory.flush()
    return _belief(memory)


def _live(talks: Sequence[Sequence[Message]], end: datetime, embedder: CachedEmbedder, *, is_nightly: bool) -> Belief:
    """Return what is believed after talks that were told on their days, with a night after each or one in all."""
    with lend_memory(_USER, talks[0][0]["at"], embedder) as (memory, clock):
        memory.configure(fading=False)
        for day, said in groupby(talks, key=lambda talk: talk[0]["at"].date()):
            for talk in said:
                clock.set(max(clock.now(), talk[-1]["at"]))
                memory.observe(talk)
                memory.flush()
            night = datetime.combine(day + timedelta(days=1), time(3), end.tzinfo)
            if is_nightly and night < end:
                clock.set(max(clock.now(), night))
                memory.consolidate()
        clock.set(end)
        memory.consolidate()
        return _belief(memory)


def _belief(memory: yesteryear.Memory) -> Belief:
    facts = memory.facts(status="all", limit=MOST_FACTS)
    words: dict[str | None, str] = {fact.id: fact.statement for fact in facts}
    return {
        f"{fact.project}|{fact.statement}": (
            *(fact.kind, fact.status, fact.confidence, fact.told, fact.sessions, fact.valid_from, fact.valid_to),
            *(fact.resolved_at, words.get(fact.superseded_by), words.get(fact.canonical_id)),
        )
        for fact in facts
    }


def _differences(one: Belief, other: Belief) -> int:
    return sum(one.get(name) != other.get(name) for name in one.keys() | other.keys())
