"""STEP: a night. Group what happened, judge what may be the same or in conflict, and settle what is believed.

A night is a changeset: it can be planned without being done, is written down, and can be undone. Models work in pieces
that are kept, so that what was killed goes on where it was; everything that follows is one transaction.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

import numpy as np

from yesteryear.consolidate.belief.compare_new import (
    BeliefSnapshot,
    Compared,
    compare,
    embed_facts,
    judge_pairs,
    read_snapshot,
    write_settled,
)
from yesteryear.consolidate.belief.settle import Settled, settle
from yesteryear.consolidate.night.cluster import cluster
from yesteryear.consolidate.night.distil import DistilledFacts, find_facts, find_unread, found_in, read_words, take_back
from yesteryear.consolidate.night.nominate import nominate, pair_key
from yesteryear.consolidate.policy import ConsolidatePolicy
from yesteryear.consolidate.retention.sweep import fade
from yesteryear.core.episode import Episode
from yesteryear.core.fact import Fact, FactStatus
from yesteryear.core.night_report import CycleReport, CycleState
from yesteryear.core.rows.due_work import batches
from yesteryear.core.ruling import TOLD_TOGETHER, Act, ConflictState, Ruling
from yesteryear.core.scope import Scope
from yesteryear.core.time import to_microseconds
from yesteryear.core.vectors import VectorGrain
from yesteryear.errors import InputError, NotFound, Stale
from yesteryear.ports import Distiller, Ports, Transaction

_PAIRS_A_PIECE = 64
_RETRIES = 5  # times a night begins again because something was told, or another night went on, meanwhile
_NIGHTS = 20  # nights that are looked through for one that was begun


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a night has come."""

    what: str  # what is being done: distilling, judging, fading, settling
    done: int
    total: int


def consolidate(
    ports: Ports,
    scope: Scope,
    policy: ConsolidatePolicy,
    *,
    at: datetime,
    now: datetime,
    is_dry: bool = False,
    on_progress: Callable[[Progress], None] = lambda _: None,
    should_continue: Callable[[], bool] = lambda: True,
) -> CycleReport:
    """Run a night, or go on with one that was killed. A night in which nothing changed leaves no trace.

    What has faded by ``at`` fades; it is written down ``now``. ``should_continue`` is asked between pieces; when it
    says no (Stale), or the analyst fails (ProviderError), what was done so far is kept, and the next run does the rest.
    """
    faded = 0
    for _ in range(_RETRIES):
        with ports.store.read(scope) as tx:
            nights = tx.cycles.latest(limit=_NIGHTS)
        begun = next((report for report in nights if report.state is CycleState.RUNNING), None)
        report = begun or CycleReport(ports.ids.new(to_microseconds(now) // 1000), at, CycleState.RUNNING)
        report, others = replace(report, at=at, is_dry=is_dry), _states(nights, but_for=report.id)
        night = _Night(ports, scope, policy, report, others, now, on_progress, should_continue)
        try:
            groups = night.group()
            compared = night.judge(groups, night.distil(groups))
            faded += night.let_go()
            return night.settle(compared, faded=faded)
        except Stale:
            if not should_continue():
                raise
    raise Stale("facts are changed faster than they can be settled; run it again")


def undo(ports: Ports, scope: Scope, policy: ConsolidatePolicy, cycle_id: str | None, *, now: datetime) -> CycleReport:
    """Take back what the last night that stands did to facts, and leave it be: its verdicts are not given again.

    Facts that nothing has changed since then are as they were before; belief in others is derived anew, so that what
    was said or done by hand meanwhile stays. Words that faded in the night do not come back. Another night than the
    last, which it is without a ``cycle_id``, is refused.
    """

    def write(tx: Transaction) -> CycleReport:
        undone = replace(_last_standing(tx, cycle_id), state=CycleState.UNDONE)
        take_back(tx, undone.id)
        rulings = tx.rulings.all()
        tx.rulings.save([replace(row, is_void=True, conflict=None) for row in rulings if row.cycle == undone.id])
        tx.rulings.save([replace(row, set_aside_by=None) for row in rulings if row.set_aside_by == undone.id])
        tx.cycles.save(_without_words(undone))
        snapshot = read_snapshot(tx, ports.embedder.profile.model)
        settled = settle(snapshot, policy.belief, now=now, night=snapshot.night)
        facts = {fact.id: fact for fact in (*settled.facts, *_as_before(tx, undone))}
        undoing = replace(settled, facts=tuple(facts.values()), changes=())
        write_settled(tx, Compared(snapshot), undoing, now=now, cause="undone", cycle=undone.id)
        return undone

    return ports.store.write(scope, write)


def _last_standing(tx: Transaction, cycle_id: str | None) -> CycleReport:
    if cycle_id is not None and tx.cycles.get(cycle_id) is None:
        raise NotFound(f"there is no night {cycle_id!r}; `consolidate` names each")
    nights = tx.cycles.latest(limit=1000)
    last = next((report for report in nights if report.state is CycleState.DONE and not report.only_read), None)
    if last is None:
        raise NotFound("there is no night to undo")
    if cycle_id not in (None, last.id):
        raise InputError(f"only the last night can be undone, and that is {last.id!r}; undo it first")
    return last


def _as_before(tx: Transaction, report: CycleReport) -> Iterator[Fact]:
    """Yield the facts that a night was the last to change, as they were before it."""
    for fact in tx.facts.get([change.fact_id for change in report.changes]):
        versions = tx.versions.of(fact.id)
        if len(versions) > 1 and versions[-1].cycle == report.id:
            yield replace(versions[-2].fact, due_at=fact.due_at, attempts=fact.attempts, error=fact.error)


@dataclass(slots=True)
class _Night:
    """One run, piece by piece; nothing is kept of one that is only planned."""

    ports: Ports
    scope: Scope
    policy: ConsolidatePolicy
    report: CycleReport
    others: tuple[tuple[str, CycleState], ...]  # the other nights as they stood when this one was begun
    now: datetime  # when it is written down
    on_progress: Callable[[Progress], None]
    should_continue: Callable[[], bool]

    def group(self) -> list[tuple[str, ...]]:
        """Return ids of episodes in groups on one subject."""
        profile = self.ports.embedder.profile
        with self.ports.store.read(self.scope) as tx:
            active = [trace.id for trace in tx.episodes.traces(only_active=True)]
            rows = tx.vectors.load(profile.model, refs=active) if active else []
        vectors = {row.ref: row.vector for row in rows if row.grain is VectorGrain.EPISODE and row.part == 0}
        return cluster(vectors, at_least=profile.related, grouping=self.ports.grouping)

    def distil(self, groups: Sequence[Sequence[str]]) -> DistilledFacts:
        """Have a model read the groups that it has not read yet; return what it found and is not kept."""
        found, analyst = DistilledFacts(), self.ports.analyst
        if not isinstance(analyst, Distiller):
            return found
        with self.ports.store.read(self.scope) as tx:
            unread = find_unread(tx, groups, self.policy.distil)
        for done, episodes in enumerate(unread):
            self._begin_piece("distilling", done, len(unread))
            more = self._read_together(analyst, episodes)
            found = DistilledFacts((*found.facts, *more.facts), (*found.evidence, *more.evidence))
        return found

    def _read_together(self, analyst: Distiller, episodes: Sequence[Episode]) -> DistilledFacts:
        store, report = self.ports.store, self.report
        with store.read(self.scope) as tx:
            words, generation = read_words(tx, episodes), tx.owner().generation
        if not words:
            return DistilledFacts()
        distillate = analyst.distil(words, yield_to_foreground=store.yield_to_foreground)
        if distillate.error:
            self.report = replace(report, undistilled=report.undistilled + 1)
            return DistilledFacts()
        read = tuple(dict.fromkeys((*report.read, *(episode.id for episode in episodes))))
        self.report = report = replace(report, distilled=report.distilled + 1, read=read)

        def find(tx: Transaction) -> DistilledFacts:
            policy, ids = self.policy.distil, self.ports.ids
            return find_facts(tx, words, distillate.drafts, ids, policy, report=report, now=self.now)

        self._write(lambda tx: find(tx).put(tx), generation)
        if not report.is_dry:
            return DistilledFacts()
        with store.read(self.scope) as tx:
            return find(tx)

    def judge(self, groups: Sequence[Sequence[str]], found: DistilledFacts) -> Compared:
        """Judge all pairs that are worth it and were not judged yet; return what was distilled, compared."""
        ports, profile, night_id = self.ports, self.ports.embedder.profile, self.report.id
        with ports.store.read(self.scope) as tx:
            snapshot = read_snapshot(tx, profile.model).with_(facts=found.facts, evidence=found.evidence)
            active: set[str | None] = {None, *(trace.id for trace in tx.episodes.traces(only_active=True))}
        own = {row.fact_id for row in found_in(night_id, snapshot.evidence)}
        fresh = [fact for fact in snapshot.facts if fact.id in own and fact.due_at and fact.id not in snapshot.vectors]
        snapshot = snapshot.with_(vectors=embed_facts(ports.store, ports.embedder, fresh))
        facts, vectors, people, policy = snapshot.facts, snapshot.vectors, snapshot.people, self.policy.nominate
        worthy = nominate(facts, vectors, frozenset(), new=None, people=people, profile=profile, policy=policy)
        near = {pair_key(*pair) for pair in worthy}
        grouped = [pair for pair in _told_together(snapshot, groups, profile.related) if pair_key(*pair) not in near]
        judged = self._judge_all(snapshot, worthy, grouped)
        faded = {row.fact_id for row in snapshot.evidence if row.episode_id not in active}
        moved = _set_aside(snapshot.rulings, near, {pair_key(*pair) for pair in grouped}, faded, night_id)
        self.report = replace(self.report, clusters=len(groups), episodes=sum(map(len, groups)))
        compared = compare(ports.store, self.scope, snapshot, fresh, judged=judged, now=self.now)
        return compared._replace(snapshot=compared.snapshot.with_(rulings=moved), rulings=moved)

    def _judge_all(
        self, snapshot: BeliefSnapshot, worthy: Sequence[tuple[Fact, Fact]], grouped: Sequence[tuple[Fact, Fact]]
    ) -> list[Ruling]:
        """Return rulings on those of the pairs that have none, written down piece by piece.

        Of ``grouped`` ones, which are worth it for the talk they were told in, only that they say the same counts.
        """
        people = snapshot.people
        ruled = snapshot.ruled(people)
        idle = {row.pair for row in snapshot.rulings if row.judgement.rule == TOLD_TOGETHER}
        pairs = [pair for pair in worthy if pair_key(*pair) not in ruled]
        pairs += [pair for pair in grouped if pair_key(*pair) not in ruled | idle]
        together = {pair_key(*pair) for pair in grouped}
        judged: list[Ruling] = []
        for piece in batches(pairs, _PAIRS_A_PIECE):
            self._begin_piece("judging", len(judged), len(pairs))
            told = judge_pairs(self.ports, piece, snapshot.evidence, people, now=self.now, cycle=self.report.id)
            rulings = [row.told_together() if row.pair in together else row for row in told]
            self.report = replace(self.report, judged=self.report.judged + len(rulings))
            self._write(partial(_keep, rulings=rulings, before=snapshot.rulings), snapshot.generation)
            judged += rulings
        return judged

    def let_go(self) -> int:
        """Let go what of the talk has faded; return how many episodes changed."""
        self._begin_piece("fading", 0, 1)
        store, policy, at, is_dry = self.ports.store, self.policy.fade, self.report.at, self.report.is_dry
        faded = fade(store, self.scope, policy, now=at, is_dry=is_dry, should_continue=self.should_continue)
        return len({*faded.to_gist, *faded.archived})

    def settle(self, compared: Compared, *, faded: int) -> CycleReport:
        """Let the belief in all facts follow and end the night, in one transaction."""
        self._begin_piece("settling", 0, 1)
        snapshot = compared.snapshot
        until = max(self.report.at, snapshot.night)  # what has faded does not come back when the clock does
        settled = settle(snapshot, self.policy.belief, now=self.now, night=until)
        self.report = report = _told(replace(self.report, faded=faded), snapshot, settled)

        def end(tx: Transaction) -> None:
            write_settled(tx, compared, settled, now=self.now, cause="night", cycle=report.id)
            if tx.owner().night_at is not None:
                tx.save_owner(replace(tx.owner(), night_at=None))

        is_worth_telling = not report.is_empty or compared.rulings or report.read or report.undistilled
        self._write(end, snapshot.generation, tells=bool(is_worth_telling))
        return report

    def _begin_piece(self, what: str, done: int, total: int) -> None:
        if not self.should_continue():
            raise Stale("the night was stopped; it goes on when it is run again")
        self.on_progress(Progress(what, done, total))

    def _write(self, work: Callable[[Transaction], None], generation: int, *, tells: bool = True) -> None:
        """Write a piece and how far the night has come, unless it is only planned.

        Only one night of a person goes on at a time: what another one has written must be looked at first.
        """

        def write(tx: Transaction) -> None:
            if tx.owner().generation != generation:
                raise Stale("the person was erased or taken back meanwhile")
            if _states(tx.cycles.latest(limit=_NIGHTS), but_for=self.report.id) != self.others:
                raise Stale("another night went on meanwhile; it is begun again")
            work(tx)
            if tells:
                tx.cycles.save(_without_words(self.report))

        if not self.report.is_dry:
            self.ports.store.write(self.scope, write)


def _keep(tx: Transaction, rulings: Sequence[Ruling], before: Collection[Ruling]) -> None:
    """Write rulings on pairs on which nobody has ruled since ``before``."""
    known = {fact.id for fact in tx.facts.get([name for row in rulings for name in row.pair])}
    known_then = {row.pair: row for row in before}
    meanwhile = {row.pair for row in tx.rulings.of(list(known)) if row != known_then.get(row.pair)}
    tx.rulings.save([row for row in rulings if known >= set(row.pair) and row.pair not in meanwhile])


def _set_aside(
    rulings: Iterable[Ruling],
    near: Collection[tuple[str, str]],
    grouped: Collection[tuple[str, str]],
    faded: Collection[str],
    night_id: str,
) -> list[Ruling]:
    """Return rulings that do not count any more because their pair would not be judged now, and those that do again.

    As once earlier talk is learnt, or another fact is forgotten; idle ones too, as belief counts with how many others a
    fact was compared. Of ``grouped`` pairs that two say the same. What was told in an episode that has faded cannot be
    grouped any more; rulings on it stay as they are.
    """
    found = []
    for row in rulings:
        if row.by_person or row.is_void:
            continue
        is_worthy = row.pair in near or (row.judgement.act is Act.FOLD and row.pair in grouped)
        aside = None if is_worthy else row.set_aside_by or night_id
        if aside != row.set_aside_by and (is_worthy or set(row.pair).isdisjoint(faded)):
            found.append(replace(row, set_aside_by=aside))
    return found


def _states(nights: Sequence[CycleReport], *, but_for: str) -> tuple[tuple[str, CycleState], ...]:
    """Return how nights stand, but for one of them while it is running."""
    is_own = (but_for, CycleState.RUNNING)
    return tuple(state for night in nights if (state := (night.id, night.state)) != is_own)


def _told(report: CycleReport, snapshot: BeliefSnapshot, settled: Settled) -> CycleReport:
    """Return a report that tells what was settled."""
    after = {fact.id: fact for fact in (*snapshot.facts, *settled.facts)}
    counts = {status.value: 0 for status in FactStatus if status is not FactStatus.FORGOTTEN}
    counts |= Counter(fact.status.value for fact in after.values())
    before = {ruling.pair: ruling.conflict for ruling in snapshot.rulings}
    opened = [row for row in settled.rulings if row.conflict is ConflictState.OPEN and before[row.pair] is None]
    return replace(
        report,
        state=CycleState.DONE,
        changes=settled.changes,
        conflicts_opened=len(opened),
        conflicts_settled=sum(row.conflict is ConflictState.RESOLVED for row in settled.rulings),
        facts=counts,
    )


def _told_together(
    snapshot: BeliefSnapshot, groups: Sequence[Sequence[str]], related: float
) -> list[tuple[Fact, Fact]]:
    """Return pairs of related facts of one kind that were told in different episodes of one group.

    They may be one belief though their words are further apart than those of pairs that are always judged.
    """
    facts = {fact.id: fact for fact in snapshot.facts if fact.id in snapshot.vectors}
    told_in: dict[str, set[str]] = defaultdict(set)
    for row in snapshot.evidence:
        if row.episode_id is not None and row.fact_id in facts:
            told_in[row.episode_id].add(row.fact_id)
    found: dict[tuple[str, str], tuple[Fact, Fact]] = {}
    for group in groups:
        told = [(facts[fact_id], episode) for episode in group for fact_id in sorted(told_in.get(episode, ()))]
        if not told:
            continue
        matrix = np.stack([snapshot.vectors[fact.id] for fact, _ in told])
        for row, column in np.argwhere(np.triu(matrix @ matrix.T >= related, k=1)):
            (one, first), (other, second) = told[row], told[column]
            is_one_kind = (one.kind, one.scope.project) == (other.kind, other.scope.project)
            is_one_person = one.subject.casefold() == other.subject.casefold()
            if first != second and one.id != other.id and is_one_kind and is_one_person:
                found[pair_key(one, other)] = one, other
    return list(found.values())


def _without_words(report: CycleReport) -> CycleReport:
    """Return a report as it is kept: ids tell what it was about, and forgetting a fact needs no look in here."""
    changes = tuple(replace(change, statement="") for change in report.changes)
    return replace(report, changes=changes, is_dry=False)
