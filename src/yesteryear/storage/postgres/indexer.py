"""Keeping the indexes of single owners as they should be: those with many vectors have one, nobody else has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from yesteryear.core.scope import Owner
from yesteryear.core.vectors import IndexFate, VectorIndex
from yesteryear.storage.postgres import near
from yesteryear.storage.postgres.link import Link
from yesteryear.storage.postgres.pool import Pool


@dataclass(frozen=True, slots=True)
class Indexer:
    """Makes and drops indexes, one at a time, while owners are read and written."""

    pool: Pool
    exact_vectors: int
    """Up to how many vectors there is none."""
    policy: near.NearPolicy = field(default_factory=near.NearPolicy)

    def tend(self, owners: Sequence[Owner], *, is_all: bool, is_dry: bool, drops: bool) -> list[VectorIndex]:
        """Make and drop what is needed; see ``ports.Store``.

        Args:
            owners: Whose indexes are looked after.
            is_all: Whether these are all owners, so that any other index is nobody's.
            is_dry: Only tell what would be done.
            drops: Drop all of them.
        """
        with self.pool.lend() as link:
            known: dict[str, Mapping[str, Any]] = {row["name"]: row for row in link.look(near.LIST)}
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
            name = near.index_name(owner, model)
            there = known.pop(name, None)
            if vectors <= self.exact_vectors or drops:
                if there is not None:
                    yield self._drop(there, owner, model, vectors, is_dry=is_dry)
            elif there is not None and there["is_valid"]:
                yield VectorIndex(name, IndexFate.KEPT, *owner, model, vectors, there["nbytes"])
            else:
                if not is_dry:
                    self._make(owner, model)
                yield VectorIndex(name, IndexFate.MADE, *owner, model, vectors, 0 if is_dry else self._size(name))
        for name in [name for name in known if name.startswith(near.index_prefix(owner))]:
            yield self._drop(known.pop(name), owner, is_dry=is_dry)

    def _make(self, owner: Owner, model: str) -> None:
        with self.pool.lend(lambda link: link.begin_reading(owner)) as link:
            places = link.look(near.PLACE, (*owner, model))
        with self.pool.lend() as link:
            link.change_schema(near.drop_index(near.index_name(owner, model)))  # what an interrupted run has left
            for place in places:  # none where they were erased meanwhile
                link.change_schema(
                    near.create_index(
                        owner, model, table=place["name"], dimension=place["dimension"], policy=self.policy
                    )
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
                link.change_schema(near.drop_index(there["name"]))
        tenant, user = owner or (None, None)
        return VectorIndex(there["name"], IndexFate.DROPPED, tenant, user, model, vectors, there["nbytes"])

    def _size(self, name: str) -> int:
        with self.pool.lend() as link:
            return sum(row["nbytes"] for row in link.look(near.LIST) if row["name"] == name)


def drop_of_nobody(link: Link, owners: Sequence[Owner]) -> None:
    """Drop the indexes of owners who are gone; their names stand in the catalogue until then.

    Raises:
        SetUpNeeded: another role has made them.
        StorageUnavailable: somebody reads or writes for too long.
    """
    prefixes = tuple(map(near.index_prefix, owners))
    for row in link.look(near.LIST):
        if not row["name"].startswith(prefixes):
            link.change_schema(near.drop_index(row["name"]), waits=False)
