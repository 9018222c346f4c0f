"""Suite: a data set goes in, everything due is worked through, and a context is asked for every question.

It shows that the job is done on real conversations, what it costs, and whether budgets are kept; how well the contexts
answer is only watched here.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import yesteryear
from yesteryear_lab.bench.evidence import Answer, CountTokens, counted_by, exact_counter, figures, judge, shown_in
from yesteryear_lab.bench.locomo import LocomoQuestion, read_samples
from yesteryear_lab.bench.report import (
    Metrics,
    Progress,
    Report,
    StoreOptions,
    as_suite,
    at_least,
    open_idle,
    unfinished_rows,
)
from yesteryear_lab.figures import elapsed_s, percentile
from yesteryear_lab.training.rows import read_rows

if sys.platform != "win32":
    import resource

_WATCHED = ("covered", "tokens_max", "over_budget")  # figures of contexts that are told here
_QUESTION_EVERY = 10  # of JSON Lines every so many-th user message is asked as a question, for want of real ones


@dataclass(frozen=True, slots=True)
class IngestOptions(StoreOptions):
    """What can be asked of this suite."""

    budget: int = at_least(1, 1000)  # tokens of each context
    questions: int = at_least(0, 0)  # most questions asked of each conversation; 0 for all


@dataclass(frozen=True, slots=True)
class Talk:
    """Everything one person said, as ``observe`` takes it, and what is asked about it."""

    user: str
    messages: Sequence[Mapping[str, Any]]
    questions: Sequence[LocomoQuestion]
    asked_at: Any = None  # when the questions are asked; None for now
    texts: Mapping[str, str] = field(default_factory=dict)  # what evidence names, by id


@as_suite(
    "a data set imported and worked through: speed, memory, bytes, budgets kept",
    IngestOptions,
    needs="a LoCoMo file or JSON Lines of messages",
)
def suite(data: Path, options: IngestOptions, say: Progress) -> Report:
    """Import, flush and ask; a store for all of the data, an owner for each conversation."""
    talks = _read(data)
    exact = exact_counter()
    path = Path(options.folder, "ingest.db")
    with open_idle(path, embedder=options.embedder) as engine:
        metrics = _take_in(engine, talks, say)
        asked = [each for talk in talks for each in _ask(engine, talk, options, exact, say)]
        embedder = engine.describe()["embedder"]
    rows = [row for _, row in asked]
    metrics |= {
        "bytes_on_disk": path.stat().st_size,
        "questions": len(rows),
        "context_p50_ms": percentile([row["ms"] for row in rows], 0.5) if rows else None,
        **{name: value for name, value in figures(asked, [options.budget]).items() if name.startswith(_WATCHED)},
        "peak_memory_mb": _peak_memory_mb(),
    }
    settings = {"embedder": embedder, "tokens_counted_by": counted_by(exact)}
    return Report(len(rows), metrics, {}, settings, rows)


def _read(data: Path) -> list[Talk]:
    """Return the talks of a LoCoMo file (JSON) or of JSON Lines."""
    if data.suffix == ".json":
        return [
            Talk(
                sample.id,
                [turn.to_message() for turn in sample.turns],
                sample.questions,
                max((turn.at for turn in sample.turns), default=None),
                sample.texts,
            )
            for sample in read_samples(data)
        ]
    messages = read_rows(data)
    said = [message["content"] for message in messages if message.get("role", "user") == "user"]
    questions = [LocomoQuestion(text, "", (), 0) for text in said[::_QUESTION_EVERY]]
    return [Talk(data.stem, messages, questions)]


def _take_in(engine: yesteryear.Engine, talks: Sequence[Talk], say: Progress) -> Metrics:
    """Record all messages, work through them, and return counts and times."""
    recorded_s = worked_s = 0.0
    totals = Counter[str]()
    for talk in talks:
        memory = engine.memory(user=talk.user)
        say(f"{talk.user}: {len(talk.messages)} messages")
        for _, batch in groupby(talk.messages, key=lambda message: message.get("conversation")):
            recorded_s += elapsed_s(partial(memory.observe, list(batch)))
        worked_s += elapsed_s(memory.flush)
        totals.update({name: number for name, number in memory.stats().items() if isinstance(number, int)})
    messages = sum(len(talk.messages) for talk in talks)
    episodes = sum(number for name, number in totals.items() if name.startswith("episodes."))
    return {
        "messages": messages,
        "episodes": episodes,
        "kept_share": round(totals["messages.keep"] / max(1, messages), 4),
        "due_left": unfinished_rows(totals),
        "seconds": round(recorded_s + worked_s, 2),
        "ms_per_message_recorded": round(1e3 * recorded_s / max(1, messages), 3),
        "ms_per_episode_worked": round(1e3 * worked_s / max(1, episodes), 2),
    }


def _ask(
    engine: yesteryear.Engine, talk: Talk, options: IngestOptions, exact: CountTokens | None, say: Progress
) -> Iterator[tuple[LocomoQuestion, Metrics]]:
    """Ask every question in a conversation of its own; yield what is to be said of each answer."""
    memory = engine.memory(user=talk.user)
    say(f"{talk.user}: {len(talk.questions)} questions")
    for number, question in enumerate(talk.questions[: options.questions or None]):
        begun = time.perf_counter()
        context = memory.context(
            question.text, conversation=f"question {number}", budget=options.budget, at=talk.asked_at
        )
        took_s = time.perf_counter() - begun
        told = {"id": f"{talk.user}-{number}", "category": question.category, "gold": list(question.evidence)}
        answer = Answer({options.budget: shown_in(context, exact)})
        yield question, told | judge(question, answer, talk.texts) | {"ms": round(1e3 * took_s, 3)}


def _peak_memory_mb() -> float | None:
    """Return the most memory this process ever had, in megabytes; None where the system does not tell."""
    if sys.platform == "win32":
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (1e6 if sys.platform == "darwin" else 1e3), 1)
