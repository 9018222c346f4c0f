"""Edges between facts: of what was said to bear on each other, and of what fits though nobody said so. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from itertools import chain, product

from yesteryear.core.attributes import FactKind
from yesteryear.core.fact import Evidence, Fact, said_words
from yesteryear.core.language.invisible_text import seen
from yesteryear.core.language.names import NameBook
from yesteryear.core.language.sentences import sentence_spans
from yesteryear.core.language.tokens import fold, stem, stems
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.relation import Basis, Edge, Relation, RelationDraft
from yesteryear.core.scope import Scope

_EN = vocabulary("relations")
_COMMON = frozenset(map(stem, vocabulary("relations").words("common")))
_SAME_WORDS = 0.5  # least share of the words of an end that a fact has, where it tells of it
_HABITS = frozenset({FactKind.PREFERENCE, FactKind.WORK_PATTERN, FactKind.IDENTITY, FactKind.BELIEF})
"""Kinds of what somebody does again and again."""
_BEARING = frozenset({Relation.BLOCKS, Relation.DEPENDS_ON})
"""Relations after which both ends stand: an obstacle does not end what it is in the way of, nor help it."""
_REACHING = frozenset({Relation.BLOCKS, Relation.ENABLES, Relation.PART_OF, Relation.DEPENDS_ON})
"""Relations of something to a goal; of the last the goal is the source."""
_SAME_GOAL = 0.6
"""How sure we are, in [0, 1], that a goal is meant which shares the words of an end. Source: chosen below what is told,
as the next two are."""
_SAME_TIME = 0.5  # how sure, in [0, 1], that two things at one time of one day are in each other's way
_GIVEN_UP = 0.6  # how sure, in [0, 1], that what somebody wants to give up and does is against the goal


def told_edges(
    drafts: Iterable[RelationDraft],
    told: Sequence[Evidence],
    facts: Iterable[Fact],
    scopes: Mapping[str, Scope],
    *,
    now: datetime,
) -> list[Edge]:
    """Return an edge for each relation that was said, between the facts that the words of its ends told.

    An end that told no fact is one of the words of the other's. What told none at either end is none. ``told`` is what
    the messages of the drafts say for facts, with quotes; ``scopes`` tells by the id of a message where it was said,
    for its words are seen there and nowhere else.
    """
    known = {fact.id: fact for fact in facts}
    found: dict[str, Edge] = {}
    for draft in drafts:
        near = [row for row in told if row.message_id == draft.message_id and row.fact_id in known]
        for texts in ([row.quote for row in near], [_words(known[row.fact_id]) for row in near]):
            told_in = list(zip(near, texts, strict=True))
            source, target = (_telling(words, told_in) for words in (draft.source, draft.target))
            if source or target:  # what was quoted counts first; a statement also holds what was said beside it
                break
        one, other = source or target, target or source
        if one is None or other is None:
            continue
        edge = Edge(
            scope=scopes[draft.message_id],
            source=one.fact_id,
            target=other.fact_id,
            relation=draft.relation,
            recorded_at=now,
            basis=Basis.TOLD,
            source_words=seen(draft.source),
            target_words=seen(draft.target),
            quote=seen(draft.quote),
            message_id=draft.message_id,
            confidence=draft.confidence,
        )
        if not edge.is_empty:
            found.setdefault(edge.id, edge)
    return list(found.values())


def _telling(words: str, told: Iterable[tuple[Evidence, str]]) -> Evidence | None:
    """Return what tells a fact in the words of an end; of several what has most of them, and few others."""
    sought = set(stems(words))
    fitting = [
        (shared, -len(text), row.fact_id, row)
        for row, text in told
        if (shared := len(sought.intersection(stems(text)))) and shared >= _SAME_WORDS * len(sought)
    ]
    return max(fitting, key=lambda each: each[:3])[-1] if fitting else None


def dismissed_again(dismissed: Iterable[Edge], before: Iterable[Evidence], told: Sequence[Evidence]) -> list[Edge]:
    """Return what was dismissed of facts ``before``, as dismissed of those that the same words have ``told`` now."""
    same: dict[str, dict[str, None]] = {}
    for old, row in product(before, told):
        is_same = old.message_id == row.message_id and bool(old.quote and row.quote)
        if is_same and (old.quote in row.quote or row.quote in old.quote):
            same.setdefault(old.fact_id, {old.fact_id: None})[row.fact_id] = None
    return [
        replace(edge, source=source, target=target)
        for edge in dismissed
        for source, target in product(same.get(edge.source, (edge.source,)), same.get(edge.target, (edge.target,)))
        if (source, target) != (edge.source, edge.target)
    ]


def beside_each_other(edges: Iterable[Edge], facts: Mapping[str, Fact]) -> Callable[[str, str], bool]:
    """Return what tells whether one of two facts is told to bear on the other, so that neither ends the other.

    What stands in the way of something or is needed for it leaves it standing, and so does what says so in
    its own words of what a goal names: "We can't move until the flat is sold" is no end of "I want to move". But
    where they say that it is off, it is.
    """
    joined: set[frozenset[str]] = set()
    within: dict[str, set[str]] = {}
    for edge in edges:
        if edge.basis is Basis.TOLD and edge.relation in _BEARING and not _EN["called_off_words"].search(edge.quote):
            if edge.source == edge.target:
                reached = edge.source_words if edge.relation is Relation.DEPENDS_ON else edge.target_words
                within.setdefault(edge.source, set()).update(_word_stems(reached))
            else:
                joined.add(frozenset((edge.source, edge.target)))

    def reaches(name: str, goal: Fact) -> bool:
        is_goal = goal.is_loop and goal.kind is not FactKind.BLOCKER
        return name in within and is_goal and not within[name].isdisjoint(_stems(goal))

    def is_beside(one: str, other: str) -> bool:
        return frozenset((one, other)) in joined or reaches(one, facts[other]) or reaches(other, facts[one])

    return is_beside


def inferred_edges(new: Iterable[Fact], facts: Sequence[Fact], edges: Sequence[Edge], *, now: datetime) -> list[Edge]:
    """Return the edges that some facts give rise to together with all others, though nobody said so.

    What blocks, helps, is a part of or needed for something in somebody's words does so to the goal that has these
    words; two things at one time of one day conflict; what somebody does conflicts with their goal to give it up. The
    order in which the facts were told does not matter. ``facts`` are all that are believed of one owner, the new ones
    too, ``edges`` all that are known.
    """
    live, fresh = [fact for fact in facts if fact.is_live], {fact.id for fact in new}
    within = [edge for edge in edges if edge.basis is Basis.TOLD and edge.source == edge.target]
    candidates = chain(_to_goals(live, fresh, within), _at_one_time(live, fresh), _given_up(live))
    found = (edge for edge in candidates if not fresh.isdisjoint((edge.source, edge.target)))
    return [replace(edge, recorded_at=now) for edge in {edge.id: edge for edge in found}.values()]


def _to_goals(facts: Sequence[Fact], fresh: AbstractSet[str], within: Sequence[Edge]) -> Iterator[Edge]:
    """Yield what a fact tells to bear on something within itself, as bearing on the goals that name this."""
    known = {fact.id: fact for fact in facts}
    reaching = [edge for edge in within if edge.relation in _REACHING and edge.source in known]
    is_told_now = any(edge.source in fresh for edge in reaching)
    open_loops = [fact for fact in facts if _is_goal(fact)] if reaching else []
    in_the_way = {
        edge.source: _word_stems(edge.source_words) - _word_stems(edge.target_words)
        for edge in reaching
        if edge.relation is Relation.BLOCKS
    }
    goals = [
        (goal, _stems(goal) - _COMMON - in_the_way.get(goal.id, frozenset()))
        for goal in open_loops
        if is_told_now or goal.id in fresh
    ]
    for edge, (goal, named) in product(reaching, goals):
        if fresh.isdisjoint((edge.source, goal.id)):
            continue
        is_source, fact = edge.relation is Relation.DEPENDS_ON, known[edge.source]
        words = _word_stems(edge.source_words if is_source else edge.target_words) - _COMMON
        is_of_itself = bool(edge.quote) and edge.quote in goal.statement
        shared = frozenset() if is_of_itself else words & named
        if shared and len(shared) >= _SAME_WORDS * len(words) and _may_meet(fact, goal):
            one, other = (goal, fact) if is_source else (fact, goal)
            made = _inferred(one, other, edge.relation, _SAME_GOAL, f"both name {', '.join(sorted(shared))}")
            kept = edge.target_words if is_source else edge.source_words
            scope = edge.scope if edge.scope.project or edge.scope.agent else made.scope
            made = replace(made, scope=scope, message_id=edge.message_id)  # whose words these are
            yield replace(made, target_words=kept) if is_source else replace(made, source_words=kept)


def _is_goal(fact: Fact) -> bool:
    """Tell whether a fact is one thing to be reached; a passage of several sentences names too much to be one."""
    is_one = len(list(sentence_spans(said_words(fact.statement, fact.form).words))) == 1
    return fact.is_loop and fact.kind is not FactKind.BLOCKER and fact.resolved_at is None and is_one


def _at_one_time(facts: Sequence[Fact], fresh: AbstractSet[str]) -> Iterator[Edge]:
    """Yield a conflict of two things of the person's own that are at one time of one day of the week."""
    new = [(fact, times) for fact in facts if fact.id in fresh and not fact.holder and (times := _times(fact))]
    others = [(fact, _times(fact)) for fact in facts if not fact.holder] if new else []
    for (fact, times), (other, also) in product(new, others):
        if times & also and _may_meet(fact, other):
            earlier, later = sorted((fact, other), key=lambda each: (each.first_observed, each.id))
            why = f"both are on {', '.join(sorted(times & also))}"
            yield _inferred(earlier, later, Relation.CONFLICTS_WITH, _SAME_TIME, why)


def _given_up(facts: Sequence[Fact]) -> Iterator[Edge]:
    """Yield a conflict of what somebody does and a goal of theirs to give it up."""
    for goal in facts:
        aim = _EN["gives_up"].search(_words(goal)) if goal.kind is FactKind.GOAL and goal.is_open else None
        what = aim["what"] if aim else ""
        thing = set(stems(what))
        for fact in facts if thing else ():
            does = fact.kind in _HABITS and not fact.is_negative and not fact.is_loop and thing <= _stems(fact)
            if does and _may_meet(fact, goal) and not _EN["gives_up"].search(_words(fact)):
                yield _inferred(fact, goal, Relation.CONFLICTS_WITH, _GIVEN_UP, f"the goal is to give up {what}")


def _may_meet(fact: Fact, other: Fact) -> bool:
    """Tell whether two facts are of one person, and seen together."""
    projects = (fact.scope.project, other.scope.project)
    is_of_one = fact.subject == other.subject and fact.holder.casefold() == other.holder.casefold()
    return fact.id != other.id and is_of_one and (None in projects or projects[0] == projects[1])


def _inferred(source: Fact, target: Fact, relation: Relation, confidence: float, why: str) -> Edge:
    scope = source.scope if source.scope.project is not None else target.scope
    known_at, basis = target.recorded_at, Basis.INFERRED
    return Edge(scope, source.id, target.id, relation, known_at, why, basis=basis, confidence=confidence)


def _times(fact: Fact) -> frozenset[str]:
    """Return the times of a day of the week at which something is, such as "tuesday evening"."""
    found = _EN["day_and_time"].finditer(_words(fact))
    return frozenset(f"{each['day'].removesuffix('s')} {each['part'].removesuffix('s')}" for each in found)


def _words(fact: Fact) -> str:
    return fold(said_words(fact.statement, fact.form).words)


@lru_cache(maxsize=4096)
def _word_stems(words: str) -> frozenset[str]:
    return frozenset(stems(words))


def _stems(fact: Fact) -> set[str]:
    return set(stems(NameBook.of([fact.subject]).strip(_words(fact))))
