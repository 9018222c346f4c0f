"""The suite of plain changes, held to figures worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from yesteryear_lab.bench.suites import run_suite

ROWS = [
    {"then": "I moved to Lisbon last week.", "ends": True, "old": ["porto"], "why": "updates"},
    {"then": "The weather is fine.", "ends": False, "old": ["porto"], "why": "none"},
    {"then": "I like soup.", "ends": True, "old": ["faro"], "why": "ends"},
]


def test_what_is_believed_first_and_what_is_left_of_it_are_counted(tmp_path: Path) -> None:
    """What was never believed has not ended."""
    path = tmp_path / "changes.jsonl"
    rows = [{"id": f"c{at}", "author": "Ana", "first": "I live in Porto."} | row for at, row in enumerate(ROWS)]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    report: Any = run_suite(
        "changes", data=path, rows=True, options={"embedder": "hashing"}, on_progress=lambda _: None
    )
    changed, lasting, unheard = report["rows"]
    assert changed["told"] == []
    assert changed["believed"] == lasting["believed"] == lasting["told"] == ["Ana lives in Porto"]
    assert unheard["believed"] == unheard["told"] == []
    assert report["metrics"] == {
        "believed": 0.6667,
        "ended": 0.5,
        "ended.of_believed": 1.0,
        "stands": 1.0,
        "ended.updates": 1.0,
    }


def test_what_else_was_told_before_and_what_is_to_be_kept_are_counted(tmp_path: Path) -> None:
    """The others are first messages of the rows that follow, and each thing of ``keeps`` that was known counts."""
    path = tmp_path / "changes.jsonl"
    row = {"author": "Ana", "ends": True, "why": "updates"}
    moves = {"id": "a", "first": "I live in Porto.", "then": "I moved to Lisbon last week.", "old": ["porto"]}
    eats = {
        "id": "b",
        "first": "I have a dog called Rex.",
        "then": "I like soup.",
        "old": ["rex"],
        "keeps": ["dog", "cat"],
    }
    path.write_text("\n".join(json.dumps(row | one) for one in (moves, eats)), encoding="utf-8")
    options = {"embedder": "hashing", "others": "1"}
    report: Any = run_suite("changes", data=path, rows=True, options=options, on_progress=lambda _: None)
    moved, eaten = report["rows"]
    assert (moved["others"], moved["told"]) == ([True], [])
    assert (eaten["others"], eaten["keeps"]) == ([True], [True])
    assert report["metrics"]["keeps"] == report["metrics"]["others"] == 1.0
