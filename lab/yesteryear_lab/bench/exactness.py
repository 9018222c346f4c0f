"""Whether a store finds what it should: the same as another store, and the nearest of all vectors."""

from __future__ import annotations

import base64
import json
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import yesteryear
from yesteryear.core.vectors import Purpose
from yesteryear_lab.bench.crowd import Template
from yesteryear_lab.bench.crowd_contexts import user_name
from yesteryear_lab.bench.durability import all_messages
from yesteryear_lab.bench.report import Metrics
from yesteryear_lab.bench.seeded import SeededEmbedder, open_seeded

_HITS = 20


def measure_exactness(
    stores: Sequence[str],
    templates: Sequence[Template],
    embedder: SeededEmbedder,
    folder: Path,
    *,
    people: Sequence[int],
    questions: int,
) -> tuple[Metrics, list[Metrics]]:
    """Compare the first twenty hits of one store with those of another, and the nearest twenty with a plain search.

    The plain search multiplies every vector of an export with that of the question.

    Args:
        stores: The store in question, and the other one.
        templates: What people in them have told.
        embedder: That of the stores.
        folder: Where exports may lie.
        people: Whose memories are asked.
        questions: Of each of them.

    Returns:
        ``recall_equal``: share of the questions with the same hits, scores and order in both stores;
        ``nearest_exact``: mean share of the twenty nearest excerpts that the store in question finds. And a row a
        question.
    """
    ours, other = (open_seeded(store, embedder) for store in stores)
    near = yesteryear.open(stores[0], worker="none", embedder=embedder, recall_preset="classic")
    rows: list[Metrics] = []
    with ours, other, near:
        for person in people:
            past, user = templates[person % len(templates)].past, user_name(person)
            plain = _PlainSearch(near.memory(user=user), folder / f"{user}.zip", embedder)
            for number in range(questions):
                question = past.question(number)
                pair = [engine.memory(user=user).recall(question, limit=_HITS, at=past.now) for engine in (ours, other)]
                one, same = ([(hit.id, hit.part, hit.score) for hit in found] for found in pair)
                row = {"id": f"exact-{user}-{number}", "equal": one == same, "nearest": plain.compare(question)}
                rows.append(row)
    metrics = {
        "recall_equal": sum(row["equal"] for row in rows) / len(rows),
        "nearest_exact": sum(row["nearest"] for row in rows) / len(rows),
    }
    return metrics, rows


class _PlainSearch:
    """All vectors of a person's words, and a memory whose hits are the nearest of them, whatever their order."""

    def __init__(self, memory: yesteryear.Memory, path: Path, embedder: SeededEmbedder) -> None:
        self._memory = memory
        self._embedder = embedder
        memory.export(path)
        with zipfile.ZipFile(path) as archive, archive.open("vectors.jsonl") as lines:
            found = [json.loads(line) for line in lines]
        path.unlink()
        shown = {message.id for message in all_messages(memory) if message.is_recallable}
        excerpts = [row for row in found if row["grain"] == "excerpt" and row["ref"] in shown]
        self._names = [(row["ref"], row["part"]) for row in excerpts]
        self._vectors = np.array([np.frombuffer(base64.b64decode(row["vector"]), dtype="<f2") for row in excerpts])

    def compare(self, question: str) -> float:
        """Return which share of the nearest the memory finds."""
        hits = self._memory.recall(question, limit=_HITS, kinds=["excerpt"])
        vector = self._embedder.embed([hits.reading.text], purpose=Purpose.QUERY)[0]
        nearest = np.argsort(-(self._vectors.astype(np.float32) @ vector), kind="stable")[:_HITS]
        expected = {self._names[number] for number in nearest}
        return len(expected & {(hit.id, hit.part) for hit in hits}) / len(expected)
