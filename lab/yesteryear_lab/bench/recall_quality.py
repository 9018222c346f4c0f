"""Suite: questions about long conversations. How much of their evidence do contexts and recall hold?

One owner for each sample, each session a conversation; every question is asked at the time of the last turn, in a
conversation of its own. Plain baselines answer the same questions over the same turns.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import TypeAlias

import yesteryear
from yesteryear.cli.importers import Flaw, is_broken
from yesteryear.cli.importers.locomo import LocomoTurn
from yesteryear.errors import InputError, StorageError
from yesteryear_lab.bench.baselines import NAMES, PlainMemory, load_embedder
from yesteryear_lab.bench.evidence import (
    RANKS,
    Answer,
    CountTokens,
    counted_by,
    exact_counter,
    figures,
    judge,
    shown_in,
)
from yesteryear_lab.bench.locomo import LocomoQuestion, Sample, read_samples
from yesteryear_lab.bench.report import (
    Metrics,
    Progress,
    Report,
    StoreOptions,
    all_messages,
    as_suite,
    at_least,
    read_numbers,
    unfinished_rows,
)

CLASSIC = "classic"  # baseline and recall preset: document B's formula, .5 similarity + .3 importance + .2 recency
EXPIRED_BUDGET = 1000  # tokens of the contexts that are asked for once more when the skipped text is gone

_BATCH = 500  # most messages handed over at once
_ERASED_WITHIN_S = 120.0
_LOOK_EVERY_S = 0.2
_TOLD = 20  # so many of the parts that cannot be used are told one by one
_WHOLE_STRETCH = "episode"
"""Grain of hits that name all that was said for a while, and so say little about where the evidence is."""

Judged: TypeAlias = list[tuple[LocomoQuestion, Metrics]]
"""Questions, and what is to be said of their answers; in the order of the samples."""


@dataclass(frozen=True, slots=True)
class LocomoOptions(StoreOptions):
    """What can be asked of this suite."""

    budgets: str = "500,1000"  # tokens of the contexts, with commas between; each at least 1
    preset: str = ""  # how recall scores; as shipped where empty
    questions: int = at_least(0, 0)  # most questions asked of each sample; 0 for all
    expired: bool = True  # whether everything is asked once more when the journal has erased what the gate skipped
    baselines: bool = True  # whether plain memories are asked the same


@as_suite(
    "questions about long conversations: the evidence in contexts and recall",
    LocomoOptions,
    needs="a LoCoMo file, or JSON Lines with one such sample a line",
)
def suite(data: Path, options: LocomoOptions, say: Progress) -> Report:
    """Take the conversations in, ask all questions, and ask the baselines the same."""
    budgets = read_numbers("budgets", options.budgets)
    read = read_samples(data)
    exact = exact_counter()
    bench = Workload(Path(options.folder, "locomo.db"), options, exact, say)
    samples, unusable = bench.take_in(read)
    metrics = bench.count(samples)
    ours = bench.ask(samples, budgets, options.preset)
    beside = bench.ask_baselines(samples, budgets) if options.baselines else {}
    expired = bench.ask_expired(samples) if options.expired else []
    settings = bench.describe() | {"unusable": len(unusable)}
    _tell(unusable, say)
    again = figures(expired, [EXPIRED_BUDGET]) if expired else {}
    metrics |= figures(ours, budgets)
    metrics |= {f"expired.{name}": value for name, value in again.items() if name.startswith("recall<=")}
    baselines = {name: figures(judged, budgets) for name, judged in beside.items()}
    return Report(len(ours), metrics, baselines, settings, _rows(samples, ours, beside, expired))


class Workload:
    """One store with all samples in it, opened as often as it is asked in another way."""

    def __init__(self, store: Path, options: LocomoOptions, exact: CountTokens | None, on_progress: Progress) -> None:
        self.store = store
        self.options = options
        self._exact = exact
        self._say = on_progress

    def take_in(self, samples: Sequence[Sample]) -> tuple[list[Sample], list[Flaw]]:
        """Record all turns and work through them; return what the memory took and what could not be used."""
        taken: list[Sample] = []
        unusable: list[Flaw] = []
        with self.open() as engine:
            for sample in samples:
                self._say(f"{sample.id}: {len(sample.turns)} turns")
                memory = engine.memory(user=_owner(len(taken)))
                refused = dict(_observe(memory, sample.turns))
                memory.flush()
                unusable += sample.unusable
                unusable += [Flaw(f"{sample.id} {turn}", why) for turn, why in refused.items()]
                if len(refused) < len(sample.turns):
                    taken.append(_without(sample, refused, self.options.questions))
        if not taken:
            raise InputError("the data holds no conversation that can be used")
        return taken, unusable

    def count(self, samples: Sequence[Sample]) -> Metrics:
        """Return how many messages there are, which share was skipped, and how many rows still wait for work."""
        with self.open() as engine:
            stats = [engine.memory(user=_owner(number)).stats() for number in range(len(samples))]
        messages = sum(len(sample.turns) for sample in samples)
        skipped = sum(each.get("messages.skip", 0) for each in stats)
        return {
            "messages": messages,
            "skipped_share": round(skipped / messages, 4),
            "due_left": sum(map(unfinished_rows, stats)),
        }

    def describe(self) -> Metrics:
        """Return by which model texts were compared and who counted the tokens."""
        with self.open() as engine:
            return {"embedder": engine.describe()["embedder"], "tokens_counted_by": counted_by(self._exact)}

    def ask(
        self, samples: Sequence[Sample], budgets: Sequence[int], preset: str = "", *, with_hits: bool = True
    ) -> Judged:
        """Ask all questions and judge the answers."""
        judged: Judged = []
        clock = yesteryear.ReplayClock(samples[0].turns[0].at)
        with self.open(preset, clock=clock) as engine:
            for number, sample in enumerate(samples):
                self._say(f"{sample.id}: {len(sample.questions)} questions {preset}".rstrip())
                memory = engine.memory(user=_owner(number))
                asked_at = max(turn.at for turn in sample.turns)
                clock.set(asked_at)
                texts = sample.texts
                for place, question in enumerate(sample.questions):
                    asked: Metrics = {"conversation": f"question {place}", "at": asked_at}
                    contexts = {budget: memory.context(question.text, budget=budget, **asked) for budget in budgets}
                    shown = {budget: shown_in(context, self._exact) for budget, context in contexts.items()}
                    found = _found(memory, question) if with_hits else None
                    judged.append((question, judge(question, Answer(shown, found), texts)))
        return judged

    def ask_baselines(self, samples: Sequence[Sample], budgets: Sequence[int]) -> dict[str, Judged]:
        """Ask the baselines; those that need exact tokens only where they can be counted."""
        beside: dict[str, Judged] = {}
        if self._exact is None:
            self._say("plain baselines left out: install the extra exact-tokens, they cannot count without it")
        else:
            beside = {name: [] for name in NAMES}
            embed = load_embedder(self.options.embedder)
            for sample in samples:
                self._say(f"{sample.id}: baselines")
                memory, texts = PlainMemory(sample.turns, embed, self._exact), sample.texts
                for question in sample.questions:
                    for name, answer in memory.answers(question.text, budgets).items():
                        beside[name].append((question, judge(question, answer, texts)))
        if self.options.preset != CLASSIC:
            beside[CLASSIC] = self.ask(samples, budgets, CLASSIC)
        return beside

    def ask_expired(self, samples: Sequence[Sample]) -> Judged:
        """Let the journal erase what the gate skipped, and ask again."""
        self._say("skipped text is erased")
        with self.open(worker="thread") as engine:
            memories = [engine.memory(user=_owner(number)) for number in range(len(samples))]
            for memory in memories:
                memory.configure(journal_retention_days=0)
                memory.flush()
            for memory in memories:
                _wait_until_erased(memory)
        return self.ask(samples, [EXPIRED_BUDGET], self.options.preset, with_hits=False)

    def open(
        self, preset: str = "", *, worker: str = "none", clock: yesteryear.ReplayClock | None = None
    ) -> yesteryear.Engine:
        """Open the store, with the clock of the questions where one is given."""
        return yesteryear.open(
            self.store,
            worker=worker,
            embedder=self.options.embedder,
            clock=clock,
            recall_preset=preset or "standard",
        )


def _owner(number: int) -> str:
    return f"sample {number + 1}"


def _observe(memory: yesteryear.Memory, turns: Sequence[LocomoTurn]) -> Iterator[tuple[str, str]]:
    """Record the turns of a sample; yield the ids of those that cannot be taken down, and why."""
    yield from ((turn.id, "not valid UTF-8") for turn in turns if is_broken(turn.text))
    sound = [turn for turn in turns if not is_broken(turn.text)]
    for _, grouped in groupby(sound, key=lambda turn: turn.session):
        session = list(grouped)
        for first in range(0, len(session), _BATCH):
            batch = session[first : first + _BATCH]
            try:
                memory.observe([turn.to_message() for turn in batch])
            except InputError as exc:
                if len(batch) == 1:
                    yield batch[0].id, str(exc)
                else:
                    for turn in batch:
                        yield from _observe(memory, [turn])


def _wait_until_erased(memory: yesteryear.Memory) -> None:
    """Wait for the worker, who erases what has expired; a flush leaves that alone."""
    give_up_at = time.monotonic() + _ERASED_WITHIN_S
    while any(message.content for message in all_messages(memory, outcome="skip")):
        if time.monotonic() > give_up_at:
            raise StorageError(f"skipped text was still there after {_ERASED_WITHIN_S:g} seconds; run the suite again")
        time.sleep(_LOOK_EVERY_S)


def _without(sample: Sample, refused: Collection[str], most_questions: int) -> Sample:
    """Return a sample as the memory has it, with no more questions than are wanted; 0 for all."""
    return replace(
        sample,
        turns=tuple(turn for turn in sample.turns if turn.id not in refused),
        questions=tuple(
            replace(question, evidence=tuple(id_ for id_ in question.evidence if id_ not in refused))
            for question in sample.questions[: most_questions or None]
        ),
    )


def _found(memory: yesteryear.Memory, question: LocomoQuestion) -> list[tuple[str, ...]]:
    hits = memory.recall(question.text, limit=RANKS)
    return [() if hit.grain == _WHOLE_STRETCH else hit.messages for hit in hits]


def _tell(unusable: Sequence[Flaw], on_progress: Progress) -> None:
    for part in unusable[:_TOLD]:
        on_progress(f"left out: {part.where}: {part.reason}")
    if len(unusable) > _TOLD:
        on_progress(f"left out: {len(unusable) - _TOLD} more")


def _rows(samples: Sequence[Sample], ours: Judged, beside: Mapping[str, Judged], expired: Judged) -> list[Metrics]:
    """Return one entry a question, with what ours and the baselines have to say to it."""
    names = [(sample.id, place) for sample in samples for place in range(len(sample.questions))]
    rows = [
        {"id": f"{sample}-{place}", "category": question.category, "gold": list(question.evidence)} | row
        for (sample, place), (question, row) in zip(names, ours, strict=True)
    ]
    for number, row in enumerate(rows):
        row["baselines"] = {name: judged[number][1] for name, judged in beside.items()}
        if expired:
            row["expired"] = expired[number][1]
    return rows
