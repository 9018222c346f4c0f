"""The context suite fills its memories with what looks like talk, and tells every figure it promises."""

from __future__ import annotations

import json
from collections import Counter
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.each import each
from yesteryear.core.vectors import Purpose
from yesteryear.errors import InputError
from yesteryear.providers.hashing import HashingEmbedder
from yesteryear_lab.bench.load.past import make_past
from yesteryear_lab.bench.load.seeded import SeededEmbedder, fill, open_seeded
from yesteryear_lab.bench.suites import run_suite

SMALLEST: dict[str, str] = {
    "small": "30",
    "messages": "60",
    "pairs": "20",
    "runs": "1",
    "owners": "2",
    "embedder": "hashing",
}


def run(**options: str) -> dict[str, Any]:
    """Run the suite and return its report."""
    return run_suite("context", data=None, rows=True, options=options, on_progress=lambda _: None)


@pytest.mark.heavy
def test_it_tells_all_its_figures(tmp_path: Path) -> None:
    """Each situation has its ratio, cold starts and memory are told, and nothing is left in the folder."""
    report = run(folder=str(tmp_path), **SMALLEST)
    metrics = report["metrics"]
    situations = [
        f"{name}_{size}" for name in ("warm", "observed", "observed_elsewhere") for size in ("small", "large")
    ]
    for name in (*situations, "crowd"):
        assert metrics[f"{name}_p50_ratio"] > 0
        assert metrics[f"{name}_p95_ratio"] > 0
        assert report["baselines"]["bare"][f"{name}_p50_ms"] > 0
    for who in ("small", "large", "other"):
        assert metrics[f"cold_cpu_s_{who}"] > 0
        assert metrics[f"index_bytes_{who}"] > 0
    assert metrics["index_bytes_large"] > metrics["index_bytes_small"]
    assert len(report["rows"]) == 7 * 20
    assert report["settings"]["episodes"]["large"] > 0
    assert "not comparable" in report["settings"]["notes"][-1]
    assert json.loads(json.dumps(report)) == report
    assert list(tmp_path.iterdir()) == []


@each("few", [{"small": "3"}, {"messages": "3"}, {"pairs": "3"}, {"runs": "0"}, {"owners": "0"}])
def test_too_little_to_measure_is_refused(few: dict[str, str]) -> None:
    """The message says how much it takes."""
    with pytest.raises(InputError, match="at least"):
        run(**few)


def test_data_is_refused(tmp_path: Path) -> None:
    """The suite makes its own, and says so."""
    with pytest.raises(InputError, match="leave --data out"):
        run_suite("context", data=tmp_path, rows=False, options={}, on_progress=lambda _: None)


def test_a_past_looks_like_talk() -> None:
    """Two roles in turn, messages of all lengths, pauses between sessions, and a few words that say half of it."""
    past = make_past(2000, seed=7)
    words = Counter(word for message in past.messages for word in message["content"].lower().rstrip(".!?").split())
    lengths = [len(message["content"].split()) for message in past.messages]
    times = [datetime.fromisoformat(message["at"]) for message in past.messages]
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert (min(lengths), max(lengths)) == (3, 30)
    assert {message["role"] for message in past.messages} == {"user", "assistant"}
    assert min(gaps) > timedelta(0)
    assert 100 < sum(gap > timedelta(hours=1) for gap in gaps) < 200
    assert 0.4 < sum(number for _, number in words.most_common(57)) / words.total() < 0.65
    assert len(words) > 2000
    assert past.now > times[-1]


def test_a_past_and_its_questions_follow_from_their_numbers() -> None:
    """The same again for the same, another for another."""
    past = make_past(50, seed=7)
    assert past == make_past(50, seed=7)
    assert past.messages != make_past(50, seed=8).messages
    questions = [past.question(number) for number in range(200)]
    assert questions == [past.question(number) for number in range(200)]
    assert len(set(questions)) > 150


def test_documents_get_seeded_vectors_and_questions_real_ones() -> None:
    """All of unit length, the same each time, under the name of the model."""
    seeded, real = SeededEmbedder("hashing"), HashingEmbedder()
    documents = seeded.embed(["one", "another", "one"], purpose=Purpose.DOCUMENT)
    assert seeded.profile == real.profile
    assert np.allclose(np.linalg.norm(documents, axis=1), 1)
    assert np.array_equal(documents[0], documents[2])
    assert abs(float(documents[0] @ documents[1])) < 0.3
    assert np.array_equal(seeded.embed(["one"], purpose=Purpose.QUERY), real.embed(["one"], purpose=Purpose.QUERY))


def test_a_store_is_filled_and_worked_through(tmp_path: Path) -> None:
    """Every message is judged and embedded, there are episodes, and recall finds what was said."""
    past = make_past(90, seed=7)
    embedder = SeededEmbedder("hashing")
    fill(tmp_path / "past.db", {"ana": past}, embedder)
    with open_seeded(tmp_path / "past.db", embedder) as engine:
        memory = engine.memory(user="ana")
        stats = memory.stats()
        assert (stats["messages.open"], stats["vectors.due"]) == (0, 0)
        assert stats["messages.keep"] + stats["messages.skip"] == 90
        assert stats["episodes.active"] > 0
        assert engine.describe()["index_bytes"] == engine.describe()["index_owners"] == 0
        said = past.messages[41]["content"]
        assert memory.recall(said)[0].text == said
        assert engine.describe()["index_bytes"] > 0
        assert engine.describe()["index_owners"] == 1
