"""Who is meant by the names and ties that facts are held under: which of them are one, and which of one name are two.

Derived from what was told and from what the person said by hand, in whatever order, and never from what was derived
before, so that nothing is left of a link whose words are gone. Two are joined where it was told ("my partner Priya"),
and where a name or tie can mean nobody else; else they stay two. What was said by hand comes before all that was told,
the later word before the earlier.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from yesteryear.core.attributes import attributes
from yesteryear.core.fact import Evidence, Fact, FactStatus, Modality, Stance
from yesteryear.core.language.told.called import Called, find_ends, find_links, parse_called, surname_in, ties
from yesteryear.core.ruling import Ruling
from yesteryear.core.time import FOREVER

SAME, NOT_SAME = "same", "not_same"
"""Properties of a fact by which the person said that two are one, or are not: what both are called, on a line each."""
_BESIDE = "\n"
_UNSAID = frozenset({Modality.WISHED, Modality.UNCERTAIN})
_ALIVE = frozenset({"person", "pet"})


class Somebody(NamedTuple):
    """A person or pet of somebody's own."""

    subject: str  # whose they are, as they are named
    name: str  # how they are told apart from all others: "Priya", "boss Anna", "partner"
    ties: tuple[str, ...]
    called: tuple[str, ...]  # names and ties that facts about them are held under, as they were said
    facts: frozenset[str]  # ids of what is held under these


class _ByHand(NamedTuple):
    """What the person said of two."""

    at: datetime
    one: Called
    other: Called
    is_same: bool


class _Moment(NamedTuple):
    """When somebody is told to be something to the subject, or whoever it was to be it no more."""

    at: datetime
    rank: int  # at one instant "my new boss" ends what was before, "we broke up" what is told beside it too
    root: str  # empty where it ends


@dataclass(frozen=True)
class People:
    """Who is meant, by the subject's name, casefolded."""

    circles: Mapping[str, Circle]

    def holder_of(self, fact: Fact) -> str:
        """Return what two facts of one subject share exactly where they have one holder; empty for the subject."""
        circle = self.circles.get(fact.subject.casefold())
        return circle.roots.get(fact.id, fact.holder.casefold()) if circle else fact.holder.casefold()

    def stands(self, ruling: Ruling, facts: Mapping[str, Fact]) -> bool:
        """Tell whether a ruling on two facts holds: its judge took them to have one holder where they have, or not."""
        one, other = (facts[name] for name in ruling.pair)
        was_one = one.holder.casefold() == other.holder.casefold() if ruling.of_one is None else ruling.of_one
        return ruling.by_person or ruling.is_void or was_one == (self.holder_of(one) == self.holder_of(other))

    def held_by(self, text: str) -> frozenset[str]:
        """Return the ids of facts whose holder is called so: of all who are, where several may be."""
        return frozenset().union(*(circle.held_by(parse_called(text)) for circle in self.circles.values()))

    def of_namesakes(self, text: str) -> frozenset[str]:
        """Return the ids of facts about whoever has the name, and is not known to be who is called so."""
        return self.held_by(parse_called(text).name) - self.held_by(text)

    def named(self, text: str) -> dict[str, list[Somebody]]:
        """Return whom a name or tie may mean, by whose they are."""
        found: dict[str, list[Somebody]] = defaultdict(list)
        for circle in self.circles.values():
            for somebody in circle.named(parse_called(text)):
                found[somebody.subject].append(somebody)
        return found

    def listed(self) -> list[Somebody]:
        """Return everybody, those of whom most is told first, then by name."""
        found = [somebody for circle in self.circles.values() for somebody in circle.everybody()]
        return sorted(found, key=lambda one: (-len(one.facts), one.name, one.subject))


def people_of(facts: Iterable[Fact], evidence: Iterable[Evidence]) -> People:
    """Return who is meant by the holders of facts, whatever is believed of these; forgotten ones tell nothing."""
    told: dict[str, list[Fact]] = defaultdict(list)
    links: dict[str, Fact] = {}
    for fact in facts:
        if fact.status is not FactStatus.FORGOTTEN:
            told[fact.subject.casefold()].append(fact)
            links |= {fact.id: fact} if is_link(fact) else {}
    said: dict[str, Evidence] = {}
    for row in sorted(evidence, key=lambda row: (row.said_at, row.stance is Stance.CONTRADICTS)) if links else ():
        said[row.fact_id] = row
    by_hand: dict[str, list[_ByHand]] = defaultdict(list)
    for fact_id, fact in links.items():
        if fact_id in said and said[fact_id].stance is not Stance.CONTRADICTS:
            one, other = map(parse_called, (fact.properties.get(SAME) or fact.properties[NOT_SAME]).split(_BESIDE))
            by_hand[fact.subject.casefold()].append(_ByHand(said[fact_id].said_at, one, other, SAME in fact.properties))
    return People({subject: Circle(those, sorted(by_hand[subject])[::-1]) for subject, those in told.items()})


def is_link(fact: Fact) -> bool:
    """Tell whether by this fact the person said that two are one, or are not."""
    return SAME in fact.properties or NOT_SAME in fact.properties


def link_between(one: Called, other: Called) -> str:
    """Return the property of a link by hand: the same whichever is named first."""
    return _BESIDE.join(sorted(map(str, (one, other))))


class Circle:
    """The people and pets of one subject."""

    def __init__(self, facts: Sequence[Fact], by_hand: Sequence[_ByHand]) -> None:
        self._facts, self._by_hand = facts, by_hand
        self._cut = {frozenset(map(str, row[1:3])) for row in by_hand if not row.is_same}
        holders = {fact.id: parse_called(fact.holder) for fact in facts if fact.holder}
        names = {called.name for called in holders.values()} - {""}
        self._links = {fact.id: list(self._told_in(fact, names)) for fact in facts}
        self._holders = {fact.id: self._whole(fact, holders[fact.id]) for fact in facts if fact.holder}
        self._everyone = sorted({*self._holders.values(), *(one for told in self._links.values() for one in told)})
        self._joined = self._join()
        self._members: dict[str, list[Called]] = defaultdict(list)
        for called in self._everyone:
            self._members[self._joined.root(_node(called))].append(called)
        self._moments = self._find_moments()
        self.roots = {fact.id: self._root(self._holders[fact.id], fact.first_observed) for fact in facts if fact.holder}
        """By id of a fact with a holder, what stands for that."""

    def _told_in(self, fact: Fact, names: set[str]) -> Iterator[Called]:
        """Yield whom a fact calls by tie and name; a name in small letters is one that something is held under."""
        if not (fact.is_negative or fact.modality in _UNSAID or is_link(fact)):
            for called, is_written in find_links(fact.statement, fact.subject):
                if is_written or called.name in names:
                    yield self._without_cut(called)

    def _without_cut(self, called: Called) -> Called:
        """Return how somebody is called without a tie that they do not have, as was said by hand."""
        names = {called.name, f"{called.name} {called.surname}"}
        return called._replace(tie="") if any(frozenset({called.tie, name}) in self._cut for name in names) else called

    def _whole(self, fact: Fact, called: Called) -> Called:
        """Return how the holder of a fact is called in all of its words."""
        near = [link for link in self._links[fact.id] if (link.name if called.name else link.tie) in called[:2]]
        if len({link[:2] for link in near}) == 1:
            link = near[0]
            return Called(called.tie or link.tie, link.name, called.surname or link.surname)
        if called.name and not called.surname:
            called = called._replace(surname=surname_in(fact.statement, called.name))
        return self._without_cut(called)

    def _join(self) -> _Joined:
        joined = _Joined()
        for row in self._by_hand:
            if not _is_of_now(row):
                (joined.join if row.is_same else joined.part)(_node(row.one), _node(row.other))
        for called in self._everyone:
            surnames = {one.surname for one in self._everyone if one.surname and _is_called(one, called)}
            if called.tie and called.name and len(surnames) == 1:
                joined.join(_node(called), _node(called._replace(surname=min(surnames))))
        for name in sorted({called.name for called in self._everyone} - {""}):
            those = {joined.root(_node(one)) for one in self._everyone if one.name == name and (one.tie or one.surname)}
            joined.join(name, min(those) if len(those) == 1 else name)
        for tie in ties().values():
            those = {joined.root(_node(one)) for one in self._everyone if one.tie == tie.name and one.name}
            joined.join(tie.name, min(those) if tie.alone == "only" and len(those) == 1 else tie.name)
        return joined

    def _find_moments(self) -> Mapping[str, list[_Moment]]:
        found: dict[str, list[_Moment]] = defaultdict(list)
        for fact in self._facts:
            at = fact.first_observed
            for called in self._links[fact.id]:
                for tie in ties().values():
                    if tie.alone == "now" and called.tie and tie.role == ties()[called.tie].role:
                        is_over = called.is_past or called.tie != tie.name
                        root = "" if is_over else self._joined.root(_node(called))
                        found[tie.name].append(_Moment(at, 1 + is_over, root))
            whose = self._holders.get(fact.id, Called())
            if not (fact.is_negative or fact.modality in _UNSAID or fact.modality is Modality.PLANNED):
                for ended, is_new in find_ends(fact.statement, fact.subject):
                    if is_new or not fact.holder or whose.tie == ended:
                        found[ended].append(_Moment(at, 0 if is_new else 2, ""))
        for row in filter(_is_of_now, self._by_hand):
            tie_said, named = (row.one, row.other) if not row.one.name else (row.other, row.one)
            found[tie_said.tie].append(_Moment(row.at, 1, self._joined.root(_node(named))))
        return {tie: sorted(moments) for tie, moments in found.items()}

    def _root(self, called: Called, at: datetime) -> str:
        """Return what stands for somebody; for a tie alone whoever was it at an instant, where that is certain.

        It is where what was told before and what was told next name the same one; of what ended, what was told before.
        """
        moments = self._moments.get(called.tie, []) if not called.name else []
        place = sum(moment[:2] <= (at, 1) for moment in moments)
        before = {one.root for one in moments[:place] if one[:2] == moments[place - 1][:2]}
        after = {one.root for one in moments[place:] if one[:2] == moments[place][:2]}
        near = after if before == {""} else before if after == {""} else before | after
        return min(near) if len(near) == 1 and near != {""} else self._joined.root(_node(called))

    def held_by(self, called: Called) -> frozenset[str]:
        """Return the ids of facts about whoever is called so; the subject's own where that is the subject."""
        roots = self._roots_of(called)
        own = {fact.id for fact in self._facts if not fact.holder and parse_called(fact.subject) == called}
        return frozenset(own.union(fact_id for fact_id, root in self.roots.items() if root in roots))

    def named(self, called: Called) -> list[Somebody]:
        """Return whom a name or tie may mean; whoever is nothing but called so is left out beside others."""
        roots, plain = self._roots_of(called), _node(called)
        found = {root: self._show(root) for root in sorted(self._members) if root in roots}
        return [one for root, one in found.items() if root != plain or len(found) == 1]

    def _roots_of(self, called: Called) -> set[str]:
        tie = ties().get(called.tie)
        if tie and tie.alone == "now" and not called.name:
            roots = {self._root(called, FOREVER)}
        else:
            named = [
                one for one in self._everyone if (_is_called(one, called) if called.name else one.tie == called.tie)
            ]
            roots = {self._joined.root(_node(one)) for one in named}
        return roots | {self._joined.root(_node(called))}

    def everybody(self) -> list[Somebody]:
        """Return who is known: whoever has a tie, and of whom something is told that people and pets have."""
        found = [(self._show(root), those) for root, those in sorted(self._members.items())]
        return [one for one, those in found if (one.facts or any(said.name for said in those)) and self._is_alive(one)]

    def _is_alive(self, one: Somebody) -> bool:
        known = (attributes().get(fact.attribute) for fact in self._facts if fact.id in one.facts)
        return bool(one.ties) or any(each and _ALIVE & {*each.of} for each in known)

    def _show(self, root: str) -> Somebody:
        those = self._members[root]
        facts = [fact for fact in self._facts if self.roots.get(fact.id) == root]
        named = [max(each).name for each in self._members.values()]
        return Somebody(
            self._facts[0].subject,
            _told_apart(those, named),
            tuple(sorted({str(Called(called.tie)) for called in those if called.tie})),
            tuple(sorted({fact.holder for fact in facts})),
            frozenset(fact.id for fact in facts),
        )


class _Joined:
    """Which of some names are one; what was parted stays so."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}
        self._parted: list[tuple[str, str]] = []

    def root(self, name: str) -> str:
        while (above := self._above.get(name, name)) != name:
            name = above
        return name

    def join(self, one: str, other: str) -> None:
        first, last = sorted((self.root(one), self.root(other)))
        if first != last and all({self.root(a), self.root(b)} != {first, last} for a, b in self._parted):
            self._above[last] = first

    def part(self, one: str, other: str) -> None:
        if self.root(one) != self.root(other):
            self._parted.append((one, other))


def _is_of_now(row: _ByHand) -> bool:
    """Tell whether it was said by hand who somebody is now, such as the partner: it holds until another is told."""
    tie, name = sorted((row.one, row.other), key=lambda called: called.name)
    return row.is_same and not tie.name and bool(name.name) and ties()[tie.tie].alone == "now"


def _node(called: Called) -> str:
    """Return what stands for a name or tie as it was told, before anything is joined."""
    if called.surname:
        return f"{called.name} {called.surname}"
    return f"{ties()[called.tie].role}:{called.name}" if called.tie and called.name else called.name or called.tie


def _is_called(one: Called, wanted: Called) -> bool:
    """Tell whether somebody has this name, and surname and tie where these are told."""
    has_tie = not wanted.tie or (bool(one.tie) and ties()[one.tie].role == ties()[wanted.tie].role)
    return one.name == wanted.name and has_tie and wanted.surname in ("", one.surname)


def _told_apart(those: Sequence[Called], named: Sequence[str]) -> str:
    """Return a name that is nobody else's, of those that somebody has; a tie where there is none."""
    best = max(those, key=lambda called: (bool(called.name), bool(called.surname), bool(called.tie), called))
    has_namesake = named.count(best.name) > 1 and not best.surname
    tie = str(Called(best.tie)) if has_namesake or not best.name else ""
    return " ".join(filter(None, (tie, best.name.title(), best.surname.title())))
