"""How statements compare with annotated dialogs: what was found of what is true, and what was made up.

A gold fact is given by stems. A statement tells it when, in lower case, it contains them all; ``a|b`` stands for
either. That test pays for long statements, so ``words`` and ``one_to_one_f1`` stand beside it.


A change names what was told before and what is told now, both by stems. It may itself be overtaken by a later change of
the same series.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Literal, TypeAlias

import yesteryear
from yesteryear_lab.bench.report import Metrics
from yesteryear_lab.figures import mean, ratio

Stems: TypeAlias = tuple[str, ...]  # pieces of words that must all be there; ``a|b`` is there when either is

BINS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""Limits of the bins in which confidence, in [0, 1], is compared with what is right."""


@dataclass(frozen=True, slots=True)
class GoldFact:
    """A fact that the dialog tells."""

    kind: str
    all_of: Stems
    evidence: frozenset[int] = frozenset()  # places of the messages that tell it, from 0
    statement: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """A message of a dialog."""

    role: yesteryear.Role
    content: str
    at: datetime
    author: str = ""

    @property
    def is_users(self) -> bool:
        """Whether it is one of those that tell something."""
        return self.role is yesteryear.Role.USER


@dataclass(frozen=True, slots=True)
class Change:
    """What a dialog changes of what earlier ones of its series told."""

    fact_before: Stems
    fact_now: Stems
    verdict: Literal["updates", "contradicts", "refines", "duplicate", "coexist"]


@dataclass(frozen=True, slots=True)
class DialogRow:
    """An annotated dialog."""

    id: str
    messages: tuple[Said, ...]
    facts: tuple[GoldFact, ...]
    author: str = "user"  # who speaks in the role of the user
    not_facts: tuple[Stems, ...] = ()  # what no statement may say
    decisions: tuple[Stems, ...] = ()
    user_state: str = ""
    emotion: str = ""
    series: str = ""  # dialogs of one series are told to one memory; empty where it belongs to none
    order: int = 0  # where it stands in its series
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """A statement that was made about a dialog."""

    statement: str
    places: frozenset[int]  # of the messages it rests on, from 0
    kind: str = ""
    confidence: float = 1.0  # in [0, 1]


_OVERTAKES = frozenset({"updates", "contradicts"})
_STEPS = 100  # facts that may have taken one another's place in a row


@dataclass(frozen=True, slots=True, kw_only=True)
class Told(Found):
    """A fact as a memory shows it."""

    id: str
    status: yesteryear.FactStatus
    is_current: bool  # whether it counts now
    first_at: datetime  # when it was first told
    canonical_id: str | None = None
    superseded_by: str | None = None


def tells(statement: str, stems: Stems) -> bool:
    """Tell whether a statement contains all the stems, in lower case; no statement tells nothing."""
    folded = statement.lower()
    return all(any(part in folded for part in stem.lower().split("|")) for stem in stems)


def score_statements(rows: Sequence[DialogRow], found: Sequence[Sequence[Found]]) -> Metrics:
    """Compare the statements about each dialog with what is true; all dialogs count together, shares lie in [0, 1]."""
    pairs = list(zip(rows, found, strict=True))
    matches = [_match(row.facts, made) for row, made in pairs]
    told = [any(tells(one.statement, fact.all_of) for one in made) for row, made in pairs for fact in row.facts]
    right = [any(tells(one.statement, fact.all_of) for fact in row.facts) for row, made in pairs for one in made]
    rests = [_rests_on_a_fact(row, one) for row, made in pairs for one in made]
    said = [any(tells(one.statement, stems) for one in made) for row, made in pairs for stems in row.not_facts]
    lengths = [len(one.statement.split()) for made in found for one in made]
    kinds = [
        made[one].kind == row.facts[fact].kind
        for (row, made), pairing in zip(pairs, matches, strict=True)
        for one, fact in pairing.items()
    ]
    recall, precision = mean(told), mean(right)
    return {
        "facts": len(told),
        "statements": len(right),
        "recall": recall,
        "precision": precision,
        "precision_by_evidence": mean(rests),
        "f1": ratio(2 * recall * precision, recall + precision),
        "one_to_one_f1": ratio(2 * len(kinds), len(told) + len(right)),
        "forbidden": mean(said),
        "words": mean(lengths),
        "kind_accuracy": mean(kinds),
        "calibration": _calibration([one.confidence for made in found for one in made], rests),
    }


def score_decisions(rows: Sequence[DialogRow], told: Sequence[Sequence[Found]]) -> Metrics:
    """Compare the decisions told of each dialog with those it holds; all dialogs count together.

    What rests on a message that tells a fact of the kind decision counts as one by evidence.
    """
    pairs = list(zip(rows, told, strict=True))
    recall = [any(tells(one.statement, stems) for one in made) for row, made in pairs for stems in row.decisions]
    right = [any(tells(one.statement, stems) for stems in row.decisions) for row, made in pairs for one in made]
    rests = [_rests_on_a_fact(row, one, kind="decision") for row, made in pairs for one in made]
    return {
        "decision_recall": mean(recall),
        "decision_precision": mean(right),
        "decision_precision_by_evidence": mean(is_one or rest for is_one, rest in zip(right, rests, strict=True)),
    }


def _rests_on_a_fact(row: DialogRow, found: Found, *, kind: str | None = None) -> bool:
    return any(found.places & fact.evidence for fact in row.facts if kind in (None, fact.kind))


def _match(facts: Sequence[GoldFact], found: Sequence[Found]) -> dict[int, int]:
    """Return the most pairs of statement and fact in which each stands once.

    Where a statement tells several facts, those of the same message go first, and of these the ones of the same kind.
    """
    choices = [
        sorted(
            (number for number, fact in enumerate(facts) if tells(one.statement, fact.all_of)),
            key=lambda number: (not one.places & facts[number].evidence, facts[number].kind != one.kind),
        )
        for one in found
    ]
    owner: dict[int, int] = {}

    def settle(one: int, seen: set[int]) -> bool:
        for fact in choices[one]:
            if fact not in seen:
                seen.add(fact)
                if fact not in owner or settle(owner[fact], seen):
                    owner[fact] = one
                    return True
        return False

    for one in range(len(found)):
        settle(one, set())
    return {one: fact for fact, one in owner.items()}


def _calibration(confidences: Sequence[float], right: Sequence[bool]) -> list[Metrics]:
    """Return for each bin its limits, how many lie in it, their mean confidence, and the share that rests on a fact."""
    bins = []
    for lower, upper in pairwise(BINS):
        inside = [
            (confidence, is_right)
            for confidence, is_right in zip(confidences, right, strict=True)
            if lower <= confidence < upper or confidence == upper == BINS[-1]
        ]
        confidence = mean(confidence for confidence, _ in inside) if inside else None
        share = mean(is_right for _, is_right in inside) if inside else None
        told: Metrics = {"lower": lower, "upper": upper, "statements": len(inside)}
        bins.append(told | {"confidence": confidence, "right": share})
    return bins


def judge_change(
    change: Change, believed: Sequence[Told], conflicts: Collection[tuple[str, str]], *, later: Sequence[Change]
) -> bool:
    """Tell whether a marked change ended as marked.

    updates: what is told now is current, and no current statement tells only what was before. contradicts: the same,
    or the two stand in a conflict. refines, duplicate: what is told now is current, and what was before is, or was
    folded into something that is. coexist: both are current. What a later change overtook need not be current.
    """
    now = [fact for fact in believed if tells(fact.statement, change.fact_now)]
    before = [fact for fact in believed if tells(fact.statement, change.fact_before)]
    if not any(fact.is_current or _is_overtaken(fact, later) for fact in now):
        return False
    if change.verdict in _OVERTAKES:
        left = [fact for fact in before if fact.is_current and not tells(fact.statement, change.fact_now)]
        if not left:
            return True
        pairs = {frozenset(pair) for pair in conflicts}
        asked = any(frozenset((one.id, other.id)) in pairs for one in left for other in now)
        return change.verdict == "contradicts" and asked
    known = {fact.id: fact for fact in believed}
    return any(_still_stands(fact, known) or _is_overtaken(fact, later) for fact in before)


def standing_facts(told: Sequence[tuple[DialogRow, Sequence[Told]]], changes: Sequence[Change]) -> list[Told]:
    """Return the facts that were found, are true, and were never marked as changed: they should still stand."""
    return [
        fact
        for row, facts in told
        for fact in facts
        if not any(tells(fact.statement, change.fact_before) for change in changes)
        and any(
            tells(fact.statement, gold.all_of)
            and fact.places & gold.evidence
            and not any(tells(gold.statement, change.fact_before) for change in changes)
            for gold in row.facts
        )
    ]


def lost_facts(standing: Sequence[Told], believed: Sequence[Told]) -> list[Told]:
    """Return the facts that should stand but are neither current nor folded into one that is."""
    known = {fact.id: fact for fact in believed}
    return [fact for fact in standing if fact.id not in known or not _still_stands(known[fact.id], known)]


def _is_overtaken(fact: Told, later: Sequence[Change]) -> bool:
    return any(change.verdict in _OVERTAKES and tells(fact.statement, change.fact_before) for change in later)


def _still_stands(fact: Told, known: Mapping[str, Told]) -> bool:
    """Tell whether a fact is current, or merged into one that is."""
    for _ in range(_STEPS):
        if fact.is_current:
            return True
        following = known.get(fact.canonical_id or "")
        if fact.status is not yesteryear.FactStatus.MERGED or following is None:
            return False
        fact = following
    return False
