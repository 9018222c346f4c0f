"""STEP: all that is known about a person at one moment, and how what follows from it is written down."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from yesteryear.consolidate.belief import KnownFact, Settled
from yesteryear.consolidate.caution import reconsider
from yesteryear.core.cycle import CycleState, FactChange
from yesteryear.core.due import due_from
from yesteryear.core.edge import Edge
from yesteryear.core.fact import Evidence, Fact, FactStatus, FactVersion
from yesteryear.core.ruling import Ruling
from yesteryear.core.time import EPOCH
from yesteryear.core.vectors import Matrix, StoredVector
from yesteryear.core.verdicts import Claim, ClaimPair, Judgement
from yesteryear.errors import Stale
from yesteryear.ports import Ports, Transaction

_PAIRS_A_CALL = 32
_CYCLES = 50
"""Nights that are looked through for the last one that stands."""


@dataclass(frozen=True, slots=True)
class Mind:
    """What is known about one owner, as it was read."""

    known: KnownFact
    vectors: Mapping[str, Matrix]
    """Of facts, by id; shape (dimension,), unit length."""
    rev: int
    """The owner's counter when it was read."""
    generation: int
    night: datetime
    """Latest instant of the nights that stand: what has faded by then has faded. Long ago where there was none."""

    @property
    def ruled(self) -> frozenset[tuple[str, str]]:
        """Pairs on which there is a ruling already."""
        return frozenset(ruling.pair for ruling in self.known.rulings)

    def judged_with(self, fact_ids: Collection[str]) -> list[tuple[Fact, Fact]]:
        """Return the pairs that were judged in which one of these facts takes part, but for what a person decided."""
        facts = {fact.id: fact for fact in self.known.facts}
        return [
            (facts[row.earlier], facts[row.later])
            for row in self.known.rulings
            if not (row.by_person or row.is_void or {row.earlier, row.later}.isdisjoint(fact_ids))
            and {row.earlier, row.later} <= facts.keys()
        ]

    def with_(
        self,
        rulings: Sequence[Ruling] = (),
        evidence: Sequence[Evidence] = (),
        edges: Sequence[Edge] = (),
        facts: Sequence[Fact] = (),
        vectors: Sequence[StoredVector] = (),
    ) -> Mind:
        """Return this with other or more rulings, evidence, edges, facts and vectors."""
        by_pair = {row.pair: row for row in (*self.known.rulings, *rulings)}
        by_id = {(row.fact_id, row.id): row for row in (*self.known.evidence, *evidence)}
        facts_by_id = {fact.id: fact for fact in (*self.known.facts, *facts)}
        known = replace(
            self.known,
            facts=tuple(facts_by_id.values()),
            rulings=tuple(by_pair.values()),
            evidence=tuple(by_id.values()),
            edges=(*self.known.edges, *edges),
        )
        return replace(self, known=known, vectors={**self.vectors, **{row.ref: row.vector for row in vectors}})


def read_mind(tx: Transaction, model: str) -> Mind:
    """Return what is known of the owner: of the scope of ``tx``, which should be all of them."""
    state, facts = tx.owner(), tx.facts.all()
    vectors = tx.vectors.load(model, refs=[fact.id for fact in facts])
    standing = (report.at for report in tx.cycles.latest(limit=_CYCLES) if report.state is CycleState.DONE)
    return Mind(
        known=KnownFact(tuple(facts), tuple(tx.evidence.all()), tuple(tx.rulings.all()), tuple(tx.edges.all())),
        vectors={row.ref: row.vector for row in vectors},
        rev=state.rev,
        generation=state.generation,
        night=max(standing, default=EPOCH),
    )


def judge_pairs(
    ports: Ports,
    pairs: Sequence[tuple[Fact, Fact]],
    *,
    now: datetime,
    cycle: str | None = None,
    may_go_on: Callable[[], bool] = lambda: True,
) -> list[Ruling]:
    """Have pairs of facts judged, some at a time, and return the rulings; writes nothing.

    Raises:
        ProviderError: the analyst failed.
    """
    rulings: list[Ruling] = []
    for start in range(0, len(pairs), _PAIRS_A_CALL):
        if not may_go_on():
            break
        batch = [sorted(pair, key=_told) for pair in pairs[start : start + _PAIRS_A_CALL]]
        claims = [ClaimPair(_claim(earlier), _claim(later)) for earlier, later in batch]
        judgements = ports.analyst.judge(claims, give_way=ports.store.give_way)
        rulings += [
            _ruling(earlier, later, reconsider(pair, judgement), now=now, cycle=cycle)
            for (earlier, later), pair, judgement in zip(batch, claims, judgements, strict=True)
        ]
    return rulings


def write_settled(
    tx: Transaction,
    mind: Mind,
    settled: Settled,
    *,
    now: datetime,
    cause: str,
    cycle: str | None = None,
    rulings: Sequence[Ruling] = (),
    evidence: Sequence[Evidence] = (),
    compared: Sequence[Fact] = (),
) -> None:
    """Write rulings and evidence, and the facts as they stand by them, each with a version of what it became.

    Args:
        tx: The writing transaction, of all of the owner.
        mind: What it was planned from.
        settled: What follows.
        now: When it becomes known.
        cause: What did it, for facts whose change has no name of its own.
        cycle: The night that did it.
        rulings, evidence: New ones that ``settled`` takes into account.
        compared: Facts that were due and are not any more.

    Raises:
        Stale: something of it was changed meanwhile; nothing was written.
    """
    before = {fact.id: fact for fact in mind.known.facts}
    changed = {fact.id: replace(fact, rev=before[fact.id].rev) for fact in settled.facts}
    for fact in compared:
        changed[fact.id] = due_from(changed.get(fact.id, before[fact.id]), None)
    _check_unchanged(tx, mind)
    tx.rulings.save(list({row.pair: row for row in (*rulings, *settled.rulings)}.values()))
    tx.evidence.add(evidence)
    tx.facts.update(list(changed.values()))
    what = {change.fact_id: change for change in settled.changes}
    untold = {fact.id for fact in compared if _is_news(tx.versions.of(fact.id), changed[fact.id])}
    tx.versions.add(
        [
            FactVersion(fact, 0, now, _cause(what.get(fact.id), cause), cycle)
            for fact in changed.values()
            if fact.id in untold or _differs(before[fact.id], fact)
        ]
    )


def _is_news(versions: Sequence[FactVersion], fact: Fact) -> bool:
    return not versions or _differs(versions[-1].fact, fact)


def _cause(change: FactChange | None, otherwise: str) -> str:
    return otherwise if change is None else f"{change.what}: {change.why}" if change.why else change.what


def _differs(before: Fact, after: Fact) -> bool:
    """Tell whether a change is one that a reader of its history wants to see."""
    plain = replace(after, due_at=before.due_at, attempts=before.attempts, error=before.error, rev=before.rev)
    return plain != before


def _check_unchanged(tx: Transaction, mind: Mind) -> None:
    changed = tx.changes(mind.rev)
    if changed.facts or changed.generation != mind.generation:
        raise Stale("facts were changed meanwhile; it is begun again")


def _told(fact: Fact) -> tuple[datetime, str, str]:
    """Return what orders two facts: which was told first, whatever was said since; so a pair is judged the same."""
    return fact.first_observed, fact.statement, fact.id


def _claim(fact: Fact) -> Claim:
    return Claim(
        text=fact.statement,
        at=fact.first_observed,
        subject=fact.subject,
        kind=fact.kind,
        slot=fact.slot,
        is_negative=fact.is_negative,
        authority=fact.authority,
    )


def _ruling(earlier: Fact, later: Fact, judgement: Judgement, *, now: datetime, cycle: str | None) -> Ruling:
    narrower = earlier if earlier.scope.project is not None else later
    return Ruling(narrower.scope, earlier.id, later.id, judgement, ruled_at=now, cycle=cycle)


def count_by_status(facts: Sequence[Fact]) -> dict[str, int]:
    """Return how many facts there are of each status."""
    counts = {status.value: 0 for status in FactStatus if status is not FactStatus.FORGOTTEN}
    for fact in facts:
        counts[fact.status.value] += 1
    return counts
