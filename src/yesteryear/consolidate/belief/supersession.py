"""Contradictions: of two groups of facts that do not both hold, which one does, since when, or is it a question?

The later word holds, if its authority suffices; what cannot be ordered is asked. Wins need no less authority and, among
equals, a later word, so they never run in a circle, whatever the order in which things became known.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate, permutations
from typing import NamedTuple

from yesteryear.consolidate.belief.caution import TOLD_CHANGE, bearing, needs_asking, settles_both, told_again_at
from yesteryear.consolidate.belief.merging import TOLD_FROM, Group, is_settling, roots_of, told_time
from yesteryear.core.attributes import Cardinality
from yesteryear.core.fact import Fact
from yesteryear.core.fading.confidence import ConfidencePolicy
from yesteryear.core.ruling import ENDING, Act, Judgement, PairVerdict, Ruling


class SupersessionOutcome(NamedTuple):
    """How a dispute between two groups stands."""

    winner: Group | None  # the group that holds; None where there is none yet, or nothing to decide
    loser: Group | None
    settled_by: str  # told again, confirmed, authority, refuted or gone; empty while it is open
    settled_at: datetime | None  # when that was; None where no moment can be named
    is_question: bool  # whether it is, or was, one for the person


class ValidityInterval(NamedTuple):
    """Since when a group holds against those whose place it took."""

    begins: datetime  # from when it holds in the world
    said_at: datetime  # when the word was said that ended the others


@dataclass(frozen=True, slots=True)
class Supersession:
    """Which groups took the place of which."""

    outcomes: Mapping[frozenset[str], SupersessionOutcome]  # by the ids of the two roots
    validity: Mapping[str, ValidityInterval]  # by the root of a group that took another's place
    successors: Mapping[str, Group]  # by the root of a group that lost its place: who took it first
    contested: frozenset[str]  # roots of groups about which a question is open that casts doubt on both
    rivals: Mapping[str, tuple[str, ...]]  # by the root of one on safety or identity: those in dispute with it, as told
    doubters: Mapping[str, tuple[str, ...]]  # by the root of a group: those told later that cast doubt on it
    former: Mapping[str, tuple[str, ...]]  # by the root of a group: those on the person's safety whose place it took


class _Dispute(NamedTuple):
    """Two groups that do not both hold."""

    sides: tuple[Group, Group]
    is_change: bool  # whether one is the later state of the other
    by_person: bool = False
    asked_at: datetime | None = None  # when the person was last asked which of them holds
    ruled_at: datetime | None = None  # None where no ruling links the two, but a chain of changes
    tells_end: bool = False  # whether the later word tells that the other is over, be it of the past: "I gave up"


def settle_disputes(
    groups: Mapping[str, Group],
    rulings: Sequence[Ruling],
    facts: Mapping[str, Fact],
    policy: ConfidencePolicy,
    *,
    now: datetime,
) -> Supersession:
    """Return which groups took the place of which, and what is open.

    A change is ordered by the last word of each side; a contradiction by authority, by the person's hand, or by a word
    said after both were known. Neither lets a weaker authority, the memory of what once was, or anything but the
    person's own hand against what is pinned win. A group that the person refuted or that was never sure enough takes
    no part; one that merely faded still does, so that what it ended stays ended. ``groups`` come by the id of every
    member; what has faded by ``now`` is no longer asked about.
    """
    both_hold = {roots_of(row, groups) for row in rulings if settles_both(row)}
    guesses = [row for row in rulings if row.act is Act.DOUBT and roots_of(row, groups) not in both_hold]
    rulings = [row for row in rulings if row.act in (Act.SUPERSEDE, Act.ASK) and not is_settling(row, facts)]
    ranks = _ranks(groups, rulings)
    found = _disputes(groups, rulings, ranks, policy)
    disputes = {key: dispute for key, dispute in found.items() if key not in both_hold}
    outcomes = {key: _outcome(dispute, ranks, policy, now=now) for key, dispute in disputes.items()}
    beaten: dict[str, list[Group]] = defaultdict(list)
    winners: dict[str, list[Group]] = defaultdict(list)
    for outcome in outcomes.values():
        if outcome.winner is not None and outcome.loser is not None:
            beaten[outcome.winner.root.id].append(outcome.loser)
            winners[outcome.loser.root.id].append(outcome.winner)
    validity = {root: _validity(groups[root], losers) for root, losers in beaten.items()}
    successors = {
        root: min(those, key=lambda one: (validity[one.root.id].begins, _word(one, ranks)))
        for root, those in winners.items()
    }
    is_open = {key for key, outcome in outcomes.items() if not outcome.settled_by}
    guarded = {key for key in is_open if any(bearing(side.root).is_guarded for side in disputes[key].sides)}
    # A question makes both sides less sure, but where one is likely just the later state of the other.
    doubtful = {roots_of(row, groups) for row in rulings if _is_contradiction(row.judgement)}
    contested = frozenset(root for key in (is_open & doubtful) - guarded for root in key)
    return Supersession(
        outcomes,
        validity,
        successors,
        contested,
        rivals=_listed(_rivals(disputes[key].sides for key in guarded)),
        doubters=_listed(_doubts(guesses, groups, ranks, policy)),
        former=_listed(
            (groups[root], loser)
            for root, losers in beaten.items()
            for loser in losers
            if bearing(loser.root).is_safety
        ),
    )


def _is_contradiction(judgement: Judgement) -> bool:
    """Tell whether a judge says that both cannot be true, or a rule or a person does not say which is."""
    return judgement.verdict is PairVerdict.CONTRADICTS or not judgement.scores


def _rivals(disputed: Iterable[tuple[Group, Group]]) -> Iterator[tuple[Group, Group]]:
    """Yield each side with the other where both speak of one matter or thing: else a guess has put them together."""
    for sides in disputed:
        one, other = (bearing(side.root) for side in sides)
        if one.matters & other.matters or one.objects & other.objects:
            yield from permutations(sides)


def _doubts(
    guesses: Iterable[Ruling], groups: Mapping[str, Group], ranks: Counter[str], policy: ConfidencePolicy
) -> Iterator[tuple[Group, Group]]:
    """Yield each group that may no longer hold with what was told later; what no day ends is not doubted by a guess."""
    for row in guesses:
        older, newer = groups[row.earlier], groups[row.later]
        is_later = _word(older, ranks) < _word(newer, ranks)
        if is_later and _is_sure(newer, policy) and _may_end(older, newer) and not bearing(older.root).stays:
            yield older, newer


def _listed(pairs: Iterable[tuple[Group, Group]]) -> dict[str, tuple[str, ...]]:
    """Return by the root of the first of each pair the roots of the others, in the order told."""
    found: dict[str, list[Group]] = defaultdict(list)
    for one, other in pairs:
        found[one.root.id].append(other)
    return {
        root: tuple(group.root.id for group in sorted(those, key=lambda group: (group.begins, group.root.id)))
        for root, those in found.items()
    }


def _disputes(
    groups: Mapping[str, Group], rulings: Sequence[Ruling], ranks: Counter[str], policy: ConfidencePolicy
) -> dict[frozenset[str], _Dispute]:
    found: dict[frozenset[str], _Dispute] = {}

    def rank(row: Ruling) -> tuple[object, ...]:
        return not row.by_person, row.act is not Act.SUPERSEDE, row.ruled_at, row.pair

    # Of rulings between the same two groups the person's come first, then changes, then questions.
    for row in sorted(rulings, key=rank):
        sides, is_change = (groups[row.earlier], groups[row.later]), row.act is Act.SUPERSEDE
        tells_end = row.judgement.verdict in ENDING or row.judgement.is_guess or row.judgement.rule == TOLD_CHANGE
        dispute = _Dispute(sides, is_change, row.by_person, row.asked_at, row.ruled_at, tells_end)
        found.setdefault(roots_of(row, groups), dispute)
    changes = [dispute.sides for dispute in found.values() if dispute.is_change]
    for sides in _slot_rivals(changes, ranks, policy):
        found.setdefault(frozenset(side.root.id for side in sides), _Dispute(sides, is_change=True))
    return found


def _slot_rivals(
    changes: Iterable[tuple[Group, Group]], ranks: Counter[str], policy: ConfidencePolicy
) -> Iterator[tuple[Group, Group]]:
    """Yield each group with those that may end it first, where all fill one slot and a chain of changes links them.

    Lisbon after Porto and Faro after Lisbon put Faro against Porto too, when Porto is told once more.
    """
    slots: dict[tuple[int, str, str], list[Group]] = defaultdict(list)
    for number, chain in enumerate(_chains(changes)):
        for group in chain:
            slot = group.root.slot
            if slot is not None and slot.cardinality is Cardinality.SINGLE and _is_sure(group, policy):
                slots[number, group.root.subject.casefold(), slot.attribute.casefold()].append(group)
    for those in slots.values():
        those.sort(key=lambda group: _word(group, ranks))
        soonest = list(accumulate(reversed([_soonest(group) for group in those]), min))[::-1]
        for at, older in enumerate(those):
            following = zip(those[at + 1 :], soonest[at + 1 :], strict=True)
            yield from ((older, newer) for newer in _enders(older, following))


def _enders(older: Group, following: Iterable[tuple[Group, datetime]]) -> Iterator[Group]:
    """Yield those of the later groups that may be the first to end a group; others begin after it has ended.

    Those that follow come in the order of their words, each with the soonest that it or one behind it may begin.
    """
    by_then: datetime | None = None
    for newer, soonest in following:
        if by_then is not None and soonest >= by_then:
            return
        if _value(newer) == _value(older) or not _may_end(older, newer):
            continue
        if by_then is None or _soonest(newer) < by_then:
            yield newer
        if by_then is None and newer.begins <= newer.belief.last:
            by_then = newer.belief.last


def _soonest(group: Group) -> datetime:
    return min(group.begins, group.belief.first)


def _chains(pairs: Iterable[tuple[Group, Group]]) -> Iterator[list[Group]]:
    """Yield the groups that are linked with one another, directly or not."""
    linked: dict[str, list[Group]] = defaultdict(list)
    for one, other in pairs:
        linked[one.root.id].append(other)
        linked[other.root.id].append(one)
    seen: set[str] = set()
    for start in list(linked):
        ways, chain = [start], []
        while ways:
            for group in linked[ways.pop()]:
                if group.root.id not in seen:
                    seen.add(group.root.id)
                    chain.append(group)
                    ways.append(group.root.id)
        yield chain


def _value(group: Group) -> str:
    return group.root.slot.value.casefold() if group.root.slot is not None else ""


def _is_sure(group: Group, policy: ConfidencePolicy) -> bool:
    """Tell whether a group was ever sure enough to take part; that it faded since then does not matter."""
    return group.belief.refuted_at is None and group.belief.value >= policy.deprecate_below


def _ranks(groups: Mapping[str, Group], rulings: Iterable[Ruling]) -> Counter[str]:
    """Return how much more often a group was judged the later than the earlier; orders words of one instant."""
    ranks: Counter[str] = Counter()
    for row in rulings:
        ranks[groups[row.later].root.id] += 1
        ranks[groups[row.earlier].root.id] -= 1
    return ranks


def _word(group: Group, ranks: Counter[str]) -> tuple[datetime, int, str, str]:
    """Return what orders groups by their last word."""
    return group.belief.last, ranks[group.root.id], group.root.statement, group.root.id


def _outcome(dispute: _Dispute, ranks: Counter[str], policy: ConfidencePolicy, *, now: datetime) -> SupersessionOutcome:
    older, newer = sorted(dispute.sides, key=lambda side: _word(side, ranks))
    is_guarded = not dispute.by_person and needs_asking(
        older.members, newer.members, newer.own, since=older.belief.last
    )
    asks = is_guarded or not dispute.is_change
    refuted = [side.belief.refuted_at for side in dispute.sides if side.belief.refuted_at is not None]
    if refuted:
        return SupersessionOutcome(None, None, "refuted", max(refuted), asks)
    if not all(_is_sure(side, policy) for side in dispute.sides):
        return SupersessionOutcome(None, None, "gone", None, asks)
    is_weightier = newer.belief.authority > older.belief.authority
    if asks and older.belief.authority is not newer.belief.authority and not (is_guarded and is_weightier):
        newer, older = sorted((older, newer), key=lambda side: -side.belief.authority)
        if _may_end(older, newer, dispute):
            return SupersessionOutcome(newer, older, "authority", dispute.ruled_at, asks)
    elif _may_end(older, newer, dispute):
        how = "confirmed" if newer.belief.by_hand_at == newer.belief.last else "told again"
        settled_at = (
            _settled_at(newer, older, dispute.asked_at, is_guarded=is_guarded)
            if asks
            else _validity(newer, [older]).said_at
        )
        if settled_at is not None:
            return SupersessionOutcome(newer, older, how, settled_at, asks)
    is_gone = any(side.sinks_at <= now and not side.is_held for side in dispute.sides)
    return SupersessionOutcome(None, None, "gone" if is_gone else "", None, True)


def _settled_at(newer: Group, older: Group, asked_at: datetime | None, *, is_guarded: bool) -> datetime | None:
    """Return when one side was stood up for after both were known, and after the other's last word.

    On safety or identity that takes the person's own words, at another sitting than the first or once they were asked.
    """
    known = max(newer.belief.first, older.belief.first, older.belief.last)
    if is_guarded:
        return told_again_at(newer.own, after=known, asked_at=asked_at)
    return next((at for at in newer.belief.told if at > known), None)


def _may_end(older: Group, newer: Group, dispute: _Dispute | None = None) -> bool:
    """Tell whether a group may take another's place at all."""
    by_hand_at = newer.belief.by_hand_at
    is_by_hand = by_hand_at is not None and by_hand_at > older.belief.last
    is_theirs = is_by_hand or (dispute is not None and dispute.by_person)
    is_memory = newer.is_past and not older.is_past and not (dispute is not None and dispute.tells_end)
    is_hearsay = newer.is_hearsay and not older.is_hearsay
    return (
        newer.belief.authority >= older.belief.authority
        and not is_hearsay
        and (is_theirs or not (is_memory or older.root.pinned))
    )


def _validity(group: Group, beaten: Iterable[Group]) -> ValidityInterval:
    """Return since when a group holds: from when it was told to, or its first word after the last of those it ended."""
    words = [other.belief.last for other in beaten if other.belief.last <= group.belief.last]
    if not words:  # it held all along, by its authority
        return ValidityInterval(group.begins, group.belief.first)
    said_at = next((at for at in group.belief.told if at > max(words)), group.belief.last)
    is_new = group.belief.first > max(words)
    return ValidityInterval((told_time(group.root, TOLD_FROM) if is_new else None) or said_at, said_at)
