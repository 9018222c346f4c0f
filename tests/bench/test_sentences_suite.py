"""The sentences suite compares what heads say with labels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from yesteryear.errors import InputError
from yesteryear_lab import LABELLED
from yesteryear_lab.bench.suites import run_suite


def sentence(name: str, text: str, *kinds: str) -> dict[str, Any]:
    """Return a labelled sentence; the whole of it is the quote of each fact."""
    facts = [{"kind": kind, "quote": text} for kind in kinds]
    return {"id": name, "author": "Ana", "at": "2026-01-02", "text": text, "facts": facts}


ROWS = [
    sentence("s1", "My sister Nadia is a nurse in Lyon", "relationship"),
    sentence("s2", "I live in Bergen", "identity"),
    sentence("s3", "ok thanks"),
    sentence("s4", "What is the capital of Peru?"),
]


def run(data: Path | None) -> dict[str, Any]:
    """Run the suite without a model."""
    found: dict[str, Any] = run_suite(
        "sentences", data=data, rows=True, options={"embedder": "hashing"}, on_progress=lambda _: None
    )
    return found


def test_all_figures_can_be_recomputed(tmp_path: Path) -> None:
    """From the entry of each row."""
    data = tmp_path / "rows.jsonl"
    data.write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")
    report = run(data)
    rows = report["rows"]
    hits = sum(row["gold"]["states_a_fact"] and row["states_a_fact"] for row in rows)
    told = sum(row["states_a_fact"] for row in rows)
    assert (report["n"], report["metrics"]["precision"], report["metrics"]["recall"]) == (4, hits / told, hits / 2)
    assert [row["id"] for row in rows if row["states_a_fact"]] == ["s1", "s2"]
    assert report["baselines"]["always"] == {"precision": 0.5, "recall": 1.0, "f1": 0.6667}
    assert report["settings"]["seen"] == sum(row["seen"] for row in rows) == 0


def test_rows_that_were_trained_on_are_counted() -> None:
    """Figures on those say little."""
    labelled = LABELLED
    report = run(labelled / "sentences-2.jsonl")
    assert report["settings"]["seen"] == report["n"]


def test_without_data_there_is_nothing_to_measure(tmp_path: Path) -> None:
    """The message says what is expected; so does one about a row of another shape."""
    with pytest.raises(InputError, match="needs --data"):
        run(None)
    (tmp_path / "rows.jsonl").write_text('{"id": "s1"}', encoding="utf-8")
    with pytest.raises(InputError, match="line 1"):
        run(tmp_path / "rows.jsonl")
