"""Measure how long questions to a graph take, beside reading one fact, which every question does too.

``python tools/measure_graph.py PLACE [--edges 1000] [--edges 20000] [--questions 200]`` fills a store, a file that is
not there yet or an empty PostgreSQL, with a person's facts and edges at random, asks what blocks one fact after the
other, and prints medians and 95th percentiles in milliseconds as JSON.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from statistics import quantiles

import yesteryear
from yesteryear.bootstrap import build_ports
from yesteryear.core.attributes import FactKind
from yesteryear.core.fact import Fact
from yesteryear.core.relation import Basis, Edge, Relation
from yesteryear.core.scope import Scope
from yesteryear.ports import Transaction

_NOW = datetime(2026, 3, 2, tzinfo=UTC)
_EDGES_A_FACT = 2
"""As many as each fact has on average, as source."""


def fill(place: str, user: str, edges: int, chance: random.Random) -> list[str]:
    """Give a person facts with edges between them; return the ids of the facts."""
    scope, count = Scope(user=user), edges // _EDGES_A_FACT
    facts = [
        Fact(f"f{number:06}", scope, f"Ana does thing {number}", FactKind.GOAL, "Ana", _NOW + timedelta(number), _NOW)
        for number in range(count)
    ]
    pairs: set[tuple[int, int, Relation]] = set()
    while len(pairs) < edges:
        source, target = chance.sample(range(count), 2)
        pairs.add((source, target, chance.choice(list(Relation))))
    rows = [
        Edge(scope, f"f{source:06}", f"f{target:06}", relation, _NOW, basis=Basis.TOLD, quote=f"{source} {target}")
        for source, target, relation in sorted(pairs)
    ]
    ports, _ = build_ports(place, embedder="hashing", worker="none")

    def write(tx: Transaction) -> None:
        tx.facts.insert(facts)
        tx.edges.put(rows)

    ports.store.write(scope, write)
    ports.store.close()
    return [fact.id for fact in facts]


def timed(ask: Callable[[str], object], names: list[str]) -> dict[str, float]:
    """Return the median and the 95th percentile of a question, in milliseconds."""
    took = []
    for name in names:
        began = time.perf_counter()
        ask(name)
        took.append(1000 * (time.perf_counter() - began))
    marks = quantiles(took, n=20)
    return {"p50_ms": round(marks[9], 2), "p95_ms": round(marks[18], 2)}


def measure(memory: yesteryear.Memory, asked: list[str]) -> dict[str, dict[str, float]]:
    """Return how long each question takes of some facts."""
    return {
        "blocking": timed(lambda name: memory.graph("blocking", of=name), asked),
        "related": timed(lambda name: memory.graph("related", of=name), asked),
        "fact": timed(lambda name: memory.facts(ids=[name]), asked),
    }


def main() -> None:
    """Fill, ask, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("place")
    parser.add_argument("--edges", type=int, action="append")
    parser.add_argument("--questions", type=int, default=200)
    given = parser.parse_args()
    chance, figures = random.Random(7), {}
    for edges in given.edges or [1000, 20000]:
        user = f"ana-{edges}"
        names = fill(given.place, user, edges, chance)
        asked = chance.choices(names, k=given.questions)
        with yesteryear.open(given.place, embedder="hashing", worker="none") as engine:
            memory = engine.memory(user=user)
            memory.graph("blocking", of=asked[0])
            figures[str(edges)] = measure(memory, asked)
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
