"""What follows from edges: what blocks a goal, what helps it, what conflicts, why something is so. Pure.

Asked in a call, or in plain words: "what's keeping me from the marathon?"
Everything that is found comes with its proof: the edges that lead there, each with the words that say it.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from functools import cache, lru_cache
from typing import NamedTuple

from yesteryear.core.language.tokens import stems
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.relation import MUTUAL, Basis, Edge, Relation


class GraphQuestion(StrEnum):
    """What can be asked of a graph."""

    ALL = "all"  # what bears on what
    BLOCKING = "blocking"  # what stands in the way of it
    SUPPORTING = "supporting"  # what makes it possible, helps it, or is a part of it
    CONFLICTS = "conflicts"  # what it cannot go together with
    CAUSES = "causes"  # what it came of
    RELATED = "related"  # what has to do with it
    PATH = "path"  # how two things hang together


MOST_STEPS = 4  # edges of the longest proof. Source: chosen; what hangs together by more is far-fetched
_SAME_WORDS = 0.6
"""Least share in [0, 1] of the words of the shorter of two ends that the other has, where they are one thing."""


class End(NamedTuple):
    """One end of an edge: a fact, or a thing that its words name."""

    fact: str
    words: str  # empty for the whole of the fact


class Finding(NamedTuple):
    """One thing that answers a question."""

    end: End
    proof: tuple[Edge, ...]  # the edges from what was asked about to it, in this order; at least one


def source_of(edge: Edge) -> End:
    """Return the end that an edge comes from."""
    return End(edge.source, edge.source_words)


def target_of(edge: Edge) -> End:
    """Return the end that an edge goes to."""
    return End(edge.target, edge.target_words)


IsLike = Callable[[End, End], bool]  # tells of two ends that share no words whether they are one thing
_Step = tuple[Relation, Callable[[Edge], End], bool]
"""A relation, the end of it that is stood on, and whether what lies at the other answers, or is only gone by."""
_STEPS: Mapping[GraphQuestion, tuple[_Step, ...]] = {
    GraphQuestion.BLOCKING: (
        (Relation.BLOCKS, target_of, True),
        (Relation.CONFLICTS_WITH, source_of, True),
        (Relation.CONFLICTS_WITH, target_of, True),
        (Relation.CAUSED_BY, source_of, True),
        (Relation.DEPENDS_ON, source_of, True),
        (Relation.PART_OF, target_of, False),
    ),
    GraphQuestion.SUPPORTING: (
        (Relation.ENABLES, target_of, True),
        (Relation.PART_OF, target_of, True),
        (Relation.DEPENDS_ON, source_of, True),
    ),
    GraphQuestion.CONFLICTS: tuple((Relation.CONFLICTS_WITH, end, True) for end in (source_of, target_of)),
    GraphQuestion.CAUSES: (
        (Relation.CAUSED_BY, source_of, True),
        (Relation.BLOCKS, target_of, True),
        (Relation.ENABLES, target_of, True),
    ),
    GraphQuestion.RELATED: tuple((relation, end, True) for relation in Relation for end in (source_of, target_of)),
}
"""From where to where each question goes, a step at a time."""


def infer(
    question: GraphQuestion, edges: Sequence[Edge], about: Sequence[End], *, is_like: IsLike | None = None
) -> list[Finding]:
    """Return what answers a question about some things, the nearest first; each thing once, by its shortest proof.

    Args:
        question: Any but ALL and PATH.
        edges: Those that stand now, in an order that does not change. They may run in circles.
        about: What is asked about; for CONFLICTS nothing, where all conflicts are asked for.
        is_like: Tells of two ends that share no words whether they are one thing.
    """
    if question is GraphQuestion.CONFLICTS and not about:
        conflicts = [edge for edge in edges if edge.relation is Relation.CONFLICTS_WITH]
        return [Finding(end, (edge,)) for edge in conflicts for end in (source_of(edge), target_of(edge))]
    walk = _Walk(edges, is_like)
    most = 1 if question is GraphQuestion.RELATED else MOST_STEPS
    return [found for found, answers in walk.onward(_STEPS[question], about, most) if answers]


def find_path(
    edges: Sequence[Edge], one: Sequence[End], other: Sequence[End], *, is_like: IsLike | None = None
) -> list[Finding]:
    """Return what lies on the shortest way from one thing to another, both ends too; nothing where there is none."""
    walk = _Walk(edges, is_like)
    aims = {end for aim in other for end in walk.alike(aim)}
    for found, _ in walk.onward(_STEPS[GraphQuestion.RELATED], one, MOST_STEPS):
        if found.end in aims:
            start = {end for at in one for end in walk.alike(at)}
            return [Finding(end, found.proof) for end in walk.along(found.proof, start)]
    return []


def asked_about(question: GraphQuestion, edges: Iterable[Edge]) -> list[End]:
    """Return the ends of edges that a question can be about, each once: from which one of its steps leads on."""
    steps = _STEPS.get(question, _STEPS[GraphQuestion.RELATED])
    ends = (here(edge) for edge in edges for relation, here, _ in steps if edge.relation is relation)
    return list(dict.fromkeys(ends))


class _Walk:
    """Goes along edges from end to end, where ends that are one thing are one place."""

    def __init__(self, edges: Sequence[Edge], is_like: IsLike | None) -> None:
        self._is_like = is_like
        self._at: dict[End, list[tuple[int, Edge]]] = defaultdict(list)
        for place, edge in enumerate(edges):
            for end in {source_of(edge), target_of(edge)}:
                self._at[end].append((place, edge))
        self._near: dict[str, list[End]] = defaultdict(list)
        for end in self._at:
            for name in (end.fact, *_stems(end.words)):
                self._near[name].append(end)
        self._alike: dict[End, tuple[End, ...]] = {}

    def alike(self, end: End) -> tuple[End, ...]:
        """Return the ends of edges that are one thing with an end, itself too where it is one."""
        if end not in self._alike:
            names = (end.fact, *_stems(end.words))
            near = dict.fromkeys(each for name in names for each in self._near.get(name, ()))
            found = [each for each in near if is_one(each, end)]
            if self._is_like is not None:
                found += [each for each in self._at if each not in found and self._is_like(each, end)]
            self._alike[end] = tuple(found)
        return self._alike[end]

    def onward(self, steps: Sequence[_Step], about: Sequence[End], most: int) -> Iterator[tuple[Finding, bool]]:
        """Yield what can be reached, the nearest first, each thing once, and whether it answers or is only gone by."""
        near: deque[tuple[End, tuple[Edge, ...]]] = deque((end, ()) for end in about)
        seen = {each for end in about for each in (end, *self.alike(end))}
        while near:
            end, proof = near.popleft()
            for edge, other, answers in self._steps(steps, end):
                is_guess = edge.basis is Basis.INFERRED and any(each.basis is Basis.INFERRED for each in proof)
                if other in seen or is_guess:  # of two guesses in a row comes nothing that is worth telling
                    continue
                seen.update((other, *self.alike(other)))
                yield Finding(other, (*proof, edge)), answers
                if len(proof) + 1 < most:
                    near.append((other, (*proof, edge)))

    def along(self, proof: Sequence[Edge], start: Collection[End]) -> Iterator[End]:
        """Yield the ends that lie on a way which begins at one of some ends, in its order."""
        here = source_of(proof[0]) if source_of(proof[0]) in start else target_of(proof[0])
        yield here
        for edge in proof:
            here = target_of(edge) if source_of(edge) in self.alike(here) else source_of(edge)
            yield here

    def _steps(self, steps: Sequence[_Step], end: End) -> Iterator[tuple[Edge, End, bool]]:
        """Yield the edges that lead on from an end by one of some steps, in their order."""
        here = sorted((place, each, edge) for each in self.alike(end) for place, edge in self._at[each])
        for _, each, edge in here:
            for relation, stood_on, answers in steps:
                if edge.relation is relation and stood_on(edge) == each:
                    yield edge, (target_of if stood_on is source_of else source_of)(edge), answers


def is_one(one: End, other: End) -> bool:
    """Tell whether two ends are one thing: the same fact or a part of it, or named by the same words."""
    if one.fact == other.fact and not (one.words and other.words):
        return True
    words, others = _stems(one.words), _stems(other.words)
    least = min(len(words), len(others))
    return least > 0 and len(words & others) >= _SAME_WORDS * least


@lru_cache(maxsize=4096)
def _stems(words: str) -> frozenset[str]:
    return frozenset(stems(words)) if words else frozenset()


def standing(edges: Iterable[Edge], roots: Mapping[str, str]) -> list[Edge]:
    """Return edges between the facts that stand for theirs, each relation of two things once, the surest of several.

    What was dismissed of two facts stays so once both are merged into others, whatever else tells it there. ``roots``
    has by the id of each fact that counts that of the one that stands for it; edges of others are left out.
    """
    found: dict[tuple[Relation, End, End], Edge] = {}
    dismissed: set[str] = set()
    for edge in edges:
        if edge.source in roots and edge.target in roots:
            ends = (roots[edge.source], roots[edge.target])
            is_own = ends == (edge.source, edge.target)
            moved = edge if is_own else replace(edge, source=ends[0], target=ends[1])
            places = source_of(moved), target_of(moved)
            key = (moved.relation, *(sorted(places) if moved.relation in MUTUAL else places))
            if moved.basis is Basis.DISMISSED:
                dismissed.add(moved.id)
            elif not moved.is_empty and (key not in found or found[key].confidence < moved.confidence):
                found[key] = moved
    return [edge for edge in found.values() if edge.id not in dismissed]


MOST_ASKED_CHARS = 300  # longest message that may be such a question, in characters


class AskedRelation(NamedTuple):
    """What is asked, in the words of who asks."""

    question: GraphQuestion
    of: str  # empty for all conflicts
    to: str  # of a path, where it leads; else empty


@cache
def _rows() -> tuple[tuple[GraphQuestion, re.Pattern[str]], ...]:
    rows = vocabulary("relations").rows("asked")
    return tuple((GraphQuestion(row["question"]), re.compile(row["pattern"], re.IGNORECASE)) for row in rows)


def asked_relation(text: str) -> AskedRelation | None:
    """Return what a message asks of how things bear on each other; None where it asks no such thing."""
    said = text.strip()
    if len(said) > MOST_ASKED_CHARS or "?" not in said:
        return None
    for question, pattern in _rows():
        found = pattern.search(said)
        if found:
            named = found.groupdict()
            of, to = ((named.get(name) or "").strip(" ?.,!") for name in ("of", "to"))
            if (of or question is GraphQuestion.CONFLICTS) and (to or question is not GraphQuestion.PATH):
                return AskedRelation(question, of, to)
    return None
