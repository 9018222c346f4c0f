"""Reads of one memory that many fields of a query share: each asks for one thing, and all are read at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TypeVar

from strawberry.dataloader import DataLoader

from yesteryear.consolidate.look import FactView
from yesteryear.core.arguments import MAX_PAGE
from yesteryear.core.episode import Episode
from yesteryear.core.fact import Evidence
from yesteryear.core.message import Message
from yesteryear.memory import AsyncMemory

Row = TypeVar("Row")


class Reads:
    """What is read of a memory for one field at the root of an operation.

    Args:
        memory: Which.
    """

    def __init__(self, memory: AsyncMemory) -> None:
        self.memory = memory

    @cached_property
    def fact(self) -> DataLoader[str, FactView | None]:
        """Facts by id."""
        return DataLoader(self._facts, max_batch_size=MAX_PAGE)

    @cached_property
    def episode(self) -> DataLoader[str, Episode | None]:
        """Episodes by id."""
        return DataLoader(self._episodes, max_batch_size=MAX_PAGE)

    @cached_property
    def message(self) -> DataLoader[str, Message | None]:
        """Messages by id, ours or the caller's."""
        return DataLoader(self._messages, max_batch_size=MAX_PAGE)

    @cached_property
    def evidence(self) -> DataLoader[str, Sequence[Evidence]]:
        """What speaks for and against a fact, by the fact's id."""
        return DataLoader(self._evidence, max_batch_size=MAX_PAGE)

    @cached_property
    def facts_of(self) -> DataLoader[str, Sequence[FactView]]:
        """Facts that were told in an episode, by the episode's id; the surest first."""
        return DataLoader(self._facts_of, max_batch_size=MAX_PAGE)

    @cached_property
    def opponent(self) -> DataLoader[str, str | None]:
        """The fact with which a fact is in open conflict, by id; None where there is none."""
        return DataLoader(self._opponents, max_batch_size=MAX_PAGE)

    async def _facts(self, ids: list[str]) -> Sequence[FactView | None]:
        return _in_order(ids, await self.memory.facts(ids=ids, status="all", limit=MAX_PAGE), lambda row: [row.id])

    async def _episodes(self, ids: list[str]) -> Sequence[Episode | None]:
        return _in_order(ids, await self.memory.episodes(ids=ids), lambda row: [row.id])

    async def _messages(self, ids: list[str]) -> Sequence[Message | None]:
        return _in_order(ids, await self.memory.messages(ids=ids), lambda row: [row.id, row.name])

    async def _evidence(self, ids: list[str]) -> Sequence[Sequence[Evidence]]:
        facts = await self.memory.facts(ids=ids, status="all", evidence=True, limit=MAX_PAGE)
        rows = {fact.id: fact.evidence for fact in facts}
        return [rows.get(name, ()) for name in ids]

    async def _facts_of(self, ids: list[str]) -> Sequence[Sequence[FactView]]:
        told: dict[str, list[FactView]] = defaultdict(list)
        for fact in await self.memory.facts(limit=MAX_PAGE):
            for name in fact.episodes:
                told[name].append(fact)
        return [told[name] for name in ids]

    async def _opponents(self, ids: list[str]) -> Sequence[str | None]:
        opponents: dict[str, str] = {}
        for conflict in await self.memory.conflicts():
            opponents.setdefault(conflict.earlier.id, conflict.later.id)
            opponents.setdefault(conflict.later.id, conflict.earlier.id)
        return [opponents.get(name) for name in ids]


def _in_order(ids: Sequence[str], rows: Iterable[Row], names: Callable[[Row], Iterable[str]]) -> list[Row | None]:
    """Return the rows that have these names, None for each that is not there."""
    found = {name: row for row in rows for name in names(row)}
    return [found.get(name) for name in ids]
