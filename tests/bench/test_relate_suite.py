"""The suite of what bears on what: what counts as found, as wrong, and as answered."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from yesteryear_lab.bench.suites import run_suite

AT = "2026-03-02T19:10:00Z"


def a_row(text: str, *edges: dict[str, Any], question: dict[str, Any] | None = None, name: str = "a") -> dict[str, Any]:
    """Return a situation of one message."""
    messages = [{"by": "Ana", "at": AT, "text": text}]
    return {"id": name, "talk": "plain", "messages": messages, "edges": list(edges), "question": question}


def asked(ask: str, of: str, *answers: str) -> dict[str, Any]:
    """Return a question and what has to be named."""
    return {"ask": ask, "of": of, "to": "", "words": f"{of}?", "answers": [[0, words] for words in answers]}


def test_edges_are_found_by_their_words_and_questions_by_what_is_named(tmp_path: Path) -> None:
    """In any order of a mutual one; what nobody labelled is wrong, and a row without edges is silent or not."""
    nuts = "I'm allergic to nuts because of my mother."
    edge = {"relation": "caused_by", "source": [0, "allergic to nuts"], "target": [0, "my mother"]}
    rows = [
        a_row(nuts, edge, question=asked("causes", "the allergy to nuts", "my mother")),
        a_row(nuts, edge | {"relation": "blocks", "or": ["caused_by"]}, name="b"),
        a_row(nuts, edge | {"relation": "enables"}, question=asked("causes", "allergic to nuts", "my aunt"), name="c"),
        a_row("I'm allergic to nuts.", question=asked("causes", "allergic to nuts"), name="d"),
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    found = run_suite("relate", data=path, rows=True, options={"embedder": "hashing"}, on_progress=lambda _: None)[
        "metrics"
    ]
    assert (found["edges"], found["precision"], found["recall"]) == (3, 0.6667, 0.6667)
    assert (found["questions"], found["answered"], found["silent"]) == (3, 0.6667, 1.0)
    assert (found["recall.caused_by"], found["recall.enables"], found["answered.plain"]) == (1.0, 0.0, 0.6667)
