"""Suite: lives and long conversations are lived through again. What is still answerable when most words have faded?

Every story is told day by day, as it was said, with a night after each day of talk. At each look its file is copied
for every share of the words that may be kept; the copy lets go of the rest as of that day and is asked about everything
said so far. Beside it stand memories that recall in the same way: one keeps all, some were told only the newest
messages, or messages drawn at random; one fades with time as shipped, and one keeps summaries and facts alone. Reading
the talk costs the time, so a story is told once for all that differ only in what fades, by copying its file.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import shutil
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from functools import partial
from itertools import groupby
from pathlib import Path
from statistics import fmean
from typing import Any, TypeAlias

import yesteryear
from yesteryear.errors import InputError
from yesteryear_lab.bench.evidence import content_stems
from yesteryear_lab.bench.generated_lives import SPLITS, Life, make_life, write_lives
from yesteryear_lab.bench.load.seeded import CachedEmbedder
from yesteryear_lab.bench.report import (
    Metrics,
    Progress,
    Report,
    StoreOptions,
    all_messages,
    as_suite,
    at_least,
    open_idle,
    read_numbers,
    rows_by,
    scratch_folder,
)
from yesteryear_lab.bench.stories import Ask, Look, Story, read_stories, story_of_life
from yesteryear_lab.figures import known, share

OURS, OLDEST, RANDOM = "ours", "oldest", "random"
"""Told everything and let go of the rest; told only the newest messages; told only messages drawn at random."""

_USER = "somebody"
_BATCH = 500
_WHOLE = 100
_MOST_DAYS, _MOST_CAP = 36_500, 100

Message: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ForgettingOptions(StoreOptions):
    """What can be asked of the forgetting suite: how memories live, and when they are looked at."""

    split: str = "dev"  # which lives are generated where no data is given: dev or held-out
    lives: int = at_least(0, 0)  # how many lives or conversations; 0 for all there are
    days: str = "30,90,365"  # when to look at a life, in days since it began, with commas between; each from 1 to 36500
    caps: str = "100,50,25,10"
    """Shares of the messages whose words may be kept, in per cent, with commas between; each from 1 to 100."""
    budget: int = at_least(1, 1000)  # tokens of each context
    by_time: bool = False
    """Whether memories with a cap fade with time too, so that they keep less than it; else the cap alone decides."""
    facts: bool = True  # whether facts are drawn from the talk, by ours and by all that it is compared with
    baselines: bool = True  # whether memories are asked too that were told a part only
    seed: int = 1  # of what is drawn at random
    write: str = ""  # file to write the generated lives to; nothing is measured then


@dataclass(frozen=True, slots=True)
class Variant:
    """A way to keep a part of what was said."""

    name: str
    cap: int | None = None  # share of the messages kept, in per cent; None where the name says how many

    @property
    def key(self) -> str:
        """What it is called in rows."""
        return self.name if self.cap is None else f"{self.name}@{self.cap}"


KEEP_ALL = Variant("keep_all")  # told everything, and nothing fades
SHIPPED = Variant("shipped")
"""Told everything, and fades with time as it does where nobody sets anything; without a cap."""
GIST_ONLY = Variant("gist_only")
"""Told everything, and the words of a single message stay: what summaries and facts bring alone."""

_BY_CAP_ALONE: Mapping[str, Any] = {"fading": False, "journal_retention_days": 36_500}
"""Settings under which no words go because of their age."""
_BY_TIME: Mapping[str, Any] = dict.fromkeys(_BY_CAP_ALONE)  # takes them back


@dataclass(frozen=True, slots=True)
class Held:
    """What a memory holds at a look, and what it has to say to each question."""

    variant: Variant
    look: Look
    contexts: tuple[str, ...]  # one for each of the look's questions
    verbatim: float  # share of the messages said so far whose words are there, in [0, 1]
    bytes: int  # size of the file once it is closed


class Replay:
    """Lives through a story."""

    def __init__(self, folder: Path, options: ForgettingOptions, caps: Sequence[int]) -> None:
        self._folder = folder
        self._options = options
        self._caps = caps
        self._embedder = CachedEmbedder(options.embedder)
        self._clock = yesteryear.ReplayClock(datetime.now().astimezone())

    def live(self, story: Story) -> Iterator[Held]:
        """Yield what each memory holds at each look."""
        whole = self._folder / "whole.db"
        told = 0
        for look in story.looks:
            news, told = story.messages[told : look.said], look.said
            self._tell(whole, news, until=look.at)
            yield self._ask(Path(shutil.copy(whole, self._folder / "copy.db")), KEEP_ALL, look)
            for variant in (SHIPPED, *(Variant(OURS, cap) for cap in self._caps), GIST_ONLY):
                yield self._let_go_and_ask(whole, variant, look)
            if self._options.baselines:
                yield from self._ask_partial(story, look)

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
        with self._open(path, at=look.at) as memory:
            asked: Metrics = {"budget": self._options.budget, "at": look.at}
            contexts = tuple(
                memory.context(ask.question, conversation=f"question {number}", **asked).text
                for number, ask in enumerate(look.asks)
            )
            verbatim = sum(bool(message.content) for message in all_messages(memory)) / max(1, look.said)
        held = Held(variant, look, contexts, verbatim, path.stat().st_size)
        path.unlink()
        return held

    def _tell(self, path: Path, messages: Sequence[Message], *, until: datetime) -> None:
        """Tell messages on their days, flush after each day that had any, and run the night after it."""
        if not messages:
            return
        with self._open(path, at=messages[0]["at"]) as memory:
            memory.configure(fact_extraction_enabled=self._options.facts, **_BY_CAP_ALONE)
            for day, said in groupby(messages, key=lambda message: message["at"].date()):
                for _, grouped in groupby(said, key=lambda message: message["conversation"]):
                    talk = list(grouped)
                    self._clock.set(talk[-1]["at"])
                    for first in range(0, len(talk), _BATCH):
                        memory.observe(talk[first : first + _BATCH])
                memory.flush()
                night = min(datetime.combine(day + timedelta(days=1), time(), until.tzinfo), until)
                self._clock.set(night)
                memory.consolidate(at=night)
            self._clock.set(until)
            memory.consolidate(at=until)

    @contextmanager
    def _open(self, path: Path, *, at: datetime) -> Iterator[yesteryear.Memory]:
        self._clock.set(at)
        with open_idle(path, embedder=self._embedder, clock=self._clock, durability="normal") as engine:
            yield engine.memory(user=_USER)


def _share(cap: int, messages: int) -> int:
    return max(1, round(messages * cap / _WHOLE))


@as_suite("lives and long talks lived again: what is answerable once words have faded", ForgettingOptions, needs=None)
def suite(data: Path | None, options: ForgettingOptions, say: Progress) -> Report:
    """Live through every story, look, and compare what is left."""
    days, caps = read_numbers("days", options.days, most=_MOST_DAYS), read_numbers("caps", options.caps, most=_MOST_CAP)
    if options.write:
        if data is not None:
            raise InputError("lives are generated and written where --data is left out")
        lives = _generate(options)
        write_lives(Path(options.write), lives)
        return Report(len(lives), {"messages": sum(len(life.messages) for life in lives)})
    if data is None:
        stories = [story_of_life(life, days) for life in _generate(options)]
    else:
        stories = read_stories(data, days)[: options.lives or None]
    lived = list(_live_all(stories, options, caps[::-1], say))
    rows = [row for story, held in lived for row in _rows(story, held)]
    everything = [each for _, held in lived for each in held]
    metrics: Metrics = {"messages": sum(len(story.messages) for story in stories)} | _counts(rows)
    baselines: dict[str, Metrics] = {}
    for variant in dict.fromkeys(each.variant for each in everything):
        found = metrics if variant.name == OURS else baselines.setdefault(variant.name, {})
        found |= _figures(variant, rows, [each for each in everything if each.variant == variant])
    return Report(len(rows), metrics, baselines, {"embedder": CachedEmbedder(options.embedder).profile.model}, rows)


def _live_all(
    stories: Sequence[Story], options: ForgettingOptions, caps: Sequence[int], say: Progress
) -> Iterator[tuple[Story, list[Held]]]:
    """Yield stories with what each memory holds at each look; processes live through them, one on each processor."""
    at_once = max(1, min(len(stories), os.cpu_count() or 1))
    say(f"{len(stories)} stories, {at_once} at once")
    with ProcessPoolExecutor(at_once, multiprocessing.get_context("spawn")) as pool:
        for story, held in pool.map(partial(_live, options, caps), stories):
            say(f"{story.id}: {len(story.messages)} messages, looked at {len(story.looks)} times")
            yield story, held


def _live(options: ForgettingOptions, caps: Sequence[int], story: Story) -> tuple[Story, list[Held]]:
    with scratch_folder(options.folder) as own:
        return story, list(Replay(own, options, caps).live(story))


def _generate(options: ForgettingOptions) -> list[Life]:
    count = options.lives or SPLITS.get(options.split, 1)
    return [make_life(options.split, number) for number in range(1, count + 1)]


def _rows(story: Story, held: Sequence[Held]) -> Iterator[Metrics]:
    """Yield one entry for each question at each look, with what every memory had to say to it."""
    for look in story.looks:
        of_look = [each for each in held if each.look is look]
        for place, ask in enumerate(look.asks):
            stems = {each.variant.key: content_stems(each.contexts[place]) for each in of_look}
            row: Metrics = {
                "id": f"{story.id}-{ask.id}",
                "days": look.days,
                "kind": ask.kind,
                "important": ask.important,
                "gold": ask.gold,
                "answered": {key: _share_of(ask.gold, found) for key, found in stems.items()},
            }
            if ask.wrong:
                row["stale"] = {key: _is_stale(ask, found) for key, found in stems.items()}
            yield row


def _share_of(answer: str, stems: frozenset[str]) -> float | None:
    """Return the share of an answer's stems that are there, in [0, 1]; None for an answer without any."""
    wanted = content_stems(answer)
    return round(len(wanted & stems) / len(wanted), 4) if wanted else None


def _is_stale(ask: Ask, stems: frozenset[str]) -> bool:
    """Tell whether an answer that no longer holds stands there whole and the right one does not."""
    return _share_of(ask.gold, stems) != 1 and any(_share_of(wrong, stems) == 1 for wrong in ask.wrong)


def _counts(rows: Sequence[Metrics]) -> Metrics:
    """Return how many questions there are, by look, about what matters and about the rest."""
    found: Metrics = {}
    for days in dict.fromkeys(row["days"] for row in rows):
        at_look = [row["important"] for row in rows if row["days"] == days]
        found |= {f"asked.important{_at(days)}": sum(at_look), f"asked.trivia{_at(days)}": at_look.count(False)}
    return found


def _figures(variant: Variant, rows: Sequence[Metrics], held: Sequence[Held]) -> Metrics:
    found: Metrics = {}
    for days in dict.fromkeys(each.look.days for each in held):
        at = ("" if variant.cap is None else f"@{variant.cap}") + _at(days)
        at_look = [row for row in rows if row["days"] == days]
        important = [row for row in at_look if row["important"]]
        groups = {"": important} | {f".{kind}": those for kind, those in rows_by(at_look, "kind").items()}
        for name, group in groups.items():
            shares = [part for row in group if (part := row["answered"][variant.key]) is not None]
            if days is None:
                found[f"aic{name}{at}"] = share(shares)
            else:
                found[f"answerable{name}{at}"] = share(part == 1 for part in shares)
        found[f"stale{at}"] = share(row["stale"][variant.key] for row in important if "stale" in row)
        of_look = [each for each in held if each.look.days == days]
        found[f"verbatim{at}"] = share(each.verbatim for each in of_look)
        found[f"bytes{at}"] = round(fmean(each.bytes for each in of_look))
    return known(found)


def _at(days: int | None) -> str:
    return "" if days is None else f"@{days}"
