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
