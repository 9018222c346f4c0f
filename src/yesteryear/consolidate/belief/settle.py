"""What is believed, given everything that was said, judged and done by hand.

It is derived from facts, evidence, rulings and edges, never from what was believed before: it does not depend on the
order in which things became known, deriving it twice changes nothing, and a ruling that is undone leaves no trace.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple

from yesteryear.consolidate.belief.cascade import Ended, doubts
from yesteryear.consolidate.belief.caution import is_own
from yesteryear.consolidate.belief.guesses import GuessPolicy, trusted, weighed
from yesteryear.consolidate.belief.meant_sentence import MeantPolicy, find_meant
from yesteryear.consolidate.belief.merging import TOLD_FROM, TOLD_UNTIL, Group, fold, is_settling, roots_of, told_time
from yesteryear.consolidate.belief.supersession import Supersession, ValidityInterval, settle_disputes
from yesteryear.consolidate.belief.told_along import SentenceSaid, ToldAlong
from yesteryear.core.fact import (
    DISPUTED_BY,
    DOUBTED_BY,
    IN_PLACE_OF,
    RESOLVED_BY,
    SETTLED_AS,
    TELLS_ALONG,
    Authority,
    Evidence,
    Fact,
    FactStatus,
    LoopState,
    Stance,
)
from yesteryear.core.fading.confidence import (
    Confidence,
    ConfidencePolicy,
    confidence,
    confidence_now,
    in_sittings,
    known_since,
    sinks_at,
)
from yesteryear.core.night_report import FactChange
from yesteryear.core.people import people_of
from yesteryear.core.relation import Edge
from yesteryear.core.ruling import OVER_BEFORE, Act, ConflictState, PairVerdict, Ruling
from yesteryear.relate.edges import beside_each_other

_Counting = Callable[[Iterable[str]], tuple[list[Evidence], bool]]
_NO_ROOM = "limit"
_MARKS = frozenset(
    {"why", "review", "review_of", TOLD_FROM, TOLD_UNTIL, DISPUTED_BY, DOUBTED_BY, IN_PLACE_OF, SETTLED_AS, TELLS_ALONG}
)
"""Properties that say what belief did to a fact; derived anew each time."""
_HALF = 0.5
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class BeliefPolicy:
    """What is believed."""

    confidence: ConfidencePolicy = field(default_factory=ConfidencePolicy)
    guesses: GuessPolicy = field(default_factory=GuessPolicy)
    meant: MeantPolicy = field(default_factory=MeantPolicy)
    max_facts: int = 500
    """How many facts of an owner count at most (document B, section 6.4); 0 for no limit. What is pinned, confirmed or
    well evidenced may exceed it."""


@dataclass(frozen=True, slots=True)
class KnownFact:
    """All that belief follows from, in any order."""

    facts: Sequence[Fact]
    evidence: Sequence[Evidence] = ()
    rulings: Sequence[Ruling] = ()
    edges: Sequence[Edge] = ()


@dataclass(frozen=True, slots=True)
class Settled:
    """What belief changes."""

    facts: tuple[Fact, ...]  # those that are otherwise than before, by id
    rulings: tuple[Ruling, ...]
    """Those whose question was opened or settled, or that are sure enough for something else, by pair."""
    changes: tuple[FactChange, ...]  # what happened to each of the facts


def settle(known: KnownFact, policy: BeliefPolicy, *, now: datetime, night: datetime | None = None) -> Settled:
    """Return what has to change so that the facts are what is believed at ``now``; nothing of its own result.

    In this order: guesses act on the sentence they are about; facts that say the same are folded into groups that share
    their evidence; of groups that do not both hold one takes the other's place or a question is opened, which halves
    both; what was refuted, or faded below ``deprecate_below``, is deprecated; what gets done is settled; what rests on
    something that ended needs review; the weakest above ``max_facts`` give way.

    A question alone never deprecates: fading is told by the confidence before it was halved. ``known`` is all that is
    known of one owner; forgotten facts, and rulings and edges on facts that are not there, count for nothing. What
    fades has faded up to ``night``, the instant of the last one; the present where not given.
    """
    by_then = now if night is None else night
    known = replace(known, evidence=in_sittings(known.evidence))
    facts = {fact.id: fact for fact in known.facts if fact.status is not FactStatus.FORGOTTEN}
    counting = _counting(facts, known.evidence)

    def weigh(fact_ids: Iterable[str]) -> Confidence:
        return confidence(counting(fact_ids)[0], policy.confidence)

    rulings = [row for row in known.rulings if row.counts and row.earlier in facts and row.later in facts]
    is_beside = beside_each_other(known.edges, facts)  # an obstacle does not end its goal, whatever a judge makes of it
    rulings = [row for row in rulings if _stands_beside(row) or not is_beside(row.earlier, row.later)]
    people = people_of(known.facts, known.evidence)
    rulings = trusted([row for row in rulings if people.stands(row, facts)], facts, known.evidence)
    told_along = ToldAlong(known.evidence)
    rulings = list(weighed(rulings, facts, known.evidence, policy.guesses))
    rulings, over = find_meant(rulings, known.rulings, facts, told_along, policy.meant)
    groups = _grouped(facts, fold(facts, rulings, weigh), counting, policy.confidence)
    roots = sorted({group.root.id for group in groups.values()})
    supersession = settle_disputes(groups, rulings, facts, policy.confidence, now=by_then)
    settled = _settled_loops(groups, rulings, facts)
    believed = {
        root: _standing(groups[root], supersession, settled.get(root), policy.confidence, now=now, night=by_then)
        for root in roots
    }
    for root, doubt in doubts(groups, _ended(believed, supersession), known.edges).items():
        believed[root] = _marked(
            believed[root].moved_to(FactStatus.NEEDS_REVIEW), review=doubt.why, review_of=doubt.target
        )
    believed |= _surplus(believed, groups, policy, now=now, night=by_then)
    believed |= dict(_telling_along(believed, facts, groups, told_along, over))
    for fact in (facts[name] for name in facts.keys() - believed.keys()):
        plain = _plain(fact, weigh([fact.id]))
        believed[fact.id] = plain.moved_to(FactStatus.MERGED, canonical_id=groups[fact.id].root.id)
    changed = [(facts[fact_id], fact) for fact_id, fact in sorted(believed.items()) if fact != facts[fact_id]]
    by_pair = {row.pair: row for row in rulings}
    # What stands in for a ruling that was set aside, or undone, is derived each time and not written in its place.
    own = ((row, by_pair.get(row.pair, row) if row.counts else row) for row in known.rulings)
    asked = [(row, _with_outcome(acting, groups, supersession, now=now)) for row, acting in own]
    return Settled(
        facts=tuple(after for _, after in changed),
        rulings=tuple(sorted((after for before, after in asked if after != before), key=lambda row: row.pair)),
        changes=tuple(_told_change(before, after) for before, after in changed),
    )


def _stands_beside(ruling: Ruling) -> bool:
    """Tell whether a ruling counts between an obstacle and its goal: the person's, a merge, and that it is reached."""
    return ruling.by_person or ruling.act is Act.FOLD or ruling.judgement.verdict is PairVerdict.COMPLETES


def _telling_along(
    believed: Mapping[str, Fact],
    facts: Mapping[str, Fact],
    groups: Mapping[str, Group],
    told_along: ToldAlong,
    over: Mapping[SentenceSaid, Collection[str]],
) -> Iterator[tuple[str, Fact]]:
    """Yield, by their roots, those facts that tell something along, marked with it."""

    def does_end(name: str) -> bool:
        return groups[name].belief.refuted_at is None

    for root, fact in believed.items():
        members = [member.id for member in groups[root].members]
        if along := told_along.in_quote(facts[root], members, over, does_end):
            yield root, _marked(fact, **{TELLS_ALONG: along})


def _counting(facts: Mapping[str, Fact], evidence: Iterable[Evidence]) -> _Counting:
    """Return what tells which evidence counts for some facts taken together, and whether it is but what others said.

    The words of the person they are about; those of others where there are no such.
    """
    own: dict[str, list[Evidence]] = defaultdict(list)
    others: dict[str, list[Evidence]] = defaultdict(list)
    for row in evidence:
        if row.fact_id in facts:
            (own if is_own(row, facts[row.fact_id]) else others)[row.fact_id].append(row)

    def counting(fact_ids: Iterable[str]) -> tuple[list[Evidence], bool]:
        ids = list(fact_ids)
        said, heard = ([row for name in ids for row in rows.get(name, ())] for rows in (own, others))
        return said or heard, bool(heard) and not said

    return counting


def _grouped(
    facts: Mapping[str, Fact], roots: Mapping[str, str], counting: _Counting, policy: ConfidencePolicy
) -> dict[str, Group]:
    members: dict[str, list[Fact]] = defaultdict(list)
    for fact_id in sorted(facts):
        members[roots[fact_id]].append(facts[fact_id])
    groups = {}
    for root_id, those in members.items():
        root, (rows, is_hearsay) = facts[root_id], counting(fact.id for fact in those)
        belief = confidence(rows, policy)
        own = [row for row in rows if row.stance is Stance.SUPPORTS and row.said_at in belief.told and not is_hearsay]
        since = known_since(replace(root, last_confirmed=belief.told[-1] if belief.told else None))
        groups[root_id] = Group(
            root=root,
            members=tuple(those),
            belief=belief,
            sinks_at=sinks_at(belief.value, since, root.volatility, policy),
            own=tuple(sorted(own, key=lambda row: (row.said_at, row.id))),
            is_hearsay=is_hearsay,
            is_held=root.pinned or belief.sessions >= policy.well_evidenced,
        )
    return {fact_id: groups[root_id] for fact_id, root_id in roots.items()}


def _standing(
    group: Group,
    supersession: Supersession,
    settled: _SettledLoop | None,
    policy: ConfidencePolicy,
    *,
    now: datetime,
    night: datetime,
) -> Fact:
    """Return the root of a group as it is believed, but for what it rests on and how much room there is."""
    root, belief = group.root, group.belief
    successor = supersession.successors.get(root.id)
    ended = None if successor is None else supersession.validity[successor.root.id].begins
    value = round(belief.value * _HALF, _DIGITS) if root.id in supersession.contested else belief.value
    status, why, retracted_at = _status(group, value, policy, is_over=ended is not None and ended <= now, night=night)
    by_hand = [fact for fact in group.members if fact.properties.get(RESOLVED_BY) == "person"]
    first = min(by_hand, key=lambda fact: (fact.resolved_at or night, fact.id), default=None)
    told = _SettledLoop(first.resolved_at, SETTLED_AS in first.properties) if first and first.resolved_at else settled
    fact = _plain(root, belief).moved_to(
        status,
        confidence=value,
        retracted_at=retracted_at,
        resolved_at=told.at if told else None,
        superseded_by=successor.root.id if successor is not None and status is FactStatus.SUPERSEDED else None,
    )
    marks = {"why": why} if why else {}
    marks |= {SETTLED_AS: LoopState.DROPPED.value} if told and told.is_dropped else {}
    marked_by = {DISPUTED_BY: supersession.rivals, DOUBTED_BY: supersession.doubters, IN_PLACE_OF: supersession.former}
    for mark, others in marked_by.items():
        if fact.is_live and others.get(root.id):
            marks[mark] = " ".join(others[root.id])
    return _during(_marked(fact, **marks), supersession.validity.get(root.id), ended)


def _status(
    group: Group, value: float, policy: ConfidencePolicy, *, is_over: bool, night: datetime
) -> tuple[FactStatus, str, datetime | None]:
    """Return the status of a group's root, why it is out of use, and since when we do not believe it."""
    belief = group.belief
    if belief.refuted_at is not None:
        return FactStatus.DEPRECATED, "refuted", belief.refuted_at
    if is_over:
        return FactStatus.SUPERSEDED, "", None
    if group.sinks_at <= night and not group.is_held:
        return FactStatus.DEPRECATED, "faded", group.sinks_at
    is_evidenced = belief.sessions >= policy.stable_sessions and value >= policy.fact_threshold
    is_stable = is_evidenced or belief.by_hand_at is not None or group.root.pinned
    return (FactStatus.STABLE if is_stable else FactStatus.TENTATIVE), "", None


def _during(fact: Fact, validity: ValidityInterval | None, ended: datetime | None) -> Fact:
    """Return a fact with when it held: as told or, where others held before or after, between their words and its."""
    begins, until = fact.valid_from or fact.first_observed, fact.valid_to
    if validity is not None and validity.begins != begins:
        fact = replace(_marked(fact, **{TOLD_FROM: _written(fact.valid_from)}), valid_from=validity.begins)
        begins = validity.begins
    if ended is not None and (until is None or max(begins, ended) < until):
        fact = replace(_marked(fact, **{TOLD_UNTIL: _written(until)}), valid_to=max(begins, ended))
    return fact


def _plain(fact: Fact, belief: Confidence) -> Fact:
    """Return a fact as its own evidence leaves it, without anything that other facts do to it."""
    is_by_hand = fact.properties.get(RESOLVED_BY) == "person"
    derived = _MARKS - {SETTLED_AS} if is_by_hand else _MARKS
    return replace(
        fact,
        confidence=belief.value,
        sessions=belief.sessions,
        last_confirmed=belief.told[-1] if belief.told else None,
        valid_from=told_time(fact, TOLD_FROM),
        valid_to=told_time(fact, TOLD_UNTIL),
        resolved_at=fact.resolved_at if is_by_hand else None,
        retracted_at=None,
        canonical_id=None,
        superseded_by=None,
        properties={name: text for name, text in fact.properties.items() if name not in derived},
    )


class _SettledLoop(NamedTuple):
    at: datetime
    is_dropped: bool


def _settled_loops(
    groups: Mapping[str, Group], rulings: Iterable[Ruling], facts: Mapping[str, Fact]
) -> dict[str, _SettledLoop]:
    """Return what was said to be done or dropped after it was last told, and when that was first.

    Hearsay settles nothing but hearsay.
    """
    found: dict[str, _SettledLoop] = {}
    for row in rulings:
        is_over_before = row.judgement.rule == OVER_BEFORE
        if not is_over_before and not is_settling(row, facts):
            continue
        loop, told_by = (row.later, row.earlier) if is_over_before else (row.earlier, row.later)
        group, word = groups[loop], groups[told_by]
        may_settle = word.belief.value > 0 and (group.is_hearsay or not word.is_hearsay) and group.root.is_loop
        since = max(group.belief.last, facts[told_by].first_observed)
        at = next((at for at in word.belief.told if at >= since), None)
        if may_settle and at is not None:
            told = _SettledLoop(at, row.judgement.verdict is PairVerdict.ENDS)
            found[group.root.id] = min(told, found.get(group.root.id, told))
    return found


def _ended(believed: Mapping[str, Fact], supersession: Supersession) -> dict[str, Ended]:
    """Return the facts that no longer hold, and when that was said."""
    found: dict[str, Ended] = {}
    for root, fact in believed.items():
        if fact.status is FactStatus.SUPERSEDED:
            found[root] = Ended(fact.status, supersession.validity[supersession.successors[root].root.id].said_at)
        elif fact.retracted_at is not None:
            found[root] = Ended(fact.status, fact.retracted_at)
    return found


def _surplus(
    believed: Mapping[str, Fact], groups: Mapping[str, Group], policy: BeliefPolicy, *, now: datetime, night: datetime
) -> dict[str, Fact]:
    """Return the facts that give way for want of room: the least sure, of few sessions, old; never what is held."""
    live = [fact for fact in believed.values() if fact.is_live]
    too_many = len(live) - policy.max_facts
    if not policy.max_facts or too_many <= 0:
        return {}
    free = [fact for fact in live if not groups[fact.id].is_held and groups[fact.id].belief.by_hand_at is None]

    def weakness(fact: Fact) -> tuple[float, int, datetime, str, str]:
        sureness = confidence_now(fact, policy.confidence, now=night)
        return sureness, fact.sessions, fact.first_observed, fact.statement, fact.id

    free.sort(key=weakness)
    given: dict[str, Fact] = {}
    for fact in free[:too_many]:
        before = groups[fact.id].root
        is_known = before.status is FactStatus.DEPRECATED and before.properties.get("why") == _NO_ROOM
        since = before.retracted_at if is_known else None
        given[fact.id] = _marked(fact.moved_to(FactStatus.DEPRECATED, retracted_at=since or now), why=_NO_ROOM)
    return given


def _with_outcome(row: Ruling, groups: Mapping[str, Group], supersession: Supersession, *, now: datetime) -> Ruling:
    """Return a ruling with where its question stands."""
    outcome = None
    if row.act in (Act.SUPERSEDE, Act.ASK) and row.earlier in groups and row.later in groups:
        outcome = supersession.outcomes.get(roots_of(row, groups))
    if outcome is None:
        return _closed(row, "undone" if row.is_void else "gone", now) if row.conflict is ConflictState.OPEN else row
    if not outcome.settled_by:
        return replace(row, conflict=ConflictState.OPEN, settled_at=None, settled_by="")
    if outcome.is_question or row.conflict is not None:
        return _closed(row, outcome.settled_by, outcome.settled_at or now)
    return row


def _closed(row: Ruling, how: str, at: datetime) -> Ruling:
    if row.conflict is ConflictState.RESOLVED and row.settled_by == how:
        return row
    return replace(row, conflict=ConflictState.RESOLVED, settled_at=at, settled_by=how)


def _marked(fact: Fact, **marks: str) -> Fact:
    return replace(fact, properties={**fact.properties, **marks})


def _written(instant: datetime | None) -> str:
    return "" if instant is None else instant.isoformat()


def _told_change(before: Fact, after: Fact) -> FactChange:
    """Return what happened to a fact, in one word, and why."""
    return FactChange(
        fact_id=after.id,
        statement=after.statement,
        what=_what(before, after),
        why=after.properties.get("review") or after.properties.get("why", ""),
        other_id=after.canonical_id or after.superseded_by or after.properties.get("review_of"),
        confidence=(before.confidence, after.confidence),
    )


def _what(before: Fact, after: Fact) -> str:
    is_other = (after.canonical_id, after.superseded_by) != (before.canonical_id, before.superseded_by)
    if before.authority is Authority.INFERRED and before.last_confirmed is None and after.is_live:
        return "distilled"
    in_use = (FactStatus.TENTATIVE, FactStatus.STABLE)
    if before.status not in in_use and after.status in in_use:
        return "restored"
    if after.status is not before.status or is_other:
        return "confidence" if after.status is FactStatus.TENTATIVE else after.status.value
    if after.resolved_at != before.resolved_at:
        return "restored" if after.resolved_at is None else "resolved"
    return "confidence"
