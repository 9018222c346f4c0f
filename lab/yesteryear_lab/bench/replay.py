"""Memories that live through a story day by day, and are asked what they still have to say.

Reading the talk costs the time: a story is told once for all that differ only in what fades, by copying its file.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any, TypeAlias

import yesteryear
from yesteryear_lab.bench.load.seeded import CachedEmbedder
from yesteryear_lab.bench.report import Progress, StoreOptions, all_messages, at_least
from yesteryear_lab.bench.stories import Look, Story

OURS, OLDEST, RANDOM = "ours", "oldest", "random"
"""Told everything and let go of the rest; told only the newest messages; told only messages drawn at random."""

_USER = "somebody"
_BATCH = 500
_WHOLE = 100

Message: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ForgettingOptions(StoreOptions):
    """What can be asked of the forgetting suite: how memories live, and when they are looked at."""

    split: str = "dev"
    """Which lives are generated where no data is given: dev or held-out."""
    lives: int = at_least(0, 0)
    """How many lives or conversations; 0 for all there are."""
    days: str = "30,90,365"
    """When to look at a life, in days since it began, with commas between; each from 1 to 36500."""
    caps: str = "100,50,25,10"
    """Shares of the messages whose words may be kept, in per cent, with commas between; each from 1 to 100."""
    budget: int = at_least(1, 1000)
    """Tokens of each context."""
    by_time: bool = False
    """Whether memories with a cap fade with time too, so that they keep less than it; else the cap alone decides."""
    nightly: bool = False
    """Whether what fades with time does so every night and not only before a look; the figures must be the same."""
    facts: bool = True
    """Whether facts are drawn from the talk, by ours and by all that it is compared with."""
    baselines: bool = True
    """Whether memories are asked too that were told a part only."""
    seed: int = 1
    """Of what is drawn at random."""
    write: str = ""
    """File to write the generated lives to; nothing is measured then."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A way to keep a part of what was said."""

    name: str
    cap: int | None = None
    """Share of the messages kept, in per cent; None where the name says how many."""

    @property
    def key(self) -> str:
        """What it is called in rows."""
        return self.name if self.cap is None else f"{self.name}@{self.cap}"


KEEP_ALL = Variant("keep_all")
"""Told everything, and nothing fades."""
SHIPPED = Variant("shipped")
"""Told everything, and fades with time as it does where nobody sets anything; without a cap."""
GIST_ONLY = Variant("gist_only")
"""Told everything, and the words of a single message stay: what summaries and facts bring alone."""

_BY_CAP_ALONE: Mapping[str, Any] = {"fading": False, "journal_retention_days": 36_500}
"""Settings under which no words go because of their age."""
_BY_TIME: Mapping[str, Any] = dict.fromkeys(_BY_CAP_ALONE)
"""Takes them back."""


@dataclass(frozen=True, slots=True)
class Held:
    """What a memory holds at a look, and what it has to say to each question."""

    variant: Variant
    look: Look
    contexts: tuple[str, ...]
    """One for each of the look's questions."""
    verbatim: float
    """Share of the messages said so far whose words are there, in [0, 1]."""
    bytes: int
    """Size of the file once it is closed."""


class Replay:
    """Lives through stories, one after the other."""

    def __init__(self, folder: Path, options: ForgettingOptions, caps: Sequence[int], say: Progress) -> None:
        self._folder = folder
        self._options = options
        self._caps = caps
        self._say = say
        self._embedder = CachedEmbedder(options.embedder)
        self._clock = yesteryear.ReplayClock(datetime.now().astimezone())

    @property
    def model(self) -> str:
        """Name of the embedding model."""
        return self._embedder.profile.model

    def live(self, story: Story) -> Iterator[Held]:
        """Yield what each memory holds at each look."""
        whole, fading = self._folder / "whole.db", self._folder / "fading.db"
        told = 0
        for look in story.looks:
            self._say(f"{story.id}: messages {told} to {look.said}")
            news, told = story.messages[told : look.said], look.said
            self._tell(whole, news, until=look.at)
            if self._options.nightly:
                self._tell(fading, news, until=look.at, is_nightly=True)
            timely = fading if self._options.nightly else whole
            yield self._ask(Path(shutil.copy(whole, self._folder / "copy.db")), KEEP_ALL, look)
            yield self._let_go_and_ask(timely, SHIPPED, look)
            for variant in (*(Variant(OURS, cap) for cap in self._caps), GIST_ONLY):
                yield self._let_go_and_ask(timely if self._options.by_time else whole, variant, look)
            if self._options.baselines:
                yield from self._ask_partial(story, look)
        for path in (whole, fading):
            path.unlink(missing_ok=True)

    def _ask_partial(self, story: Story, look: Look) -> Iterator[Held]:
        """Yield what memories hold that were told only some of the messages."""
        said = story.messages[: look.said]
        for cap in (cap for cap in self._caps if cap < _WHOLE):
            chance = random.Random(f"{self._options.seed} {story.id} {look.days} {cap}")
            count = _share(cap, len(said))
            drawn = sorted(chance.sample(range(len(said)), count))
            for name, part in ((OLDEST, said[-count:]), (RANDOM, [said[number] for number in drawn])):
                path = self._folder / "part.db"
                self._tell(path, part, until=look.at)
                yield self._ask(path, Variant(name, cap), look)

    def _let_go_and_ask(self, source: Path, variant: Variant, look: Look) -> Held:
        path = Path(shutil.copy(source, self._folder / "copy.db"))
        with self._open(path, at=look.at) as memory:
            if variant == SHIPPED or self._options.by_time:
                memory.configure(**_BY_TIME)
            if variant != SHIPPED:
                memory.configure(max_verbatim_messages=1 if variant.cap is None else _share(variant.cap, look.said))
            memory.fade(at=look.at)
            memory.flush()  # what is left of faded talk gets vectors of its own
        return self._ask(path, variant, look)

    def _ask(self, path: Path, variant: Variant, look: Look) -> Held:
        """Return what a store holds and says, and remove it."""
        self._say(f"{variant.key}: {len(look.asks)} questions")
        with self._open(path, at=look.at) as memory:
            contexts = tuple(
                memory.context(
                    ask.question, conversation=f"question {number}", budget=self._options.budget, at=look.at
                ).text
                for number, ask in enumerate(look.asks)
            )
            verbatim = sum(bool(message.content) for message in all_messages(memory)) / max(1, look.said)
        held = Held(variant, look, contexts, verbatim, path.stat().st_size)
        path.unlink()
        return held

    def _tell(self, path: Path, messages: Sequence[Message], *, until: datetime, is_nightly: bool = False) -> None:
        """Tell messages on their days, flush after each day that had any, and run the night after it."""
        if not messages:
            return
        by_day = {day: list(said) for day, said in groupby(messages, key=lambda message: message["at"].date())}
        with self._open(path, at=messages[0]["at"]) as memory:
            settings = _BY_TIME if is_nightly else _BY_CAP_ALONE
            memory.configure(fact_extraction_enabled=self._options.facts, **settings)
            for day in _days(min(by_day), until.date()) if is_nightly else by_day:
                for _, talk in groupby(by_day.get(day, ()), key=lambda message: message["conversation"]):
                    self._observe(memory, list(talk))
                night = min(datetime.combine(day + timedelta(days=1), time(), until.tzinfo), until)
                if day in by_day:
                    memory.flush()
                    self._clock.set(night)
                    memory.consolidate(at=night)
                elif is_nightly:
                    self._clock.set(night)
                    memory.fade(at=night)
            self._clock.set(until)
            memory.consolidate(at=until)

    def _observe(self, memory: yesteryear.Memory, talk: Sequence[Message]) -> None:
        self._clock.set(talk[-1]["at"])
        for first in range(0, len(talk), _BATCH):
            memory.observe(talk[first : first + _BATCH])

    @contextmanager
    def _open(self, path: Path, *, at: datetime) -> Iterator[yesteryear.Memory]:
        self._clock.set(at)
        with yesteryear.open(
            path, worker="none", embedder=self._embedder, clock=self._clock, durability="normal"
        ) as engine:
            yield engine.memory(user=_USER)


def _share(cap: int, messages: int) -> int:
    return max(1, round(messages * cap / _WHOLE))


def _days(first: date, end: date) -> Iterator[date]:
    for number in range((end - first).days + 1):
        yield first + timedelta(days=number)
