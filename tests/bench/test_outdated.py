"""The suite of lives in which much changes, on a small one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from yesteryear.errors import InputError
from yesteryear_lab.bench.suites import run_suite

SAID = [
    {
        "n": 1,
        "day": "2025-03-01",
        "author": "Zainab",
        "text": "I live in Akoka with Chidinma. My brother drives a taxi.",
    },
    {
        "n": 2,
        "day": "2025-05-20",
        "author": "Zainab",
        "text": "I don't live in Akoka any more.",
        "ends": [{"n": 1, "words": "I live in Akoka with Chidinma", "effect": "ends"}],
    },
]


def run(path: Path) -> dict[str, object]:
    """Return what the suite makes of a file or folder, by words alone."""
    return run_suite("outdated", data=path, rows=True, options={"embedder": "hashing"}, on_progress=print)


def test_what_is_over_is_told_apart_from_what_else_was_said(tmp_path: Path) -> None:
    """A passage that ends is looked for as what is over, every other sentence beside it; a folder holds lives."""
    (tmp_path / "zainab.jsonl").write_text("\n".join(map(json.dumps, SAID)), encoding="utf-8")
    report = run(tmp_path)
    rows = {row["words"]: (row["over"], row["told"]) for row in report["rows"]}  # type: ignore[attr-defined]
    assert rows.keys() == {
        "I live in Akoka with Chidinma",
        "My brother drives a taxi.",
        "I don't live in Akoka any more.",
    }
    assert [words for words, (over, _) in rows.items() if over] == ["I live in Akoka with Chidinma"]
    assert any(told for _, told in rows.values())
    assert report["metrics"]["over"] == 1  # type: ignore[index]


def test_what_holds_no_life_is_named(tmp_path: Path) -> None:
    """An empty folder, and a file in which nobody says anything."""
    with pytest.raises(InputError, match="holds no lives"):
        run(tmp_path)
    (tmp_path / "empty.jsonl").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match=r"^empty\.jsonl"):
        run(tmp_path)
