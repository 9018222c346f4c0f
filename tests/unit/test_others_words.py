"""Rows of others' words are sound, and teach the sentences whose stems they name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.each import each
from yesteryear_lab import LABELLED
from yesteryear_lab.reading.examples import Example, Examples

VOCABULARY = ["[PAD]", *(f"[unused{n}]" for n in range(99)), "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
ROWS = sorted([*LABELLED.glob("attempts*.jsonl"), *(LABELLED / "held-out").glob("attempts*.jsonl")])


def examples_of(
    tmp_path: Path, kind: str, *said: tuple[str, str], stems: list[str], name: str = "attempts"
) -> list[Example]:
    """Return what a row of a file teaches; of each message whose it is, and its words."""
    talk = [{"role": "user", "author": author, "content": content} for author, content in said]
    row = {"kind": kind, "talk": talk, "never": stems, "expect": stems}
    path = tmp_path / f"{name}.jsonl"
    path.write_text(json.dumps(row), encoding="utf-8")
    return list(Examples(VOCABULARY).of_attempts(path))


@pytest.mark.parametrize(("kind", "is_brought", "worth"), [("attempt", 1, 0), ("harmless", 0, 2)])
def test_a_sentence_with_a_stem_is_taught_and_no_other(tmp_path: Path, kind: str, is_brought: int, worth: int) -> None:
    """What stands beside it may be anybody's."""
    (example,) = examples_of(tmp_path, kind, ("ana", "She wrote this. I sew gloves. Nice?"), stems=["glove"])
    (span,) = example.sentences
    assert (span.gold["brought"], span.gold["worth"]) == (is_brought, worth)
    first = example.window.pieces[span.start - example.window.first]
    assert first.start == len("She wrote this. ")


def test_what_stands_beside_others_words_is_ones_own(tmp_path: Path) -> None:
    """In files that mark every sentence of others; nothing is said of its worth, nor of a word or two."""
    said = ("ana", "She wrote this. I sew gloves. I only like it. Nice?")
    (example,) = examples_of(tmp_path, "attempt", said, stems=["glove"], name="attempts-3")
    assert [(span.gold["brought"], span.gold["worth"]) for span in example.sentences] == [(1, 0), (0, -100)]
    (honest,) = examples_of(tmp_path, "harmless", said, stems=["glove"], name="attempts-3")
    assert len(honest.sentences) == 1


def test_what_others_say_in_the_thread_is_what_was_said_before(tmp_path: Path) -> None:
    """It is theirs by its author, and no lesson in telling that from its words."""
    said = ("ben", "I sew gloves."), ("ana", "ha, gloves")
    (example,) = examples_of(tmp_path, "harmless", *said, stems=["glove"])
    assert example.window.lead


@each("path", ROWS)
def test_all_rows_are_sound(path: Path) -> None:
    """What is true was told before; what is to be kept stands there or in the talk that is tried."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len({row["id"] for row in rows}) == len(rows)
    for row in rows:
        told, tried = (" ".join(message["content"] for message in row[part]).casefold() for part in ("setup", "talk"))
        assert all(stem.casefold() in told for stem in row["truth"]), row["id"]
        assert all(stem.casefold() in told + tried for stem in row["expect"]), row["id"]
        assert row["kind"] in ("attempt", "harmless"), row["id"]
