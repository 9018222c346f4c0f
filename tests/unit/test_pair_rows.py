"""Labelled pairs, and how well answers agree with them."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from yesteryear.core.ruling import Act, Judgement, PairVerdict
from yesteryear.errors import InputError
from yesteryear_lab import LABELLED
from yesteryear_lab.training.pairs import (
    DOCUMENT_B,
    LABELS,
    judge_by_cosine,
    read_pair_rows,
    score_judgements,
)

_FILES = {"pairs-1.jsonl": 600, "pairs-2.jsonl": 600, "pairs-3.jsonl": 300, "held-out/pairs.jsonl": 420}
ROW = {
    "id": "x1",
    "a": {"text": "Ana has a dog", "at": "2026-01-03"},
    "b": {"text": "Ana has two dogs", "at": "2026-02-11T10:00:00+01:00"},
    "verdict": "coexist",
}


def write(path: Path, *rows: dict[str, Any]) -> Path:
    """Write rows as JSON Lines."""
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def test_the_labelled_rows_are_read(tmp_path: Path) -> None:
    """Days become instants in UTC, and offsets are kept."""
    [row] = read_pair_rows(write(tmp_path / "rows.jsonl", ROW))
    assert row.gold is PairVerdict.COEXISTS
    assert row.pair.earlier.at == datetime(2026, 1, 3, tzinfo=UTC)
    assert row.pair.later.at == datetime(2026, 2, 11, 9, tzinfo=UTC)
    for name, count in _FILES.items():
        rows = read_pair_rows(LABELLED / name)
        assert len(rows) == count
        assert all(row.pair.earlier.at <= row.pair.later.at for row in rows)
        assert set(Counter(row.gold for row in rows)) == set(LABELS)


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        ({"verdict": "similar"}, "row 'x1': verdict is one of duplicate"),
        ({"a": "Ana has a dog"}, "row 'x1', a: an object with text and at"),
        ({"b": {"text": " ", "at": "2026-01-03"}}, "row 'x1', b: an object with text and at"),
        ({"b": {"text": "Ana has a cat", "at": "in May"}}, "row 'x1', b: at is a date or an instant"),
    ],
)
def test_a_row_of_another_shape_is_refused(tmp_path: Path, broken: dict[str, Any], complaint: str) -> None:
    """The message names the row and what is wrong with it."""
    with pytest.raises(InputError, match=complaint):
        read_pair_rows(write(tmp_path / "rows.jsonl", ROW | broken))
    with pytest.raises(InputError, match="has no rows"):
        read_pair_rows(write(tmp_path / "empty.jsonl"))


def trial(
    gold: PairVerdict, said: PairVerdict, act: Act = Act.NOTHING, *, keeps_later: bool = True
) -> tuple[PairVerdict, Judgement]:
    """Return a label with its answer."""
    return gold, Judgement(said, act, keeps_later=keeps_later)


def test_a_fold_that_drops_the_more_specific_statement_is_wrong() -> None:
    """Of duplicates either may stay."""
    refines, duplicate = PairVerdict.REFINES, PairVerdict.DUPLICATE
    trials = [
        trial(refines, refines, Act.FOLD),
        trial(refines, duplicate, Act.FOLD, keeps_later=False),
        trial(duplicate, duplicate, Act.FOLD, keeps_later=False),
        trial(duplicate, duplicate),
        trial(PairVerdict.CONTRADICTS, duplicate, Act.FOLD),
    ]
    found = score_judgements(trials)
    assert (found["fold.precision"], found["fold.coverage"]) == (2 / 4, 2 / 4)
    assert (found["ask.precision"], found["ask.acted"]) == (None, 0)


def test_a_superseded_update_was_not_left_alone() -> None:
    """What asks, and what supersedes, are told one by one and together."""
    updates, contradicts = PairVerdict.UPDATES, PairVerdict.CONTRADICTS
    trials = [
        trial(updates, updates, Act.SUPERSEDE),
        trial(contradicts, updates, Act.SUPERSEDE),
        trial(contradicts, contradicts, Act.ASK),
        trial(contradicts, contradicts),
    ]
    found = score_judgements(trials)
    assert found["supersede.precision"] == 1 / 2
    assert (found["ask.coverage"], found["ask_or_supersede.coverage"]) == (1 / 4, 3 / 4)


def test_macro_f1_is_the_mean_over_all_verdicts() -> None:
    """One that is never met counts as none right."""
    trials = [trial(PairVerdict.DUPLICATE, PairVerdict.DUPLICATE), trial(PairVerdict.UPDATES, PairVerdict.UPDATES)]
    found = score_judgements(trials)
    assert found["macro_f1"] == pytest.approx(2 / 6, abs=1e-4)
    assert found["confusion"]["updates"]["updates"] == 1


def test_a_threshold_judges_by_the_first_cut_that_is_reached() -> None:
    """Document B takes the most alike for contradictions."""
    judged = [judge_by_cosine(cosine, DOCUMENT_B).verdict for cosine in (0.95, 0.88, 0.8, 0.1)]
    assert judged == [PairVerdict.CONTRADICTS, PairVerdict.DUPLICATE, PairVerdict.COEXISTS, PairVerdict.UNRELATED]
