"""What follows from edges: what blocks a goal, what helps it, what conflicts, why something is so. Pure.

Everything that is found comes with its proof: the edges that lead there, each with the words that say it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from yesteryear.core.language.tokens import stems
from yesteryear.core.relation import MUTUAL, Edge, Relation


class GraphQuestion(StrEnum):
    """What can be asked of a graph."""

    ALL = "all"  # what bears on what
    BLOCKING = "blocking"  # what stands in the way of it
    SUPPORTING = "supporting"  # what makes it possible, helps it, or is a part of it
    CONFLICTS = "conflicts"  # what it cannot go together with
    CAUSES = "causes"  # what it came of
    RELATED = "related"  # what has to do with it
    PATH = "path"  # how two things hang together


@dataclass(frozen=True, slots=True)
class InferencePolicy:
    """How far is walked from what is asked about."""

    most_steps: int = 4
    """Edges of the longest proof, at least 1. Source: chosen; what hangs together by more is far-fetched."""
    same_words: float = 0.6
    """Least share in [0, 1] of the words of the shorter of two ends that the other has, where they are one thing."""


class End(NamedTuple):
    """One end of an edge: a fact, or a thing that its words name."""

    fact: str
    words: str  # empty for the whole of the fact


class Finding(NamedTuple):
    """One thing that answers a question."""

    end: End
    proof: tuple[Edge, ...]
    """The edges from what was asked about to it, in this order; at least one."""


def source_of(edge: Edge) -> End:
    """Return the end that an edge comes from."""
    return End(edge.source, edge.source_words)


def target_of(edge: Edge) -> End:
    """Return the end that an edge goes to."""
    return End(edge.target, edge.target_words)


_POLICY = InferencePolicy()
IsOne = Callable[[End, End], bool]
_Step = tuple[Relation, Callable[[Edge], End], bool]
"""A relation, the end of it that is stood on, and whether what lies at the other answers, or is only gone by."""
_BY_SOURCE, _BY_TARGET = source_of, target_of
_STEPS: Mapping[GraphQuestion, tuple[_Step, ...]] = {
    GraphQuestion.BLOCKING: (
        (Relation.BLOCKS, _BY_TARGET, True),
        (Relation.CONFLICTS_WITH, _BY_SOURCE, True),
        (Relation.CONFLICTS_WITH, _BY_TARGET, True),
        (Relation.CAUSED_BY, _BY_SOURCE, True),
        (Relation.DEPENDS_ON, _BY_SOURCE, False),
        (Relation.PART_OF, _BY_TARGET, False),
    ),
    GraphQuestion.SUPPORTING: (
        (Relation.ENABLES, _BY_TARGET, True),
        (Relation.PART_OF, _BY_TARGET, True),
        (Relation.DEPENDS_ON, _BY_SOURCE, False),
    ),
    GraphQuestion.CONFLICTS: (
        (Relation.CONFLICTS_WITH, _BY_SOURCE, True),
        (Relation.CONFLICTS_WITH, _BY_TARGET, True),
    ),
    GraphQuestion.CAUSES: (
        (Relation.CAUSED_BY, _BY_SOURCE, True),
        (Relation.BLOCKS, _BY_TARGET, True),
        (Relation.ENABLES, _BY_TARGET, True),
    ),
    GraphQuestion.RELATED: tuple((relation, end, True) for relation in Relation for end in (_BY_SOURCE, _BY_TARGET)),
}
"""From where to where each question goes, a step at a time."""


def infer(
    question: GraphQuestion,
    edges: Sequence[Edge],
    about: Sequence[End],
    policy: InferencePolicy = _POLICY,
    *,
    is_one: IsOne | None = None,
) -> list[Finding]:
    """Return what answers a question about some things, the nearest first; each thing once, by its shortest proof.

    Args:
        question: Any but ALL and PATH.
        edges: Those that stand now, in an order that does not change. They may run in circles.
        about: What is asked about; for CONFLICTS nothing, where all conflicts are asked for.
        policy: How far is walked.
        is_one: Tells whether two ends are one thing; by their words where not given.
    """
    if question is GraphQuestion.CONFLICTS and not about:
        conflicts = [edge for edge in edges if edge.relation is Relation.CONFLICTS_WITH]
        return [Finding(end, (edge,)) for edge in conflicts for end in (source_of(edge), target_of(edge))]
    most = 1 if question is GraphQuestion.RELATED else policy.most_steps
    found = [found for found, answers in _walk(_STEPS[question], edges, about, most, is_one or _is_one) if answers]
    if found or question is not GraphQuestion.BLOCKING:
        return found
    # Nothing is known to stand in its way: what it still needs does.
    needs = ((Relation.DEPENDS_ON, source_of, True),)
    return [found for found, _ in _walk(needs, edges, about, 1, is_one or _is_one)]


def find_path(
    edges: Sequence[Edge],
    one: Sequence[End],
    other: Sequence[End],
    policy: InferencePolicy = _POLICY,
    *,
    is_one: IsOne | None = None,
) -> list[Finding]:
    """Return what lies on the shortest way from one thing to another, both ends too; nothing where there is none."""
    same = is_one or _is_one
    for found, _ in _walk(_STEPS[GraphQuestion.RELATED], edges, one, policy.most_steps, same):
        if any(same(found.end, aim) for aim in other):
            return list(_along(found.proof, one, same))
    return []


def _along(proof: Sequence[Edge], one: Sequence[End], is_one: IsOne) -> Iterator[Finding]:
    here = next(end for end in (source_of(proof[0]), target_of(proof[0])) if any(is_one(end, at) for at in one))
    yield Finding(here, tuple(proof))
    for edge in proof:
        here = target_of(edge) if is_one(source_of(edge), here) else source_of(edge)
        yield Finding(here, tuple(proof))


def _walk(
    steps: Sequence[_Step], edges: Sequence[Edge], about: Sequence[End], most: int, is_one: IsOne
) -> Iterator[tuple[Finding, bool]]:
    """Yield what can be reached, the nearest first, each thing once, and whether it answers or is only gone by."""
    near: deque[tuple[End, tuple[Edge, ...]]] = deque((end, ()) for end in about)
    seen = list(about)
    while near:
        end, proof = near.popleft()
        for edge, (relation, here, answers) in product(edges, steps):
            if edge.relation is not relation or not is_one(here(edge), end):
                continue
            other = (target_of if here is source_of else source_of)(edge)
            if any(is_one(other, known) for known in seen):
                continue
            seen.append(other)
            yield Finding(other, (*proof, edge)), answers
            if len(proof) + 1 < most:
                near.append((other, (*proof, edge)))


def is_one(one: End, other: End, policy: InferencePolicy = _POLICY) -> bool:
    """Tell whether two ends are one thing: the same fact or a part of it, or named by the same words."""
    if one.fact == other.fact and not (one.words and other.words):
        return True
    shared = _stems(one.words) & _stems(other.words)
    least = min(len(_stems(one.words)), len(_stems(other.words)))
    return least > 0 and len(shared) >= policy.same_words * least


_is_one = is_one


@lru_cache(maxsize=4096)
def _stems(words: str) -> frozenset[str]:
    return frozenset(stems(words))


def standing(edges: Iterable[Edge], roots: Mapping[str, str]) -> list[Edge]:
    """Return edges between the facts that stand for theirs, each relation of two things once, the surest of several.

    Args:
        edges: As they are kept.
        roots: By the id of each fact that counts the id of the one that stands for it; edges of others are left out.
    """
    found: dict[tuple[Relation, End, End], Edge] = {}
    for edge in edges:
        if edge.source in roots and edge.target in roots:
            moved = replace(edge, source=roots[edge.source], target=roots[edge.target])
            ends = source_of(moved), target_of(moved)
            key = (moved.relation, *(sorted(ends) if moved.relation in MUTUAL else ends))
            if not moved.is_empty and (key not in found or found[key].confidence < moved.confidence):
                found[key] = moved
    return list(found.values())
