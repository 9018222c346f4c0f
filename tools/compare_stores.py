"""Tell a LoCoMo file to a file and to a PostgreSQL, with the same ids and the same clock, and compare all contexts.

::

    python tools/compare_stores.py locomo.json postgresql://app@localhost/empty [--embedder hashing]

Prints one JSON object: how many contexts there were, how many differ in a byte of all that they say of themselves, and
how long one took in either store. The database has to be empty; it is left as it has become.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import yesteryear
from yesteryear.bootstrap import build_ports
from yesteryear.ports import Store
from yesteryear.sync.engine import Engine
from yesteryear.testing.builders import CountedIds
from yesteryear_lab.bench.locomo import Sample, read_samples

BUDGETS = (500, 1000)
"""Tokens of the contexts that are asked for."""


@dataclass(frozen=True, slots=True)
class Told:
    """What one store answered."""

    contexts: list[str]
    """All that each says of itself, as JSON."""
    context_ms: float
    """Median time of a context, in milliseconds."""
    told_s: float
    """Time of telling and working through everything, in seconds."""


@contextmanager
def opened(place: Path | str, embedder: str, clock: yesteryear.ReplayClock) -> Iterator[tuple[Engine, Store]]:
    """Open a store whose ids can be foretold."""
    ports, settings = build_ports(place, clock=clock, embedder=embedder, worker="none")
    with Engine(replace(ports, ids=CountedIds()), settings.policies()) as engine:
        yield engine, ports.store


def tell(place: Path | str, samples: list[Sample], embedder: str) -> Told:
    """Tell all samples to a store, each to a person of its own, and ask all questions."""
    clock = yesteryear.ReplayClock(min(turn.at for sample in samples for turn in sample.turns))
    contexts: list[str] = []
    times: list[float] = []
    with opened(place, embedder, clock) as (engine, store):
        started = time.perf_counter()
        for sample in samples:
            memory = engine.memory(user=sample.id)
            for turn in sample.turns:
                memory.observe([turn.to_message()])
            memory.flush()
        told_s = time.perf_counter() - started
        for sample in samples:
            memory = engine.memory(user=sample.id)
            at = max(turn.at for turn in sample.turns) + timedelta(minutes=1)
            for question in sample.questions:
                for budget in BUDGETS:
                    started = time.perf_counter()
                    context = memory.context(question.text, conversation="asked", budget=budget, at=at)
                    times.append((time.perf_counter() - started) * 1000)
                    contexts.append(json.dumps(context.to_dict()))
                    # What a context has shown is written behind it; the next one finds it, however long that takes.
                    store.write(memory.scope, lambda _: None, urgent=True)
    return Told(contexts, statistics.median(times), told_s)


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("url")
    parser.add_argument("--embedder", default="auto")
    given = parser.parse_args()
    samples = read_samples(given.data)
    with tempfile.TemporaryDirectory() as folder:
        file = tell(Path(folder) / "memory.db", samples, given.embedder)
    server = tell(given.url, samples, given.embedder)
    pairs = list(zip(file.contexts, server.contexts, strict=True))
    found = {
        "contexts": len(pairs),
        "different": sum(one != other for one, other in pairs),
        "context_ms": {"sqlite": round(file.context_ms, 2), "postgres": round(server.context_ms, 2)},
        "told_s": {"sqlite": round(file.told_s, 1), "postgres": round(server.told_s, 1)},
    }
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
