"""Upkeep of a database: indexes for owners with many vectors, and freeing the room of what was deleted.

A deleted row stays in its page until nobody can see it any more and VACUUM frees its room, for the next rows.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from yesteryear.core.erasure import STILL_READ, Scrubbed
from yesteryear.core.scope import Owner
from yesteryear.core.vectors import CONTEXTUAL, IndexFate, VectorIndex
from yesteryear.errors import SetUpNeeded
from yesteryear.storage.postgres import vector_index
from yesteryear.storage.postgres.connect import SERVER, PostgresPolicy
from yesteryear.storage.postgres.connection import Link, Pool
from yesteryear.storage.sql.statements import OWNED_TABLES

_LOOK_S = 0.05  # pause between two looks whether the last reader has ended, in seconds
_LIMITS = (
    "deleted rows were freed with VACUUM, and their room is overwritten as the server needs it; the server's files, "
    "write-ahead log, replicas and backups cannot be looked through from here"
)
_NAMED = (
    "an index of their vectors, which names them in the catalogue, belongs to another role; have that role run "
    "`yesteryear index`, which drops it"
)
_REFUSED = "VACUUM was refused for some tables, which autovacuum frees in time; to do it at once run it as their owner"


@dataclass(frozen=True, slots=True)
class Indexer:
    """Makes and drops indexes, one at a time, while owners are read and written."""

    pool: Pool
    exact_vectors: int  # up to how many vectors there is none

    def tend(self, owners: Sequence[Owner], *, is_all: bool, is_dry: bool, drops: bool) -> list[VectorIndex]:
        """Make and drop what is needed; see ``ports.Store``. Where these are all owners, other indexes are nobody's."""
        with self.pool.lend() as link:
            known: dict[str, Mapping[str, Any]] = {row["name"]: row for row in link.look(SERVER["near_list"])}
        found = [index for owner in owners for index in self._of(owner, known, is_dry=is_dry, drops=drops)]
        if is_all:
            found += [self._drop(row, is_dry=is_dry) for row in known.values()]
        return found

    def _of(
        self, owner: Owner, known: dict[str, Mapping[str, Any]], *, is_dry: bool, drops: bool
    ) -> Iterator[VectorIndex]:
        """Yield an owner's indexes, which are no longer ``known`` then, having made and dropped what is needed."""
        with self.pool.lend(lambda link: link.begin_reading(owner)) as link:
            counts = link.run("vector_models", owner._asdict())[0]
        for row in counts:
            model, vectors = row["model"], row["number"]
            name = vector_index.index_name(owner, model)
            there = known.pop(name, None)
            is_searched = vectors > self.exact_vectors and not model.startswith(CONTEXTUAL)
            if not is_searched or drops:
                if there is not None:
                    yield self._drop(there, owner, model, vectors, is_dry=is_dry)
            elif there is not None and there["is_valid"]:
                yield VectorIndex(name, IndexFate.KEPT, *owner, model, vectors, there["nbytes"])
            else:
                if not is_dry:
                    self._make(owner, model)
                yield VectorIndex(name, IndexFate.MADE, *owner, model, vectors, 0 if is_dry else self._size(name))
        for name in [name for name in known if name.startswith(vector_index.index_prefix(owner))]:
            yield self._drop(known.pop(name), owner, is_dry=is_dry)

    def _make(self, owner: Owner, model: str) -> None:
        with self.pool.lend(lambda link: link.begin_reading(owner)) as link:
            places = link.look(SERVER["near_place"], {**owner._asdict(), "model": model})
        with self.pool.lend() as link:
            left_over = vector_index.index_name(owner, model)  # by a run that was interrupted
            link.change_schema(vector_index.drop_index(left_over))
            for place in places:  # none where they were erased meanwhile
                link.change_schema(
                    vector_index.create_index(owner, model, table=place["name"], dimension=place["dimension"])
                )

    def _drop(
        self,
        there: Mapping[str, Any],
        owner: Owner | None = None,
        model: str | None = None,
        vectors: int = 0,
        *,
        is_dry: bool,
    ) -> VectorIndex:
        if not is_dry:
            with self.pool.lend() as link:
                link.change_schema(vector_index.drop_index(there["name"]))
        tenant, user = owner or (None, None)
        return VectorIndex(there["name"], IndexFate.DROPPED, tenant, user, model, vectors, there["nbytes"])

    def _size(self, name: str) -> int:
        with self.pool.lend() as link:
            return sum(row["nbytes"] for row in link.look(SERVER["near_list"]) if row["name"] == name)


def _drop_of_nobody(link: Link, owners: Sequence[Owner]) -> None:
    """Drop the indexes of owners who are gone; their names stand in the catalogue until then."""
    prefixes = tuple(map(vector_index.index_prefix, owners))
    for row in link.look(SERVER["near_list"]):
        if not row["name"].startswith(prefixes):
            link.change_schema(vector_index.drop_index(row["name"]), waits=False)


def scrub(pool: Pool, policy: PostgresPolicy) -> Scrubbed:
    """Free the room of deleted rows; see ``ports.Store``."""
    with pool.lend(Link.begin_operating) as link:
        owners = [Owner(row["tenant"], row["user"]) for row in link.run("owners", {})[0]]
    limits = [_LIMITS]
    with pool.lend() as link:
        is_free = _await_readers(link, policy.lock_s)
        try:
            _drop_of_nobody(link, owners)
        except SetUpNeeded:
            limits.append(_NAMED)
        if link.vacuum([*OWNED_TABLES, "erasure"]):
            limits.append(_REFUSED)
    return Scrubbed(waits_for="" if is_free else STILL_READ, limits="; ".join(limits))


def _await_readers(link: Link, most_s: float) -> bool:
    """Wait until nobody reads what was there at the beginning; tell whether they ended in time."""
    deadline = time.monotonic() + most_s
    newest = link.look(SERVER["newest_transaction"])[0]["xid"]
    while link.look(SERVER["count_readers"], {"newest": newest})[0]["readers"]:
        if time.monotonic() > deadline:
            return False
        time.sleep(_LOOK_S)
    return True
