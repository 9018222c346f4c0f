"""STEP: a night. Group what happened, judge what may be the same or in conflict, and settle what is believed.

Where a language model is at hand, it reads each group for what holds over several of its episodes. A night is a
changeset: it can be planned without being done, is written down, and can be undone. Models work in pieces that are
kept, so that what was killed goes on where it was; everything that follows is one transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

import numpy as np

from yesteryear.consolidate.belief import Settled, settle
from yesteryear.consolidate.believe import embed_facts, find_echoes
from yesteryear.consolidate.cluster import cluster
from yesteryear.consolidate.distil import DistilledFacts, find_facts, find_unread, found_in, read_words, take_back
from yesteryear.consolidate.letting_go import fade
from yesteryear.consolidate.mind import Mind, count_by_status, judge_pairs, read_mind, write_settled
from yesteryear.consolidate.nominate import nominate
from yesteryear.consolidate.policy import ConsolidatePolicy
from yesteryear.consolidate.resting import rest
from yesteryear.core.cycle import CycleReport, CycleState
from yesteryear.core.edge import Edge
from yesteryear.core.episode import Episode
from yesteryear.core.fact import Evidence, Fact
from yesteryear.core.ruling import ConflictState, Ruling
from yesteryear.core.scope import Scope
from yesteryear.core.time import to_microseconds
from yesteryear.core.vectors import Matrix, StoredVector, VectorGrain
from yesteryear.core.verdicts import Act
from yesteryear.errors import InputError, NotFound, Stale
from yesteryear.ports import Distiller, Ports, Transaction

_PAIRS_A_PIECE = 64
_RETRIES = 5
"""Times a night begins again because something was told, or another night went on, meanwhile."""
_NIGHTS = 20
"""Nights that are looked through for one that was begun."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a night has come."""

    what: str
    """What is being done: distilling, judging, fading, settling."""
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class _Night:
    """What one run works with."""

    ports: Ports
    scope: Scope
    policy: ConsolidatePolicy
    report: CycleReport
    others: tuple[tuple[str, CycleState], ...]
    """The other nights as they stood when this one was begun."""
    now: datetime
    """When it is written down."""
    on_progress: Callable[[Progress], None]
    may_go_on: Callable[[], bool]


def consolidate(
    ports: Ports,
    scope: Scope,
    policy: ConsolidatePolicy,
    *,
    at: datetime,
    now: datetime,
    is_dry: bool = False,
    on_progress: Callable[[Progress], None] = lambda _: None,
    may_go_on: Callable[[], bool] = lambda: True,
) -> CycleReport:
    """Run a night, or go on with one that was killed. A night in which nothing changed leaves no trace.

    Args:
        ports: The ports.
        scope: Of all of the owner.
        policy: What is decided by.
        at: The instant it is run for: what has faded by then fades.
        now: The present instant, when it is written down.
        is_dry: Only tells what would be done.
        on_progress: Called now and then.
        may_go_on: Asked between pieces; when it says no, what is left is done by the next run.

    Raises:
        ProviderError: the analyst failed; what was judged so far is kept.
        Stale: it was stopped, or facts are changed faster than they can be settled; run it again.
    """
    faded = 0
    for _ in range(_RETRIES):
        night = _begin(ports, scope, policy, at, now, on_progress=on_progress, may_go_on=may_go_on, is_dry=is_dry)
        try:
            groups = _group(night)
            night, found = _distil(night, groups)
            judged = _judge(night, groups, found)
            faded += _let_go(night)
            return _settle(night, judged, faded=faded)
        except Stale:
            if not may_go_on():
                raise
    raise Stale("facts are changed faster than they can be settled; run it again")


def undo(ports: Ports, scope: Scope, policy: ConsolidatePolicy, cycle_id: str | None, *, now: datetime) -> CycleReport:
    """Take back what the last night that stands did to facts, and leave it be: its verdicts are not given again.

    Facts that nothing has changed since then are as they were before; belief in others is derived anew, so that what
    was said or done by hand meanwhile stays. Words that faded in the night do not come back.

    Args:
        ports: The ports.
        scope: Of all of the owner.
        policy: What is decided by.
        cycle_id: Which night, None for the last; another than the last is refused.
        now: The present instant.

    Raises:
        NotFound: there is no such night, or none to undo.
        InputError: it is not the last one that stands.
    """

    def write(tx: Transaction) -> CycleReport:
        undone = replace(_last_standing(tx, cycle_id), state=CycleState.UNDONE)
        take_back(tx, undone.id)
        rulings = tx.rulings.all()
        tx.rulings.save([replace(row, is_void=True, conflict=None) for row in rulings if row.cycle == undone.id])
        tx.rulings.save([replace(row, set_aside_by=None) for row in rulings if row.set_aside_by == undone.id])
        tx.cycles.save(_without_words(undone))
        mind = read_mind(tx, ports.embedder.profile.model)
        settled = settle(mind.known, policy.belief, now=now, night=mind.night)
        facts = {fact.id: fact for fact in (*settled.facts, *_as_before(tx, undone))}
        undoing = replace(settled, facts=tuple(facts.values()), changes=())
        write_settled(tx, mind, undoing, now=now, cause="undone", cycle=undone.id)
        return undone

    return ports.store.write(scope, write)


def _last_standing(tx: Transaction, cycle_id: str | None) -> CycleReport:
    if cycle_id is not None and tx.cycles.get(cycle_id) is None:
        raise NotFound(f"there is no night {cycle_id!r}; `consolidate` names each")
    standing = [
        report for report in tx.cycles.latest(limit=1000) if report.state is CycleState.DONE and not report.only_read
    ]
    if not standing:
        raise NotFound("there is no night to undo")
    if cycle_id not in (None, standing[0].id):
        raise InputError(f"only the last night can be undone, and that is {standing[0].id!r}; undo it first")
    return standing[0]


def _as_before(tx: Transaction, report: CycleReport) -> Iterator[Fact]:
    """Yield the facts that a night was the last to change, as they were before it."""
    for fact in tx.facts.get([change.fact_id for change in report.changes]):
        versions = tx.versions.of(fact.id)
        if len(versions) > 1 and versions[-1].cycle == report.id:
            yield replace(versions[-2].fact, due_at=fact.due_at, attempts=fact.attempts, error=fact.error)


def _begin(
    ports: Ports,
    scope: Scope,
    policy: ConsolidatePolicy,
    at: datetime,
    now: datetime,
    *,
    is_dry: bool,
    on_progress: Callable[[Progress], None],
    may_go_on: Callable[[], bool],
) -> _Night:
    """Return a night to be run: the one that was begun and not finished, or a new one."""
    with ports.store.read(scope) as tx:
        nights = tx.cycles.latest(limit=_NIGHTS)
    begun = next((report for report in nights if report.state is CycleState.RUNNING), None)
    report = begun or CycleReport(ports.ids.new(to_microseconds(now) // 1000), at, CycleState.RUNNING)
    others = _states(nights, but_for=report.id)
    report = replace(report, at=at, is_dry=is_dry)
    return _Night(ports, scope, policy, report, others, now, on_progress, may_go_on)


class _Judged(NamedTuple):
    """What is known once all is judged."""

    mind: Mind
    """With the rulings of this night."""
    moved: Sequence[Ruling]
    """Older rulings that do not count any more, or do again."""
    report: CycleReport
    fresh: Sequence[Fact]
    """What was found over several episodes, now compared with what is known."""
    vectors: Sequence[StoredVector]
    """Of these."""
    echoes: Sequence[Evidence]
    edges: Sequence[Edge]


def _distil(night: _Night, groups: Sequence[Sequence[str]]) -> tuple[_Night, DistilledFacts]:
    """Have a model read the groups that it has not read yet; keep what it finds unless the night is only planned.

    Returns:
        The night as it stands then, and what was found and not kept.
    """
    found, analyst = DistilledFacts(), night.ports.analyst
    if not isinstance(analyst, Distiller):
        return night, found
    with night.ports.store.read(night.scope) as tx:
        unread = find_unread(tx, groups, night.policy.distil)
    for done, episodes in enumerate(unread):
        _check_time(night)
        night.on_progress(Progress("distilling", done, len(unread)))
        night, more = _read_together(night, analyst, episodes)
        found = DistilledFacts((*found.facts, *more.facts), (*found.evidence, *more.evidence))
    return night, found


def _read_together(night: _Night, analyst: Distiller, episodes: Sequence[Episode]) -> tuple[_Night, DistilledFacts]:
    store, report = night.ports.store, night.report
    with store.read(night.scope) as tx:
        words, generation = read_words(tx, episodes), tx.owner().generation
    if not words:
        return night, DistilledFacts()
    distillate = analyst.distil(words, give_way=store.give_way)
    if distillate.error:
        return replace(night, report=replace(report, undistilled=report.undistilled + 1)), DistilledFacts()
    read = tuple(dict.fromkeys((*report.read, *(episode.id for episode in episodes))))
    report = replace(report, distilled=report.distilled + 1, read=read)
    night = replace(night, report=report)

    def find(tx: Transaction) -> DistilledFacts:
        policy, ids = night.policy.distil, night.ports.ids
        return find_facts(tx, words, distillate.drafts, ids, policy, report=report, now=night.now)

    def write(tx: Transaction) -> None:
        _check_turn(tx, night, generation)
        tx.cycles.save(_without_words(report))
        find(tx).put(tx)

    if not report.is_dry:
        store.write(night.scope, write)
        return night, DistilledFacts()
    with store.read(night.scope) as tx:
        return night, find(tx)


def _judge(night: _Night, groups: Sequence[Sequence[str]], found: DistilledFacts) -> _Judged:
    """Judge all pairs that are worth it and were not judged yet; keep the rulings unless the night is only planned."""
    ports, report, profile = night.ports, night.report, night.ports.embedder.profile
    with ports.store.read(night.scope) as tx:
        mind = read_mind(tx, profile.model).with_(facts=found.facts, evidence=found.evidence)
        active = {trace.id for trace in tx.episodes.traces(only_active=True)}
    own = {row.fact_id for row in found_in(report.id, mind.known.evidence)}
    fresh = [fact for fact in mind.known.facts if fact.id in own and fact.due_at and fact.id not in mind.vectors]
    vectors = embed_facts(ports.store, ports.embedder, fresh)
    mind = mind.with_(vectors=vectors)
    worthy = nominate(
        mind.known.facts, mind.vectors, frozenset(), new=None, profile=profile, policy=night.policy.nominate
    )
    worthy += _told_together(mind, groups, profile.related)
    ruled = mind.ruled
    pairs = list({key: pair for pair in worthy if (key := _key(*pair)) not in ruled}.values())
    judged: list[Ruling] = []
    for start in range(0, len(pairs), _PAIRS_A_PIECE):
        _check_time(night)
        night.on_progress(Progress("judging", start, len(pairs)))
        rulings = judge_pairs(ports, pairs[start : start + _PAIRS_A_PIECE], now=night.now, cycle=report.id)
        report = replace(report, judged=report.judged + len(rulings))
        if not report.is_dry:
            _keep(night, mind, report, rulings)
        judged += rulings
    faded = {row.fact_id for row in mind.known.evidence if row.episode_id is not None and row.episode_id not in active}
    moved = _set_aside(mind.known.rulings, {_key(*pair) for pair in worthy}, faded, report.id)
    report = replace(report, clusters=len(groups), episodes=sum(map(len, groups)))
    new = {fact.id for fact in fresh}
    with ports.store.read(night.scope) as tx:
        echoes = find_echoes(tx, mind, [row for row in judged if not new.isdisjoint(row.pair)])
    edges = list(rest(fresh, mind.known.facts, now=night.now))
    mind = mind.with_(rulings=[*judged, *moved], evidence=echoes, edges=edges)
    return _Judged(mind, moved, report, fresh, vectors, echoes, edges)


def _set_aside(
    rulings: Iterable[Ruling], worthy: Collection[tuple[str, str]], faded: frozenset[str] | set[str], night_id: str
) -> list[Ruling]:
    """Return rulings that do not count any more because their pair would not be judged now, and those that do again.

    What was told in an episode that has faded cannot be grouped any more; rulings on it stay as they are.
    """
    found = []
    for row in rulings:
        if not (row.by_person or row.is_void) and row.judgement.act is not Act.NOTHING:
            if row.pair not in worthy and not faded.isdisjoint(row.pair):
                continue
            aside = None if row.pair in worthy else row.set_aside_by or night_id
            if aside != row.set_aside_by:
                found.append(replace(row, set_aside_by=aside))
    return found


def _let_go(night: _Night) -> int:
    """Let go what of the talk has faded; return how many episodes changed."""
    night.on_progress(Progress("fading", 0, 1))
    policy, report = night.policy.fade, night.report
    faded = fade(night.ports.store, night.scope, policy, now=report.at, may_go_on=night.may_go_on, is_dry=report.is_dry)
    _check_time(night)
    return len({*faded.to_gist, *faded.archived})


def _check_time(night: _Night) -> None:
    if not night.may_go_on():
        raise Stale("the night was stopped; it goes on when it is run again")


def _keep(night: _Night, mind: Mind, report: CycleReport, rulings: Sequence[Ruling]) -> None:
    """Write rulings down, and that their night was begun."""

    def write(tx: Transaction) -> None:
        _check_turn(tx, night, mind.generation)
        known = {fact.id for fact in tx.facts.get([name for row in rulings for name in row.pair])}
        ruled = {row.pair for row in tx.rulings.of(list(known))}
        tx.cycles.save(_without_words(report))
        tx.rulings.save([row for row in rulings if known >= set(row.pair) and row.pair not in ruled])

    night.ports.store.write(night.scope, write)


def _settle(night: _Night, judged: _Judged, *, faded: int) -> CycleReport:
    """Let the belief in all facts follow and end the night, in one transaction."""
    night.on_progress(Progress("settling", 0, 1))
    mind = judged.mind
    until = max(night.report.at, mind.night)  # what has faded does not come back when the clock does
    settled = settle(mind.known, night.policy.belief, now=night.now, night=until)
    report = _told(replace(judged.report, faded=faded), mind, settled)
    if report.is_dry:
        return report

    def write(tx: Transaction) -> None:
        _check_turn(tx, night, mind.generation)
        write_settled(
            tx,
            mind,
            settled,
            now=night.now,
            cause="night",
            cycle=report.id,
            rulings=judged.moved,
            evidence=judged.echoes,
            compared=judged.fresh,
        )
        tx.edges.put(judged.edges)
        tx.vectors.put(night.ports.embedder.profile.model, judged.vectors)
        if not report.is_empty or judged.moved or report.read or report.undistilled:
            tx.cycles.save(_without_words(report))
        if tx.owner().night_at is not None:
            tx.save_owner(replace(tx.owner(), night_at=None))

    night.ports.store.write(night.scope, write)
    return report


def _check_turn(tx: Transaction, night: _Night, generation: int) -> None:
    """Let only one night of a person go on at a time: what another one has written must be looked at first."""
    if tx.owner().generation != generation:
        raise Stale("the person was erased or taken back meanwhile")
    if _states(tx.cycles.latest(limit=_NIGHTS), but_for=night.report.id) != night.others:
        raise Stale("another night went on meanwhile; it is begun again")


def _states(nights: Sequence[CycleReport], *, but_for: str) -> tuple[tuple[str, CycleState], ...]:
    """Return how nights stand, but for one of them while it is running."""
    is_own = (but_for, CycleState.RUNNING)
    return tuple(state for night in nights if (state := (night.id, night.state)) != is_own)


def _told(report: CycleReport, mind: Mind, settled: Settled) -> CycleReport:
    """Return a report that tells what was settled."""
    after = {fact.id: fact for fact in mind.known.facts} | {fact.id: fact for fact in settled.facts}
    before = {ruling.pair: ruling.conflict for ruling in mind.known.rulings}
    opened = [row for row in settled.rulings if row.conflict is ConflictState.OPEN and before[row.pair] is None]
    closed = [row for row in settled.rulings if row.conflict is ConflictState.RESOLVED]
    return replace(
        report,
        state=CycleState.DONE,
        changes=settled.changes,
        conflicts_opened=len(opened),
        conflicts_settled=len(closed),
        facts=count_by_status(list(after.values())),
    )


def _group(night: _Night) -> list[tuple[str, ...]]:
    """Return ids of episodes in groups on one subject, by average linkage of their vectors."""
    with night.ports.store.read(night.scope) as tx:
        active = [trace.id for trace in tx.episodes.traces(only_active=True)]
        rows = tx.vectors.load(night.ports.embedder.profile.model, refs=active) if active else []
    vectors: Mapping[str, Matrix] = {
        row.ref: row.vector for row in rows if row.grain is VectorGrain.EPISODE and row.part == 0
    }
    return cluster(
        vectors, profile=night.ports.embedder.profile, policy=night.policy.cluster, grouping=night.ports.grouping
    )


def _told_together(mind: Mind, groups: Sequence[Sequence[str]], related: float) -> list[tuple[Fact, Fact]]:
    """Return pairs of related facts of one kind that were told in different episodes of one group.

    They may be one belief though their words are further apart than those of pairs that are always judged.
    """
    facts = {fact.id: fact for fact in mind.known.facts if fact.id in mind.vectors}
    told_in: dict[str, set[str]] = {}
    for row in mind.known.evidence:
        if row.episode_id is not None and row.fact_id in facts:
            told_in.setdefault(row.episode_id, set()).add(row.fact_id)
    found: dict[tuple[str, str], tuple[Fact, Fact]] = {}
    for group in groups:
        told = [(fact_id, episode) for episode in group for fact_id in sorted(told_in.get(episode, ()))]
        if not told:
            continue
        matrix = np.stack([mind.vectors[fact_id] for fact_id, _ in told])
        for one, other in np.argwhere(np.triu(matrix @ matrix.T >= related, k=1)):
            (a, first), (b, second) = told[one], told[other]
            if first != second and a != b and _may_be_one(facts[a], facts[b]):
                found[min(a, b), max(a, b)] = facts[a], facts[b]
    return list(found.values())


def _key(one: Fact, other: Fact) -> tuple[str, str]:
    return min(one.id, other.id), max(one.id, other.id)


def _may_be_one(one: Fact, other: Fact) -> bool:
    is_same_place = one.scope.project == other.scope.project
    return one.kind is other.kind and one.subject.casefold() == other.subject.casefold() and is_same_place


def _without_words(report: CycleReport) -> CycleReport:
    """Return a report as it is kept: ids tell what it was about, and forgetting a fact needs no look in here."""
    changes = tuple(replace(change, statement="") for change in report.changes)
    return replace(report, changes=changes, is_dry=False)
