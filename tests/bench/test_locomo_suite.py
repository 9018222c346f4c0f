"""The locomo suite reads conversations, asks, judges, and says what it could not use."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from yesteryear.errors import InputError
from yesteryear_lab.bench.locomo import read_samples
from yesteryear_lab.bench.suites import run_suite

TALK: dict[str, Any] = {
    "sample_id": "harbour",
    "conversation": {
        "session_1_date_time": "9:05 am on 3 May, 2024",
        "session_1": [
            {"speaker": "Ida", "dia_id": "D1:1", "text": "I sold my sailing boat to my cousin Olav in Bergen."},
            {"speaker": "Per", "dia_id": "D1:2", "text": "My sister and I have decided to keep goats this year."},
        ],
        "session_2_date_time": "7:30 pm on 12 June, 2024",
        "session_2": [
            {
                "speaker": "Per",
                "dia_id": "D2:1",
                "text": "Our goats broke into the church!",
                "blip_caption": "two goats",
            },
            {"speaker": "Ida", "dia_id": "D2:2", "text": "I start my job at the lighthouse on Monday."},
        ],
        "session_3_date_time": "8:00 am on 13 June, 2024",
        "session_3": [{"speaker": "Ida", "dia_id": "D3:1", "text": "What is the capital of Peru?"}],
    },
    "qa": [
        {"question": "Who bought Ida's sailing boat?", "answer": "Olav", "evidence": ["D1:1"], "category": 4},
        {"question": "What do Per's goats do?", "answer": "break in", "evidence": ["D1:2; D2:01"], "category": 1},
        {"question": "Which capital did Ida ask for?", "answer": "Peru's", "evidence": ["D:3:1"], "category": 3},
        {"question": "Who bought Per's boat?", "adversarial_answer": "Olav", "evidence": ["D1:1"], "category": 5},
    ],
}


def run(data: Path, **options: Any) -> tuple[dict[str, Any], list[str]]:
    """Run the suite without a model; return its report and what it told."""
    told: list[str] = []
    given = {"embedder": "hashing", "folder": str(data.parent), **options}
    report: dict[str, Any] = run_suite("locomo", data=data, rows=True, options=given, on_progress=told.append)
    return report, told


def write_lines(path: Path, *lines: object) -> Path:
    """Write JSON Lines; text is written as it is."""
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return path


def test_every_figure_is_there_and_can_be_recomputed(tmp_path: Path) -> None:
    """Ours and the baselines answer the same questions; the rows hold all that the means are made of."""
    data = tmp_path / "talk.json"
    data.write_text(json.dumps([TALK, {**TALK, "sample_id": "again"}]))
    report, told = run(data)
    metrics, rows = report["metrics"], report["rows"]
    assert (report["suite"], report["n"], metrics["messages"], metrics["due_left"]) == ("locomo", 8, 10, 0)
    assert report["settings"]["unusable"] == 0
    assert not [line for line in told if line.startswith("left out")]
    assert {"bm25", "vectors", "sum"} <= set(report["baselines"])
    plain = [row for row in rows if row["category"] != 5]
    for budget in ("<=500", "<=1000"):
        shown = fmean(len(row[budget]["shown"]) / len(row["gold"]) for row in plain)
        assert metrics[f"recall{budget}"] == round(shown, 4)
        assert metrics[f"aic{budget}"] == round(fmean(row[budget]["aic"] for row in plain), 4)
        assert metrics[f"tokens_max{budget}"] == max(row[budget]["tokens"] for row in rows)
    assert metrics["recall<=1000.4"] == metrics["recall@10.4"] == 1
    for baseline in report["baselines"].values():
        assert baseline["recall<=1000"] == 1
        assert baseline["over_budget"] == metrics["over_budget"] == 0
    assert [row["id"] for row in rows][3:5] == ["harbour-3", "again-0"]
    assert json.loads(json.dumps(report)) == report
    assert list(tmp_path.iterdir()) == [data]


def test_what_the_gate_skipped_is_gone_after_the_retention(tmp_path: Path) -> None:
    """A question about the world is found while the journal has it, and not once its text was erased."""
    report, _ = run(write_lines(tmp_path / "talk.jsonl", TALK), baselines="false", budgets="300")
    metrics = report["metrics"]
    assert (metrics["skipped_share"], metrics["recall<=300.3"], metrics["expired.recall<=1000.3"]) == (0.2, 1, 0)
    assert metrics["expired.recall<=1000.4"] == 1
    assert report["baselines"] == {}
    assert "recall<=1000" not in metrics


def test_lines_may_hold_a_person_and_an_assistant(tmp_path: Path) -> None:
    """Turns carry role and time of their own, in either form; without them they are a person's, a minute apart."""
    turns = [
        {"speaker": "Ida", "dia_id": "m1", "text": "I moved to Bergen.", "at": "2024-05-03T11:05:00+02:00"},
        {"speaker": "Helper", "dia_id": "m2", "text": "Noted.", "role": "assistant", "date_time": "2024-05-03 09:06"},
        {"speaker": "Ida", "dia_id": "m3", "text": "Thanks!", "date_time": "9:10 am on 3 May, 2024"},
    ]
    later = {"speaker": "Ida", "dia_id": "m4", "text": "It rains all day here."}
    timed = {"session_1": turns, "session_2_date_time": "2024-05-04T10:00", "session_2": [later]}
    row = {"conversation": timed, "qa": [{"question": "Where has Ida moved?", "answer": "Bergen", "evidence": ["m1"]}]}
    data = write_lines(tmp_path / "chat.data", row, "")
    [sample] = read_samples(data)
    assert sample.id == "line 1"
    assert [(turn.role, turn.at) for turn in sample.turns] == [
        ("user", datetime(2024, 5, 3, 9, 5, tzinfo=UTC)),
        ("assistant", datetime(2024, 5, 3, 9, 6, tzinfo=UTC)),
        ("user", datetime(2024, 5, 3, 9, 10, tzinfo=UTC)),
        ("user", datetime(2024, 5, 4, 10, 0, tzinfo=UTC)),
    ]
    report, _ = run(data, expired="false")
    assert report["metrics"]["recall<=1000.0"] == report["metrics"]["recall<=1000"] == 1
    assert not [name for name in report["metrics"] if name.startswith("expired")]


def test_broken_parts_are_told_counted_and_left_out(tmp_path: Path) -> None:
    """Lines, turns, questions and evidence that cannot be read cost themselves only."""
    odd = {
        "sample_id": "odd",
        "conversation": {
            "session_1_date_time": "9:05 am on 3 May, 2024",
            "session_1": [
                {"speaker": "Ida", "dia_id": "D1:1", "text": "I sold the boat."},
                {"speaker": "Ida", "dia_id": "D1:1", "text": "I sold the house."},
                {"speaker": "Ida", "dia_id": "D1:3", "text": "I am a tool.", "role": "tool"},
                {"speaker": "Ida", "dia_id": "D1:4", "text": "When?", "at": "yesterday"},
                {"speaker": "Ida", "dia_id": "D1:5", "text": "Br\udce9l\udce9"},
                {"speaker": "Ida", "dia_id": "D1:6", "text": " "},
            ],
        },
        "qa": [
            {"question": "What was sold?", "answer": "boat", "evidence": ["D1:1", "D1:5", "D7:7"], "category": 4},
            {"question": " ", "answer": "?", "evidence": [], "category": 4},
            "text",
        ],
    }
    report, told = run(write_lines(tmp_path / "odd.jsonl", "{", odd, '"text"'), baselines="false", expired="false")
    left_out = [line.removeprefix("left out: ") for line in told if line.startswith("left out")]
    assert [line.partition(": ")[0] for line in left_out] == [
        "line 1",
        "odd session_1 turn 2",
        "odd session_1 turn 3",
        "odd session_1 turn 4",
        "odd question 1",
        "odd question 2",
        "odd question 3",
        "odd D1:5",
        "odd D1:6",
        "line 3",
    ]
    assert "D7:7" in left_out[4]
    assert report["settings"]["unusable"] == 10
    assert (report["n"], report["rows"][0]["gold"], report["metrics"]["recall<=1000"]) == (1, ["D1:1"], 1)


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("empty.json", "", "not valid JSON"),
        ("empty.jsonl", "", "no LoCoMo file"),
        ("none.json", "[]", "no conversation"),
        ("silent.json", '[{"conversation": {"session_1_date_time": "9:05 am on 3 May, 2024"}}]', "no conversation"),
        ("other.jsonl", '{"role": "user", "content": "hello"}', "one sample a line"),
    ],
)
def test_data_without_conversations_is_refused(tmp_path: Path, name: str, content: str, complaint: str) -> None:
    """The message says what was expected."""
    data = tmp_path / name
    data.write_text(content)
    with pytest.raises(InputError, match=complaint):
        run(data)


@pytest.mark.parametrize(
    ("option", "value", "complaint"),
    [
        ("budgets", "500,many", "numbers with commas"),
        ("budgets", "0", "at least 1"),
        ("questions", "-1", "at least 0"),
        ("expired", "maybe", "neither true nor false"),
    ],
)
def test_options_that_do_not_fit_are_refused(tmp_path: Path, option: str, value: str, complaint: str) -> None:
    """Before anything is done."""
    with pytest.raises(InputError, match=complaint):
        run(tmp_path / "unread.json", **{option: value})
