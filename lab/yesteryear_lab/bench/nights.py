"""Suite: nights. Is belief the same however many there were and in whatever order talk was learnt? What do they cost?

The first part tells a talk several times over and compares the facts: in another order, with one night or one after
each day, a night run twice, a night undone. The second measures the night of a person with a full memory, after a day's
new talk, against embedding that talk, and what callers notice of it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any, TypeAlias

import yesteryear
from yesteryear_lab.bench.generated_lives import make_life
from yesteryear_lab.bench.load.night_cost import NightCost
from yesteryear_lab.bench.load.seeded import CachedEmbedder
from yesteryear_lab.bench.report import (
    MOST_FACTS,
    Metrics,
    Progress,
    Report,
    StoreOptions,
    Suite,
    at_least,
    scratch_folder,
)
from yesteryear_lab.bench.stories import Story, read_stories, story_of_life

_USER = "somebody"
_FORMS = ("in_order", "shuffled", "one_night", "every_night")

Message: TypeAlias = Mapping[str, Any]
Belief: TypeAlias = dict[str, tuple[object, ...]]
"""By project and statement: what is believed of it, in words that do not depend on ids."""


@dataclass(frozen=True, slots=True)
class NightsOptions(StoreOptions):
    """What can be asked of this suite."""

    messages: int = at_least(10, 300)
    """Messages of each talk that is told again and again."""
    stories: int = at_least(1, 1)
    """How many talks: of the file, or generated ones."""
    seed: int = 1
    """Of the order in which conversations are told."""
    episodes: int = at_least(0, 1000)
    """Episodes of the full memory; 0 leaves the costs out."""
    facts: int = at_least(10, 500)
    """Facts of the full memory."""
    owners: int = at_least(2, 8)
    """People whose nights are compared with those of half as many."""
    questions: int = at_least(20, 100)
    """Contexts asked for, and messages observed, while a night goes on and while none does."""
    runs: int = at_least(1, 3)
    """Days that are measured; the median counts."""


def _run(data: Path | None, options: NightsOptions, say: Progress) -> Report:
    """Tell each talk in four ways and compare; then measure."""
    with scratch_folder(options.folder) as folder:
        telling = _Telling(folder, CachedEmbedder(options.embedder), options.seed)
        rows = []
        for story in _stories(options, data):
            say(f"{story.id}: {len(story.messages)} messages, told in {len(_FORMS)} ways")
            rows.append(telling.compare(story))
        metrics: Metrics = {name: sum(row[name] for row in rows) for name in rows[0] if name != "id"}
        settings: Metrics = {"embedder": telling.model}
        if options.episodes:
            cost = NightCost(
                folder,
                embedder=options.embedder,
                episodes=options.episodes,
                facts=options.facts,
                runs=options.runs,
                say=say,
            )
            metrics |= cost.measure(owners=options.owners, questions=options.questions)
            settings["notes"] = cost.notes
    return Report(metrics["facts"], metrics, {}, settings, rows)


SUITE = Suite(
    "talk told in several ways and nights run: the same belief each time, and cheap", _run, NightsOptions, needs=None
)


def _stories(options: NightsOptions, data: Path | None) -> list[Story]:
    if data is None:
        stories = [story_of_life(make_life("dev", number), [1]) for number in range(1, options.stories + 1)]
    else:
        stories = read_stories(data, [1])[: options.stories]
    return [replace(story, messages=story.messages[: options.messages]) for story in stories]


class _Telling:
    """Tells talks to memories and compares what they believe."""

    def __init__(self, folder: Path, embedder: CachedEmbedder, seed: int) -> None:
        self._folder = folder
        self._embedder = embedder
        self._chance = random.Random(seed)

    @property
    def model(self) -> str:
        """Name of the embedding model."""
        return self._embedder.profile.model

    def compare(self, story: Story) -> Metrics:
        """Return how many facts there are, and how many are otherwise after each thing that must change none."""
        end = story.messages[-1]["at"] + timedelta(days=1)
        talks = [list(talk) for _, talk in groupby(story.messages, key=lambda message: message["conversation"])]
        shuffled = self._chance.sample(talks, len(talks))
        with self._open("one.db", end) as (memory, _):
            told = self._learn(memory, talks)
            memory.consolidate()
            in_order = _belief(memory)
            again = memory.consolidate()
            twice = _belief(memory)
            if memory.nights():
                memory.undo()
            undone = _belief(memory)
        with self._open("other.db", end) as (memory, _):
            self._learn(memory, shuffled)
            memory.consolidate()
            other_order = _belief(memory)
        one_night, every_night = (self._live(talks, end, is_nightly=is_nightly) for is_nightly in (False, True))
        return {
            "id": story.id,
            "messages": len(story.messages),
            "facts": len(in_order),
            "twice_changed": max(_differences(in_order, twice), 0 if again.is_empty else 1),
            "undo_changed": _differences(told, undone),
            "order_changed": _differences(in_order, other_order),
            "nightly_changed": _differences(one_night, every_night),
        }

    def _learn(self, memory: yesteryear.Memory, talks: Sequence[Sequence[Message]]) -> Belief:
        """Tell talks after the event, in the order given; return what is believed then."""
        for talk in talks:
            memory.observe(talk)
            memory.flush()
        return _belief(memory)

    def _live(self, talks: Sequence[Sequence[Message]], end: datetime, *, is_nightly: bool) -> Belief:
        """Return what is believed after talks that were told on their days, with a night after each or one in all."""
        with self._open(f"nightly-{is_nightly}.db", talks[0][0]["at"]) as (memory, clock):
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

    @contextmanager
    def _open(self, name: str, at: datetime) -> Iterator[tuple[yesteryear.Memory, yesteryear.ReplayClock]]:
        clock = yesteryear.ReplayClock(at)
        path = self._folder / name
        with yesteryear.open(path, worker="none", embedder=self._embedder, clock=clock, durability="normal") as engine:
            memory = engine.memory(user=_USER)
            memory.configure(fading=False)
            yield memory, clock
        for each in self._folder.glob(f"{name}*"):
            each.unlink()


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
