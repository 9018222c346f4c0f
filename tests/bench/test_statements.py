"""Judged statements: what is told of them and what makes them clear is counted, and their rows are sound."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from yesteryear.errors import InputError
from yesteryear_lab import LABELLED
from yesteryear_lab.bench.suites import run_suite
from yesteryear_lab.reading.examples import Examples

VOCABULARY = ["[PAD]", *(f"[unused{n}]" for n in range(99)), "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
BEFORE = [["me", "Our van is back from the garage in Leith."], ["assistant", "How is it?"]]
TEXT = "ok. I am allergic to the oil in it."
FILES = [LABELLED / part / "statements.jsonl" for part in ("", "held-out")]


def a_row(words: str, *, worth: bool = True, needs: str = "") -> dict[str, object]:
    """Return some words of a message as they were judged."""
    start = TEXT.index(words)
    place = {"start": start, "end": start + len(words)}
    judged = {"worth": worth, "needs": [["-", needs]] if needs else []}
    return {"id": "joel/1", "author": "Joel", "before": BEFORE, "text": TEXT} | place | judged


def measured(folder: Path, *rows: Mapping[str, object]) -> Mapping[str, float]:
    """Return what the suite says of rows, without the model."""
    path = folder / "statements.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    report = run_suite("statements", data=path, rows=False, options={"embedder": "hashing"}, on_progress=lambda _: None)
    metrics = report["metrics"]
    assert isinstance(metrics, dict)
    return metrics


def test_what_is_told_is_counted_beside_what_is_worth_it(tmp_path: Path) -> None:
    """Of words that are told and of such that are not."""
    told, filler = a_row("I am allergic to the oil in it."), a_row("ok.", worth=False)
    found = measured(tmp_path, told, filler)
    assert (found["told.precision"], found["told.recall"]) == (1.0, 1.0)
    assert measured(tmp_path, told, filler | {"worth": True})["told.recall"] == 0.5


@pytest.mark.parametrize(("needs", "clear"), [("oil", 1.0), ("nobody said this", 0.0), ("?", 0.0)])
def test_clear_is_what_is_told_with_what_it_lacks(tmp_path: Path, needs: str, clear: float) -> None:
    """Where the talk says what that is."""
    row = a_row("I am allergic to the oil in it.", needs=needs)
    assert measured(tmp_path, row)["clear"] == clear


def test_a_row_in_which_nobody_knows_who_spoke_is_refused(tmp_path: Path) -> None:
    """By its id, with who there may be."""
    with pytest.raises(InputError, match=r"joel/1: dad is nobody who speaks: me, them"):
        measured(tmp_path, a_row("ok.") | {"before": [["dad", "Hello."]]})


def test_a_statement_is_taught_in_its_sentence_and_place(tmp_path: Path) -> None:
    """As the reader draws it: the words, the sentence around them, and what was said before."""
    path = tmp_path / "statements.jsonl"
    path.write_text(json.dumps(a_row("the oil in it", needs="van")), encoding="utf-8")
    (example,) = Examples(VOCABULARY).of_drawn(path)
    (drawn,) = example.statements
    assert drawn.gold == {"told": 1}
    places = (*drawn.sentence, drawn.start)
    starts = [example.window.pieces[place - example.window.first].start for place in (places[0], places[2])]
    assert starts == [TEXT.index("I am"), TEXT.index("the oil")]
    assert example.window.lead


@pytest.mark.parametrize("path", FILES, ids=["taught", "held-out"])
def test_all_rows_are_sound(path: Path) -> None:
    """Words stand in their message, each once."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len({(row["id"], row["start"], row["end"]) for row in rows}) == len(rows)
    assert all(0 <= row["start"] < row["end"] <= len(row["text"]) for row in rows)


def test_nobody_is_both_taught_and_held_out() -> None:
    """What one person tells is told again."""
    taught, held = (
        {json.loads(line)["id"].rpartition("/")[0] for line in path.read_text(encoding="utf-8").splitlines()}
        for path in FILES
    )
    assert taught.isdisjoint(held)
