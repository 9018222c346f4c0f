"""STEP: the part of a context that stays the same until a night, a due date or an explicit word changes it.

It is made of facts as they stood at the last night: what came or changed by day stands behind it, as news. So it is a
function of rows and of the night, the same in every process, and a provider may keep what its model has read of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple, Self

import numpy as np

from yesteryear.core.ended import with_words_that_hold
from yesteryear.core.fact import DISPUTED_BY, IN_PLACE_OF, Fact, FactVersion
from yesteryear.core.results import Plain
from yesteryear.core.time import earlier
from yesteryear.ports import Transaction
from yesteryear.recall.budget import Candidate
from yesteryear.recall.candidates import CandidateBuilder
from yesteryear.recall.index import OwnerIndex
from yesteryear.recall.ranking import Ranking
from yesteryear.recall.render import fact_lines
from yesteryear.recall.standing import DayChange, StandingFact, StandingPolicy, changed_by_day, choose_standing
from yesteryear.recall.view import View

Day = Mapping[str, DayChange]  # what has come or changed since the last night, by the ids of facts


def read_day(tx: Transaction, index: OwnerIndex, night: datetime) -> Day:
    """Return what came or changed by day of facts that may stand whatever is asked; read again once facts change."""
    where, state = (tx.scope.project, tx.scope.agent), (night, index.facts_rev)
    known = index.days.get(where)
    if known is None or known[0] != state:
        index.days[where] = known = state, _read_day(tx, night)
    return known[1]


def _read_day(tx: Transaction, night: datetime) -> Day:
    changed: dict[str, list[FactVersion]] = {}
    for version in tx.versions.since(night):
        changed.setdefault(version.fact.id, []).append(version)
    by_day = {name: rows for name, rows in changed.items() if not _shows_at_once(rows[-1])}
    left = {name: [row.fact for row in rows if _shows_at_once(row)][-1:] for name, rows in by_day.items()}
    unread = [name for name, rows in left.items() if not rows]
    if unread:
        before = tx.versions.known_at(earlier(night, timedelta.resolution), ids=unread)
        left |= {version.fact.id: [version.fact] for version in before}
    found = (DayChange(next(iter(left[fact.id]), None), fact) for fact in tx.facts.get(list(by_day)))
    return {change.after.id: change for change in found if _is_of_the_day(change, by_day, night)}


def _is_of_the_day(change: DayChange, by_day: Collection[str], night: datetime) -> bool:
    """Tell whether a change waits for the next night.

    What was said before the last one and only drawn since, as from an import, does not, nor what gave way to something
    that shows at once.
    """
    fact = change.after
    was_said_before = change.before is None and fact.first_observed < night
    return not was_said_before and (fact.superseded_by is None or fact.superseded_by in by_day)


def _shows_at_once(version: FactVersion) -> bool:
    """Tell whether a change shows at once: a night made it, or somebody by hand."""
    return version.cycle is not None or version.is_by_hand


@dataclass(frozen=True, slots=True)
class PrefixChanges(Plain):
    """What two prefixes do not have in common: lines of facts, as shown; frame and headings are none."""

    came: tuple[str, ...] = ()
    """What only the later one has, in its order."""
    gone: tuple[str, ...] = ()
    """What only the earlier one had, in its order."""

    @classmethod
    def between(cls, before: str, after: str) -> Self:
        """Return what came and went from one prefix to another in the same layout, whatever the order.

        A fact that is worded or noted in another way has gone and come.
        """
        old, new = fact_lines(before), fact_lines(after)
        return cls(tuple(line for line in new if line not in old), tuple(line for line in old if line not in new))


class Prefix(NamedTuple):
    """What stands in a context whatever is asked."""

    stands: list[Candidate]  # as it stood at the last night; in the order in which it is served
    news: list[Candidate]  # what the day has changed of it; in the lane of news


def make_prefix(
    ranking: Ranking, builder: CandidateBuilder, day: Day, *, night: datetime, policy: StandingPolicy
) -> Prefix:
    """Return what stands whatever is asked, as at ``night``, the last one, and what the ``day`` has changed of it."""
    view, now, sure = ranking.view, ranking.asked.now, ranking.confidence
    day = {name: change for name, change in day.items() if view.index.fact(name) is not None}  # else just forgotten
    current = [view.fact(position) for position in np.flatnonzero(view.rows["may_stand"]).tolist()]
    before = {name: change.before for name, change in day.items() if change.before is not None}

    def at_night(fact: Fact) -> Fact:
        return with_words_that_hold(fact, lambda name: view.seen(name, before.get(name)), now=now)

    unchanged = [fact for fact in current if fact.id not in day]
    stood = choose_standing(map(at_night, [*unchanged, *before.values()]), policy, sure, now=now, night=night)
    stands = _candidates(stood, builder, view, before)
    changed = _candidates(changed_by_day(stood, day, policy, sure, now=now), builder, view, {})
    known = {candidate.id for candidate in stands}
    return Prefix(stands, [_as_news(candidate, is_known=candidate.id in known) for candidate in changed])


def _as_news(candidate: Candidate, *, is_known: bool) -> Candidate:
    """Return a fact in the lane of news; one whose words stand in the prefix has news all the same."""
    bare = tuple(rendering._replace(says=frozenset()) for rendering in candidate.renderings)
    return candidate._replace(lane="news", renderings=bare if is_known else candidate.renderings)


def _candidates(
    standing: Sequence[StandingFact], builder: CandidateBuilder, view: View, before: Mapping[str, Fact]
) -> list[Candidate]:
    """Return candidates, each with the facts without which it must not be told: what took its place, too.

    On safety and identity neither side of an open question is told alone, nor what took the place of something.
    """

    def known(names: Iterable[str]) -> tuple[Fact, ...]:
        return tuple(fact for name in names if (fact := view.seen(name, before.get(name))) is not None)

    def named(fact: Fact, mark: str) -> tuple[Fact, ...]:
        return known(fact.properties.get(mark, "").split())

    lanes: dict[str, tuple[Fact, str]] = {}
    for fact, lane in ((each.fact, each.lane) for each in standing):
        successor = known([fact.superseded_by] if fact.superseded_by else [])
        for told in (fact, *successor, *named(fact, DISPUTED_BY), *named(fact, IN_PLACE_OF)):
            lanes.setdefault(told.id, (told, lane))
    return [
        builder.standing(fact, lane, rank=rank, rivals=named(fact, DISPUTED_BY))
        for rank, (fact, lane) in enumerate(lanes.values())
    ]
