"""The facts suite tells annotated dialogs to a memory and compares what it believes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from yesteryear.errors import InputError
from yesteryear_lab.bench.suites import run_suite


def dialog(name: str, day: str, *said: str, **more: Any) -> dict[str, Any]:
    """Return an annotated dialog of Ana; what is said begins with its role."""
    messages = [
        {"role": role, "content": text, "at": f"2025-{day}T10:0{minute}:00+00:00"}
        for minute, (role, text) in enumerate(line.split(": ", 1) for line in said)
    ]
    return {"id": name, "author": "Ana", "messages": messages, "facts": [], "not_facts": [], "decisions": []} | more


ROWS = [
    dialog(
        "d1",
        "03-02",
        "user: I moved to Lyon last month and I work as a nurse at the hospital there.",
        "assistant: How do you like Lyon?",
        "user: I love the old town, and I hate the traffic.",
        facts=[
            {"kind": "identity", "statement": "Ana lives in Lyon", "all_of": ["lyon"], "evidence": [0]},
            {"kind": "identity", "statement": "Ana is a nurse", "all_of": ["nurse"], "evidence": [0]},
        ],
        not_facts=[["pilot"]],
        user_state="neutral",
        emotion="joy",
        series="S",
        order=1,
    ),
    dialog(
        "d2",
        "06-02",
        "user: Big news: I moved to Lisbon yesterday, for good. My old flat in Lyon is gone.",
        "assistant: Welcome to Lisbon!",
        facts=[{"kind": "event", "statement": "Ana moved to Lisbon", "all_of": ["lisbon"], "evidence": [0]}],
        user_state="celebrating",
        emotion="joy",
        series="S",
        order=2,
        changes=[{"fact_before": ["lyon"], "fact_now": ["lisbon"], "verdict": "updates"}],
    ),
    dialog("d3", "01-02", "user: Can you convert 3 miles into km?", "assistant: 4.83 km."),
]


def run(data: Path) -> dict[str, Any]:
    """Run the suite without a model."""
    options = {"embedder": "hashing", "folder": str(data.parent)}
    found: dict[str, Any] = run_suite("facts", data=data, rows=True, options=options, on_progress=lambda _: None)
    return found


def write(path: Path, *rows: object) -> Path:
    """Write rows as JSON Lines."""
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return path


def test_all_figures_can_be_recomputed_from_the_rows(tmp_path: Path) -> None:
    """Statements, kinds, states and the ends of changes stand in the rows."""
    report = run(write(tmp_path / "rows.jsonl", *ROWS))
    metrics = report["metrics"]
    dialogs = [row for row in report["rows"] if "facts" in row]
    assert (report["suite"], report["n"]) == ("facts", 3)
    assert [row["id"] for row in dialogs] == ["d1", "d2", "d3"]

    def tells(statement: str, stems: list[str]) -> bool:
        return all(stem in statement.lower() for stem in stems)

    told = [
        any(tells(fact["statement"], gold["all_of"]) for fact in row["facts"])
        for row in dialogs
        for gold in row["gold"]["facts"]
    ]
    made = [fact for row in dialogs for fact in row["facts"]]
    rests = [
        any(set(fact["messages"]) & set(gold["evidence"]) for gold in row["gold"]["facts"])
        for row in dialogs
        for fact in row["facts"]
    ]
    assert (metrics["facts"], metrics["statements"]) == (3, len(made))
    assert metrics["recall"] == pytest.approx(sum(told) / 3, abs=1e-4)
    assert metrics["precision_by_evidence"] == pytest.approx(sum(rests) / max(1, len(made)), abs=1e-4)
    assert all(fact["statement"].count("Ana") for fact in made)
    changes = [row["ok"] for row in report["rows"] if "change" in row]
    assert (metrics["changes"], metrics["changes_ok"]) == (1, sum(changes))
    assert metrics["lost"] == sum(len(row["lost"]) for row in report["rows"] if "lost" in row)
    assert metrics["emotion_accuracy"] == sum(row["emotion"] == "joy" for row in dialogs[:2]) / 2


def test_baselines_stand_beside(tmp_path: Path) -> None:
    """Each user message as it stands, and the most frequent label."""
    baselines = run(write(tmp_path / "rows.jsonl", *ROWS))["baselines"]
    assert baselines["every_message"]["recall"] == 1
    assert baselines["every_message"]["statements"] == 4
    assert baselines["majority"] == {"user_state_accuracy": 0.5, "emotion_accuracy": 1, "kind_accuracy": 0.6667}


def test_a_row_without_author_or_series_is_a_dialog_too(tmp_path: Path) -> None:
    """As in the example of the format."""
    row = {name: value for name, value in ROWS[0].items() if name not in ("author", "series", "order")}
    report = run(write(tmp_path / "rows.jsonl", row))
    assert (report["n"], report["metrics"]["changes"], report["metrics"]["changes_ok"]) == (1, 0, None)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "no rows"),
        ([{"id": "d1", "facts": []}], "messages"),
        ([dialog("d1", "03-02", "assistant: Hello")], "d1"),
        ([ROWS[1] | {"changes": [{"fact_before": ["a"]}]}], "fact_now"),
    ],
)
def test_what_is_no_annotated_dialog_is_refused(tmp_path: Path, rows: list[object], message: str) -> None:
    """The error says what is wrong."""
    with pytest.raises(InputError, match=message):
        run(write(tmp_path / "rows.jsonl", *rows))


def test_it_needs_data() -> None:
    """Without a file there is nothing to tell."""
    with pytest.raises(InputError, match="--data"):
        run_suite("facts", data=None, rows=False, options={}, on_progress=lambda _: None)
