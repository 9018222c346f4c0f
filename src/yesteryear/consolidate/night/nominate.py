"""Which pairs of facts are worth judging. Likeness only nominates: it cannot tell a contradiction from a paraphrase."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
import numpy.typing as npt

from yesteryear.consolidate.belief.caution import bearing
from yesteryear.core.attributes import Cardinality, has_one_value
from yesteryear.core.fact import Fact, FactStatus, words_of
from yesteryear.core.language.tokens import bare_words
from yesteryear.core.language.told.endings import change_of_tasks, ending, read_ending_signs
from yesteryear.core.language.told.safety_and_identity import Bearing, disagree
from yesteryear.core.people import People, is_link
from yesteryear.core.vectors import EmbedderProfile, Matrix

_ROWS_AT_ONCE = 256
_AT_ODDS = 1.5
"""Likeness of facts of which one denies the other on a matter of safety or identity: more than any cosine, less than
that of one slot."""
_ENDS = 0.3
"""Added to the likeness of facts of which the later tells in so many words what ends the earlier, so that they come
before others as alike."""
_NAMED = 4.0
"""Likeness of facts of which the later tells by its name that what the earlier tells to be done is done, off or moved:
more than any other, as no judge has to guess then."""
_SAME_SLOT = 2.0
"""Likeness of facts that fill the same slot, more than any cosine, so that they come first; of many those that were
told one after the other, as each may have taken the place of the one before."""


@dataclass(frozen=True, slots=True)
class NominatePolicy:
    """How many pairs are judged."""

    most_per_fact: int = 6
    """Facts told before it that one is compared with at most, at least 1. With 500 facts that is 3,000 pairs at the
    utmost, each judged once for good."""
    nearness: float = -0.35
    """Added to the embedder's ``candidate``, in [-1, 1]; low, since a fact's vector leaves out the name that most pairs
    of statements share, and what ends something is often told in other words ("studying law in Vienna", "I dropped out
    of law"). Source: plain changes, of which a tenth were compared with nothing from -0.25 on."""
    apart: float = 0.05  # added to that, at least 0, where attributes differ: a job and a home are seldom one matter


def nominate(
    facts: Iterable[Fact],
    vectors: Mapping[str, Matrix],
    ruled: AbstractSet[tuple[str, str]],
    *,
    new: Collection[str] | None,
    people: People,
    profile: EmbedderProfile,
    policy: NominatePolicy,
) -> list[tuple[Fact, Fact]]:
    """Return the pairs of facts that are worth judging, the one told first in front.

    Each fact puts forward those most like it of all told before it, so that nothing told later changes with what it is
    compared: among facts of one holder, or of whom one names the other, that can be seen together: with a cosine of at
    least ``profile.candidate + policy.nearness``, ``policy.apart`` more where their attributes differ; or of which one
    denies the other on a matter of safety or identity, which come before those, or with the same single-valued slot or
    attribute, which come before these, neighbours in time before others; or of which one names what the other tells to
    be done as done, off or moved, which come first. Pairs that were ruled on keep their place among the best, so that
    asking again nominates nothing more. The status of a fact does not matter: which pairs are judged must not depend on
    what is believed. That two are one is no matter to be judged.

    ``facts`` are all that are known, in any order; a fact without a vector has its slot only. ``ruled`` are keys of the
    pairs that were judged already. Only ``new`` facts and those told after one put pairs forward, or all. The pairs
    come by (told first, statement) of both.
    """
    near = replace(policy, nearness=profile.candidate + policy.nearness)
    subjects: dict[str, list[Fact]] = defaultdict(list)
    for fact in sorted(facts, key=told_order):
        if fact.status is not FactStatus.FORGOTTEN and not is_link(fact):
            subjects[fact.subject.casefold()].append(fact)
    pairs: dict[tuple[str, str], tuple[Fact, Fact]] = {}
    for those in subjects.values():
        first = next((row for row, fact in enumerate(those) if new is None or fact.id in new), len(those))
        if asking := range(max(first, 1), len(those)):
            for row, other in _best(those, vectors, asking, near, people=people):
                earlier, later = those[other], those[row]
                if (key := pair_key(earlier, later)) not in ruled:
                    pairs[key] = earlier, later
    return sorted(pairs.values(), key=lambda pair: (told_order(pair[0]), told_order(pair[1])))


def pair_key(one: Fact, other: Fact) -> tuple[str, str]:
    """Return the ids of two facts in alphabetical order."""
    return min(one.id, other.id), max(one.id, other.id)


def told_order(fact: Fact) -> tuple[datetime, str, str]:
    """Return what orders facts: which was told first, whatever was said since; so a pair is judged the same."""
    return fact.first_observed, fact.statement, fact.id


def _best(
    facts: Sequence[Fact],
    vectors: Mapping[str, Matrix],
    asking: Sequence[int],
    policy: NominatePolicy,
    *,
    people: People,
) -> Iterator[tuple[int, int]]:
    """Yield the rows of each asking fact and of those before it most like it, at least by ``policy.nearness``."""
    matrix = _rows(facts, vectors)
    projects, agents = _codes(fact.scope.project for fact in facts), _codes(fact.scope.agent for fact in facts)
    slots = _codes(
        fact.slot.attribute.casefold() if fact.slot and fact.slot.cardinality is Cardinality.SINGLE else None
        for fact in facts
    )
    attributes = _codes(fact.attribute or None for fact in facts)
    values = _codes(fact.attribute if has_one_value(fact.attribute) else None for fact in facts)
    said = [words_of(fact.statement, fact.form) for fact in facts]
    texts = [frozenset(bare_words(each)) for each in said]
    called, holders = [fact.holder.casefold() for fact in facts], [people.holder_of(fact) for fact in facts]
    bearings = [bearing(fact) for fact in facts]
    for start in range(0, len(asking), _ROWS_AT_ONCE):
        rows = np.asarray(asking[start : start + _ROWS_AT_ONCE])
        likeness = np.round(matrix[rows] @ matrix.T, 4)
        fills_same = ((slots[rows, None] == slots) & (slots >= 0)) | ((values[rows, None] == values) & (values >= 0))
        at_odds, (ends, named) = _at_odds(bearings, rows), _ends(said, rows)
        needed = policy.nearness + np.where(_meet(attributes, rows), 0, policy.apart)
        is_worth_it = (likeness >= needed) | fills_same | at_odds | ends
        is_worth_it &= _meet(projects, rows) & _meet(agents, rows) & _about_one(holders, called, texts, rows)
        is_worth_it &= np.arange(len(facts)) < rows[:, None]
        apart = np.abs(rows[:, None] - np.arange(len(facts)))
        likeness = likeness + _ENDS * ends
        likeness = np.where(at_odds, _AT_ODDS, likeness)
        likeness = np.where(fills_same, _SAME_SLOT + 1 / (1 + apart), likeness)
        likeness = np.where(named, _NAMED, likeness)
        for at, row in enumerate(rows):
            others = np.flatnonzero(is_worth_it[at])
            for other in others[np.argsort(-likeness[at, others], kind="stable")[: policy.most_per_fact]]:
                yield int(row), int(other)


def _at_odds(bearings: Sequence[Bearing], rows: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Return where one fact denies what another says on a matter of safety or identity."""
    found = np.zeros((len(rows), len(bearings)), dtype=bool)
    concerned = [other for other, each in enumerate(bearings) if each.is_guarded or each.consumes]
    for at, row in enumerate(rows.tolist()):
        if row in concerned:
            found[at, concerned] = [disagree(bearings[row], bearings[other]) for other in concerned]
    return found


def _ends(said: Sequence[str], rows: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Return where the later of two facts, which stand in the order told, tells what ends the earlier.

    And where it does so by the name of what is to be done.
    """
    found, named = np.zeros((2, len(rows), len(said)), dtype=bool)
    asking = {row: at for at, row in enumerate(rows.tolist())}
    if min(asking) == len(said) - len(asking) and not any(read_ending_signs(said[row]).may_end for row in asking):
        return found, named  # the latest mostly end nothing, and then no other is read
    before: dict[tuple[str, str], list[int]] = defaultdict(list)
    signs = [read_ending_signs(each) for each in said]
    for later, each in enumerate(signs):
        for earlier in {row for mark in each.may_end for row in before.get(mark, ())}:
            if (earlier in asking or later in asking) and ending(signs[earlier], each) is not None:
                is_named = change_of_tasks(signs[earlier], each) is not None
                for one, other in ((earlier, later), (later, earlier)):
                    if one in asking:
                        found[asking[one], other], named[asking[one], other] = True, is_named
        for mark in each.may_be_ended_by:
            before[mark].append(later)
    return found, named


def _about_one(
    holders: Sequence[str], called: Sequence[str], texts: Sequence[AbstractSet[str]], rows: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
    """Return where two facts may be about one: they have one holder, or the words of one name that of the other.

    Two holders of one name are not one, whoever names them.
    """
    is_one, has_one_name = _same(holders, rows), _same(called, rows)
    places = {name: place for place, name in enumerate(dict.fromkeys(called))}
    codes = np.array([places[name] for name in called])
    names = [frozenset(bare_words(name)) for name in places]
    named = np.array([[bool(name) and name <= text for text in texts] for name in names])
    return np.asarray(is_one | ((named[codes[rows]] | named[codes][:, rows].T) & ~has_one_name))


def _same(names: Sequence[str], rows: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    codes = _codes(names)
    return np.asarray(codes[rows, None] == codes)


def _meet(codes: npt.NDArray[np.int64], rows: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Return where two facts can be seen together: one of them is everywhere, or both are in one place."""
    own = codes[rows, None]
    return np.asarray((own == codes) | (own < 0) | (codes < 0))


def _codes(names: Iterable[str | None]) -> npt.NDArray[np.int64]:
    """Return a number for every name, the same for the same; -1 for None."""
    known: dict[str | None, int] = {None: -1}
    return np.asarray([known.setdefault(name, len(known)) for name in names], dtype=np.int64)


def _rows(facts: Sequence[Fact], vectors: Mapping[str, Matrix]) -> Matrix:
    known = [vectors.get(fact.id) for fact in facts]
    dimension = next((len(vector) for vector in known if vector is not None), 1)
    nothing = np.zeros(dimension, dtype=np.float32)
    return np.stack([nothing if vector is None else vector for vector in known])
