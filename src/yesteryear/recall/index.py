"""One owner's memories, ready to be searched: texts, columns, postings and a matrix, grown by appending.

Built from rows and kept in step by their ``rev``; a lost index costs time, never memories. Pending text is found by its
words at once and by its vector as soon as there is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from yesteryear.core.episode import Detail, Digest, Episode, EpisodeStatus
from yesteryear.core.gist import gist_lines
from yesteryear.core.language.cues import asks_to_forget
from yesteryear.core.language.injection import looks_injected
from yesteryear.core.language.passages import split_passages
from yesteryear.core.language.questions import asks
from yesteryear.core.language.tokens import stems
from yesteryear.core.message import HIDING_REASONS, Role
from yesteryear.core.queries import Changes, IndexedMessage
from yesteryear.core.scope import ConversationKey, Scope
from yesteryear.core.time import to_microseconds
from yesteryear.core.vectors import Grain, Matrix, StoredVector
from yesteryear.recall.lexical import Positions, Postings

PAUSE = timedelta(minutes=30)
"""Messages further apart than this are no neighbours, and belong to different sessions (document A)."""
_UNIT_BYTES = 900
"""About what a unit takes beside its text, vector and postings, in bytes; measured."""
_SHOWN_BYTES = 1500
"""About what it takes that a unit was shown in one layout, in bytes; measured."""

_FOUND = frozenset({EpisodeStatus.PENDING, EpisodeStatus.ACTIVE, EpisodeStatus.ARCHIVED})
"""Which episodes are found, ARCHIVED ones where the archive is asked for."""

ROLE_CODES = {role: code for code, role in enumerate(Role)}
"""How roles stand in the columns."""


class _Row(NamedTuple):
    """What is known of a unit, as a row of the columns."""

    is_alive: bool
    session: int
    """Code of the session it was said in."""
    at: int
    """Microseconds since 1970."""
    is_episode: bool = False
    only_asks: bool = False
    role: int = -1
    author: int = -1
    """Codes; -1 for an episode."""
    key: int = -1
    """Code of the conversation."""
    before: int = -1
    """Number of the unit said just before in the same session, -1 for none."""
    episode: int = -1
    """Number of the episode that holds it, -1 for none."""
    importance: float = 0.0
    """Of the episode; 0 where there is none yet."""
    has_vector: bool = False
    has_zone: bool = False
    """Whether the person's time zone was known."""
    is_line: bool = False
    """Whether it is a line of an episode whose words are gone."""
    is_archived: bool = False
    """Whether it is found only where the archive is asked for."""


_KINDS = ("?", "i4", "i8", "?", "?", "i1", "i4", "i4", "i8", "i8", "f8", "?", "?", "?", "?")
_COLUMNS = np.dtype(list(zip(_Row._fields, _KINDS, strict=True)))


@dataclass(slots=True)
class Unit:
    """One searchable text: a passage of a message, an episode as a whole, or a line of one that is gist."""

    source: IndexedMessage | Episode
    text: str
    part: int = 0
    """Number of the passage within its message, from 0; of the line within its episode, from 1, and 0 for the whole."""
    line_author: str = ""
    """Who said the line of an episode; empty where it is not known."""

    @property
    def key(self) -> ConversationKey:
        """The conversation it was said in."""
        return self.source.key

    @property
    def is_whole_episode(self) -> bool:
        """Whether this is an episode as a whole."""
        return isinstance(self.source, Episode) and not self.part

    @property
    def author(self) -> str:
        """Who said it; empty for a whole episode, and where it is not known."""
        return self.line_author if isinstance(self.source, Episode) else self.source.author

    @property
    def at(self) -> datetime:
        """When it was said; for an episode, when it ended (UTC)."""
        return self.source.ended_at if isinstance(self.source, Episode) else self.source.at

    @property
    def seq(self) -> int:
        """Position of its (last) message in the conversation."""
        return self.source.last_seq if isinstance(self.source, Episode) else self.source.seq

    @property
    def place(self) -> tuple[datetime, int, int, str, str, str]:
        """What orders units by when they were said; nothing of it depends on when they were recorded."""
        source, key = self.source, self.key
        at, seq = (source.ended_at, source.last_seq) if isinstance(source, Episode) else (source.at, source.seq)
        return at, seq, self.part, key.name, key.project or "", key.agent or ""


@dataclass(frozen=True, slots=True)
class RecallFilter:
    """Which memories may be found; None lets all pass."""

    grains: frozenset[Grain] | None = None
    since: datetime | None = None
    """Said at or after this instant."""
    until: datetime | None = None
    """Said before this instant."""
    author: str | None = None
    conversation: str | None = None
    only_bare_episodes: bool = False
    """Of whole episodes only those of which no single line is left: the others speak through their lines."""
    archived: bool = False
    """Whether what was archived is found too."""


@dataclass(slots=True)
class _Session:
    """The newest unit of a conversation: what comes next is its neighbour, unless there was a pause."""

    number: int
    at: datetime
    code: int


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
        self.postings = Postings()
        self.authors: dict[str, int] = {}
        """Codes of authors."""
        self.keys: dict[ConversationKey, int] = {}
        """Codes of conversations."""
        self.shown: dict[object, dict[Any, Any]] = {}
        """How units were shown lately, by layout: whatever contexts keep, emptied when a text goes."""
        self.costs: dict[str, int] = {}
        """Tokens of lines that were shown lately; emptied likewise."""
        self.views: dict[object, object] = {}
        """Whatever was computed from the rows as they are; emptied when they change."""
        self._numbers: dict[str, list[int]] = {}
        self._names: dict[str, str] = {}
        self._latest: dict[ConversationKey, _Session] = {}
        self._sessions = 0
        self._chars = 0
        self._columns: npt.NDArray[Any] = np.zeros(0, dtype=_COLUMNS)
        self._matrix: Matrix = np.zeros((0, 0), dtype=np.float32)

    @property
    def nbytes(self) -> int:
        """About how much memory this takes, in bytes."""
        kept = self._columns.nbytes + self._matrix.nbytes + self.postings.nbytes
        shown = sum(map(len, self.shown.values()))
        return kept + 2 * self._chars + _UNIT_BYTES * len(self.units) + _SHOWN_BYTES * shown

    @property
    def columns(self) -> npt.NDArray[Any]:
        """What is known of each unit, by the names in ``_Row``; shape (n,)."""
        return self._columns[: len(self.units)]

    def apply(self, changes: Changes) -> list[str]:
        """Take up what changed; return the ids whose vectors should be loaded again."""
        for message in changes.messages:
            self._take_message(message)
        for episode in changes.episodes:
            self._take_episode(episode)
        self.rev, self.generation = changes.rev, changes.generation
        self.views.clear()
        return [message.id for message in changes.messages] + [episode.id for episode in changes.episodes]

    def set_vectors(self, vectors: Iterable[StoredVector]) -> None:
        """Take up vectors of units that are known; others are left aside."""
        rows = [
            (numbers[stored.part], stored.vector)
            for stored in vectors
            if stored.part < len(numbers := self._numbers.get(stored.ref, []))
        ]
        if not rows:
            return
        self.views.clear()
        self._make_vector_room(len(rows[0][1]))
        for number, vector in rows:
            self._matrix[number] = vector
        self._columns["has_vector"][[number for number, _ in rows]] = True

    def names(self, message_ids: Iterable[str]) -> tuple[str, ...]:
        """Return the ids by which the caller knows these messages."""
        return tuple(self._names.get(message_id, message_id) for message_id in message_ids)

    def visible(self, scope: Scope, only: RecallFilter) -> Positions:
        """Return the numbers of the units that a scope sees and a filter allows; shape (m,), rising."""
        rows = self.columns
        seen = np.array([scope.sees(key.project, key.agent) for key in self.keys], dtype=bool)
        if only.conversation is not None:
            seen &= np.array([key.name == only.conversation for key in self.keys], dtype=bool)
        is_open = rows["is_alive"].copy()
        if not seen.all():
            is_open &= seen[rows["key"]]
        if not only.archived:
            is_open &= ~rows["is_archived"]
        if only.grains is not None:
            is_open &= np.where(rows["is_episode"], Grain.EPISODE in only.grains, Grain.EXCERPT in only.grains)
            is_open &= ~rows["is_line"]  # the whole speaks for them
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

    def vectors(self, numbers: Positions) -> Matrix:
        """Return the vectors of some units that have one; shape (m, dimension)."""
        return self._matrix[numbers]

    def score_vectors(self, question: Matrix, among: Positions) -> npt.NDArray[np.float64]:
        """Return the cosines of some units with a unit vector, in their order; nan where a unit has no vector."""
        cosines = np.full(len(self.units), np.nan)
        made = min(len(self._matrix), len(self.units))
        if made and self._matrix.shape[1] == len(question):
            # Not "@": BLAS sums rows differently by where they stand, and equal texts must score the same.
            cosines[:made] = np.einsum("ij,j->i", self._matrix[:made], question)
        cosines[~self.columns["has_vector"]] = np.nan
        return cosines[among]

    def _take_message(self, message: IndexedMessage) -> None:
        self._names[message.id] = message.name
        known = self._numbers.get(message.id)
        if known:
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
            self.postings.remove(number, stems(unit.text))
            self._chars -= len(unit.text)
            unit.text = ""
            if number < len(self._matrix):
                self._matrix[number] = 0  # a vector tells much of its text
        self._columns["has_vector"][list(numbers)] = False
        self.shown.clear()
        self.costs.clear()

    def _add_passages(self, message: IndexedMessage) -> None:
        latest = self._latest.get(message.key)
        if latest is None or abs(message.at - latest.at) >= PAUSE:
            latest = self._latest[message.key] = _Session(-1, message.at, self._new_session())
        latest.at = message.at
        row = _Row(
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
        whole = _told(episode)
        known = self._numbers.get(episode.id, [])
        if known and (not whole or self._digest_of(known[0]) != episode.digest):  # forgotten, or told anew
            self._columns["is_alive"][known] = False
            self._erase(known)
            del self._numbers[episode.id]
            known = []
        if known:
            for number in known:
                self.units[number].source = episode
        elif whole:
            known = [self._add_episode(episode, Unit(episode, whole))]
        if episode.detail is not Detail.VIVID and len(known) == 1:
            self._add_lines(episode, known[0])
            known = self._numbers[episode.id]
        spoken = [number for message_id in episode.message_ids for number in self._numbers.get(message_id, ())]
        rows = [*spoken, *known[1:]]
        self._columns["importance"][rows] = episode.importance
        self._columns["episode"][rows] = known[0] if known else -1
        self._columns["is_archived"][[*spoken, *known]] = episode.status is EpisodeStatus.ARCHIVED

    def _digest_of(self, number: int) -> Digest | None:
        source = self.units[number].source
        return source.digest if isinstance(source, Episode) else None

    def _add_episode(self, episode: Episode, unit: Unit) -> int:
        row = _Row(
            is_alive=True,
            is_episode=True,
            session=self._new_session(),
            at=to_microseconds(episode.ended_at),
            importance=episode.importance,
        )
        return self._add(unit, episode.id, row)

    def _add_lines(self, episode: Episode, whole: int) -> None:
        """Add what is left of an episode whose words are gone, line by line, as it was said at its end."""
        if episode.digest is None:
            return
        before, session = -1, self._new_session()
        for part, line in enumerate(gist_lines(episode.digest), start=1):
            speaker = line.speaker or Role.USER.value  # a digest leaves out the name that is only a role
            is_named = speaker in self.authors
            text = line.text if is_named or not line.speaker else f"{line.speaker}: {line.text}"
            row = _Row(
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

    def _new_session(self) -> int:
        self._sessions += 1
        return self._sessions - 1

    def _add(self, unit: Unit, ref: str, row: _Row) -> int:
        number = len(self.units)
        if number == len(self._columns):
            self._columns = np.concatenate([self._columns, np.zeros(max(64, number), dtype=_COLUMNS)])
        self._columns[number] = row._replace(key=self.keys.setdefault(unit.key, len(self.keys)))
        self.units.append(unit)
        self._numbers.setdefault(ref, []).append(number)
        self._chars += len(unit.text)
        self.postings.add(stems(unit.text))
        return number

    def _make_vector_room(self, dimension: int) -> None:
        rows, columns = self._matrix.shape
        if columns != dimension:
            self._columns["has_vector"] = False
            rows = 0
        if rows < len(self.units) or columns != dimension:
            matrix = np.zeros((max(len(self.units), rows * 5 // 4), dimension), dtype=np.float32)
            matrix[:rows] = self._matrix[:rows] if rows else 0
            self._matrix = matrix


def _told(episode: Episode) -> str:
    """Return an episode's text as a whole; empty where there is nothing to find."""
    if episode.digest is None or episode.status not in _FOUND:
        return ""
    return f"{episode.digest.topic}\n{episode.digest.summary}".strip()


def _may_be_shown(message: IndexedMessage) -> bool:
    """Tell whether a message may be found; before the gate has seen it, not where it is likely to hide it."""
    if not message.content or message.reason in HIDING_REASONS:
        return False
    if message.reason is not None or message.role is Role.ASSISTANT:
        return True
    return not (asks_to_forget(message.content) or looks_injected(message.content))
