"""What a series changes, and where a memory should have ended."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

import yesteryear
from tests.each import each
from yesteryear.errors import InputError
from yesteryear_lab.bench.fact_scores import Change, DialogRow, GoldFact, Told, judge_change, lost_facts, standing_facts
from yesteryear_lab.training.rows import read_as

AT = datetime(2025, 5, 14, tzinfo=UTC)
LIVE, GONE, MERGED = yesteryear.FactStatus.TENTATIVE, yesteryear.FactStatus.SUPERSEDED, yesteryear.FactStatus.MERGED
MOVE = (("lyon",), ("lisbon",))


def a_fact(statement: str, status: yesteryear.FactStatus = LIVE, *, into: str | None = None) -> Told:
    """Return a fact that is called by its statement and rests on the first message."""
    return Told(
        id=statement,
        statement=statement,
        kind="identity",
        status=status,
        is_current=status is LIVE,
        confidence=0.5,
        first_at=AT,
        canonical_id=into,
        superseded_by=None,
        places=frozenset({0}),
    )


OLD, NEW, BOTH = "Ana lives in Lyon", "Ana lives in Lisbon", "Ana left Lyon for Lisbon"


@each(
    ("verdict", "believed", "is_ok"),
    [
        ("updates", [a_fact(OLD, GONE), a_fact(NEW)], True),
        ("updates", [a_fact(NEW)], True),
        ("updates", [a_fact(OLD, GONE), a_fact(BOTH)], True),
        ("updates", [a_fact(OLD), a_fact(NEW)], False),
        ("updates", [a_fact(OLD, GONE), a_fact(NEW, GONE)], False),
        ("updates", [a_fact(OLD, GONE)], False),
        ("contradicts", [a_fact(OLD), a_fact(NEW)], False),
        ("contradicts", [a_fact(OLD, GONE), a_fact(NEW)], True),
        ("refines", [a_fact(OLD, MERGED, into=NEW), a_fact(NEW)], True),
        ("refines", [a_fact(OLD), a_fact(NEW)], True),
        ("refines", [a_fact(OLD, GONE), a_fact(NEW)], False),
        ("duplicate", [a_fact(NEW)], False),
        ("coexist", [a_fact(OLD), a_fact(NEW)], True),
        ("coexist", [a_fact(OLD, GONE), a_fact(NEW)], False),
    ],
)
def test_a_change_ends_as_marked_or_not(verdict: str, believed: list[Told], is_ok: bool) -> None:
    """What is told now must be current; whether what was before may be, the verdict says."""
    assert judge_change(Change(*MOVE, verdict), believed, [], later=[]) is is_ok


@each(("verdict", "is_ok"), [("contradicts", True), ("updates", False)])
def test_a_contradiction_may_also_become_a_question(verdict: str, is_ok: bool) -> None:
    """An update may not: there the order is known."""
    believed = [a_fact(OLD), a_fact(NEW)]
    assert judge_change(Change(*MOVE, verdict), believed, [(OLD, NEW)], later=[]) is is_ok


def test_what_a_later_change_overtook_need_not_be_current() -> None:
    """From Lyon to Lisbon, and on to Oslo."""
    believed = [a_fact(OLD, GONE), a_fact(NEW, GONE), a_fact("Ana lives in Oslo")]
    later = [Change(("lisbon",), ("oslo",), "updates")]
    assert judge_change(Change(*MOVE, "updates"), believed, [], later=later)
    assert not judge_change(Change(*MOVE, "updates"), believed, [], later=[])


def test_only_true_facts_that_nothing_changed_must_stand() -> None:
    """What was changed, and what was made up, may go."""
    gold = tuple(
        GoldFact("identity", (stem,), frozenset({0}), text) for text, stem in ((OLD, "lyon"), ("A dog", "dog"))
    )
    row = DialogRow("r1", (), gold)
    facts = [a_fact(OLD), a_fact("Ana has a dog"), a_fact("Ana likes rain")]
    standing = standing_facts([(row, facts)], [Change(*MOVE, "updates")])
    assert [fact.statement for fact in standing] == ["Ana has a dog"]


def test_what_was_merged_into_something_current_is_not_lost() -> None:
    """What was superseded, or merged into something that went, is."""
    believed = [
        a_fact("kept"),
        a_fact("merged", MERGED, into="other"),
        a_fact("other", MERGED, into="kept"),
        a_fact("gone", GONE),
        a_fact("merged into what went", MERGED, into="gone"),
    ]
    lost = lost_facts([*believed, a_fact("erased")], believed)
    assert [fact.statement for fact in lost] == ["gone", "merged into what went", "erased"]


@each(
    ("change", "complaint"),
    [
        ({"fact_before": ["a"], "fact_now": ["b"]}, "verdict"),
        ({"fact_before": 1, "fact_now": ["b"], "verdict": "updates"}, "fact_before"),
        ("updates", "Expected `object`"),
        ({"fact_before": ["a"], "fact_now": ["b"], "verdict": "better"}, "better"),
    ],
)
def test_a_change_of_another_shape_is_refused(change: object, complaint: str) -> None:
    """The message says what a change has."""
    with pytest.raises(InputError, match=complaint):
        read_as(Change, change, "here")
