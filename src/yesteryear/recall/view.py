"""What one scope sees of an index through one filter, as arrays that the signals are computed on."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from yesteryear.core.language.names import NameBook
from yesteryear.core.message import Role
from yesteryear.core.queries import IndexedMessage
from yesteryear.core.scope import Scope
from yesteryear.recall.index import ROLE_CODES, OwnerIndex, RecallFilter, Unit
from yesteryear.recall.lexical import BM25Policy, Neighbours, Positions, Scores

_VIEWS_KEPT = 8
"""Most views of one index that are kept for the next question."""


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


@dataclass(frozen=True)
class View:
    """m units of an index at one moment; what is hidden from the scope takes no part in anything here."""

    index: OwnerIndex
    numbers: Positions
    """Shape (m,), rising."""
    places: Positions
    """Shape (n,) over all units of the index: position in the view, or -1."""
    _neighbours: dict[int, Neighbours] = field(default_factory=dict, init=False, repr=False)
    """By their distance."""
    _windows: dict[tuple[float, ...], Scores] = field(default_factory=dict, init=False, repr=False)
    """Stems of each unit's window, by the window."""

    @classmethod
    def of(cls, index: OwnerIndex, scope: Scope, only: RecallFilter) -> View:
        """Return what ``scope`` sees through ``only``."""
        numbers = index.visible(scope, only)
        places = np.full(len(index.units), -1, dtype=np.int64)
        places[numbers] = np.arange(len(numbers))
        return cls(index, numbers, places)

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

    def neighbours(self, distance: int) -> Neighbours:
        """Return who stands next to whom, up to a distance."""
        found = self._neighbours.get(distance)
        if found is None:
            found = self._neighbours[distance] = Neighbours.of(self.before, distance=distance)
        return found

    @cached_property
    def lengths(self) -> Scores:
        """Stems of each unit."""
        return self.index.postings.lengths(self.numbers).astype(np.float64)

    @cached_property
    def session_count(self) -> int:
        """Number of sessions in which something was said."""
        return int(np.count_nonzero(np.bincount(self.rows["session"])))

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
        return min(zone for position in last.tolist() if (zone := self.unit(position).source.zone))

    def unit(self, position: int) -> Unit:
        """Return the unit at a position."""
        return self.index.units[int(self.numbers[position])]

    def names(self, position: int) -> tuple[str, ...]:
        """Return the ids of the messages behind a unit: the caller's own where given."""
        source = self.unit(position).source
        return (source.name,) if isinstance(source, IndexedMessage) else self.index.names(source.message_ids)

    def message(self, position: int) -> IndexedMessage | None:
        """Return the message of an excerpt; None for an episode."""
        source = self.unit(position).source
        return source if isinstance(source, IndexedMessage) else None

    def score_words(self, stems: list[str], policy: BM25Policy) -> Scores:
        """Return the BM25 scores of the units; shape (m,)."""
        neighbours = self.neighbours(len(policy.window))
        return self.index.postings.score(stems, self.places, self._window_lengths(policy), neighbours, policy)

    def _window_lengths(self, policy: BM25Policy) -> Scores:
        lengths = self._windows.get(policy.window)
        if lengths is None:
            neighbours = self.neighbours(len(policy.window))
            lengths = self._windows[policy.window] = neighbours.spread(self.lengths, policy.window)
        return lengths


def view_of(index: OwnerIndex, scope: Scope, only: RecallFilter) -> View:
    """Return a view, the same one again as long as the rows are the same."""
    key = (scope.project, scope.agent, only)
    view = index.views.get(key)
    if not isinstance(view, View):
        if len(index.views) >= _VIEWS_KEPT:
            del index.views[next(iter(index.views))]  # the oldest
        view = index.views[key] = View.of(index, scope, only)
    return view
