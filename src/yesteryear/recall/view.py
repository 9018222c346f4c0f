"""What one scope sees of an index through one filter, as arrays that the signals are computed on."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from yesteryear.core.episode import Episode
from yesteryear.core.fact import Fact
from yesteryear.core.language.names import NameBook
from yesteryear.core.language.tokens import STOP_WORDS, bare_words
from yesteryear.core.message import Role
from yesteryear.core.rows.queries import IndexedMessage
from yesteryear.core.scope import Scope
from yesteryear.core.time import to_microseconds
from yesteryear.core.vectors import VectorGrain
from yesteryear.recall.index import OwnerIndex, RecallFilter
from yesteryear.recall.lexical import BM25Policy, Mask, Neighbours, Positions, Scores
from yesteryear.recall.units import GRAIN_CODES, ROLE_CODES, Unit

_VIEWS_KEPT = 8  # most views of one index that are kept for the next question


class _Rows(dict[str, npt.NDArray[Any]]):
    """Columns of some units, each gathered when it is first asked for."""

    def __init__(self, columns: npt.NDArray[Any], numbers: Positions) -> None:
        super().__init__()
        self._columns = columns
        self._numbers = numbers

    def __missing__(self, name: str) -> npt.NDArray[Any]:
        column: npt.NDArray[Any] = self._columns[name][self._numbers]
        self[name] = column
        return column


class Outdated(NamedTuple):
    """Positions of what was said that holds no more."""

    whole: frozenset[int] = frozenset()  # what was for a good part superseded, done or dropped since, or is over
    partly: frozenset[int] = frozenset()  # of which some still holds, too, or is about something else
    doubted: frozenset[int] = frozenset()  # which may no longer hold after what was told later, all of it


@dataclass(frozen=True)
class View:
    """m units of an index at one moment; what is hidden from the scope takes no part in anything here."""

    index: OwnerIndex
    scope: Scope  # who sees this
    only: RecallFilter  # through which filter
    numbers: Positions  # shape (m,), rising
    places: Positions  # shape (n,) over all units of the index: position in the view, or -1
    _windows: dict[tuple[float, ...], tuple[Neighbours, Scores]] = field(default_factory=dict, init=False, repr=False)
    """Who stands next to whom as far as a window reaches, and the stems of each unit's, by the window."""
    _outdated: dict[int, Outdated] = field(default_factory=dict, init=False, repr=False)
    """What does not hold, by how many facts have ceased to."""

    def __len__(self) -> int:
        return len(self.numbers)

    @cached_property
    def rows(self) -> _Rows:
        """The columns of the units, by their names in the index; shape (m,) each."""
        return _Rows(self.index.columns, self.numbers)

    @cached_property
    def before(self) -> Positions:
        """Position of the unit said just before in the same session, passing over what is hidden, or -1."""
        links = self.index.columns["before"].copy()
        while (to_hidden := (links >= 0) & (self.places[links] < 0)).any():
            links[to_hidden] = links[links[to_hidden]]  # reaches twice as far each time
        before = links[self.numbers]
        return np.where(before >= 0, self.places[before], -1)

    @cached_property
    def lengths(self) -> Scores:
        """Stems of each unit."""
        return self.index.postings.lengths(self.numbers).astype(np.float64)

    @cached_property
    def session_count(self) -> int:
        """Number of sessions in which something was said."""
        return int(np.count_nonzero(np.bincount(self.rows["session"][self.talk])))

    @cached_property
    def is_fact(self) -> Mask:
        """Which units are facts; shape (m,)."""
        is_fact: Mask = self.rows["grain"] == GRAIN_CODES[VectorGrain.FACT]
        return is_fact

    @cached_property
    def facts(self) -> Positions:
        """Positions of the facts, rising."""
        return np.flatnonzero(self.is_fact)

    @cached_property
    def is_retold(self) -> Mask:
        """Which units are facts told in words that are seen here too; shape (m,)."""
        links = self.index.links
        facts, passages = self.places[links.facts], self.places[links.passages]
        is_retold = np.zeros(len(self), dtype=bool)
        is_retold[facts[(facts >= 0) & (passages >= 0)]] = True
        return is_retold

    def outdated(self, now: datetime) -> Outdated:
        """Return what was said that does not hold at ``now``, by the facts that it told."""
        instant = to_microseconds(now)
        ended = int(np.searchsorted(self._ends, instant, side="right"))  # in the order of time, so it tells which
        if ended not in self._outdated:
            self._outdated[ended] = self._find_outdated(instant)
        return self._outdated[ended]

    @cached_property
    def _ends(self) -> npt.NDArray[np.int64]:
        """When the facts that were told in words cease to hold, in microseconds since 1970, rising."""
        ends: npt.NDArray[np.int64] = np.sort(self.index.columns["ends_at"][self.index.links.facts])
        return ends

    def _find_outdated(self, instant: int) -> Outdated:
        index, links = self.index, self.index.links
        rows = index.columns[links.facts]
        counts = rows["is_alive"] & index.seen_by(self.scope)[rows["key"]] & (self.places[links.passages] >= 0)
        is_over = rows["is_former"] | rows["is_settled"] | (rows["ends_at"] <= instant)
        former = links.passages[counts & is_over]
        is_live = counts & ~is_over & ~rows["is_archived"]
        live, sure = links.passages[is_live], links.passages[is_live & ~rows["is_doubted"]]
        whole = np.setdiff1d(links.passages[counts & is_over & (links.are_close > 0)], live)
        partly = np.setdiff1d(former, whole)
        doubted = np.setdiff1d(links.passages[is_live & rows["is_doubted"]], np.union1d(former, sure))
        return Outdated(*(frozenset(self.places[each].tolist()) for each in (whole, partly, doubted)))

    def successor(self, position: int) -> Fact | None:
        """Return what took the place of what was told in an excerpt; the last where there are several."""
        index, links = self.index, self.index.links
        told = links.facts[(self.places[links.passages] == position) & index.columns["is_former"][links.facts]]
        former = [source for number in told.tolist() if isinstance(source := index.units[number].source, Fact)]
        found = [self.seen(fact.superseded_by) for fact in former if fact.superseded_by is not None]
        live = [fact for fact in found if fact is not None and fact.is_live]
        return max(live, key=lambda fact: (fact.first_observed, fact.id), default=None)

    def seen(self, fact_id: str, before: Fact | None = None) -> Fact | None:
        """Return a fact, or as it was ``before``, where it is seen here: absence must not tell what ended elsewhere."""
        fact = before or self.index.fact(fact_id)
        return fact if fact is not None and self.scope.sees(fact.scope.project, fact.scope.agent) else None

    @cached_property
    def standing(self) -> list[int]:
        """Positions of the facts that count now, in the order in which one would tell them without being asked.

        Pinned ones, those known well, those told most often, the surest, the first.
        """

        def rank(position: int) -> tuple[object, ...]:
            fact = self.fact(position)
            is_behind = not fact.pinned, not fact.is_well_known
            return *is_behind, -fact.sessions, -fact.confidence, fact.first_observed, fact.statement

        live = self.facts[~self.rows["is_archived"][self.facts]]
        return sorted(live.tolist(), key=rank)

    @cached_property
    def holders(self) -> frozenset[str]:
        """The words, casefolded, of names and ties of whom something is known: "nia", "sister"."""
        held = {fact.holder for fact in map(self.fact, self.facts.tolist())}
        return frozenset(word for holder in held for word in bare_words(holder)) - STOP_WORDS

    @cached_property
    def talk(self) -> Mask:
        """Which units are measures for all others, shape (m,): what was said, so that facts do not change its scores.

        Where there are facts alone, they are measured by themselves.
        """
        return np.ones(len(self), dtype=bool) if self.is_fact.all() else ~self.is_fact

    @cached_property
    def has_assistant(self) -> bool:
        """Whether a person talks with an assistant here."""
        return bool((self.rows["role"] == ROLE_CODES[Role.ASSISTANT]).any())

    @cached_property
    def book(self) -> NameBook:
        """The names of those who speak here."""
        spoken = np.bincount(self.rows["author"] + 1, minlength=len(self.index.authors) + 1)[1:]
        return NameBook.of(name for name, code in self.index.authors.items() if spoken[code])

    @cached_property
    def zone(self) -> str | None:
        """The zone in which something was said last, where one is known."""
        known = np.flatnonzero(self.rows["has_zone"])
        if not len(known):
            return None
        said_at = self.rows["at"][known]
        last = known[said_at == said_at.max()]
        return min(zone for position in last.tolist() if (zone := self.unit(position).zone))

    def unit(self, position: int) -> Unit:
        """Return the unit at a position."""
        return self.index.units[int(self.numbers[position])]

    def fact(self, position: int) -> Fact:
        """Return the fact at a position; a TypeError where something else is there."""
        source = self.unit(position).source
        if not isinstance(source, Fact):
            raise TypeError(f"position {position} of a view is no fact")
        return source

    def names(self, position: int) -> tuple[str, ...]:
        """Return the ids of the messages behind a unit: the caller's own where given."""
        source = self.unit(position).source
        if isinstance(source, Episode):
            return self.index.names(source.message_ids)
        return tuple(message.name for message in self.told_in(position))

    def told_in(self, position: int) -> tuple[IndexedMessage, ...]:
        """Return the message of an excerpt, and those that speak for a fact; nothing for an episode."""
        source = self.unit(position).source
        if isinstance(source, Fact):
            return self.index.sources(source.id, self.scope)
        return (source,) if isinstance(source, IndexedMessage) else ()

    def score_words(self, stems: list[str], policy: BM25Policy) -> Scores:
        """Return the BM25 scores of the units; shape (m,)."""
        if policy.window not in self._windows:
            near = Neighbours.of(self.before, distance=len(policy.window))
            self._windows[policy.window] = near, near.spread(self.lengths, policy.window)
        neighbours, lengths = self._windows[policy.window]
        return self.index.postings.score(stems, self.places, lengths, neighbours, policy, among=self.talk)


def view_of(index: OwnerIndex, scope: Scope, only: RecallFilter) -> View:
    """Return what a scope sees through a filter, the same view again as long as the rows are the same."""
    key = (scope.project, scope.agent, only)
    if key not in index.views:
        if len(index.views) >= _VIEWS_KEPT:
            del index.views[next(iter(index.views))]  # the oldest
        numbers = index.visible(scope, only)
        places = np.full(len(index.units), -1, dtype=np.int64)
        places[numbers] = np.arange(len(numbers))
        index.views[key] = View(index, scope, only, numbers, places)
    return index.views[key]
