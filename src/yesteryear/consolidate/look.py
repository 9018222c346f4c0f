"""STEP: what is believed, at a moment in the world or as we knew it then, and what has changed between two moments."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from yesteryear.core.confidence import ConfidencePolicy, confidence_now
from yesteryear.core.episode import Episode, EpisodeStatus
from yesteryear.core.fact import Evidence, Fact, FactKind, FactStatus, Slot, Stance
from yesteryear.core.plain import Plain
from yesteryear.core.ruling import ConflictState, Ruling
from yesteryear.core.scope import Owner, Scope
from yesteryear.errors import NotFound
from yesteryear.ports import Store, Transaction


@dataclass(frozen=True, slots=True)
class FactView(Plain):
    """A fact as it is shown."""

    id: str
    statement: str
    kind: FactKind
    subject: str
    status: FactStatus
    confidence: float
    """How sure we are now, in [0, 1]: it fades from the last evidence on."""
    told: int
    """How often it was said."""
    sessions: int
    """In how many conversations it was said: each counts once."""
    first_observed: datetime
    recorded_at: datetime
    """When it became known to us."""
    last_confirmed: datetime | None
    slot: Slot | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    resolved_at: datetime | None = None
    canonical_id: str | None = None
    superseded_by: str | None = None
    pinned: bool = False
    project: str | None = None
    review: str = ""
    """Why it needs review; empty where it does not."""
    messages: tuple[str, ...] = ()
    """Ids of the messages it rests on; the caller's where given."""
    episodes: tuple[str, ...] = ()
    """Ids of the episodes it was told in."""
    version: int = 0
    """Which state of it this is; given to a verb that changes it, the change is only made where it still is.

    0 in a look at the past.
    """
    evidence: tuple[Evidence, ...] = ()
    """What speaks for and against it, by when it was said; only where that was asked for."""


@dataclass(frozen=True, slots=True)
class ConflictView(Plain):
    """Two facts that cannot both hold, or could not."""

    id: str
    state: ConflictState
    verdict: str
    earlier: FactView
    later: FactView
    opened_at: datetime
    settled_at: datetime | None = None
    settled_by: str = ""


@dataclass(frozen=True, slots=True)
class FactsFilter:
    """Which facts are asked for; every filter that is None lets all pass."""

    ids: Sequence[str] | None = None
    kinds: Collection[FactKind] | None = None
    statuses: Collection[FactStatus] | None = None
    subject: str | None = None
    only_open: bool = False
    """Only goals, blockers and decisions that are not settled."""
    as_of: datetime | None = None
    """Only what held in the world at this instant."""
    known_at: datetime | None = None
    """As it was known to us at this instant."""
    with_evidence: bool = False
    """Whether each is shown with what speaks for and against it."""

    def passes(self, fact: Fact) -> bool:
        """Tell whether a fact is asked for."""
        is_named = self.ids is None or fact.id in self.ids
        has_kind = self.kinds is None or fact.kind in self.kinds
        has_status = self.statuses is None or fact.status in self.statuses
        is_theirs = self.subject is None or fact.subject.casefold() == self.subject.casefold()
        is_open = fact.is_open or not self.only_open
        holds = self.as_of is None or fact.holds_at(self.as_of)
        return is_named and has_kind and has_status and is_theirs and is_open and holds


@dataclass(frozen=True, slots=True)
class FactsDiff(Plain):
    """What changed in what is believed between two moments."""

    since: datetime
    until: datetime
    gained: tuple[FactView, ...] = ()
    """Believed at the end, not at the beginning."""
    lost: tuple[FactView, ...] = ()
    """Believed at the beginning, not at the end; as they are at the end."""
    changed: tuple[tuple[FactView, FactView], ...] = ()
    """Believed at both, otherwise: before and after."""


@dataclass(frozen=True, slots=True)
class News(Plain):
    """What has become known or has changed since somebody last looked."""

    rev: int
    """Where we are now; to be passed as ``since`` next time."""
    episodes: tuple[Episode, ...] = ()
    """As they are now, those that changed first first; what was forgotten is left out."""
    facts: tuple[FactView, ...] = ()
    """As they are now, those that changed first first; what was forgotten is left out."""


def look(
    tx: Transaction,
    wanted: FactsFilter,
    policy: ConfidencePolicy,
    *,
    now: datetime,
    after: str | None = None,
    limit: int | None = None,
) -> list[FactView]:
    """Return the facts that are asked for, the surest first; only those behind the fact ``after``.

    Raises:
        NotFound: there is no fact ``after``, or not any more.
    """
    if wanted.known_at is not None:
        facts = _known_at(tx, wanted.known_at)
    else:
        facts = tx.facts.all() if wanted.ids is None else tx.facts.get(wanted.ids)
    passing, at = [fact for fact in facts if wanted.passes(fact)], wanted.known_at or now
    found = show(tx, passing, policy, now=at, with_evidence=wanted.with_evidence)
    found.sort(key=_rank)
    if after is not None:
        last = [view for view in found if view.id == after]
        last = last or show(tx, [fact for fact in facts if fact.id == after], policy, now=at)  # it passes no longer
        if not last:
            raise NotFound(f"there is no fact {after!r} in this scope to go on behind; begin again")
        found = [view for view in found if _rank(view) > _rank(last[0])]
    return found[:limit]


def news(tx: Transaction, since: int | None, policy: ConfidencePolicy, *, now: datetime) -> News:
    """Return what has changed since a ``rev``, in the scope of ``tx``; where we are alone for None.

    After an erasure counting begins anew, and so do news.
    """
    rev = tx.owner().rev
    if since is None or rev == since:
        return News(rev)
    changes, sees = tx.changes(since if since < rev else 0), tx.scope.sees
    episodes = [row for row in changes.episodes if row.status is not EpisodeStatus.FORGOTTEN]
    facts = [row for row in changes.facts if row.status is not FactStatus.FORGOTTEN]
    seen = sorted((row for row in facts if sees(row.scope.project, row.scope.agent)), key=lambda row: row.rev)
    return News(
        rev,
        tuple(sorted((row for row in episodes if sees(row.scope.project, row.scope.agent)), key=lambda row: row.rev)),
        tuple(show(tx, seen, policy, now=now)),
    )


def read_revs(store: Store, owners: Collection[Owner], *, unless: str) -> tuple[str, dict[Owner, int]]:
    """Return the pulse of a store, read first, and the ``rev`` of owners; of none where the pulse is ``unless``."""
    pulse, found = store.pulse(), {}
    for owner in owners if pulse != unless else ():
        with store.read(Scope(tenant=owner.tenant, user=owner.user)) as tx:
            found[owner] = tx.owner().rev
    return pulse, found


def show(
    tx: Transaction, facts: Sequence[Fact], policy: ConfidencePolicy, *, now: datetime, with_evidence: bool = False
) -> list[FactView]:
    """Return facts as they are shown, in the order given."""
    members: dict[str, list[str]] = {}
    for fact in tx.facts.all({FactStatus.MERGED}):
        members.setdefault(fact.canonical_id or fact.id, []).append(fact.id)
    ids = {fact.id: [fact.id, *members.get(fact.id, ())] for fact in facts}
    evidence = tx.evidence.of([name for group in ids.values() for name in group])
    rows: dict[str, list[Evidence]] = {}
    for row in evidence:
        rows.setdefault(row.fact_id, []).append(row)
    names = _names(tx, evidence)
    views = []
    for fact in facts:
        theirs = [row for name in ids[fact.id] for row in rows.get(name, ())]
        view = _view(fact, theirs, names, policy, now=now)
        views.append(replace(view, evidence=tuple(theirs)) if with_evidence else view)
    return views


def diff(tx: Transaction, since: datetime, until: datetime, policy: ConfidencePolicy) -> FactsDiff:
    """Return what became believed, ceased to be believed, or changed, between two moments of our knowledge."""
    before = {fact.id: fact for fact in _known_at(tx, since)}
    after = {fact.id: fact for fact in _known_at(tx, until)}
    known = {fact.id: fact for fact in tx.facts.all()}
    gained = [fact for name, fact in after.items() if fact.is_live and not _was_live(before, name)]
    lost = [after.get(name, known.get(name, fact)) for name, fact in before.items() if _is_lost(fact, after)]
    both = [(before[n], fact) for n, fact in after.items() if fact.is_live and _was_live(before, n)]
    changed = [(one, other) for one, other in both if _outward(one) != _outward(other)]
    olds = show(tx, [one for one, _ in changed], policy, now=since)
    news = show(tx, [other for _, other in changed], policy, now=until)
    return FactsDiff(
        since,
        until,
        gained=tuple(show(tx, gained, policy, now=until)),
        lost=tuple(show(tx, lost, policy, now=until)),
        changed=tuple(zip(olds, news, strict=True)),
    )


def conflicts(
    tx: Transaction, policy: ConfidencePolicy, *, now: datetime, states: Iterable[ConflictState]
) -> list[ConflictView]:
    """Return questions between facts in some states, the newest first."""
    wanted = set(states)
    rows = [ruling for ruling in tx.rulings.all() if ruling.conflict in wanted and not ruling.is_void]
    rows.sort(key=lambda ruling: (ruling.ruled_at, ruling.pair), reverse=True)
    names = list(dict.fromkeys(name for row in rows for name in row.pair))
    views = {view.id: view for view in show(tx, tx.facts.get(names), policy, now=now)}
    return [_conflict(row, views) for row in rows if row.earlier in views and row.later in views]


def show_conflict(tx: Transaction, ruling: Ruling, policy: ConfidencePolicy, *, now: datetime) -> ConflictView:
    """Return one question between two facts as it is shown."""
    return _conflict(ruling, {view.id: view for view in show(tx, tx.facts.get(ruling.pair), policy, now=now)})


def _rank(view: FactView) -> tuple[bool, float, int, datetime, str]:
    return not view.pinned, -view.confidence, -view.sessions, view.first_observed, view.id


def _known_at(tx: Transaction, instant: datetime) -> list[Fact]:
    """Return the facts as they were known; what they were then has no version that can still be changed."""
    return [replace(row.fact, rev=0) for row in tx.versions.known_at(instant)]


def _conflict(ruling: Ruling, views: Mapping[str, FactView]) -> ConflictView:
    return ConflictView(
        id="|".join(ruling.pair),
        state=ruling.conflict or ConflictState.RESOLVED,
        verdict=ruling.judgement.verdict.value,
        earlier=views[ruling.earlier],
        later=views[ruling.later],
        opened_at=ruling.ruled_at,
        settled_at=ruling.settled_at,
        settled_by=ruling.settled_by,
    )


def _was_live(before: Mapping[str, Fact], fact_id: str) -> bool:
    return fact_id in before and before[fact_id].is_live


def _is_lost(fact: Fact, after: Mapping[str, Fact]) -> bool:
    return fact.is_live and (fact.id not in after or not after[fact.id].is_live)


def _outward(fact: Fact) -> tuple[object, ...]:
    """Return what a reader would call a change."""
    return fact.statement, fact.status, fact.confidence, fact.valid_from, fact.valid_to, fact.resolved_at, fact.pinned


def _names(tx: Transaction, evidence: Sequence[Evidence]) -> dict[str, str]:
    """Return the ids that the caller knows of the messages that evidence rests on."""
    ids = list(dict.fromkeys(row.message_id for row in evidence if row.message_id is not None))
    return {message.id: message.name for message in tx.messages.get(ids)}


def _view(
    fact: Fact, evidence: Sequence[Evidence], names: Mapping[str, str], policy: ConfidencePolicy, *, now: datetime
) -> FactView:
    supports = [row for row in evidence if row.stance is Stance.SUPPORTS]
    messages = dict.fromkeys(names.get(row.message_id, row.message_id) for row in supports if row.message_id)
    return FactView(
        id=fact.id,
        statement=fact.statement,
        kind=fact.kind,
        subject=fact.subject,
        status=fact.status,
        confidence=round(confidence_now(fact, policy, now=now), 6),
        told=len(supports),
        sessions=fact.sessions,
        first_observed=fact.first_observed,
        recorded_at=fact.recorded_at,
        last_confirmed=fact.last_confirmed,
        slot=fact.slot,
        valid_from=fact.valid_from,
        valid_to=fact.valid_to,
        resolved_at=fact.resolved_at,
        canonical_id=fact.canonical_id,
        superseded_by=fact.superseded_by,
        pinned=fact.pinned,
        project=fact.scope.project,
        review=fact.properties.get("review", "") if fact.status is FactStatus.NEEDS_REVIEW else "",
        messages=tuple(messages),
        episodes=tuple(dict.fromkeys(row.episode_id for row in supports if row.episode_id)),
        version=fact.rev,
    )
