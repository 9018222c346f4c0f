"""The pairs suite compares judgements with labels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from yesteryear.errors import InputError
from yesteryear_lab import LABELLED
from yesteryear_lab.bench.labelled import PAIRS_BASELINES
from yesteryear_lab.bench.suites import run_suite

OWN = {
    "id": "own",
    "a": {"text": "Ana keeps a dog", "at": "2026-01-03"},
    "b": {"text": "Ana keeps a dog.", "at": "2026-01-19"},
    "verdict": "duplicate",
}


def run(data: Path) -> dict[str, Any]:
    """Run the suite without a model."""
    options = {"embedder": "hashing", "reader": "words"}
    found: dict[str, Any] = run_suite("pairs", data=data, rows=True, options=options, on_progress=lambda _: None)
    return found


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Sixty labelled rows, and one of our own."""
    lines = (LABELLED / "pairs-1.jsonl").read_text(encoding="utf-8").split("\n")[:60]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join([*lines, json.dumps(OWN)]), encoding="utf-8")
    return path


def test_all_figures_can_be_recomputed_from_the_rows(data: Path) -> None:
    """Accuracy, confusion and what was acted on."""
    report = run(data)
    metrics, rows = report["metrics"], report["rows"]
    assert (report["suite"], report["n"], rows[-1]["id"]) == ("pairs", 61, "own")
    assert metrics["accuracy"] == round(sum(row["gold"] == row["verdict"] for row in rows) / 61, 4)
    for gold, counts in metrics["confusion"].items():
        for said, count in counts.items():
            assert count == sum((row["gold"], row["verdict"]) == (gold, said) for row in rows)
    folded = [row for row in rows if row["act"] == "fold"]
    right = [row for row in folded if row["gold"] == "duplicate" or (row["gold"] == "refines" and row["keeps_later"])]
    assert metrics["fold.acted"] == len(folded) > 0
    assert metrics["fold.precision"] == round(len(right) / len(folded), 4)
    assert json.loads(json.dumps(report)) == report


def test_who_judged_is_told(data: Path) -> None:
    """And how fast."""
    settings = run(data)["settings"]
    assert settings["reader"] == "words-1"
    assert settings["pairs_per_s"] > 0


def test_baselines_stand_beside(data: Path) -> None:
    """Judging by similarity alone never sees an update; saying always the same is right as often as that is so."""
    beside = run(data)["baselines"]
    assert set(beside) == set(PAIRS_BASELINES)
    assert beside["document_a"]["f1.updates"] == beside["document_b"]["f1.updates"] == 0
    coexisting = sum(counts["coexists"] for counts in beside["always_coexists"]["confusion"].values())
    assert coexisting == 61
    assert beside["always_coexists"]["fold.precision"] is None


def test_a_file_that_is_no_set_of_pairs_is_refused(tmp_path: Path) -> None:
    """Whether it was not named, is missing, or holds something else."""
    with pytest.raises(InputError, match="needs --data"):
        run_suite("pairs", data=None, rows=False, options={}, on_progress=lambda _: None)
    with pytest.raises(InputError, match="cannot be read"):
        run(tmp_path / "missing.jsonl")
    (tmp_path / "other.jsonl").write_text('{"id": "x"}', encoding="utf-8")
    with pytest.raises(InputError, match="line 1: the row has no a, no b, no verdict"):
        run(tmp_path / "other.jsonl")
