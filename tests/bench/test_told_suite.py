"""The suite of single messages, held to figures worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from yesteryear_lab.bench.suites import run_suite

ROWS = [
    {"messages": [{"role": "user", "text": "I live in Porto."}], "must": [["porto"], ["faro"]], "why": "a"},
    {
        "messages": [{"role": "user", "text": "I'm on crutches until 20 May."}],
        "at": "2026-05-04T10:00:00+00:00",
        "must": [["crutch"]],
        "holds": {"2026-05-10": True, "2026-06-10": False},
        "why": "b",
    },
    {
        "messages": [{"role": "assistant", "text": "Shall I?"}, {"role": "user", "text": "make this one shorter"}],
        "must": [],
        "why": "c",
    },
    {
        "messages": [{"role": "user", "text": "I live in Porto."}, {"role": "user", "text": "Hm.", "author": "Bo"}],
        "must": [["faro"]],
        "never": [["porto"], ["lisbon"]],
        "why": "d",
    },
]


def test_what_is_known_and_how_long_are_counted(tmp_path: Path) -> None:
    """Of things that are not known no day counts."""
    path = tmp_path / "told.jsonl"
    rows = [{"id": f"t{at}", "author": "Ana"} | row for at, row in enumerate(ROWS)]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    report: Any = run_suite("told", data=path, rows=True, options={"embedder": "hashing"}, on_progress=lambda _: None)
    lives, crutches, _, wrong = report["rows"]
    assert lives["known"] == [True, False]
    assert crutches["still"] == [("2026-05-10", True, True), ("2026-06-10", False, False)]
    assert wrong["wrong"] == [True, False]
    assert report["metrics"] == {
        "known": 0.5,
        "nothing": 1.0,
        "stands": 1.0,
        "over": 1.0,
        "known.a": 0.5,
        "known.b": 1.0,
        "stands.b": 1.0,
        "over.b": 1.0,
        "nothing.c": 1.0,
        "known.d": 0.0,
        "wrong": 0.5,
        "wrong.d": 0.5,
    }


def test_what_is_taken_back_is_not_to_be_told_and_the_rest_is(tmp_path: Path) -> None:
    """Short sentences and those of others are not looked for."""
    path = tmp_path / "retracted.jsonl"
    said = ["I live in Porto now. I work as a nurse in a hospital. Hm.", "Really?", "Not Porto, no."]
    messages = [{"role": ("user", "assistant")[at % 2], "text": text} for at, text in enumerate(said)]
    rows = [
        {"id": "r0", "back": [[0, "I live in Porto now."], [0, "Hm."]], "by": 2, "why": "joke"},
        {"id": "r1", "back": [], "by": 2, "why": "stands"},
    ]
    path.write_text("\n".join(json.dumps({"author": "Ana", "messages": messages} | row) for row in rows), "utf-8")
    options = {"embedder": "hashing"}
    report: Any = run_suite("retracted", data=path, rows=True, options=options, on_progress=lambda _: None)
    joke, stands = report["rows"]
    assert (len(joke["back"]), joke["beside"]) == (2, [True])  # told plainly: "Ana works as a nurse"
    assert stands["beside"] == [False, True]  # "Not Porto, no." takes the first back
    assert report["metrics"] == {
        "wrong": sum(joke["back"]) / 2,
        "wrong.joke": sum(joke["back"]) / 2,
        "beside": float(joke["beside"][0]),
        "stands": sum(stands["beside"]) / 2,
    }
