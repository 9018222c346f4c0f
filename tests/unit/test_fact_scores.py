"""How statements about annotated dialogs are scored."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from yesteryear.errors import InputError
from yesteryear_lab.bench.fact_scores import (
    BINS,
    DialogRow,
    Found,
    score_decisions,
    score_statements,
    tells,
)
from yesteryear_lab.training.rows import read_as

ROW = {
    "id": "d1",
    "author": "Imani",
    "messages": [
        {"role": "user", "content": "my knee swells and I run alone", "at": "2025-01-12T19:42:32+03:00"},
        {"role": "assistant", "content": "I see.", "at": "2025-01-12T19:42:36+03:00"},
        {"role": "user", "content": "no full marathon, that's decided", "at": "2025-01-12T19:43:36+03:00"},
    ],
    "facts": [
        {"kind": "blocker", "statement": "Imani's knee swells", "all_of": ["knee"], "evidence": [0]},
        {"kind": "preference", "statement": "Imani runs alone", "all_of": ["alone|by herself", "run"], "evidence": [0]},
        {"kind": "decision", "statement": "No full marathon", "all_of": ["full", "not|no "], "evidence": [2]},
    ],
    "not_facts": [["200"], ["new husband"]],
    "decisions": [["full", "no"]],
    "user_state": "planning",
    "emotion": "anxiety",
}


def read_dialog(row: dict[str, object]) -> DialogRow:
    """Return an annotated dialog as a file has it."""
    return read_as(DialogRow, row, str(row["id"]))


def found(statement: str, *messages: int, kind: str = "", confidence: float = 1.0) -> Found:
    """Return a statement that rests on some messages."""
    return Found(statement, frozenset(messages), kind, confidence)


@each(
    ("statement", "stems", "is_told"),
    [
        ("Imani RUNS by herself", ("alone|by herself", "run"), True),
        ("Imani runs", ("alone|by herself", "run"), False),
        ("Imani runs alone", ("ALONE", "Run"), True),
        ("", ("run",), False),
    ],
)
def test_a_statement_tells_what_it_holds_all_stems_of(statement: str, stems: tuple[str, ...], is_told: bool) -> None:
    """In lower case; of alternatives one is enough."""
    assert tells(statement, stems) is is_told


def test_each_figure_says_what_it_says() -> None:
    """Two facts in one statement are both found, but it is one match; scenes rest on nothing."""
    made = [
        found("Imani's knee swells, so Imani runs alone", 0, kind="preference", confidence=0.95),
        found("Imani wants a new husband", 1, kind="goal", confidence=0.65),
    ]
    scores = score_statements([read_dialog(ROW)], [made])
    assert (scores["facts"], scores["statements"]) == (3, 2)
    assert scores["recall"] == pytest.approx(2 / 3)
    assert scores["precision"] == scores["precision_by_evidence"] == 0.5
    assert scores["one_to_one_f1"] == pytest.approx(2 / 5)
    assert scores["forbidden"] == 0.5
    assert scores["words"] == pytest.approx(6)
    assert scores["kind_accuracy"] == 1.0
    assert [(one["statements"], one["right"]) for one in scores["calibration"] if one["statements"]] == [
        (1, 0.0),
        (1, 1.0),
    ]


def test_matches_are_as_many_as_can_be() -> None:
    """A statement that tells two facts leaves the one that another statement needs."""
    made = [found("knee and alone on the run", 0), found("knee", 0)]
    scores = score_statements([read_dialog(ROW)], [made])
    assert scores["one_to_one_f1"] == pytest.approx(2 * 2 / (3 + 2))


def test_a_decision_is_told_by_its_stems_or_rests_on_its_message() -> None:
    """What is told of other messages is wrong."""
    told = [found("no full marathon", 2), found("that's decided", 2), found("she stops", 0)]
    scores = score_decisions([read_dialog(ROW)], [told])
    assert scores["decision_recall"] == 1.0
    assert scores["decision_precision"] == pytest.approx(1 / 3)
    assert scores["decision_precision_by_evidence"] == pytest.approx(2 / 3)


def test_nothing_said_about_nothing_is_no_error() -> None:
    """Shares of nothing are 0."""
    scores = score_statements([], [])
    assert (scores["recall"], scores["precision"], scores["f1"], scores["words"]) == (0.0, 0.0, 0.0, 0.0)
    assert score_decisions([], [])["decision_precision"] == 0.0


@each("change", [{"facts": [{}]}, {"messages": [{"role": "king"}]}, {"messages": 7}])
def test_a_row_of_another_shape_is_named(change: dict[str, object]) -> None:
    """Whoever labels by hand wants to know where to look."""
    with pytest.raises(InputError, match="d1"):
        read_dialog({**ROW, **change})


STATEMENTS = st.lists(
    st.builds(
        Found,
        st.sampled_from(["knee", "run alone", "full, not half", "200 km", "something else", ""]),
        st.frozensets(st.integers(0, 2), max_size=2),
        st.sampled_from(["blocker", "decision", ""]),
        st.floats(0, 1),
    ),
    max_size=6,
)


@given(STATEMENTS)
def test_shares_are_shares(made: list[Found]) -> None:
    """Whatever was said; and every statement lies in one bin."""
    row: DialogRow = read_dialog(ROW)
    scores = score_statements([row], [made])
    shares = [
        *(scores["recall"], scores["precision"], scores["precision_by_evidence"], scores["f1"]),
        *(scores["one_to_one_f1"], scores["forbidden"], scores["kind_accuracy"]),
    ]
    assert all(0 <= share <= 1 for share in shares)
    assert scores["one_to_one_f1"] <= 1
    assert sum(one["statements"] for one in scores["calibration"]) == len(made)
    assert [one["lower"] for one in scores["calibration"]] == list(BINS[:-1])


@given(STATEMENTS, STATEMENTS)
def test_more_statements_find_no_less(made: list[Found], more: list[Found]) -> None:
    """Recall and what is forbidden can only grow."""
    row = read_dialog(ROW)
    less, all_ = score_statements([row], [made]), score_statements([row], [[*made, *more]])
    assert all_["recall"] >= less["recall"]
    assert all_["forbidden"] >= less["forbidden"]
