"""Merging: which facts say the same as another, or less, and stand behind it. Contradictions come before merges.

Statements that say the same (DUPLICATE) form one class; a class that says less than another (REFINES) stands behind it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from yesteryear.core.fact import SETTLES, Authority, Evidence, Fact, Modality
from yesteryear.core.fading.confidence import Confidence
from yesteryear.core.ruling import ENDING, Act, PairVerdict, Ruling

TOLD_FROM, TOLD_UNTIL = "told_from", "told_until"
"""Properties that keep when a fact was told to hold, where belief puts another time in the place of it."""
_SETTLING = ENDING | {PairVerdict.UPDATES, PairVerdict.CONTRADICTS, PairVerdict.REFINES, PairVerdict.DUPLICATE}

Weigh = Callable[[Iterable[str]], Confidence]  # what the evidence of the facts with these ids amounts to together


@dataclass(frozen=True, slots=True)
class Group:
    """Facts that stand for one another, and what all their evidence amounts to."""

    root: Fact  # the one that says the most
    members: tuple[Fact, ...]  # all of them, the root too, by id
    belief: Confidence
    sinks_at: datetime  # when it is no longer sure enough to be used, were nothing to speak against it
    own: tuple[Evidence, ...] = ()  # what the person it is about said or did for it, as it came, since they refuted it
    is_hearsay: bool = False  # whether only others have said it of the person
    is_held: bool = False  # whether it is never let go for want of news or room: it is pinned or well evidenced

    @property
    def is_past(self) -> bool:
        """Whether it says what was, not what is."""
        return self.root.modality is Modality.PAST

    @property
    def begins(self) -> datetime:
        """From when it was told to hold."""
        return told_time(self.root, TOLD_FROM) or min(self.root.first_observed, self.belief.first)


def told_time(fact: Fact, mark: str) -> datetime | None:
    """Return from when or until when, by ``mark``, a fact was told to hold, whatever belief made of it."""
    kept = fact.properties.get(mark)
    if kept is None:
        return fact.valid_from if mark == TOLD_FROM else fact.valid_to
    return datetime.fromisoformat(kept) if kept else None


def roots_of(ruling: Ruling, groups: Mapping[str, Group]) -> frozenset[str]:
    """Return the ids of the facts that stand for the two sides of a ruling."""
    return frozenset((groups[ruling.earlier].root.id, groups[ruling.later].root.id))


def is_settling(ruling: Ruling, facts: Mapping[str, Fact]) -> bool:
    """Tell whether a ruling is on something that gets done and on what says that it is settled."""
    earlier, later, verdict = facts[ruling.earlier], facts[ruling.later], ruling.judgement.verdict
    settles, was_settled = (fact.properties.get(SETTLES) == "yes" for fact in (later, earlier))
    tells = ruling.act is Act.SUPERSEDE and verdict in ENDING
    return earlier.is_loop and (tells or (verdict in _SETTLING and settles and not was_settled))


def _is_anew(one: Fact, other: Fact) -> bool:
    """Tell whether the time of one of two things to be done was over before that of the other began."""
    if not (one.is_loop and other.is_loop):
        return False
    (_, until), (since, _) = sorted((_told_interval(fact) for fact in (one, other)), key=lambda each: each[0])
    return until is not None and until <= since


def _told_interval(fact: Fact) -> tuple[datetime, datetime | None]:
    """Return from when until when a fact was told to hold, from when it was first told where nothing was said."""
    return told_time(fact, TOLD_FROM) or fact.first_observed, told_time(fact, TOLD_UNTIL)


def fold(facts: Mapping[str, Fact], rulings: Sequence[Ruling], weigh: Weigh) -> dict[str, str]:
    """Return for every fact the one that stands for it; itself where none does. The order of rulings does not matter.

    The one that says more stands, as was judged. Never joined are facts between whose groups there is a conflict or a
    change, nor what is to be done with the same thing once its time was over; a pinned fact never stands behind
    another, nor the person's word behind a mere inference, nor what all may see behind what only one project or agent
    sees. What the person refuted stands for nothing but what says the same.
    """
    foes: dict[str, set[str]] = defaultdict(set)  # those that a fact is never joined with
    for row in rulings:
        is_anew = row.act is Act.FOLD and not row.by_person and _is_anew(facts[row.earlier], facts[row.later])
        if row.act in (Act.SUPERSEDE, Act.ASK) or is_settling(row, facts) or is_anew:
            foes[row.earlier].add(row.later)
            foes[row.later].add(row.earlier)
    folds = [row for row in rulings if row.act is Act.FOLD and not is_settling(row, facts)]
    folds.sort(key=lambda row: _precedence(row, facts))
    forest = _Forest(facts, foes, weigh)
    for row in folds:
        if row.judgement.verdict is PairVerdict.DUPLICATE:
            forest.join_equals(*_by_detail(row))
    forest.close_classes()
    for row in folds:
        if row.judgement.verdict is not PairVerdict.DUPLICATE:
            forest.put_behind(*_by_detail(row))
    return {fact_id: forest.root_of(fact_id) for fact_id in facts}


class _Forest:
    """Groups as they grow: first classes of equals, then classes behind others. The smaller always joins the larger."""

    def __init__(self, facts: Mapping[str, Fact], foes: Mapping[str, set[str]], weigh: Weigh) -> None:
        self._facts = facts
        self._foes = foes
        self._weigh = weigh
        self._group = {fact_id: fact_id for fact_id in facts}
        self._members = {fact_id: [fact_id] for fact_id in facts}
        self._root = {fact_id: fact_id for fact_id in facts}
        self._authority = {fact_id: weigh([fact_id]).authority for fact_id in facts}
        self._classes: dict[str, str] = {}
        self._refuted: set[str] = set()
        self._behind: set[str] = set()

    def root_of(self, fact_id: str) -> str:
        """Return the fact that stands for one."""
        return self._root[self._group[fact_id]]

    def join_equals(self, less: str, more: str) -> None:
        """Make one class of two facts' classes; the one that says less gives way unless it has the better claim."""
        low, high = self._group[less], self._group[more]
        if self._claim(low) > self._claim(high):
            low, high = high, low
        self._join(low, high)

    def close_classes(self) -> None:
        """End the joining of equals; what the person refuted stands behind nothing, and nothing behind it."""
        self._classes = {fact_id: self.root_of(fact_id) for fact_id in self._facts}
        for group, members in self._members.items():
            if self._weigh(members).refuted_at is not None:
                self._refuted.add(self._root[group])

    def put_behind(self, less: str, more: str) -> None:
        """Put one fact's class behind another's, unless it stands behind one already."""
        own, other = self._classes[less], self._classes[more]
        low, high = self._group[less], self._group[more]
        if own in self._behind or {own, other} & self._refuted or self._authority[low] > self._authority[high]:
            return
        if self._join(low, high):
            self._behind.add(own)

    def _join(self, low: str, high: str) -> bool:
        below, above = self._facts[self._root[low]], self._facts[self._root[high]]
        small, large = sorted((low, high), key=lambda group: len(self._members[group]))
        is_barred = (
            low == high
            or below.pinned
            or (below.modality is Modality.PAST) != (above.modality is Modality.PAST)
            or above.scope.project not in (None, below.scope.project)
            or above.scope.agent not in (None, below.scope.agent)
            or any(self._group[foe] == large for one in self._members[small] for foe in self._foes.get(one, ()))
        )
        if is_barred:
            return False
        for member in self._members[small]:
            self._group[member] = large
        self._members[large] += self._members.pop(small)
        self._root[large] = above.id
        self._authority[large] = max(self._authority[low], self._authority[high])
        return True

    def _claim(self, group: str) -> tuple[bool, bool, Authority]:
        """Return what makes a fact stand for its equals whatever was judged: pinned, seen by more, better authority."""
        fact = self._facts[self._root[group]]
        is_seen_by_all = fact.scope.project is None and fact.scope.agent is None
        return fact.pinned, is_seen_by_all, self._authority[group]


def _by_detail(ruling: Ruling) -> tuple[str, str]:
    """Return the ids of the fact that says less and of the one that says more."""
    pair = ruling.earlier, ruling.later
    return pair if ruling.judgement.keeps_later else (pair[1], pair[0])


def _precedence(ruling: Ruling, facts: Mapping[str, Fact]) -> tuple[object, ...]:
    """Return what orders rulings: the person's first, then those of rules, then the surest; never by chance."""
    scores = ruling.judgement.scores
    surety = scores.get(PairVerdict.DUPLICATE, 0.0) + scores.get(PairVerdict.REFINES, 0.0)
    earlier, later = facts[ruling.earlier], facts[ruling.later]
    order = earlier.first_observed, later.first_observed, earlier.statement, later.statement
    return not ruling.by_person, bool(scores), -surety, order, ruling.pair
