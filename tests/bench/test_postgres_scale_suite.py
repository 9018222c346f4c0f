"""The scale suite fills real servers, tells every figure it promises, and refuses what it cannot measure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import yesteryear
from tests.each import each
from yesteryear.errors import InputError
from yesteryear_lab.bench.load.scale import fill_crowd, lend_places, make_templates, measure_exactness
from yesteryear_lab.bench.load.seeded import SeededEmbedder
from yesteryear_lab.bench.suites import run_suite

SMALLEST: dict[str, str] = {
    "users": "2",
    "memories": "120",
    "small": "60",
    "templates": "2",
    "questions": "20",
    "runs": "1",
    "exact_people": "2",
    "writers": "2",
    "messages": "3",
    "backlog": "30",
    "embedder": "hashing",
}
SITUATIONS = ("first", "spread", "warm", "observed_elsewhere")
STORES = ("postgres_small", "postgres_large", "sqlite_small", "sqlite_large")


def run(**options: str) -> dict[str, Any]:
    """Run the suite and return its report."""
    return run_suite("scale", data=None, rows=True, options=options, on_progress=lambda _: None)


@pytest.mark.heavy
def test_it_tells_all_its_figures_of_a_server_of_its_own(tmp_path: Path) -> None:
    """Contexts of all stores, writers and workers; all hits exact; nothing is left in the folder."""
    report = run(folder=str(tmp_path), **SMALLEST)
    metrics, settings = report["metrics"], report["settings"]
    for situation in SITUATIONS:
        assert all(metrics[f"{situation}_{store}_p95_ms"] > 0 for store in STORES)
        assert metrics[f"{situation}_large_to_small_p50_ratio"] > 0
        assert metrics[f"{situation}_postgres_to_file_p50_ratio"] > 0
    assert all(metrics[f"drain_{workers}_messages_per_s"] > 0 for workers in (1, 2, 4))
    for disk in ("disk", "slower_disk"):
        assert metrics[f"write_{disk}_threads_ratio"] > 0
        assert metrics[f"write_{disk}_together_ratio"] > 0
        assert metrics[f"write_{disk}_processes_ratio"] > 0
    assert (metrics["recall_equal"], metrics["nearest_exact"]) == (1, 1)
    assert (settings["fsync"], settings["synchronous_commit"]) == ("on", "on")
    assert settings["bypasses_row_security"] is False
    assert settings["memories_large"] == 2 * settings["memories_small"] >= 120
    assert json.loads(json.dumps(report)) == report
    assert list(tmp_path.iterdir()) == []


def test_hits_of_both_stores_are_the_same_and_exact_on_postgres(tmp_path: Path, postgres_url: str) -> None:
    """Everybody has a whole past, with facts; and a message that only one of the stores has makes a difference."""
    embedder = SeededEmbedder("hashing")
    templates = make_templates(tmp_path, embedder, memories=60, number=2)
    stores = postgres_url, str(tmp_path / "file.db")
    for store in stores:
        fill_crowd(store, embedder, templates, ["user-0", "user-1"])
    with yesteryear.open(postgres_url, worker="none", embedder=embedder) as engine:
        stats = engine.memory(user="user-1").stats()
        assert stats["episodes.active"] >= 2
        assert stats["facts.tentative"] >= 2
        assert sum(stats[name] for name in ("messages.keep", "messages.skip")) >= 53
        metrics, rows = measure_exactness(stores, templates, embedder, tmp_path, people=[0, 1], questions=4)
        assert metrics == {"recall_equal": 1, "nearest_exact": 1}
        assert len(rows) == 8
        engine.memory(user="user-0").observe(templates[0].past.messages[3]["content"], conversation="new")
    again, _ = measure_exactness(stores, templates, embedder, tmp_path, people=[0], questions=4)
    assert again["recall_equal"] < 1


def test_the_engine_is_no_superuser_of_a_postgres_of_our_own() -> None:
    """Row-level security is part of what is measured, and a commit can be made to wait as on a slower disk."""
    with lend_places() as places:
        assert places.slower.startswith(places.large)
        for store in places:
            with yesteryear.open(store, worker="none", embedder="hashing") as engine:
                assert engine.describe()["bypasses_row_security"] is False
                engine.memory(user="ana").observe("Hello there.")


@each(
    "few",
    [
        {"users": "1"},
        {"questions": "3"},
        {"runs": "0"},
        {"writers": "1"},
        {"backlog": "5"},
        {"memories": "20"},
        {"small": "0"},
    ],
)
def test_too_little_to_measure_on_postgres_is_refused(few: dict[str, str]) -> None:
    """Before any server is started; the message says how much it takes."""
    with pytest.raises(InputError, match="at least"):
        run(**{**SMALLEST, **few})
