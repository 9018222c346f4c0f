"""Whether the rows of an export belong together: a walk through all of them before anything is written.

Each line fits its kind already; here it is what one row says of another. Only ids are held on the way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

from yesteryear.core.episode import Episode
from yesteryear.core.fact import Fact, FactStatus, FactVersion
from yesteryear.core.message import Conversation, Message
from yesteryear.core.scope import ConversationKey, Scope
from yesteryear.core.vectors import VectorGrain
from yesteryear.errors import BadExport
from yesteryear.transfer import kinds
from yesteryear.transfer.kinds import Dump, ModelVector, Row, RowKind, edge_key, place_of


class _Stretch(NamedTuple):
    """A conversation, and where its messages stand among all of them, half-open."""

    conversation: Conversation
    first: int
    past: int


@dataclass(slots=True)
class Census:
    """What was met on a walk through all rows; what has a name without underscore matters to whoever takes them in."""

    _dump: Dump
    conversations: dict[ConversationKey, _Stretch] = field(default_factory=dict)
    projects: set[str] = field(default_factory=set)
    agents: set[str] = field(default_factory=set)
    facts: set[str] = field(default_factory=set)
    dimensions: dict[str, int] = field(default_factory=dict)  # number of values of the vectors, by model
    _messages: dict[str, int] = field(default_factory=dict)  # number of each message in the order of the walk
    _external_ids: set[str] = field(default_factory=set)
    """The caller's own ids in the conversation that is walked through."""
    _episodes: dict[str, int] = field(default_factory=dict)
    _facts: dict[str, int] = field(default_factory=dict)  # number of each fact of which something is left
    _versions: int = 0  # number of the last version of a fact
    _merged: dict[str, str] = field(default_factory=dict)  # facts by what is merged into them
    _named: set[str] = field(default_factory=set)  # episodes that messages name

    def walk(self) -> Self:
        """Make sure that the rows belong together; ``BadExport`` names the one that does not."""
        self._go(
            kinds.SETTINGS,
            lambda row: row.project or "",
            lambda row: self.projects.update(filter(None, [row.project])),
        )
        self._go(kinds.CONVERSATIONS, lambda row: place_of(row.key), self._check_conversation)
        self._go(kinds.MESSAGES, lambda row: (*place_of(row.key), row.seq), self._check_message)
        self._go(kinds.EPISODES, lambda row: (*place_of(row.key), row.first_seq, row.id), self._check_episode)
        self._go(kinds.FACTS, lambda row: (row.first_observed, row.id), self._check_fact)
        if unsound := self._merged.keys() & set(self._merged.values()):
            raise BadExport(f"fact {min(unsound)!r} is merged, and others are merged into it")
        self._go(kinds.VERSIONS, lambda row: (self._place(row.fact.id), row.number), self._check_version)
        self._go(kinds.EVIDENCE, lambda row: (self._place(row.fact_id), row.said_at, row.id))
        self._go(kinds.RULINGS, lambda row: (self._last_place(*row.pair), row.pair), lambda row: self._note(row.scope))
        self._go(
            kinds.EDGES,
            lambda row: (self._last_place(row.source, row.target), edge_key(row)),
            lambda row: self._note(row.scope),
        )
        self._go(kinds.CYCLES, lambda row: row.id)
        if unknown := self._named.difference(self._episodes):
            raise BadExport(f"a message names the episode {min(unknown)!r}, which is not there")
        self._go(kinds.VECTORS, self._place_of_vector, self._check_dimension)
        self._go(kinds.RECALLS, lambda row: row.id, lambda row: self._note(row.key))
        self._go(kinds.USAGES, lambda row: row.id)
        return self

    def _note(self, whose: Scope | ConversationKey) -> None:
        """Note to whom a row belongs."""
        self.projects.update(filter(None, [whose.project]))
        self.agents.update(filter(None, [whose.agent]))

    def _go(
        self, kind: RowKind[Row], place: Callable[[Row], Any], check: Callable[[Row], None] = lambda _: None
    ) -> None:
        """Go through the rows of one kind, each of which has to stand behind the one before."""
        before: Any = None
        for row in self._dump.rows(kind):
            here = place(row)
            if before is not None and not before < here:
                raise BadExport(f"a row of {kind.name} is there twice, or out of its order: {here!r:.200}")
            before = here
            check(row)

    def _check_version(self, row: FactVersion) -> None:
        self._versions = self._versions + 1 if row.number > 1 else 1
        if row.number != self._versions:
            raise BadExport(f"version {row.number} of fact {row.fact.id!r} comes without the one before it")

    def _check_fact(self, row: Fact) -> None:
        if any(row.id in ids for ids in (self.facts, self._episodes, self._messages)):
            raise BadExport(f"fact {row.id!r} is there twice")
        self._note(row.scope)
        self.facts.add(row.id)
        if row.status is not FactStatus.FORGOTTEN:
            self._facts[row.id] = len(self._facts)
        if row.canonical_id is not None:
            self._merged[row.id] = row.canonical_id

    def _place(self, fact_id: str) -> int:
        place = self._facts.get(fact_id)
        if place is None:
            raise BadExport(f"there is a row about the fact {fact_id!r}, which is not there")
        return place

    def _last_place(self, *fact_ids: str) -> int:
        return max(map(self._place, fact_ids))

    def _check_conversation(self, row: Conversation) -> None:
        if not (row.settled_seq <= row.last_seq and row.closed_seq <= row.last_seq):
            raise BadExport(f"conversation {row.key.name!r} has been worked through beyond its end")
        self._note(row.key)
        self.conversations[row.key] = _Stretch(row, len(self._messages), len(self._messages))

    def _check_message(self, row: Message) -> None:
        stretch, number = self.conversations.get(row.key), len(self._messages)
        if stretch is None or row.seq > stretch.conversation.last_seq:
            raise BadExport(f"message {row.id!r} stands beyond the end of its conversation, or has none")
        if stretch.past == stretch.first:
            stretch = stretch._replace(first=number)
            self._external_ids.clear()
        if row.id in self._messages or row.external_id in self._external_ids:
            raise BadExport(f"message {row.id!r} is there twice")
        self.conversations[row.key] = stretch._replace(past=number + 1)
        self._messages[row.id] = number
        self._external_ids.update(filter(None, [row.external_id]))
        if row.episode_id is not None:
            self._named.add(row.episode_id)

    def _check_episode(self, row: Episode) -> None:
        stretch = self.conversations.get(row.key)
        if stretch is None or not row.first_seq <= row.last_seq <= stretch.conversation.last_seq:
            raise BadExport(f"episode {row.id!r} stands beyond the end of its conversation, or has none")
        if row.id in self._episodes or row.id in self._messages:
            raise BadExport(f"episode {row.id!r} is there twice")
        if row.started_at > row.ended_at:
            raise BadExport(f"episode {row.id!r} ends before it begins")
        for message_id in row.message_ids:
            if not stretch.first <= self._messages.get(message_id, -1) < stretch.past:
                raise BadExport(
                    f"episode {row.id!r} names the message {message_id!r}, which is not in its conversation"
                )
        self._episodes[row.id] = len(self._episodes)

    def _place_of_vector(self, row: ModelVector) -> tuple[int, int, str, int]:
        """Return the place of a vector: after those of the message, episode or fact before."""
        stored = row.stored
        held = {VectorGrain.EXCERPT: self._messages, VectorGrain.EPISODE: self._episodes, VectorGrain.FACT: self._facts}
        number = held[stored.grain].get(stored.ref)
        if number is None:
            raise BadExport(f"a vector stands for {stored.ref!r}, which is not there")
        return list(held).index(stored.grain), number, row.model, stored.part

    def _check_dimension(self, row: ModelVector) -> None:
        dimension = len(row.stored.vector)
        if self.dimensions.setdefault(row.model, dimension) != dimension:
            raise BadExport(f"the vectors of {row.model!r} are of different lengths")
