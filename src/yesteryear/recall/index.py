"""One owner's memories, ready to be searched: texts, columns, postings and a matrix, grown by appending.

Built from rows and kept in step by their ``rev``; a lost index costs time, never memories.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from yesteryear.core.attributes import FactKind
from yesteryear.core.episode import Detail, Episode, EpisodeStatus, gist_lines
from yesteryear.core.fact import Evidence, Fact, FactStatus, Stance
from yesteryear.core.language.discourse import asks
from yesteryear.core.language.injection import looks_injected
from yesteryear.core.language.names import NameBook
from yesteryear.core.language.sentences import split_passages
from yesteryear.core.language.tokens import stems
from yesteryear.core.message import HIDING_REASONS, Role
from yesteryear.core.rows.queries import Changes, IndexedMessage
from yesteryear.core.scope import ConversationKey, Scope
from yesteryear.core.time import to_microseconds
from yesteryear.core.vectors import Matrix, StoredVector, VectorGrain
from yesteryear.recall.candidate_cache import CandidateCache
from yesteryear.recall.lexical import Mask, Positions, Postings
from yesteryear.recall.render import ShownLately
from yesteryear.recall.units import COLUMNS, GRAIN_CODES, KIND_CODES, ROLE_CODES, Unit, UnitRow, fact_row

if TYPE_CHECKING:
    from yesteryear.recall.standing import DayChange
    from yesteryear.recall.view import View

PAUSE = timedelta(minutes=30)  # messages further apart are no neighbours, and of different sessions (document A)
_UNIT_BYTES = 900  # about what a unit takes beside its text, vector and postings, in bytes; measured
_GOOD_PART = 0.5  # part of a passage, in [0, 1], from which what holds of some words of it holds of the whole
_SHOWN_BYTES = 1500  # about what it takes that a unit was shown in one layout, in bytes; measured

_FOUND = frozenset({EpisodeStatus.PENDING, EpisodeStatus.ACTIVE, EpisodeStatus.ARCHIVED})
"""Which episodes are found, ARCHIVED ones where the archive is asked for."""


@dataclass(frozen=True, slots=True)
class RecallFilter:
    """Which memories may be found; None lets all pass."""

    grains: frozenset[VectorGrain] | None = None
    since: datetime | None = None  # said at or after this instant
    until: datetime | None = None  # said before this instant
    author: str | None = None
    conversation: str | None = None
    only_bare_episodes: bool = False  # of whole episodes only those of which no line is left: else lines speak for them
    archived: bool = False  # whether what was archived is found too, and facts that do not count any more
    former: bool = False  # whether facts are found that held until others took their place
    kinds: frozenset[FactKind] | None = None  # of facts, only those of these kinds


class Links(NamedTuple):
    """Which facts were told in which passages; shape (k,) each."""

    facts: Positions  # numbers of the facts
    passages: Positions  # numbers of the passages
    are_close: Positions  # 1 where the words that speak for the fact are a good part of the passage, else 0


@dataclass(slots=True)
class _Session:
    """The newest unit of a conversation: what comes next is its neighbour, unless there was a pause."""

    number: int
    at: datetime
    code: int


class OwnerIndex:
    """Units of one owner, numbered from 0 in the order they came. Not thread-safe; see ``recall.index_cache``."""

    def __init__(self, *, contextual: str | None = None) -> None:
        self.contextual = contextual  # the model whose vectors tell how messages were read, if there is one
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self.rev = 0
        self.generation = 0
        self.model: str | None = None
        self.units: list[Unit] = []
        self.postings = Postings()
        self.authors: dict[str, int] = {}  # codes of authors
        self.keys: dict[ConversationKey, int] = {}  # codes of conversations
        self.shown = ShownLately()  # what contexts have written of the units; emptied when a text goes
        self.views: dict[tuple[str | None, str | None, RecallFilter], View] = {}
        """What scopes see of the rows as they are, by project, agent and filter; emptied when they change."""
        self.wanted: dict[str, Scope] = {}  # facts whose evidence is to be looked up (again), by id, with their scopes
        self.facts_rev = 0  # the highest ``rev`` of a fact
        self.days: dict[tuple[str | None, str | None], tuple[tuple[datetime, int], Mapping[str, DayChange]]] = {}
        """What the day changed in facts, by project and agent, with the night it began at and the ``facts_rev``."""
        self._numbers: dict[str, list[int]] = {}
        self._messages: dict[str, IndexedMessage] = {}
        self._provenance: dict[str, list[tuple[str, str]]] = {}
        """By fact, as far as it was looked up: the messages that speak for it, and their words that do, where kept."""
        self._merged: dict[str, list[str]] | None = None  # the facts that are merged into one
        self._links: Links | None = None
        self._books: dict[str, NameBook] = {}  # the names of those whom facts are about
        self._latest: dict[ConversationKey, _Session] = {}
        self._sessions = count()
        self._chars = 0
        self.candidate_cache: CandidateCache | None = None  # of the vectors of an owner who has too many, else None
        self._columns: npt.NDArray[Any] = np.zeros(0, dtype=COLUMNS)
        self._matrix: Matrix = np.zeros((0, 0), dtype=np.float32)
        self._readings: Matrix = np.zeros((0, 0), dtype=np.float32)
        """Of each unit the vector of its message as it was read; zeros where there is none."""

    @property
    def nbytes(self) -> int:
        """About how much memory this takes, in bytes."""
        vectors = self._matrix.nbytes if self.candidate_cache is None else self.candidate_cache.nbytes
        kept = self._columns.nbytes + vectors + self._readings.nbytes + self.postings.nbytes
        return kept + 2 * self._chars + _UNIT_BYTES * len(self.units) + _SHOWN_BYTES * len(self.shown)

    @property
    def columns(self) -> npt.NDArray[Any]:
        """What is known of each unit, by the names in ``UnitRow``; shape (n,)."""
        return self._columns[: len(self.units)]

    def apply(self, changes: Changes) -> list[str]:
        """Take up what changed; return the ids whose vectors should be loaded again."""
        for message in changes.messages:
            self._take_message(message)
        for episode in changes.episodes:
            self._take_episode(episode)
        for fact in changes.facts:
            self._take_fact(fact)
            self.facts_rev = max(self.facts_rev, fact.rev)
        self.rev, self.generation = changes.rev, changes.generation
        self.views.clear()
        return [row.id for rows in (changes.messages, changes.episodes, changes.facts) for row in rows]

    def set_sources(self, fact_ids: Iterable[str], evidence: Iterable[Evidence]) -> None:
        """Take up all that speaks for and against some facts."""
        for fact_id in fact_ids:
            self._provenance[fact_id] = []
            self.wanted.pop(fact_id, None)
        for row in evidence:
            if row.message_id is not None and row.stance is Stance.SUPPORTS:
                self._provenance[row.fact_id].append((row.message_id, row.quote))
        self._links = self._merged = None
        self.views.clear()

    def set_vectors(self, vectors: Iterable[StoredVector]) -> None:
        """Take up vectors of units that are known; others are left aside."""
        rows = self.numbered(vectors)
        if not rows:
            return
        self.views.clear()
        dimension = len(next(iter(rows.values())))
        if self._matrix.shape[1] != dimension:
            self._columns["has_vector"] = False
        self._matrix = self._with_room(self._matrix, dimension)
        for number, vector in rows.items():
            self._matrix[number] = vector
        self._columns["has_vector"][list(rows)] = True

    def set_readings(self, vectors: Iterable[StoredVector]) -> None:
        """Take up vectors of messages as they were read; each passage of a message has the same one."""
        known = [(numbers, row.vector) for row in vectors if (numbers := self._numbers.get(row.ref))]
        for numbers, vector in known:
            self._readings = self._with_room(self._readings, len(vector))
            self._readings[numbers] = vector

    def numbered(self, vectors: Iterable[StoredVector]) -> dict[int, Matrix]:
        """Return vectors by the numbers of their units, as far as these are known."""
        return {
            numbers[stored.part]: stored.vector
            for stored in vectors
            if stored.part < len(numbers := self._numbers.get(stored.ref, []))
        }

    def some_refs(self, number: int) -> list[str]:
        """Return the ids of about so many memories, evenly from the first to the last."""
        refs = list(self._numbers)
        return refs[:: max(1, len(refs) // number)]

    def names(self, message_ids: Iterable[str]) -> tuple[str, ...]:
        """Return the ids by which the caller knows these messages."""
        known = ((message_id, self._messages.get(message_id)) for message_id in message_ids)
        return tuple(message_id if message is None else message.name for message_id, message in known)

    @property
    def links(self) -> Links:
        """Which facts were told in which passages."""
        if self._links is None:
            found = [
                (numbers[0], passage, bool(quote) and quote in text and len(quote) >= _GOOD_PART * len(text))
                for fact_id in self._provenance
                if (numbers := self._numbers.get(fact_id))
                for message_id, quote in self._told_in(fact_id)
                for passage in self._numbers.get(message_id, ())
                if (text := self.units[passage].text)
            ]
            self._links = Links(*np.array(found, dtype=np.int64).reshape(-1, 3).T)
        return self._links

    def fact(self, fact_id: str) -> Fact | None:
        """Return a fact by its id, whether it counts now or not."""
        numbers = self._numbers.get(fact_id)
        source = self.units[numbers[0]].source if numbers else None
        return source if isinstance(source, Fact) else None

    def sources(self, fact_id: str, scope: Scope) -> tuple[IndexedMessage, ...]:
        """Return the messages in which a fact was told, as far as a scope sees them; empty where that is not known."""
        message_ids = dict.fromkeys(message_id for message_id, _ in self._told_in(fact_id))
        rows = (self._messages[message_id] for message_id in message_ids if message_id in self._messages)
        return tuple(row for row in rows if scope.sees(row.key.project, row.key.agent))

    def _told_in(self, fact_id: str) -> Iterator[tuple[str, str]]:
        """Yield what speaks for a fact, and for those that are merged into it."""
        if self._merged is None:
            self._merged = defaultdict(list)
            for merged in sorted(self._provenance.keys() & self._numbers.keys()):
                source = self.units[self._numbers[merged][0]].source
                if isinstance(source, Fact) and source.canonical_id is not None:
                    self._merged[source.canonical_id].append(merged)
        for each in (fact_id, *self._merged.get(fact_id, ())):
            yield from self._provenance.get(each, ())

    def visible(self, scope: Scope, only: RecallFilter) -> Positions:
        """Return the numbers of the units that a scope sees and a filter allows; shape (m,), rising."""
        rows = self.columns
        seen = self.seen_by(scope)
        if only.conversation is not None:
            seen &= np.array([key.name == only.conversation for key in self.keys], dtype=bool)
        is_open = rows["is_alive"].copy() if seen.all() else rows["is_alive"] & seen[rows["key"]]
        if not only.archived:
            is_open &= ~rows["is_archived"] | (rows["is_former"] & only.former)
        if only.grains is not None:
            is_open &= np.isin(rows["grain"], [GRAIN_CODES[grain] for grain in only.grains])
            is_open &= ~rows["is_line"]  # the whole speaks for them
        if only.kinds is not None:
            is_open &= np.isin(rows["kind"], [-1, *(KIND_CODES[kind] for kind in only.kinds)])
        if only.only_bare_episodes:
            holders = rows["episode"][is_open & (rows["episode"] >= 0)]
            is_open[holders] = False
        if only.since is not None:
            is_open &= rows["at"] >= to_microseconds(only.since)
        if only.until is not None:
            is_open &= rows["at"] < to_microseconds(only.until)
        if only.author is not None:
            is_open &= rows["author"] == self.authors.get(only.author, -2)
        return np.flatnonzero(is_open)

    def seen_by(self, scope: Scope) -> Mask:
        """Return which conversations, by their codes, a scope sees."""
        return np.array([scope.sees(key.project, key.agent) for key in self.keys], dtype=bool)

    def score_vectors(self, question: Matrix, among: Positions) -> npt.NDArray[np.float64]:
        """Return the cosines of some units with a unit vector, in their order; nan where a unit has no vector here."""
        if self.candidate_cache is not None:
            return self.candidate_cache.cosines(question, len(self.units))[among]
        cosines = self._products(self._matrix, question)
        cosines[~self.columns["has_vector"]] = np.nan
        return cosines[among]

    def score_readings(self, sought: Matrix, among: Positions) -> npt.NDArray[np.float64]:
        """Return how some units, as they were read, fit what is sought, in their order; nan where one was not read."""
        scores = self._products(self._readings, sought)
        scores[scores == 0] = np.nan  # zeros stand for no vector
        return scores[among]

    def _products(self, matrix: Matrix, vector: Matrix) -> npt.NDArray[np.float64]:
        products = np.full(len(self.units), np.nan)
        made = min(len(matrix), len(self.units))
        if made and matrix.shape[1] == len(vector):
            # Not "@": BLAS sums rows differently by where they stand, and equal texts must score the same.
            products[:made] = np.einsum("ij,j->i", matrix[:made], vector)
        return products

    def _take_message(self, message: IndexedMessage) -> None:
        before = self._messages.get(message.id)
        self._messages[message.id] = message
        known = self._numbers.get(message.id)
        if known:
            if before is not None and before.brought != message.brought:
                self.shown.clear()  # it is shown as somebody else's words now
            self._columns["is_alive"][known] = _may_be_shown(message)
            for number in known:
                self.units[number].source = message
            if not message.content:  # a text never changes; it can only go
                self._erase(known)
        else:
            self._add_passages(message)  # none where the text is gone, yet it was said: no pause lies there

    def _erase(self, numbers: Sequence[int]) -> None:
        for number in numbers:
            unit = self.units[number]
            self.postings.remove(number, stems(unit.searched))
            self._chars -= len(unit.text)
            unit.text = unit.unnamed = ""
            for matrix in (self._matrix, self._readings):  # a vector tells much of its text
                matrix[number : number + 1] = 0
        self._columns["is_alive"][list(numbers)] = False
        self._columns["has_vector"][list(numbers)] = False
        if self.candidate_cache is not None:
            self.candidate_cache.drop(numbers)
        self.shown.clear()

    def _add_passages(self, message: IndexedMessage) -> None:
        latest = self._latest.get(message.key)
        if latest is None or abs(message.at - latest.at) >= PAUSE:
            latest = self._latest[message.key] = _Session(-1, message.at, next(self._sessions))
        latest.at = message.at
        row = UnitRow(
            is_alive=_may_be_shown(message),
            only_asks=asks(message.content),
            role=ROLE_CODES[message.role],
            author=self.authors.setdefault(message.author, len(self.authors)),
            session=latest.code,
            at=to_microseconds(message.at),
            has_zone=message.zone is not None,
        )
        for part, passage in enumerate(split_passages(message.content)):
            unit = Unit(message, passage, part)
            latest.number = self._add(unit, message.id, row._replace(before=latest.number))

    def _take_episode(self, episode: Episode) -> None:
        whole = ""
        if episode.digest is not None and episode.status in _FOUND:
            whole = f"{episode.digest.topic}\n{episode.digest.summary}".strip()
        known = self._numbers.get(episode.id, [])
        before = self.units[known[0]].source if known else None
        if isinstance(before, Episode) and (not whole or before.digest != episode.digest):  # forgotten, or told anew
            self._erase(known)
            del self._numbers[episode.id]
            known = []
        if known:
            for number in known:
                self.units[number].source = episode
        elif whole:
            row = UnitRow(
                is_alive=True,
                grain=GRAIN_CODES[VectorGrain.EPISODE],
                session=next(self._sessions),
                at=to_microseconds(episode.ended_at),
                importance=episode.importance,
            )
            known = [self._add(Unit(episode, whole), episode.id, row)]
        if episode.detail is not Detail.VIVID and len(known) == 1:
            self._add_lines(episode, known[0])
            known = self._numbers[episode.id]
        spoken = [number for message_id in episode.message_ids for number in self._numbers.get(message_id, ())]
        rows = [*spoken, *known[1:]]
        self._columns["importance"][rows] = episode.importance
        self._columns["episode"][rows] = known[0] if known else -1
        self._columns["is_archived"][[*spoken, *known]] = episode.status is EpisodeStatus.ARCHIVED

    def _add_lines(self, episode: Episode, whole: int) -> None:
        """Add what is left of an episode whose words are gone, line by line, as it was said at its end."""
        if episode.digest is None:
            return
        before, session = -1, next(self._sessions)
        for part, line in enumerate(gist_lines(episode.digest), start=1):
            speaker = line.speaker or Role.USER.value  # a digest leaves out the name that is only a role
            is_named = speaker in self.authors
            text = line.text if is_named or not line.speaker else f"{line.speaker}: {line.text}"
            row = UnitRow(
                is_alive=True,
                session=session,
                is_line=True,
                at=to_microseconds(episode.ended_at),
                only_asks=asks(text),
                role=ROLE_CODES[Role.USER],
                author=self.authors.get(speaker, -1),
                before=before,
                episode=whole,
                has_zone=episode.zone is not None,
            )
            before = self._add(Unit(episode, text, part, speaker if is_named else ""), episode.id, row)

    def _take_fact(self, fact: Fact) -> None:
        self._links = self._merged = None
        known = self._numbers.get(fact.id)
        if known and self.units[known[0]].text != fact.statement:  # forgotten, or worded anew
            self._erase(known)
            self.units[known[0]].source = fact
            self.wanted.pop(fact.id, None)
            self._provenance.pop(fact.id, None)
            del self._numbers[fact.id]
            known = None
        if fact.status is FactStatus.FORGOTTEN:
            return
        session = int(self._columns["session"][known[0]]) if known else next(self._sessions)
        row = fact_row(fact, session=session, author=self.authors.get(fact.subject, -1))
        if known:
            number = known[0]
            self.units[number].source = fact
            had_vector = bool(self._columns["has_vector"][number])
            self._columns[number] = row._replace(key=self._columns["key"][number], has_vector=had_vector)
        else:
            if fact.subject not in self._books:
                self._books[fact.subject] = NameBook.of([fact.subject])
            unnamed = self._books[fact.subject].strip(fact.statement)
            self._add(Unit(fact, fact.statement, unnamed=unnamed), fact.id, row)
        self.wanted[fact.id] = fact.scope

    def _add(self, unit: Unit, ref: str, row: UnitRow) -> int:
        number = len(self.units)
        if number == len(self._columns):
            self._columns = np.concatenate([self._columns, np.zeros(max(64, number), dtype=COLUMNS)])
        self._columns[number] = row._replace(key=self.keys.setdefault(unit.key, len(self.keys)))
        self.units.append(unit)
        self._numbers.setdefault(ref, []).append(number)
        self._chars += len(unit.text)
        self.postings.add(stems(unit.searched))
        return number

    def _with_room(self, matrix: Matrix, dimension: int) -> Matrix:
        """Return a matrix with a row for each unit; an empty one where its vectors were of another length."""
        rows = len(matrix) if matrix.shape[1] == dimension else 0
        if rows > 0 and rows >= len(self.units):
            return matrix
        larger = np.zeros((max(len(self.units), rows * 5 // 4), dimension), dtype=np.float32)
        if rows:
            larger[:rows] = matrix
        return larger


def _may_be_shown(message: IndexedMessage) -> bool:
    """Tell whether a message may be found; before the gate has seen it, not where it is likely to hide it."""
    if not message.content or message.reason in HIDING_REASONS:
        return False
    return message.reason is not None or message.role is Role.ASSISTANT or not looks_injected(message.content)
