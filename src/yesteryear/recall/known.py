"""What of the facts a context shows: in which lane each one stands, which always stand there, and what is noted.

Document A's lanes for blockers, strengths and success patterns, its medium-term tier (open goals, decisions and
blockers), and the person's profile. What a question brings up beside them is known facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from yesteryear.core.fact import DISPUTED_BY, IN_PLACE_OF, Fact, FactKind, FactStatus
from yesteryear.core.time import say_date, say_month
from yesteryear.recall.ranking import Ranking
from yesteryear.recall.render import BLOCKERS, PLANS
from yesteryear.recall.signals import sure_enough

_LANES: Mapping[FactKind, str] = {
    FactKind.IDENTITY: "profile",
    FactKind.RELATIONSHIP: "profile",
    FactKind.PREFERENCE: "preferences",
    FactKind.WORK_PATTERN: "preferences",
    FactKind.STRENGTH: "strengths",
    FactKind.SUCCESS_PATTERN: "strengths",
    FactKind.BLOCKER: "tactical",
    FactKind.GOAL: "tactical",
    FactKind.DECISION: "tactical",
}
"""Where facts of a kind stand while they hold; all others among the known facts."""
_SAFE = 0.7
"""Confidence in [0, 1] from which nothing is said about it."""


class FactLane(NamedTuple):
    """A fact that a context may show."""

    position: int
    """In the ranking."""
    fact: Fact
    lane: str
    is_standing: bool
    """Whether it stands there whatever is asked."""
    rivals: tuple[Fact, ...] = ()
    """Facts on the person's safety or identity of which only one can hold, or it."""


def choose_facts(ranking: Ranking, *, most: int, most_of_profile: int, most_open: int) -> list[FactLane]:
    """Return the facts that may be shown: what is pinned, the profile, then what bears best on the question.

    Some of a project's open goals, decisions and blockers compete even where they hardly bear on it. Only facts that
    are sure enough to be shown unasked are returned.

    Args:
        ranking: Of everything; where nothing bears on the question, all facts stand by themselves.
        most: Most facts.
        most_of_profile: Most of them that tell who the person is, whatever is asked; pinned ones beside them.
        most_open: Most of those that are open in the project, whatever is asked.
    """
    view = ranking.view
    if not most or not len(view.facts):
        return []
    sure = set(sure_enough(view, view.facts, ranking.confidence, now=ranking.asked.now, is_passive=True).tolist())
    standing = filter(sure.__contains__, view.standing)
    if not ranking.is_asked:
        return _with_company(
            ranking, [_known(ranking, position, is_standing=True) for position in islice(standing, most)]
        )
    profile = dict.fromkeys(_profile(ranking, standing, most_of_profile))
    still_open = islice(filter(sure.__contains__, _open_in_project(ranking)), most_open)
    chosen = islice(dict.fromkeys([*profile, *still_open, *ranking.facts]), most)
    return _with_company(ranking, [_known(ranking, position, is_standing=position in profile) for position in chosen])


def _with_company(ranking: Ranking, chosen: list[FactLane]) -> list[FactLane]:
    """Return facts, each with those behind it without which it must not be told.

    On safety and identity neither side of an open question is told alone, nor what took the place of something.
    """
    company = [known.fact.properties for known in chosen if known.fact.properties.keys() & {DISPUTED_BY, IN_PLACE_OF}]
    if not company:
        return chosen
    places = {ranking.view.fact(position).id: position for position in ranking.view.facts.tolist()}
    found: dict[int, FactLane] = {}
    for known in chosen:
        found.setdefault(known.position, known)
        for mark in (DISPUTED_BY, IN_PLACE_OF):
            for other in _named(known.fact, mark, places):
                found.setdefault(other, _known(ranking, other, is_standing=known.is_standing))
    return [
        known._replace(rivals=tuple(map(ranking.view.fact, _named(known.fact, DISPUTED_BY, places))))
        for known in found.values()
    ]


def _named(fact: Fact, mark: str, places: Mapping[str, int]) -> list[int]:
    """Return the positions of the facts that a property names."""
    return [places[name] for name in fact.properties.get(mark, "").split() if name in places]


def _known(ranking: Ranking, position: int, *, is_standing: bool) -> FactLane:
    fact = ranking.view.fact(position)
    lane = lane_of(fact, now=ranking.asked.now)
    is_beside = lane == "profile" and not is_standing  # the profile is the same for every question
    return FactLane(position, fact, "facts" if is_beside else lane, is_standing)


def _profile(ranking: Ranking, standing: Iterable[int], most: int) -> Iterator[int]:
    """Yield what is pinned, then some well known facts that tell who the person is."""
    for position in standing:
        fact = ranking.view.fact(position)
        if not fact.pinned:
            if not most or not fact.is_well_known:
                return  # those that follow are not better known
            if lane_of(fact, now=ranking.asked.now) != "profile":
                continue
            most -= 1
        yield position


def _open_in_project(ranking: Ranking) -> list[int]:
    """Return the project's own goals, decisions and blockers that are not settled, by their scores."""
    view, project = ranking.view, ranking.view.scope.project
    if project is None:
        return []
    own = [p for p in view.standing if view.fact(p).scope.project == project and view.fact(p).is_open]
    return sorted(own, key=lambda position: -ranking.scores[position])


def lane_of(fact: Fact, *, now: datetime) -> str:
    """Return the lane in which a fact stands at ``now``."""
    if not fact.is_current(now):
        return "facts"
    if fact.pinned:
        return "profile"
    lane = _LANES.get(fact.kind, "facts")
    return "facts" if lane == "tactical" and not fact.is_open else lane


def heading_of(fact: Fact, lane: str) -> str:
    """Return the heading below which a fact stands in a lane that has several; empty where the lane has one."""
    if lane != "tactical":
        return ""
    return BLOCKERS if fact.kind is FactKind.BLOCKER else PLANS


def note_of(fact: Fact, *, confidence: float, now: datetime, zone: str | None, rivals: Iterable[Fact] = ()) -> str:
    """Return what is noted about a fact: since when, how often it was told, how sure it is, what it disagrees with.

    Args:
        fact: What is noted.
        confidence: How sure we are at ``now``, in [0, 1].
        now: From when it is seen.
        zone: The person's time zone, in which days are said.
        rivals: Facts of which only one can hold, or it; the person has not said which.
    """
    is_over = not fact.is_current(now)
    told = f"told {fact.sessions} times" if fact.sessions > 1 else ""
    if is_over:
        notes = [f"until {say_month(fact.valid_to, zone=zone)}" if fact.valid_to else "no longer", told]
    elif fact.valid_from is not None:
        notes = [f"{'since' if fact.valid_from <= now else 'from'} {say_date(fact.valid_from, zone=zone)}", told]
    else:
        last = say_date(fact.last_confirmed or fact.first_observed, zone=zone)
        notes = [f"{told}, last {last}" if told else f"told {last}"]
    if fact.resolved_at is not None:
        notes.append(f"settled {say_date(fact.resolved_at, zone=zone)}")
    if fact.status is FactStatus.NEEDS_REVIEW:
        reason = fact.properties.get("review", "")
        notes.append(f"may no longer hold: {reason}" if reason else "may no longer hold")
    elif confidence < _SAFE and not is_over:
        notes.append(f"confidence {confidence:.0%}")
    days = [say_date(rival.last_confirmed or rival.first_observed, zone=zone) for rival in rivals]
    if days:
        told_at = f"told {say_date(fact.last_confirmed or fact.first_observed, zone=zone)}"
        notes += [] if any(note.endswith(told_at.removeprefix("told ")) for note in notes) else [told_at]
        notes.append(f"disagrees with what was told {' and '.join(dict.fromkeys(days))}; not settled which holds")
    return "; ".join(filter(None, notes))
