"""How statements compare with annotated dialogs: what was found of what is true, and what was made up.

A gold fact is given by stems. A statement tells it when, in lower case, it contains them all; ``a|b`` stands for
either. That test pays for long statements, so ``words`` and ``one_to_one_f1`` stand beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

from yesteryear.core.message import Role
from yesteryear.core.results import Plain
from yesteryear.errors import InputError
from yesteryear_lab.figures import mean, ratio
from yesteryear_lab.training.rows import Row, Said, read_rows

Stems: TypeAlias = tuple[str, ...]
"""Pieces of words that must all be there; ``a|b`` is there when either is."""

BINS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""Limits of the bins in which confidence, in [0, 1], is compared with what is right."""


@dataclass(frozen=True, slots=True)
class GoldFact:
    """A fact that the dialog tells."""

    statement: str
    kind: str
    all_of: Stems
    evidence: frozenset[int]
    """Places of the messages that tell it, from 0."""


@dataclass(frozen=True, slots=True)
class DialogRow:
    """An annotated dialog."""

    id: str
    author: str
    """Who speaks in the role of the user."""
    group: str
    """Its series, or its author: dialogs of one group are held out together."""
    messages: tuple[Said, ...]
    facts: tuple[GoldFact, ...]
    not_facts: tuple[Stems, ...]
    """What no statement may say."""
    decisions: tuple[Stems, ...]
    user_state: str
    emotion: str


@dataclass(frozen=True, slots=True)
class Found:
    """A statement that was made about a dialog."""

    statement: str
    messages: frozenset[int]
    """Places of the messages it rests on, from 0."""
    kind: str = ""
    confidence: float = 1.0
    """In [0, 1]."""


@dataclass(frozen=True, slots=True)
class Bin(Plain):
    """Statements of about the same confidence."""

    lower: float
    """Least confidence."""
    upper: float
    """Confidence they stay below; in the last bin they may reach it."""
    statements: int
    confidence: float | None
    """Mean; None where there are none."""
    right: float | None
    """Share that rests on a message which tells a fact; None where there are none."""


@dataclass(frozen=True, slots=True)
class FactScores(Plain):
    """What statements about dialogs are worth; shares in [0, 1], 0 where there is nothing to share."""

    facts: int
    """Gold facts."""
    statements: int
    recall: float
    """Share of the gold facts that some statement tells."""
    precision: float
    """Share of the statements that tell some gold fact."""
    precision_by_evidence: float
    """Share of the statements that rest on a message which tells a gold fact."""
    f1: float
    """Of recall and precision."""
    one_to_one_f1: float
    """F1 where a statement counts for one fact only, and a fact for one statement."""
    forbidden: float
    """Share of what must not be said that some statement says."""
    words: float
    """Mean words a statement."""
    kind_accuracy: float
    """Share of the one-to-one matches whose kind is right."""
    calibration: tuple[Bin, ...]


@dataclass(frozen=True, slots=True)
class DecisionScores(Plain):
    """What decisions named in dialogs are worth; shares in [0, 1]."""

    decisions: int
    """Gold decisions."""
    told: int
    recall: float
    """Share of the gold decisions that were told."""
    precision: float
    """Share of what was told that is a gold decision."""
    precision_by_evidence: float
    """Share of what was told that is one, or rests on a message that tells a fact of the kind decision."""


def read_dialogs(folder: Path, name: str) -> list[DialogRow]:
    """Read one file of annotated dialogs.

    Raises:
        InputError: the file is missing, or a row is no annotated dialog.
    """
    needs = ("id", "author", "messages", "facts", "not_facts", "decisions", "user_state", "emotion")
    return [read_dialog(row) for row in read_rows(folder, name, needs=needs)]


def read_dialog(row: Row) -> DialogRow:
    """Return an annotated dialog.

    Raises:
        InputError: the row is none; it is named.
    """
    try:
        author = str(row.get("author", "user"))
        return DialogRow(
            id=row["id"],
            author=author,
            group=row.get("series") or author,
            messages=tuple(_said(message, author) for message in row["messages"]),
            facts=tuple(
                GoldFact(
                    fact.get("statement", ""), fact["kind"], tuple(fact["all_of"]), frozenset(fact.get("evidence", ()))
                )
                for fact in row["facts"]
            ),
            not_facts=tuple(tuple(stems) for stems in row.get("not_facts", ())),
            decisions=tuple(tuple(stems) for stems in row.get("decisions", ())),
            user_state=row.get("user_state", ""),
            emotion=row.get("emotion", ""),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as exc:
        raise InputError(f"the row {row.get('id', '?')!r} is no annotated dialog: {exc!r}") from exc


def tells(statement: str, stems: Stems) -> bool:
    """Tell whether a statement contains all the stems, in lower case; no statement tells nothing."""
    folded = statement.lower()
    return all(any(part in folded for part in stem.lower().split("|")) for stem in stems)


def score_statements(rows: Sequence[DialogRow], found: Sequence[Sequence[Found]]) -> FactScores:
    """Compare the statements about each dialog with what is true; all dialogs count together."""
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
    return FactScores(
        facts=len(told),
        statements=len(right),
        recall=recall,
        precision=precision,
        precision_by_evidence=mean(rests),
        f1=ratio(2 * recall * precision, recall + precision),
        one_to_one_f1=ratio(2 * len(kinds), len(told) + len(right)),
        forbidden=mean(said),
        words=mean(lengths),
        kind_accuracy=mean(kinds),
        calibration=_calibration([one.confidence for made in found for one in made], rests),
    )


def score_decisions(rows: Sequence[DialogRow], told: Sequence[Sequence[Found]]) -> DecisionScores:
    """Compare the decisions told of each dialog with those it holds; all dialogs count together."""
    pairs = list(zip(rows, told, strict=True))
    recall = [any(tells(one.statement, stems) for one in made) for row, made in pairs for stems in row.decisions]
    right = [any(tells(one.statement, stems) for stems in row.decisions) for row, made in pairs for one in made]
    rests = [_rests_on_a_fact(row, one, kind="decision") for row, made in pairs for one in made]
    return DecisionScores(
        decisions=len(recall),
        told=len(right),
        recall=mean(recall),
        precision=mean(right),
        precision_by_evidence=mean([is_one or rest for is_one, rest in zip(right, rests, strict=True)]),
    )


def _rests_on_a_fact(row: DialogRow, found: Found, *, kind: str | None = None) -> bool:
    return any(found.messages & fact.evidence for fact in row.facts if kind in (None, fact.kind))


def _match(facts: Sequence[GoldFact], found: Sequence[Found]) -> dict[int, int]:
    """Return the most pairs of statement and fact in which each stands once.

    Where a statement tells several facts, those of the same message go first, and of these the ones of the same kind.
    """
    choices = [
        sorted(
            (number for number, fact in enumerate(facts) if tells(one.statement, fact.all_of)),
            key=lambda number: (not one.messages & facts[number].evidence, facts[number].kind != one.kind),
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


def _calibration(confidences: Sequence[float], right: Sequence[bool]) -> tuple[Bin, ...]:
    bins = []
    for lower, upper in pairwise(BINS):
        inside = [
            (confidence, is_right)
            for confidence, is_right in zip(confidences, right, strict=True)
            if lower <= confidence < upper or confidence == upper == BINS[-1]
        ]
        confidence = mean(confidence for confidence, _ in inside) if inside else None
        share = mean(is_right for _, is_right in inside) if inside else None
        bins.append(Bin(lower, upper, len(inside), confidence, share))
    return tuple(bins)


def _said(message: Row, author: str) -> Said:
    role = Role(message["role"])
    name = message.get("author") or (author if role is Role.USER else role.value)
    return Said(role, name, message["content"], datetime.fromisoformat(message["at"]))
