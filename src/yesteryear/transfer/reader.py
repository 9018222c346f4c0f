"""STEP: reading all rows that a transaction sees, page by page, in the order of an export.

Nothing but the names of conversations, the ids of episodes and the facts themselves is held for longer than a page.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, islice
from typing import Any, TypeVar, cast

from yesteryear.core.episode import Episode, EpisodeStatus
from yesteryear.core.fact import Evidence, Fact, FactStatus
from yesteryear.core.hits import RecallEvent
from yesteryear.core.message import Conversation, Message
from yesteryear.core.relation import Edge
from yesteryear.core.rows.queries import EpisodeQuery, rows_of
from yesteryear.core.ruling import Ruling
from yesteryear.core.scope import ConversationKey
from yesteryear.core.usage import Charge
from yesteryear.ports import Transaction
from yesteryear.transfer.kinds import DumpedSettings, Models, ModelVector, RowKind, edge_key, place_of

Row = TypeVar("Row")
Named = TypeVar("Named", RecallEvent, Charge)

ROWS_A_PAGE = 64  # rows that are read at once


def pages_of(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Cut rows into pages."""
    rest = iter(rows)
    while page := list(islice(rest, ROWS_A_PAGE)):
        yield page


class StoreReader:
    """What a transaction sees, as a ``Dump``.

    Args:
        tx: A snapshot, so that all pages are of the same moment.
        look: Called after each page; may raise to end the reading.
    """

    def __init__(self, tx: Transaction, *, look: Callable[[], None] = lambda: None) -> None:
        self._tx = tx
        self._look = look
        self._readers: dict[str, Callable[[], Iterator[Any]]] = {
            "settings": self._read_settings,
            "conversations": lambda: iter(self._conversations),
            "messages": lambda: chain.from_iterable(self._pages_of_messages()),
            "episodes": lambda: chain.from_iterable(map(self.episodes_of, self._episode_ids)),
            "facts": lambda: iter(self._facts),
            "versions": lambda: self._of_facts(lambda page: chain.from_iterable(map(self._tx.versions.of, page))),
            "evidence": lambda: self._of_facts(self._evidence_of),
            "rulings": lambda: self._of_facts(self._rulings_of),
            "edges": self._read_edges,
            "cycles": lambda: reversed(self._tx.cycles.latest(limit=sys.maxsize)),
            "vectors": self._read_vectors,
            "recalls": lambda: self._by_id(self._tx.recalls.page),
            "usages": lambda: self._by_id(self._tx.usages.page),
        }

    @property
    def models(self) -> Models:
        """The models whose vectors serve."""
        owner = self._tx.owner()
        return Models(owner.model, owner.next_model)

    def rows(self, kind: RowKind[Row]) -> Iterator[Row]:
        """Go through the rows of one kind, forgotten ones too."""
        if kind.is_persons and self._tx.scope != self._tx.scope.owner.scope:
            return iter(())
        return cast("Iterator[Row]", self._readers[kind.name]())

    def messages_of(self, key: ConversationKey) -> Iterator[Message]:
        """Go through the messages of one conversation."""
        return chain.from_iterable(self._pages_of(key))

    def episodes_of(self, key: ConversationKey) -> Iterator[Episode]:
        """Go through the episodes of one conversation."""
        for ids in pages_of(self._episode_ids.get(key, [])):
            yield from self._tx.episodes.get(ids)
            self._look()

    def _of_facts(self, rows_of: Callable[[list[str]], Iterable[Row]]) -> Iterator[Row]:
        """Go through what is kept about facts, a page of facts at a time."""
        for page in pages_of(self._places):
            yield from rows_of(page)
            self._look()

    def _evidence_of(self, page: list[str]) -> list[Evidence]:
        return sorted(self._tx.evidence.of(page), key=lambda row: (self._places[row.fact_id], row.said_at, row.id))

    def _rulings_of(self, page: list[str]) -> list[Ruling]:
        found = [ruling for ruling in self._tx.rulings.of(page) if self._last(ruling.pair) in page]
        return sorted(found, key=lambda ruling: (self._places[str(self._last(ruling.pair))], ruling.pair))

    def _read_edges(self) -> Iterator[Edge]:
        places = ((self._last((edge.source, edge.target)), edge) for edge in self._tx.edges.all())
        known = [(self._places[last], edge) for last, edge in places if last is not None]
        yield from (edge for _, edge in sorted(known, key=lambda found: (found[0], edge_key(found[1]))))

    def _read_vectors(self) -> Iterator[ModelVector]:
        """Go through the vectors of messages, then of episodes, then of facts; of each by model and part."""
        if models := sorted(self._tx.vectors.models()):
            episodes = chain.from_iterable(self._episode_ids.values())
            messages = ([message.id for message in page] for page in self._pages_of_messages())
            for ids in chain(messages, pages_of(episodes), pages_of(self._places)):
                yield from self._vectors_of(ids, models)

    def _by_id(self, page_of: Callable[..., Sequence[Named]]) -> Iterator[Named]:
        after = ""
        while page := page_of(after=after, limit=ROWS_A_PAGE):
            after = page[-1].id
            yield from page
            self._look()

    def _read_settings(self) -> Iterator[DumpedSettings]:
        levels = self._tx.overrides.all()
        for project in sorted(levels, key=lambda project: project or ""):
            if levels[project]:
                yield DumpedSettings(project, levels[project])

    @cached_property
    def _conversations(self) -> list[Conversation]:
        return sorted(self._tx.conversations.list(), key=lambda conversation: place_of(conversation.key))

    @cached_property
    def _episode_ids(self) -> dict[ConversationKey, list[str]]:
        found: defaultdict[ConversationKey, list[tuple[int, str]]] = defaultdict(list)
        for status in (None, EpisodeStatus.FORGOTTEN):  # forgotten ones are only told when asked for
            query = EpisodeQuery(limit=ROWS_A_PAGE, status=status)
            for episode in rows_of(self._tx.episodes.page, query, pause=self._look):
                found[episode.key].append((episode.first_seq, episode.id))
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
        found: defaultdict[str, list[ModelVector]] = defaultdict(list)
        for model in models:
            for stored in self._tx.vectors.load(model, refs=ids):
                found[stored.ref].append(ModelVector(model, stored))
        for ref in ids:
            yield from sorted(found[ref], key=lambda vector: (vector.model, vector.stored.part))
        self._look()
