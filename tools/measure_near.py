"""Measure what an index of the owner's own finds and costs on PostgreSQL, against comparing all vectors.

``python tools/measure_near.py POSTGRESQL_URL [--memories 25000] [--questions 100] [--embedder hashing]`` fills an empty
database with one person's generated past and prints the figures of docs/how-to/postgresql.md as JSON.
"""

from __future__ import annotations

import argparse
import json
import time
from statistics import mean, median

import numpy as np

import yesteryear
from yesteryear.core.scope import Scope
from yesteryear.core.vectors import Purpose
from yesteryear.storage.postgres.store import PostgresStore
from yesteryear_lab.bench.load.past import Past, make_past
from yesteryear_lab.bench.load.seeded import BriefAnalyst, CachedEmbedder, live

_USER = "ana"
_TOP = 20
_WARM_UP = 5


def open_engine(url: str, embedder: CachedEmbedder) -> yesteryear.Engine:
    """Open the store with nobody at work in the background."""
    return yesteryear.open(
        url, worker="none", embedder=embedder, analyst=BriefAnalyst(), exact_vectors=1000, nights=False
    )


def fill(url: str, embedder: CachedEmbedder, past: Past) -> None:
    """Let somebody have had this past."""
    with open_engine(url, embedder) as engine:
        live(engine.memory(user=_USER), past)


def ask(url: str, embedder: CachedEmbedder, questions: list[str]) -> tuple[list[list[str]], dict[str, float]]:
    """Return the best hits for each question, and what asking costs."""
    with open_engine(url, embedder) as engine:
        memory = engine.memory(user=_USER)
        began = time.perf_counter()
        memory.recall(questions[0], limit=_TOP)
        cold = time.perf_counter() - began
        for question in questions[:_WARM_UP]:
            memory.context(question)
        found = [[f"{hit.id}/{hit.part}" for hit in memory.recall(question, limit=_TOP)] for question in questions]
        spent = []
        began_cpu = time.process_time()
        for question in questions:
            began = time.perf_counter()
            memory.context(question)
            spent.append(time.perf_counter() - began)
        cpu = (time.process_time() - began_cpu) / len(questions)
        size = engine.describe()["index_bytes"]
    costs = {"cold_s": cold, "context_p50_ms": 1000 * median(spent), "context_cpu_ms": 1000 * cpu}
    return found, costs | {"index_mb": size / 1e6}


def neighbours_found(url: str, embedder: CachedEmbedder, questions: list[str]) -> float:
    """Return the share of the 20 nearest vectors that the index finds when asked for just these."""
    store = PostgresStore(url)
    shares = []
    with store.read(Scope(_USER)) as tx:
        model = embedder.profile.model
        every = tx.vectors.load(model)
        matrix = np.stack([stored.vector for stored in every])
        for question in questions:
            vector = embedder.embed([question], purpose=Purpose.QUERY)[0]
            nearest = tx.vectors.nearest(model, vector, limit=_TOP) or []
            cosines = matrix @ vector
            least = np.sort(cosines)[-_TOP]
            shares.append(sum(float(row.vector @ vector) >= least - 1e-6 for row in nearest) / _TOP)
    store.close()
    return float(mean(shares))


def main() -> None:
    """Run the measurement."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("--memories", type=int, default=25_000)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--embedder", default="hashing")
    parser.add_argument("--filled", action="store_true", help="the database holds this past already")
    options = parser.parse_args()
    past = make_past(options.memories, seed=0)
    questions = [past.question(number) for number in range(options.questions)]
    embedder = CachedEmbedder(options.embedder)
    if not options.filled:
        fill(options.url, embedder, past)
    with open_engine(options.url, embedder) as engine:
        engine.index_vectors(drop=True)
    exact, without = ask(options.url, embedder, questions)
    with open_engine(options.url, embedder) as engine:
        began = time.perf_counter()
        made = engine.index_vectors()
        build_s = time.perf_counter() - began
    found, with_index = ask(options.url, embedder, questions)
    shares = [len(set(here) & set(there)) / max(1, len(here)) for here, there in zip(exact, found, strict=True)]
    report = {
        "vectors": made[0].vectors,
        "recall@20": mean(shares),
        "worst": min(shares),
        "same_first": mean(here[:1] == there[:1] for here, there in zip(exact, found, strict=True)),
        "neighbours@20": neighbours_found(options.url, embedder, questions),
        "build_s": build_s,
        "disk_mb": made[0].nbytes / 1e6,
        "without": without,
        "with": with_index,
    }
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
