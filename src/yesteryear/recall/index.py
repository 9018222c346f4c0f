"""One owner's memories, ready to be searched: texts, postings and a matrix, grown by appending.

Built from rows and kept in step by their ``rev``; a lost index costs time, never memories. Pending text is found by its
words at once and by its vector as soon as there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from yesteryear.core.episode import Episode, EpisodeStatus
from yesteryear.core.language.cues import asks_to_forget
from yesteryear.core.language.injection import looks_injected
from yesteryear.core.language.passages import split_passages
from yesteryear.core.language.tokens import stems
from yesteryear.core.message import Message, Role
from yesteryear.core.queries import Changes
from yesteryear.core.scope import Scope
from yesteryear.core.vectors import Grain, Matrix, StoredVector
from yesteryear.recall.lexical import BM25Policy, Postings, Scores


@dataclass(slots=True)
class Unit:
    """One searchable text: a passage of a message, or an episode."""

    grain: Grain
    ref: str
    part: int
    text: str
    source: Message | Episode
    is_alive: bool = True
    before: int = -1
    """Number of the unit said just before in the same conversation; -1 for none."""


class OwnerIndex:
    """Units of one owner, numbered from 0 in the order they came. Not thread-safe; see ``recall.shelf``."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self.rev = 0
        self.generation = 0
        self.model: str | None = None
        self.units: list[Unit] = []
        self._numbers: dict[str, list[int]] = {}
        self._names: dict[str, str] = {}
        self._latest: dict[object, int] = {}
        self._postings = Postings()
        self._matrix: Matrix = np.zeros((0, 0), dtype=np.float32)
        self._has_vector = np.zeros(0, dtype=bool)

    def apply(self, changes: Changes) -> list[str]:
        """Take up what changed; return the ids whose vectors should be loaded again."""
        touched: list[str] = []
        for message in changes.messages:
            self._take_message(message)
            touched.append(message.id)
        for episode in changes.episodes:
            self._take_episode(episode)
            touched.append(episode.id)
        self.rev, self.generation = changes.rev, changes.generation
        return touched

    def set_vectors(self, vectors: Iterable[StoredVector]) -> None:
        """Take up vectors of units that are known; others are left aside."""
        rows = [
            (numbers[stored.part], stored.vector)
            for stored in vectors
            if stored.part < len(numbers := self._numbers.get(stored.ref, []))
        ]
        if not rows:
            return
        self._make_room(len(rows[0][1]))
        for number, vector in rows:
            self._matrix[number] = vector
            self._has_vector[number] = True

    def names(self, message_ids: Iterable[str]) -> tuple[str, ...]:
        """Return the ids by which the caller knows these messages."""
        return tuple(self._names.get(message_id, message_id) for message_id in message_ids)

    def before(self, number: int) -> int:
        """Return the number of the unit said just before in the same conversation, passing over what is gone, or -1."""
        before = self.units[number].before
        while before >= 0 and not self.units[before].is_alive:
            before = self.units[before].before
        return before

    def score_words(self, question: str, among: np.ndarray, policy: BM25Policy) -> Scores:
        """Return the BM25 scores of some units, in their order; no other unit has a part in them."""
        return self._postings.score(stems(question), among, policy)

    def score_vectors(self, question: Matrix, among: np.ndarray) -> Scores:
        """Return the cosines of some units with a unit vector, in their order; nan where a unit has no vector."""
        self._make_room(len(question))
        # Not "@": BLAS sums rows differently by where they stand, and equal texts must score the same.
        cosines = np.einsum("ij,j->i", self._matrix[: len(self.units)], question)[among]
        return np.where(self._has_vector[among], cosines.astype(np.float64), np.nan)

    def _take_message(self, message: Message) -> None:
        self._names[message.id] = message.name
        known = self._numbers.get(message.id, [])
        is_alive = _may_be_shown(message)
        for unit in (self.units[number] for number in known):
            unit.source = message
            unit.is_alive = is_alive
            unit.text = unit.text if message.content else ""  # the text of a message never changes; it can only go
        if not known and message.content:
            for part, passage in enumerate(split_passages(message.content)):
                before = self._latest.get(message.key, -1)
                unit = Unit(Grain.EXCERPT, message.id, part, passage, message, is_alive=is_alive, before=before)
                self._latest[message.key] = self._add(unit)

    def _take_episode(self, episode: Episode) -> None:
        is_found = episode.digest is not None and episode.status in (EpisodeStatus.PENDING, EpisodeStatus.ACTIVE)
        known = self._numbers.get(episode.id)
        if known:
            self.units[known[0]].source = episode
            self.units[known[0]].is_alive = is_found
        elif is_found and episode.digest is not None:
            text = f"{episode.digest.topic}\n{episode.digest.summary}"
            self._add(Unit(Grain.EPISODE, episode.id, 0, text, episode))

    def _add(self, unit: Unit) -> int:
        number = len(self.units)
        self.units.append(unit)
        self._numbers.setdefault(unit.ref, []).append(number)
        source = unit.source
        self._postings.add(stems(source.attributed(unit.text) if isinstance(source, Message) else unit.text))
        return number

    def _make_room(self, dimension: int) -> None:
        rows, columns = self._matrix.shape
        if columns != dimension:
            self._matrix, self._has_vector = np.zeros((0, dimension), dtype=np.float32), np.zeros(0, dtype=bool)
            rows = 0
        if rows < len(self.units):
            room = max(len(self.units), rows * 2)
            matrix, has_vector = np.zeros((room, dimension), dtype=np.float32), np.zeros(room, dtype=bool)
            matrix[:rows], has_vector[:rows] = self._matrix[:rows] if rows else 0, self._has_vector[:rows]
            self._matrix, self._has_vector = matrix, has_vector


def _may_be_shown(message: Message) -> bool:
    """Tell whether a message may be found; before the gate has seen it, not where it is likely to hide it."""
    if message.verdict is not None or message.role is Role.ASSISTANT:
        return message.is_recallable
    return message.is_recallable and not (asks_to_forget(message.content) or looks_injected(message.content))


def visible_units(index: OwnerIndex, scope: Scope, allows: Callable[[Unit], bool]) -> np.ndarray:
    """Return the numbers of the units that a scope sees and a filter allows; shape (m,), rising."""
    return np.array(
        [
            number
            for number, unit in enumerate(index.units)
            if unit.is_alive and scope.sees(unit.source.scope.project, unit.source.scope.agent) and allows(unit)
        ],
        dtype=np.int64,
    )
