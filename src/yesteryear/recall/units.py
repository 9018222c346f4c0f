"""One searchable text, whatever it is taken from, and what is known of it as a row of columns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import numpy as np

from yesteryear.core.attributes import FactKind, Volatility
from yesteryear.core.episode import Episode
from yesteryear.core.fact import DOUBTED_BY, LIVE, Fact, FactStatus
from yesteryear.core.fading.confidence import known_since
from yesteryear.core.language.quoting import quoted_spans
from yesteryear.core.message import Role
from yesteryear.core.rows.queries import IndexedMessage
from yesteryear.core.scope import ConversationKey
from yesteryear.core.time import to_microseconds
from yesteryear.core.vectors import VectorGrain
from yesteryear.recall.standing import why_standing

ROLE_CODES = {role: code for code, role in enumerate(Role)}
GRAIN_CODES = {grain: code for code, grain in enumerate(VectorGrain)}
KIND_CODES = {kind: code for code, kind in enumerate(FactKind)}
VOLATILITY_CODES = {volatility: code for code, volatility in enumerate(Volatility)}
"""How roles, grains, kinds of facts and volatilities stand in the columns."""

NEVER = np.iinfo(np.int64).max  # an instant that does not come
_FOUND = LIVE | {FactStatus.SUPERSEDED, FactStatus.DEPRECATED}
"""Which facts are found, those that do not count now where they are asked for; another speaks for a merged one."""


class UnitRow(NamedTuple):
    """What is known of a unit, as a row of the columns."""

    is_alive: bool
    session: int  # code of the session it was said in; a fact, like an episode, has one of its own
    at: int  # microseconds since 1970
    grain: int = GRAIN_CODES[VectorGrain.EXCERPT]
    only_asks: bool = False
    role: int = -1
    author: int = -1  # whom a fact is about; role and author are codes, -1 for an episode
    key: int = -1  # code of the conversation
    before: int = -1  # number of the unit said just before in the same session, -1 for none
    episode: int = -1  # number of the episode that holds it, -1 for none
    importance: float = 0.0  # of the episode; 0 where there is none yet
    has_vector: bool = False
    has_zone: bool = False  # whether the person's time zone was known
    is_line: bool = False  # whether it is a line of an episode whose words are gone
    is_archived: bool = False  # whether it is found only where the archive is asked for
    is_former: bool = False  # whether it is a fact that held until another took its place
    is_pinned: bool = False
    may_stand: bool = False  # whether it is a fact that may stand in a context whatever is asked
    is_settled: bool = False  # whether it is a fact that was done or dropped
    is_doubted: bool = False  # whether it is a fact that may no longer hold after what was told later
    kind: int = -1  # code of a fact's kind; -1 for all else
    volatility: int = -1  # code, likewise
    confidence: float = 1.0  # as of a fact's last evidence, in [0, 1]; 1 for what was said, which is no belief
    evidence_at: int = 0  # when that was, in microseconds since 1970
    ends_at: int = NEVER  # when a fact ceases to hold, likewise


_FORMATS = "? i4 i8 i1 ? i1 i4 i4 i8 i8 f8 ? ? ? ? ? ? ? ? ? i1 i1 f8 i8 i8"
COLUMNS = np.dtype(list(zip(UnitRow._fields, _FORMATS.split(), strict=True)))  # how rows are kept


@dataclass(slots=True)
class Unit:
    """One searchable text: a passage of a message, an episode, a line of one that is gist, or a fact."""

    source: IndexedMessage | Episode | Fact
    text: str
    part: int = 0  # number of the passage in its message, from 0; of the line in its episode, from 1; 0 for the whole
    line_author: str = ""  # who said the line of an episode; empty where it is not known
    unnamed: str = ""  # the statement of a fact without whom it is about, as questions are read without names

    @property
    def searched(self) -> str:
        """The words by which it is found."""
        return self.unnamed or self.text

    @property
    def grain(self) -> VectorGrain:
        """What it is; a line of an episode counts as an episode."""
        if isinstance(self.source, Fact):
            return VectorGrain.FACT
        return VectorGrain.EPISODE if isinstance(self.source, Episode) else VectorGrain.EXCERPT

    @property
    def key(self) -> ConversationKey:
        """The conversation it was said in; without a name for a fact, which may have been told in several."""
        if isinstance(self.source, Fact):
            return ConversationKey(self.source.scope.project, self.source.scope.agent, "")
        return self.source.key

    @property
    def is_whole_episode(self) -> bool:
        """Whether this is an episode as a whole."""
        return isinstance(self.source, Episode) and not self.part

    @property
    def author(self) -> str:
        """Who said it, and whom a fact is about; empty for a whole episode, and where it is not known."""
        if isinstance(self.source, Fact):
            return self.source.subject
        return self.line_author if isinstance(self.source, Episode) else self.source.author

    @property
    def is_brought(self) -> bool:
        """Whether more than half of it are words that its author brought along and did not say."""
        if not isinstance(self.source, IndexedMessage) or not self.source.brought or self.source.role is not Role.USER:
            return False
        if self.source.brought == 1:
            return True
        start = max(0, self.source.content.find(self.text))
        end = start + len(self.text)
        spans = quoted_spans(self.source.content)
        return 2 * sum(max(0, min(end, last) - max(start, first)) for first, last in spans) > len(self.text)

    @property
    def at(self) -> datetime:
        """When it was said (UTC): for an episode, when it ended; for a fact, when it was last told."""
        if isinstance(self.source, Fact):
            return self.source.last_confirmed or self.source.first_observed
        return self.source.ended_at if isinstance(self.source, Episode) else self.source.at

    @property
    def zone(self) -> str | None:
        """The person's time zone when it was said; None where it is not known, and for a fact."""
        return None if isinstance(self.source, Fact) else self.source.zone

    @property
    def seq(self) -> int:
        """Position of its (last) message in the conversation; 0 for a fact."""
        if isinstance(self.source, Fact):
            return 0
        return self.source.last_seq if isinstance(self.source, Episode) else self.source.seq

    @property
    def place(self) -> tuple[datetime, int, int, str, str, str]:
        """What orders units by when they were said; nothing of it depends on when they were recorded."""
        key = self.key
        name = self.text if isinstance(self.source, Fact) else key.name
        return self.at, self.seq, self.part, name, key.project or "", key.agent or ""


def fact_row(fact: Fact, *, session: int, author: int) -> UnitRow:
    """Return what is known of a fact, with codes of a session of its own and of the person it is about, or -1."""
    return UnitRow(
        is_alive=fact.status in _FOUND,
        session=session,
        at=to_microseconds(fact.last_confirmed or fact.first_observed),
        grain=GRAIN_CODES[VectorGrain.FACT],
        role=ROLE_CODES[Role.USER],
        author=author,
        is_archived=not fact.is_live,
        is_former=fact.status is FactStatus.SUPERSEDED,
        is_pinned=fact.pinned,
        may_stand=bool(why_standing(fact)),
        is_settled=fact.resolved_at is not None,
        is_doubted=DOUBTED_BY in fact.properties,
        kind=KIND_CODES[fact.kind],
        volatility=VOLATILITY_CODES[fact.volatility],
        confidence=fact.confidence,
        evidence_at=to_microseconds(known_since(fact)),
        ends_at=NEVER if fact.lapses_at is None else to_microseconds(fact.lapses_at),
    )
