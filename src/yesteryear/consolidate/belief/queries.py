"""STEP: what is believed, at a moment in the world or as we knew it then, and what has changed between two moments."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from yesteryear.core.attributes import FactKind
from yesteryear.core.ended import say_end, told_along, words_that_hold
from yesteryear.core.episode import Episode, EpisodeStatus
from yesteryear.core.fact import LIVE, Evidence, Fact, FactStatus, Form, LoopState, Slot, Stance
from yesteryear.core.fading.confidence import ConfidencePolicy, confidence_now
from yesteryear.core.people import People, Somebody, people_of
from yesteryear.core.results import Plain
from yesteryear.core.ruling import ConflictState, Ruling
from yesteryear.core.scope import Owner
from yesteryear.core.time import FOREVER
from yesteryear.errors import NotFound
from yesteryear.ports import Store, Transaction


@dataclass(frozen=True, slots=True)
class FactView(Plain):
    """A fact as it is shown."""

    id: str
    statement: str
    """As it is told now: where a quote holds words of other facts that are over, "…" stands for them."""
    kind: FactKind
    subject: str
    status: FactStatus
    confidence: float
    """How sure we are now, in [0, 1]: it fades from the last evidence on."""
    told: int
    """How often it was said."""
    sessions: int
    """At how many sittings it was said: each counts once, in whatever conversation."""
    first_observed: datetime
    recorded_at: datetime
    """When it became known to us."""
    last_confirmed: datetime | None
    slot: Slot | None = None
    attribute: str = ""
    """What of the holder it tells, such as "diet"; empty where no attribute fits."""
    holder: str = ""
    """Whose it is, by name or tie as it was said; empty where it is the subject's own."""
    form: Form = Form.PLAIN
    """How it is worded: plain, answer or quote."""
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    resolved_at: datetime | None = None
    loop: LoopState | None = None
    """Where something that gets done stands, such as a goal, a plan or a blocker; None for all else."""
    due_by: datetime | None = None
    """When such a thing is to be, where that was told."""
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
class PersonView(Plain):
    """A person or pet of somebody's own, as they are shown."""

    name: str
    """What they are called and nobody else is: "Priya", "boss Anna", or a tie where no name was told."""
    subject: str
    """Whose they are."""
    ties: tuple[str, ...] = ()
    """What they are, or were, to the subject: "partner", "sister"."""
    called: tuple[str, ...] = ()
    """The names and ties that facts about them are held under, as they were said."""
    facts: int = 0
    """How many facts about them hold now."""


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
    """Which facts are asked for; every filter that is None lets all pass. Of a holder only all facts together tell."""

    ids: Sequence[str] | None = None
    kinds: Collection[FactKind] | None = None
    statuses: Collection[FactStatus] | None = None
    subject: str | None = None
    attribute: str | None = None
    holder: str | None = None  # by name or tie, under whichever they are held; a subject's name asks for their own
    only_open: bool = False  # only what gets done and is not: goals, plans, blockers and decisions
    as_of: datetime | None = None  # only what held in the world at this instant
    known_at: datetime | None = None  # as it was known to us at this instant
    only_current: bool = False  # only what has not ceased to hold: neither settled, nor past the end of its time
    with_evidence: bool = False  # whether each is shown with what speaks for and against it

    def passes(self, fact: Fact, *, now: datetime) -> bool:
        """Tell whether a fact is asked for at ``now``."""
        is_named = self.ids is None or fact.id in self.ids
        has_kind = self.kinds is None or fact.kind in self.kinds
        has_status = self.statuses is None or fact.status in self.statuses
        is_theirs = self.subject is None or fact.subject.casefold() == self.subject.casefold()
        has_attribute = self.attribute is None or fact.attribute == self.attribute
        is_open = not self.only_open or fact.loop_at(self.as_of or now) is LoopState.OPEN
        holds = self.as_of is None or fact.holds_at(self.as_of)
        is_current = not self.only_current or (fact.is_current(now) and fact.resolved_at is None)
        return all((is_named, has_kind, has_status, is_theirs, has_attribute, is_open, holds, is_current))


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
class ChangeFeed(Plain):
    """What has become known or has changed since somebody last looked."""

    rev: int
    """Where we are now; to be passed as ``since`` next time."""
    episodes: tuple[Episode, ...] = ()
    """As they are now, those that changed first first; what was forgotten is left out."""
    facts: tuple[FactView, ...] = ()
    """As they are now, those that changed first first; what was forgotten is left out."""


@dataclass(frozen=True, slots=True)
class FactQueries:
    """What one transaction sees of facts, as it is shown at one moment."""

    tx: Transaction
    policy: ConfidencePolicy
    now: datetime

    def show(
        self, facts: Sequence[Fact], *, with_evidence: bool = False, among: Collection[Fact] = ()
    ) -> list[FactView]:
        """Return facts as they are shown, in the order given; what was merged into one speaks for it too.

        ``among`` are others as they were then, in a look at the past.
        """
        standing_for = {fact.id: [fact.id] for fact in facts}
        for merged in self.tx.facts.all({FactStatus.MERGED}):
            if merged.canonical_id in standing_for:
                standing_for[merged.canonical_id].append(merged.id)
        rows: dict[str, list[Evidence]] = defaultdict(list)
        for row in self.tx.evidence.of(list(dict.fromkeys(name for group in standing_for.values() for name in group))):
            rows[row.fact_id].append(row)
        names = message_names(self.tx, [row for group in rows.values() for row in group])
        find = self._lookup({fact.id: fact for fact in (*among, *facts)}, facts)
        views = []
        for fact in facts:
            evidence = [row for name in standing_for[fact.id] for row in rows[name]]
            supports = [row for row in evidence if row.stance is Stance.SUPPORTS]
            messages = dict.fromkeys(names.get(row.message_id, row.message_id) for row in supports if row.message_id)
            view = FactView.of(
                fact,
                statement=words_that_hold(fact, find, now=self.now),
                confidence=self.sureness(fact),
                loop=fact.loop_at(self.now),
                told=len(supports),
                project=fact.scope.project,
                review=review_of(self.tx, fact),
                messages=tuple(messages),
                episodes=tuple(dict.fromkeys(row.episode_id for row in supports if row.episode_id)),
                version=fact.rev,
                evidence=tuple(evidence) if with_evidence else (),
            )
            views.append(view)
        return views

    def find(self, wanted: FactsFilter, *, after: str | None, limit: int) -> list[FactView]:
        """Return the facts that are asked for, the surest first; only those behind the fact ``after``.

        Raises NotFound: there is no fact ``after``, or not any more.
        """
        tx, at = self.tx, replace(self, now=wanted.known_at or self.now)
        if wanted.known_at is not None:
            facts = _known_at(tx, wanted.known_at)
        elif wanted.ids is not None:
            facts = tx.facts.get(wanted.ids)
        else:
            facts = tx.facts.all(attribute=wanted.attribute)
        if wanted.holder is not None:
            held = read_people(tx).held_by(wanted.holder)
            facts = [fact for fact in facts if fact.id in held]

        def rank(fact: Fact) -> tuple[bool, float, int, datetime, str]:
            return not fact.pinned, -at.sureness(fact), -fact.sessions, fact.first_observed, fact.id

        found = sorted((fact for fact in facts if wanted.passes(fact, now=at.now)), key=rank)
        if after is not None:
            known = tx.facts.get([after]) if wanted.known_at is None else facts
            last = next((fact for fact in known if fact.id == after), None)  # perhaps it passes no longer
            if last is None:
                raise NotFound(f"there is no fact {after!r} in this scope to go on behind; begin again")
            found = [fact for fact in found if rank(fact) > rank(last)]
        then = () if wanted.known_at is None else facts
        return at.show(found[:limit], with_evidence=wanted.with_evidence, among=then)

    def people(self, *, limit: int) -> list[PersonView]:
        """Return who is known, those of whom most holds now first, then by name."""
        return self.show_people(read_people(self.tx).listed())[:limit]

    def show_people(self, people: Iterable[Somebody]) -> list[PersonView]:
        """Return people as they are shown, those of whom most holds now first, then by name."""
        facts = self.tx.facts.all(LIVE)
        current = {fact.id for fact in facts if fact.is_current(self.now) and fact.resolved_at is None}
        found = [PersonView(one.name, one.subject, one.ties, one.called, len(current & one.facts)) for one in people]
        return sorted(found, key=lambda one: (-one.facts, one.name, one.subject))

    def open_loops(self, *, until: datetime | None, limit: int) -> list[FactView]:
        """Return what is open, what is due first first, then what has no time; only what is due until an instant."""
        loops = [fact for fact in self.tx.facts.all(LIVE) if fact.loop_at(self.now) is LoopState.OPEN]
        wanted = [fact for fact in loops if until is None or (fact.due_by is not None and fact.due_by <= until)]
        wanted.sort(key=lambda fact: (fact.due_by or FOREVER, fact.first_observed, fact.id))
        return self.show(wanted[:limit])

    def changes(self, since: int | None) -> ChangeFeed:
        """Return what changed since a ``rev``; where we are alone for None. After an erasure all is new."""
        rev = self.tx.owner().rev
        if since is None or rev == since:
            return ChangeFeed(rev)
        changes, sees = self.tx.changes(since if since < rev else 0), self.tx.scope.sees
        episodes = [row for row in changes.episodes if row.status is not EpisodeStatus.FORGOTTEN]
        facts = [row for row in changes.facts if row.status is not FactStatus.FORGOTTEN]
        episodes.sort(key=lambda row: row.rev)
        facts.sort(key=lambda row: row.rev)
        return ChangeFeed(
            rev,
            tuple(row for row in episodes if sees(row.scope.project, row.scope.agent)),
            tuple(self.show([row for row in facts if sees(row.scope.project, row.scope.agent)])),
        )

    def diff(self, since: datetime) -> FactsDiff:
        """Return what became believed, ceased to be believed, or changed, since an earlier moment of our knowledge."""
        before, after = ({fact.id: fact for fact in _known_at(self.tx, instant)} for instant in (since, self.now))
        latest = {fact.id: fact for fact in self.tx.facts.all()} | after
        old, new = ({name: fact for name, fact in facts.items() if fact.is_live} for facts in (before, after))
        changed = [name for name in new if name in old and _outward(old[name]) != _outward(new[name])]
        olds = replace(self, now=since).show([old[name] for name in changed])
        return FactsDiff(
            since,
            self.now,
            gained=tuple(self.show([fact for name, fact in new.items() if name not in old])),
            lost=tuple(self.show([latest.get(name, fact) for name, fact in old.items() if name not in new])),
            changed=tuple(zip(olds, self.show([new[name] for name in changed]), strict=True)),
        )

    def conflicts(self, states: Collection[ConflictState]) -> list[ConflictView]:
        """Return questions between facts in some states, the newest first."""
        rows = [ruling for ruling in self.tx.rulings.all() if ruling.conflict in states and not ruling.is_void]
        rows.sort(key=lambda ruling: (ruling.ruled_at, ruling.pair), reverse=True)
        return self.show_conflicts(rows)

    def show_conflicts(self, rulings: Sequence[Ruling]) -> list[ConflictView]:
        """Return questions as they are shown, in the order given; without those on facts that are not seen."""
        names = list(dict.fromkeys(name for row in rulings for name in row.pair))
        views = {view.id: view for view in self.show(self.tx.facts.get(names))}
        return [
            ConflictView.of(
                row,
                id="|".join(row.pair),
                state=row.conflict or ConflictState.RESOLVED,
                verdict=row.judgement.verdict.value,
                earlier=views[row.earlier],
                later=views[row.later],
                opened_at=row.ruled_at,
            )
            for row in rulings
            if views.keys() >= set(row.pair)
        ]

    def _lookup(self, known: dict[str, Fact], facts: Iterable[Fact]) -> Callable[[str], Fact | None]:
        """Return what finds the facts that some tell along, and those that they are merged into."""
        along = {each.fact_id for fact in facts for each in told_along(fact)} - known.keys()
        known |= {fact.id: fact for fact in self.tx.facts.get(list(along))}
        into = {fact.canonical_id for fact in known.values() if fact.canonical_id is not None} - known.keys()
        known |= {fact.id: fact for fact in self.tx.facts.get(list(into))}
        return known.get

    def sureness(self, fact: Fact) -> float:
        """Return how sure we are of a fact, in [0, 1], 6 decimals."""
        return round(confidence_now(fact, self.policy, now=self.now), 6)


def read_people(tx: Transaction) -> People:
    """Return who is meant by the holders of the facts that are seen."""
    return people_of(tx.facts.all(), tx.evidence.all())


def message_names(tx: Transaction, evidence: Iterable[Evidence]) -> dict[str, str]:
    """Return by our ids the ids by which the caller knows the messages that evidence rests on."""
    ids = dict.fromkeys(row.message_id for row in evidence if row.message_id is not None)
    return {message.id: message.name for message in tx.messages.get(list(ids))}


def review_of(tx: Transaction, fact: Fact) -> str:
    """Return why a fact needs review, in the words of what ended it where they are known; empty where it does not."""
    if fact.status is not FactStatus.NEEDS_REVIEW:
        return ""
    target, seen = fact, {fact.id}
    while target.status is FactStatus.NEEDS_REVIEW:  # it may rest on what needs review itself
        found = tx.facts.get([target.properties.get("review_of", "")])
        if not found or found[0].id in seen:
            return fact.properties.get("review", "")
        target = found[0]
        seen.add(target.id)
    successor = tx.facts.get([target.superseded_by]) if target.superseded_by else []
    is_over = bool(successor) or target.retracted_at is not None  # else it was forgotten, and is looked at anew soon
    return say_end(target, next(iter(successor), None)) if is_over else fact.properties.get("review", "")


def read_stats(tx: Transaction) -> dict[str, Any]:
    """Return numbers of visible rows by kind and status, and the embedding models in use."""
    owner = tx.owner()
    conversations = tx.conversations.list()
    return {
        **tx.counts(),
        "conversations": len(conversations),
        "messages.open": sum(conversation.open_messages for conversation in conversations),
        "vectors.model": owner.model,
        "vectors.next_model": owner.next_model,
        "vectors.by_model": tx.vectors.models(),
        "reading.by_reader": tx.episodes.readers(),
        "rev": owner.rev,
    }


def read_revs(store: Store, owners: Collection[Owner], *, unless: str) -> tuple[str, dict[Owner, int]]:
    """Return the pulse of a store, read first, and the ``rev`` of owners; of none where the pulse is ``unless``."""
    pulse, found = store.pulse(), {}
    for owner in owners if pulse != unless else ():
        with store.read(owner.scope) as tx:
            found[owner] = tx.owner().rev
    return pulse, found


def _known_at(tx: Transaction, instant: datetime) -> list[Fact]:
    """Return the facts as they were known; what they were then has no version that can still be changed."""
    return [replace(row.fact, rev=0) for row in tx.versions.known_at(instant)]


def _outward(fact: Fact) -> tuple[object, ...]:
    """Return what a reader would call a change."""
    return fact.statement, fact.status, fact.confidence, fact.valid_from, fact.valid_to, fact.resolved_at, fact.pinned
