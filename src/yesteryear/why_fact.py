"""STEP: why a fact is believed: its evidence with quotes, what other facts did to it, and how it came to stand so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from yesteryear.core.confidence import ConfidencePolicy, confidence, confidence_at, known_since, sinks_at
from yesteryear.core.fact import Evidence, Fact, FactStatus
from yesteryear.core.plain import Plain
from yesteryear.core.ruling import Ruling
from yesteryear.core.time import FOREVER, later
from yesteryear.ports import Transaction

_AHEAD_DAYS = (30, 90, 365)
"""Days ahead for which it is said what will be left of a confidence without news."""


@dataclass(frozen=True, slots=True)
class EvidenceWhy(Plain):
    """One thing that speaks for or against a fact."""

    stance: str
    said_at: datetime
    said_by: str
    quote: str
    """Empty for what was done by hand, or where words are not kept."""
    message: str | None
    """Id of the message; the caller's where given. None for what was done by hand."""
    conversation: str
    weight: float
    """How sure the analyst was, in [0, 1]."""
    statement: str
    """What it was taken to state; another than the fact's where two were merged."""


@dataclass(frozen=True, slots=True)
class RulingWhy(Plain):
    """What a fact is to another."""

    other_id: str
    other: str
    verdict: str
    act: str
    is_later: bool
    """Whether the other was told later."""
    score: float | None
    """How likely the verdict is, in [0, 1]; None where a rule or the person decided."""
    rule: str
    judge: str
    ruled_at: datetime
    conflict: str | None
    is_void: bool


@dataclass(frozen=True, slots=True)
class VersionWhy(Plain):
    """What a fact became at some moment."""

    number: int
    at: datetime
    cause: str
    status: str
    confidence: float
    statement: str
    cycle: str | None


@dataclass(frozen=True, slots=True)
class FactWhy(Plain):
    """Why a fact stands as it does."""

    id: str
    statement: str
    kind: str
    subject: str
    status: str
    confidence: float
    """As of its last evidence, in [0, 1]."""
    confidence_now: float
    """What time has left of it."""
    sinks_at: datetime | None
    """When it is given up without news; None when it never is."""
    ahead: tuple[tuple[int, float], ...]
    """What will be left of it in so many days without news."""
    over_time: tuple[tuple[datetime, float], ...]
    """Its confidence after each thing that was said, in order."""
    evidence: tuple[EvidenceWhy, ...]
    rulings: tuple[RulingWhy, ...]
    merged: tuple[tuple[str, str], ...]
    """Ids and statements of the facts that it stands for too."""
    versions: tuple[VersionWhy, ...]
    review: str
    """Why it needs review."""
    superseded_by: str | None
    canonical_id: str | None
    valid_from: datetime | None
    valid_to: datetime | None
    resolved_at: datetime | None
    pinned: bool
    version: int
    """Rises with every change; what a change by hand names."""


def explain_fact(tx: Transaction, fact: Fact, policy: ConfidencePolicy, *, now: datetime) -> FactWhy:
    """Return why a fact stands as it does.

    Args:
        tx: Of the scope that asks.
        fact: Which one.
        policy: How confidence grows and decays.
        now: The present instant.
    """
    members = [row for row in tx.facts.all({FactStatus.MERGED}) if row.canonical_id == fact.id]
    said = {row.id: row.statement for row in (fact, *members)}
    evidence = tx.evidence.of(list(said))
    since = known_since(fact)
    sinks = sinks_at(fact.confidence, since, fact.volatility, policy)

    def left(instant: datetime) -> float:
        return round(confidence_at(fact.confidence, since, fact.volatility, policy, now=instant), 6)

    return FactWhy(
        id=fact.id,
        statement=fact.statement,
        kind=fact.kind.value,
        subject=fact.subject,
        status=fact.status.value,
        confidence=fact.confidence,
        confidence_now=left(now),
        sinks_at=None if sinks == FOREVER or fact.pinned else sinks,
        ahead=tuple((days, left(later(now, timedelta(days=days)))) for days in _AHEAD_DAYS),
        over_time=tuple(_over_time(evidence, policy)),
        evidence=tuple(_evidence(tx, evidence, said)),
        rulings=tuple(_rulings(tx, fact)),
        merged=tuple((row.id, row.statement) for row in members),
        versions=tuple(
            VersionWhy(
                number=row.number,
                at=row.at,
                cause=row.cause,
                status=row.fact.status.value,
                confidence=row.fact.confidence,
                statement=row.fact.statement,
                cycle=row.cycle,
            )
            for row in tx.versions.of(fact.id)
        ),
        review=fact.properties.get("review", "") if fact.status is FactStatus.NEEDS_REVIEW else "",
        superseded_by=fact.superseded_by,
        canonical_id=fact.canonical_id,
        valid_from=fact.valid_from,
        valid_to=fact.valid_to,
        resolved_at=fact.resolved_at,
        pinned=fact.pinned,
        version=fact.rev,
    )


def _over_time(evidence: Sequence[Evidence], policy: ConfidencePolicy) -> Iterable[tuple[datetime, float]]:
    for end in range(1, len(evidence) + 1):
        if end == len(evidence) or evidence[end].said_at != evidence[end - 1].said_at:
            yield evidence[end - 1].said_at, confidence(evidence[:end], policy).value


def _evidence(tx: Transaction, evidence: Sequence[Evidence], said: dict[str, str]) -> Iterable[EvidenceWhy]:
    ids = [row.message_id for row in evidence if row.message_id is not None]
    names = {message.id: message.name for message in tx.messages.get(list(dict.fromkeys(ids)))}
    for row in evidence:
        yield EvidenceWhy(
            stance=row.stance.value,
            said_at=row.said_at,
            said_by=row.author,
            quote=row.quote,
            message=names.get(row.message_id or "", row.message_id),
            conversation=row.session,
            weight=row.weight,
            statement=said[row.fact_id],
        )


def _rulings(tx: Transaction, fact: Fact) -> Iterable[RulingWhy]:
    rulings = tx.rulings.of([fact.id])
    others = {row.id: row for row in tx.facts.get(list({name for row in rulings for name in row.pair}))}
    for row in sorted(rulings, key=lambda row: (row.ruled_at, row.pair)):
        other_id = row.later if row.earlier == fact.id else row.earlier
        if other_id in others:
            yield _ruling(row, others[other_id])


def _ruling(row: Ruling, other: Fact) -> RulingWhy:
    return RulingWhy(
        other_id=other.id,
        other=other.statement,
        verdict=row.judgement.verdict.value,
        act=row.act.value,
        is_later=row.later == other.id,
        score=row.judgement.scores.get(row.judgement.verdict),
        rule=row.judgement.rule,
        judge=row.judgement.judge,
        ruled_at=row.ruled_at,
        conflict=row.conflict.value if row.conflict else None,
        is_void=row.is_void,
    )
