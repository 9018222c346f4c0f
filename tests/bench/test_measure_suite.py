"""The suite of numbers, held to figures worked out by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from yesteryear_lab.bench.suites import run_suite

ROWS: Sequence[Mapping[str, Any]] = [
    {
        "text": "I ran 5 km this morning, and my sister ran 10 km.",
        "values": [{"of": "run", "value": 5, "unit": "km", "on": "2026-03-04", "said": "5 km"}],
        "trap": "others",
    },
    {
        "text": "barely five",
        "before": [{"role": "assistant", "text": "How did you sleep?"}],
        "values": [{"of": "sleep", "value": 300, "unit": "min", "on": "2026-03-04", "said": "five"}],
        "trap": None,
    },
    {
        "text": "I spent 12 euros on lunch",
        "values": [{"of": "spent", "value": 11, "unit": "EUR", "for": "lunch", "said": "12 euros"}],
        "trap": None,
    },
    {"text": "if I ran 10 km I would die", "values": [], "trap": "hypothetical"},
]
DAYS: Mapping[str, Any] = {
    "zone": "Europe/London",
    "messages": [
        {"at": "2026-03-02T19:00:00+00:00", "text": "I spent 12 euros on lunch."},
        {"at": "2026-03-03T19:00:00+00:00", "text": "I spent 8 euros on lunch. I slept 6 hours."},
    ],
    "totals": [
        {"of": "spent", "for": "lunch", "unit": "EUR", "on": "2026-03-02", "until": "2026-03-08", "sum": 20},
        {"of": "sleep", "unit": "min", "on": "2026-03-02", "until": "2026-03-08", "mean": 360},
        {"of": "weight", "unit": "kg", "on": "2026-03-02", "until": "2026-03-08", "last": 70},
    ],
}


def run(path: Path, rows: Sequence[Mapping[str, Any]]) -> Any:
    """Run the suite without a model."""
    named = [{"id": f"r{at}", "author": "Ana", "at": "2026-03-04T20:00:00+01:00"} | row for at, row in enumerate(rows)]
    path.write_text("\n".join(map(json.dumps, named)), encoding="utf-8")
    return run_suite("measure", data=path, rows=True, options={"embedder": "hashing"}, on_progress=lambda _: None)


def test_what_is_taken_of_messages_is_counted(tmp_path: Path) -> None:
    """By measure, number and unit; a unit may be said by another."""
    report = run(tmp_path / "rows.jsonl", ROWS)
    assert [row["right"] for row in report["rows"]] == [1, 1, 0, 0]
    figures = {
        name: report["metrics"][name] for name in ("values", "precision", "recall", "traps", "traps.taken", "day")
    }
    assert figures == {"values": 3, "precision": 0.6667, "recall": 0.6667, "traps": 2, "traps.taken": 0.0, "day": 1.0}
    assert report["metrics"]["recall.spent"] == 0.0


def test_what_days_come_to_is_compared(tmp_path: Path) -> None:
    """In the unit that is asked for; what is not known is not right."""
    report = run(tmp_path / "days.jsonl", [DAYS])
    assert [(found, is_right) for _, found, is_right in report["rows"][0]["totals"]] == [
        (20.0, True),
        (360.0, True),
        (None, False),
    ]
    assert report["metrics"]["totals.right"] == 0.6667
