"""The gate suite compares verdicts with labels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from yesteryear.errors import InputError
from yesteryear_lab import LABELLED
from yesteryear_lab.bench.labelled import GATE_BASELINES
from yesteryear_lab.bench.suites import run_suite


def row(name: str, reason: str, *said: str, keep: bool = False) -> dict[str, Any]:
    """Return a labelled exchange; what is said begins with its role."""
    messages = [dict(zip(("role", "content"), text.split(": ", 1), strict=True)) for text in said]
    return {"id": name, "messages": messages, "keep": keep, "reason": reason}


ROWS = [
    row(
        "r1",
        "explicit_request",
        "user: Please remember that I am allergic to peanuts.",
        "assistant: I will.",
        keep=True,
    ),
    row("r2", "explicit_request", "user: Remember this: my locker code is 4711.", keep=True),
    row("r3", "trivial", "user: ok thanks", "assistant: You're welcome!"),
    row("r4", "forget_request", "assistant: How was it?", "user: Don't remember this, but I failed the exam."),
    row("r5", "trivial", "user: Remember that I live in Bergen.", "assistant: Noted.", "user: ok"),
]


def run(data: Path) -> dict[str, Any]:
    """Run the suite without a model."""
    options = {"embedder": "hashing", "folder": str(data.parent)}
    found: dict[str, Any] = run_suite("gate", data=data, rows=True, options=options, on_progress=lambda _: None)
    return found


def write(path: Path, *rows: object) -> Path:
    """Write rows as JSON Lines; text is written as it is."""
    path.write_text("\n".join(each if isinstance(each, str) else json.dumps(each) for each in rows))
    return path


def test_commands_are_obeyed_and_all_figures_can_be_recomputed(tmp_path: Path) -> None:
    """Of several exchanges in a row the last one counts."""
    data = write(tmp_path / "rows.jsonl", *ROWS, "")
    report = run(data)
    metrics, rows = report["metrics"], report["rows"]
    assert (report["suite"], report["n"], [each["id"] for each in rows]) == ("gate", 5, ["r1", "r2", "r3", "r4", "r5"])
    assert [each["keep"] for each in rows] == [True, True, False, False, False]
    assert (metrics["precision"], metrics["recall"], metrics["f1"]) == (1, 1, 1)
    assert (metrics["kept_explicit"], metrics["kept_forget"], metrics["kept_injected"]) == (1, 0, None)
    assert metrics["right_side.trivial"] == 1
    assert metrics["unsure_share"] == sum(each["unsure"] for each in rows) / 5
    assert metrics["macro_f1"] == 1
    assert json.loads(json.dumps(report)) == report
    assert list(tmp_path.iterdir()) == [data]


def test_baselines_stand_beside(tmp_path: Path) -> None:
    """Keeping everything has full recall and the precision of chance."""
    beside = run(write(tmp_path / "rows.jsonl", *ROWS))["baselines"]
    assert set(beside) == set(GATE_BASELINES)
    assert (beside["always_keep"]["recall"], beside["always_keep"]["precision"]) == (1, 0.4)
    assert (beside["length"]["recall"], beside["length"]["precision"]) == (0, None)


def test_length_counts_content_words() -> None:
    """Words of grammar do not."""
    keeps = GATE_BASELINES["length"]
    assert keeps("seven sailors sold eleven boats near Bergen harbour yesterday")
    assert not keeps("and then it was that we were not there with any of them at all")


def test_rows_of_the_training_are_told(tmp_path: Path) -> None:
    """The shipped weights know what they were trained on; a row of our own is none of it."""
    labelled = LABELLED / "gate-1.jsonl"
    first = labelled.read_text(encoding="utf-8").split("\n", 1)[0]
    report = run(write(tmp_path / "rows.jsonl", first, ROWS[0]))
    assert report["settings"]["seen"] == 1
    assert [each["seen"] for each in report["rows"]] == [True, False]


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        ("{", "line 2: no JSON"),
        ("[]", "line 2: a row is a JSON object"),
        ({**ROWS[0], "messages": "hello"}, "line 2: Expected `array`.*messages"),
        ({**ROWS[0], "messages": [{"role": "user", "content": " "}]}, "line 2: .*content"),
        ({**ROWS[0], "messages": [{"role": "pilot", "content": "hi"}, ROWS[2]["messages"][0]]}, "line 2: .*role"),
        ({**ROWS[0], "messages": ROWS[0]["messages"][1:]}, "line 2: none of the messages"),
        ({**ROWS[0], "keep": "yes"}, "line 2: Expected `bool`.*keep"),
        ({**ROWS[0], "reason": "boredom"}, "line 2: .*boredom.*reason"),
    ],
)
def test_a_row_of_another_shape_is_refused(tmp_path: Path, broken: object, complaint: str) -> None:
    """The message names the line and what is wrong with it."""
    with pytest.raises(InputError, match=complaint):
        run(write(tmp_path / "rows.jsonl", ROWS[2], broken))


def test_a_file_without_rows_is_refused(tmp_path: Path) -> None:
    """Whether it is empty, missing or was not named."""
    with pytest.raises(InputError, match="has no rows"):
        run(write(tmp_path / "empty.jsonl", ""))
    with pytest.raises(InputError, match="cannot be read"):
        run(tmp_path / "missing.jsonl")
    with pytest.raises(InputError, match="needs --data"):
        run_suite("gate", data=None, rows=False, options={}, on_progress=lambda _: None)
