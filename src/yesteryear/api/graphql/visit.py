"""Who asks, and what was lent to them and read for them within one operation: many fields ask, all are read at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias, TypeVar

import strawberry
from graphql.pyutils import Path
from strawberry.dataloader import DataLoader
from strawberry.fastapi import BaseContext

from yesteryear.api.access import IDENTITY_HEADERS, PROJECT_HEADER, Principal, RequestedScope
from yesteryear.api.auth_context import AuthContext
from yesteryear.api.streams import Stream
from yesteryear.api.verbs import VERBS
from yesteryear.consolidate.belief.queries import FactView
from yesteryear.core.access.arguments import MAX_PAGE
from yesteryear.errors import NotAdmitted, NotFound
from yesteryear.memory.memory import AsyncMemory

Row = TypeVar("Row")


class Reads:
    """What is read of a memory for one field at the root of an operation, each kind of thing by ids."""

    def __init__(self, memory: AsyncMemory) -> None:
        self.memory = memory
        self.fact = _rows(lambda ids: memory.facts(ids=ids, status="all", limit=MAX_PAGE), lambda row: [row.id])
        self.episode = _rows(lambda ids: memory.episodes(ids=ids), lambda row: [row.id])
        self.message = _rows(lambda ids: memory.messages(ids=ids), lambda row: [row.id, row.name])
        """By ids of ours or the caller's."""
        self.explained = _rows(
            lambda ids: memory.facts(ids=ids, status="all", evidence=True, limit=MAX_PAGE), lambda row: [row.id]
        )
        """Facts with what speaks for and against them."""
        self.facts_of: DataLoader[str, Sequence[FactView]] = DataLoader(self._facts_of, max_batch_size=MAX_PAGE)
        """Facts that were told in an episode; the surest first."""
        self.opponent: DataLoader[str, str | None] = DataLoader(self._opponents, max_batch_size=MAX_PAGE)
        """The fact with which a fact is in open conflict; None where there is none."""

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


def _rows(
    ask: Callable[[list[str]], Awaitable[Iterable[Row]]], names: Callable[[Row], Iterable[str]]
) -> DataLoader[str, Row | None]:
    """Return what loads rows by their names, None for each that is not there."""

    async def load(ids: list[str]) -> list[Row | None]:
        found = {name: row for row in await ask(ids) for name in names(row)}
        return [found.get(name) for name in ids]

    return DataLoader(load, max_batch_size=MAX_PAGE)


class GraphqlVisit(BaseContext):
    """One connection, or one operation on it, once the principal was let in; names of headers are in lower case."""

    _principal: Principal

    def __init__(self, auth_context: AuthContext, headers: Mapping[str, str]) -> None:
        super().__init__()
        self.headers = headers
        self.auth_context = auth_context
        self.reads: dict[str | int, Reads] = {}  # what was read for each field at the root

    async def admitted(self) -> GraphqlVisit:
        """Return a visit for one operation, of somebody who was let in."""
        said = _said(self.connection_params)
        if any(self.headers.get(name, value) != value for name, value in said.items()):
            raise NotAdmitted("the first message on this socket says another thing than its headers; say it once")
        visit = GraphqlVisit(self.auth_context, {**self.headers, **said})
        visit._principal = await self.auth_context.gatekeeper.admit(visit.headers)
        return visit

    def memory(self, path: Path, verb: str, requested: RequestedScope) -> AsyncMemory:
        """Return the memory for one field at the root of an operation, and what is to be done with it."""
        memory = self.auth_context.lend(self._principal, VERBS[verb].right, requested)
        self.begin(path, memory)
        return memory

    async def stream(self, memory: AsyncMemory, since: int | None, *, tells_conflicts: bool) -> Stream:
        """Return a stream of changes, one of as many as they may have."""
        streams = self.auth_context.streams
        return await streams.open(self._principal, self.headers, memory, since, tells_conflicts=tells_conflicts)

    def begin(self, path: Path, memory: AsyncMemory) -> None:
        """Forget what was read for a field at the root: its next result is read anew."""
        self.reads[_root(path)] = Reads(memory)


Info: TypeAlias = strawberry.Info[GraphqlVisit, None]  # what a resolver knows beside its arguments


def lend(info: Info, verb: str, *, user: str | None = None, project: str | None = None) -> AsyncMemory:
    """Return the memory that a field at the root is about: what it does not say, the headers do."""
    asked = RequestedScope.of_headers(info.context.headers)
    said = {name: value for name, value in (("user", user), ("project", project)) if value is not None}
    return info.context.memory(info.path, verb, replace(asked, **said))


async def lend_where(info: Info, verb: str, conversation: str) -> AsyncMemory:
    """Return the memory in whose project a conversation is held; there has to be one such conversation."""
    memory = lend(info, verb)
    keys = [found.key for found in await memory.conversations() if found.key.name == conversation]
    if len(keys) != 1:
        advice = f"; name the project in the header {PROJECT_HEADER.title()}" if keys else ""
        raise NotFound(f"there are {len(keys)} conversations {conversation!r} here{advice}")
    return info.context.memory(info.path, verb, RequestedScope(memory.scope.user, keys[0].project, keys[0].agent))


def reads(info: Info) -> Reads:
    """Return what was read already for a field, and reads more of it at once."""
    return info.context.reads[_root(info.path)]


def _said(params: object) -> dict[str, str]:
    """Return what the first message on a socket says in place of headers, which a browser cannot set there."""
    named = params.items() if isinstance(params, dict) else ()
    said = {str(name).lower(): value for name, value in named if isinstance(value, str)}
    return {name: said[name] for name in IDENTITY_HEADERS if name in said}


def _root(path: Path) -> str | int:
    while path.prev is not None:
        path = path.prev
    return path.key
