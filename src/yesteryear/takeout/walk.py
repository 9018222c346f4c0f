"""STEP: walking through all rows that a transaction sees, page by page, in the order of an export.

Nothing but the names of conversations, the ids of episodes and the facts themselves is held for longer than a page.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, islice
from typing import TypeVar

from yesteryear.core.conversation import Conversation
from yesteryear.core.cycle import CycleReport
from yesteryear.core.edge import Edge
from yesteryear.core.episode import Episode, EpisodeStatus
from yesteryear.core.events import RecallEvent
from yesteryear.core.fact import Evidence, Fact, FactStatus, FactVersion
from yesteryear.core.message import Message
from yesteryear.core.queries import EpisodeQuery
from yesteryear.core.ruling import Ruling
from yesteryear.core.scope import ConversationKey
from yesteryear.core.usage import Charge
from yesteryear.core.vectors import StoredVector
from yesteryear.ports import Transaction
from yesteryear.takeout.life import Models, ModelVector, Settings, edge_key, place_of

Row = TypeVar("Row")

ROWS_A_PAGE = 64
"""Rows that are read at once."""


def pages_of(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Cut rows into pages."""
    rest = iter(rows)
    while page := list(islice(rest, ROWS_A_PAGE)):
        yield page


class Walk:
    """What a transaction sees, as a ``Life``.

    Args:
        tx: A snapshot, so that all pages are of the same moment.
        look: Called after each page; may raise to end the walk.
    """

    def __init__(self, tx: Transaction, *, look: Callable[[], None] = lambda: None) -> None:
        self._tx = tx
        self._look = look

    @property
    def models(self) -> Models:
        """The models whose vectors serve."""
        owner = self._tx.owner()
        return Models(owner.model, owner.next_model)

    def conversations(self) -> Iterator[Conversation]:
        """Walk through the conversations."""
        return iter(self._conversations)

    def messages(self) -> Iterator[Message]:
        """Walk through the messages."""
        for page in self._pages_of_messages():
            yield from page

    def messages_of(self, key: ConversationKey) -> Iterator[Message]:
        """Walk through the messages of one conversation."""
        for page in self._pages_of(key):
            yield from page

    def episodes(self) -> Iterator[Episode]:
        """Walk through the episodes, forgotten ones too."""
        for key in self._episode_ids:
            yield from self.episodes_of(key)

    def episodes_of(self, key: ConversationKey) -> Iterator[Episode]:
        """Walk through the episodes of one conversation."""
        for ids in pages_of(self._episode_ids.get(key, [])):
            yield from self._tx.episodes.get(ids)
            self._look()

    def facts(self) -> Iterator[Fact]:
        """Walk through the facts, forgotten ones too, by when they were first told."""
        return iter(self._facts)

    def versions(self) -> Iterator[FactVersion]:
        """Walk through the versions of each fact."""
        for page in pages_of(self._places):
            for fact_id in page:
                yield from self._tx.versions.of(fact_id)
            self._look()

    def evidence(self) -> Iterator[Evidence]:
        """Walk through the evidence of each fact, by when it was said."""
        for page in pages_of(self._places):
            found = self._tx.evidence.of(page)
            yield from sorted(found, key=lambda row: (self._places[row.fact_id], row.said_at, row.id))
            self._look()

    def rulings(self) -> Iterator[Ruling]:
        """Walk through the rulings on each fact and those before it."""
        for page in pages_of(self._places):
            own = set(page)
            found = [ruling for ruling in self._tx.rulings.of(page) if self._last(ruling.pair) in own]
            yield from sorted(found, key=lambda ruling: (self._places[str(self._last(ruling.pair))], ruling.pair))
            self._look()

    def edges(self) -> Iterator[Edge]:
        """Walk through the edges between each fact and those before it."""
        places = ((self._last((edge.source, edge.target)), edge) for edge in self._tx.edges.all())
        known = [(self._places[last], edge) for last, edge in places if last is not None]
        yield from (edge for _, edge in sorted(known, key=lambda found: (found[0], edge_key(found[1]))))

    def cycles(self) -> Iterator[CycleReport]:
        """Walk through the nights; they are of all of the owner, so a project or an agent sees none."""
        scope = self._tx.scope
        if scope.project is None and scope.agent is None:
            yield from reversed(self._tx.cycles.latest(limit=sys.maxsize))

    def usages(self) -> Iterator[Charge]:
        """Walk through what models have cost; as with nights, a project or an agent sees none of it."""
        scope, after = self._tx.scope, ""
        if scope.project is not None or scope.agent is not None:
            return
        while page := self._tx.usages.page(after=after, limit=ROWS_A_PAGE):
            after = page[-1].id
            yield from page
            self._look()

    def vectors(self) -> Iterator[ModelVector]:
        """Walk through the vectors of messages, then of episodes, then of facts; of each by model and part."""
        models = sorted(self._tx.vectors.models())
        for page in self._pages_of_messages() if models else ():
            yield from self._vectors_of([message.id for message in page], models)
        for ids in pages_of(chain.from_iterable(self._episode_ids.values())) if models else ():
            yield from self._vectors_of(ids, models)
        for ids in pages_of(self._places) if models else ():
            yield from self._vectors_of(ids, models)

    def recalls(self) -> Iterator[RecallEvent]:
        """Walk through the recall events."""
        after = ""
        while page := self._tx.recalls.page(after=after, limit=ROWS_A_PAGE):
            after = page[-1].id
            yield from page
            self._look()

    def settings(self) -> Iterator[Settings]:
        """Walk through the levels at which something is set."""
        levels = self._tx.overrides.all()
        for project in sorted(levels, key=lambda project: project or ""):
            if levels[project]:
                yield Settings(project, levels[project])

    @cached_property
    def _conversations(self) -> list[Conversation]:
        return sorted(self._tx.conversations.list(), key=lambda conversation: place_of(conversation.key))

    @cached_property
    def _episode_ids(self) -> dict[ConversationKey, list[str]]:
        found: defaultdict[ConversationKey, list[tuple[int, str]]] = defaultdict(list)
        for status in (None, EpisodeStatus.FORGOTTEN):  # forgotten ones are only told when asked for
            after = None
            while page := self._tx.episodes.page(EpisodeQuery(limit=ROWS_A_PAGE, after=after, status=status)):
                after = page[-1].id
                for episode in page:
                    found[episode.key].append((episode.first_seq, episode.id))
                self._look()
        return {key: [episode_id for _, episode_id in sorted(found[key])] for key in sorted(found, key=place_of)}

    @cached_property
    def _facts(self) -> list[Fact]:
        facts = self._tx.facts.all(list(FactStatus))
        self._look()
        return [replace(fact, rev=0) for fact in facts]

    @cached_property
    def _places(self) -> dict[str, int]:
        """The facts of which something is left, each with its place."""
        left = (fact.id for fact in self._facts if fact.status is not FactStatus.FORGOTTEN)
        return {fact_id: place for place, fact_id in enumerate(left)}

    def _last(self, fact_ids: tuple[str, str]) -> str | None:
        """Return which of two facts comes last; None where not both are here."""
        places = self._places
        return max(fact_ids, key=places.__getitem__) if places.keys() >= set(fact_ids) else None

    def _pages_of_messages(self) -> Iterator[list[Message]]:
        for conversation in self._conversations:
            yield from self._pages_of(conversation.key)

    def _pages_of(self, key: ConversationKey) -> Iterator[list[Message]]:
        after = 0
        while page := self._tx.messages.span(key, after=after, limit=ROWS_A_PAGE):
            after = page[-1].seq
            yield page
            self._look()

    def _vectors_of(self, ids: Sequence[str], models: Sequence[str]) -> Iterator[ModelVector]:
        found: defaultdict[str, list[tuple[str, int, StoredVector]]] = defaultdict(list)
        for model in models:
            for stored in self._tx.vectors.load(model, refs=ids):
                found[stored.ref].append((model, stored.part, stored))
        for ref in ids:
            for model, _, stored in sorted(found[ref], key=lambda entry: entry[:2]):
                yield ModelVector(model, stored)
        self._look()
