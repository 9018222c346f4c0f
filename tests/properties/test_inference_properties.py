"""Whatever edges there are, in circles too: what is found is reached by a proof that holds, and is found once."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from yesteryear.core.relation import Basis, Edge, Relation
from yesteryear.core.scope import Scope
from yesteryear.relate.inference import (
    MOST_STEPS,
    End,
    Finding,
    GraphQuestion,
    find_path,
    infer,
    is_one,
    source_of,
    standing,
    target_of,
)

NAMES = st.sampled_from("abcdef")
WORDS = st.sampled_from(["", "", "knee", "running", "the knee"])
EDGES = st.lists(
    st.builds(
        lambda source, target, relation, one, other: Edge(
            *(Scope("ana"), source, target, relation, datetime(2026, 3, 2, tzinfo=UTC)),
            basis=Basis.TOLD,
            source_words=one,
            target_words=other,
        ),
        NAMES,
        NAMES,
        st.sampled_from(Relation),
        WORDS,
        WORDS,
    ),
    max_size=12,
).map(lambda edges: standing(edges, {name: name for name in "abcdef"}))
QUESTIONS = st.sampled_from([each for each in GraphQuestion if each not in (GraphQuestion.ALL, GraphQuestion.PATH)])


def hangs_together(start: list[End], found: Finding) -> bool:
    """Tell whether the edges of a proof follow on each other, from what was asked about to what was found."""
    here = start
    for edge in found.proof:
        ends = [source_of(edge), target_of(edge)]
        there = [ends[1 - place] for place in (0, 1) if any(is_one(ends[place], end) for end in here)]
        if not there:
            return False
        here = there
    return any(is_one(found.end, end) for end in here)


@given(edges=EDGES, question=QUESTIONS, name=NAMES, words=WORDS)
def test_whatever_is_found_is_proved(edges: list[Edge], question: GraphQuestion, name: str, words: str) -> None:
    """By at most so many edges, all of them known; nothing is found twice, nor what was asked about."""
    about = [End(name, words)]
    found = infer(question, edges, about)
    for each in found:
        assert 1 <= len(each.proof) <= MOST_STEPS
        assert set(each.proof) <= set(edges)
        assert hangs_together(about, each)
        assert not is_one(each.end, about[0])
    ends = [each.end for each in found]
    assert len(set(ends)) == len(ends)


@given(edges=EDGES, one=NAMES, other=NAMES)
def test_a_path_begins_where_it_was_asked_from(edges: list[Edge], one: str, other: str) -> None:
    """Or in neither; and it is as long."""
    there, back = (find_path(edges, [End(start, "")], [End(aim, "")]) for start, aim in ((one, other), (other, one)))
    if one != other:
        assert bool(there) is bool(back)
    for way, start in ((there, one), (back, other)):
        if way:
            assert is_one(way[0].end, End(start, ""))
            assert hangs_together([End(start, "")], way[-1])


@given(edges=EDGES)
def test_what_stands_names_no_relation_twice(edges: list[Edge]) -> None:
    """And doing it again changes nothing."""
    assert standing(edges, {name: name for name in "abcdef"}) == edges
    assert all(not edge.is_empty for edge in edges)


@given(edges=EDGES)
def test_what_was_dismissed_stays_so_where_facts_are_merged(edges: list[Edge]) -> None:
    """By the ids that it is shown by, whatever else says the same there."""
    for edge in edges[:3]:
        denied = replace(edge, basis=Basis.DISMISSED, confidence=0.1)
        merged = {name: "a" if name in (edge.source, "b") else name for name in "abcdef"}
        left = standing([*edges, denied], merged)
        gone = replace(edge, source=merged[edge.source], target=merged[edge.target]).id
        assert gone not in {each.id for each in left}
