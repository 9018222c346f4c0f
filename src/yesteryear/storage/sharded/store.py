"""The Store port over several stores: each owner's rows in one, the questions that cross owners asked of all."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import Future
from contextlib import AbstractContextManager, ExitStack
from datetime import datetime
from itertools import chain, islice, zip_longest
from typing import TypeVar

from yesteryear.core.erasure import Erasure, Scrubbed
from yesteryear.core.scope import Owner, Scope, Waiting
from yesteryear.core.vectors import VectorIndex
from yesteryear.ports import Bell, ReachesOthers, Store, Transaction
from yesteryear.storage.sharded.shards import ShardMap

T = TypeVar("T")


class ShardedStore:
    """Several stores as one. Thread-safe as they are; closing it closes them.

    A store may hold rows of somebody who lives in another one now, since they were moved and not erased yet; those are
    never read nor worked on from here.
    """

    def __init__(self, shards: ShardMap, stores: Mapping[str, Store]) -> None:
        self._shards = shards
        self._stores = stores

    def write(self, scope: Scope, work: Callable[[Transaction], T], *, urgent: bool = False) -> T:
        return self._home(scope).write(scope, work, urgent=urgent)

    def submit(self, scope: Scope, work: Callable[[Transaction], T], *, urgent: bool = False) -> Future[T]:
        return self._home(scope).submit(scope, work, urgent=urgent)

    def read(self, scope: Scope) -> AbstractContextManager[Transaction]:
        return self._home(scope).read(scope)

    def due(self, now: datetime, *, limit: int) -> list[Owner]:
        """Return owners with due work and no live lease, one of each store in turn, so that none has to wait."""
        found = [self._due_in(name, now, limit) for name in self._stores]
        in_turn = chain.from_iterable(zip_longest(*found))
        return list(islice((owner for owner in in_turn if owner is not None), limit))

    def waiting(self, now: datetime) -> Waiting:
        """Return how many owners are due in all stores, those that have moved away too, and since when."""
        found = [store.waiting(now) for store in self._stores.values()]
        since = min((each.since for each in found if each.since is not None), default=None)
        return Waiting(sum(each.owners for each in found), since)

    def leases(self) -> list[tuple[Owner, str]]:
        found = ((name, lease) for name, store in self._stores.items() for lease in store.leases())
        return [(owner, worker) for name, (owner, worker) in found if self._is_at_home(owner, name)]

    def pulse(self) -> str:
        return " ".join(store.pulse() for store in self._stores.values())

    def owners(self) -> list[Owner]:
        found = ((name, owner) for name, store in self._stores.items() for owner in store.owners())
        return sorted(owner for name, owner in found if self._is_at_home(owner, name))

    def scrub(self, removed: Collection[bytes]) -> Scrubbed:
        done = [store.scrub(removed) for store in self._stores.values()]
        return Scrubbed(
            files=tuple(chain.from_iterable(each.files for each in done)),
            bytes_scanned=sum(each.bytes_scanned for each in done),
            found_before=sum(each.found_before for each in done),
            found_after=sum(each.found_after for each in done),
            is_rewritten=any(each.is_rewritten for each in done),
            waits_for=_each_once(each.waits_for for each in done),
            limits=_each_once(each.limits for each in done),
        )

    def erasures(self) -> list[Erasure]:
        found = ((name, erasure) for name, store in self._stores.items() for erasure in store.erasures())
        return [erasure for name, erasure in found if self._shards.name_for_person(erasure.person) == name]

    def note_erasure(self, erasure: Erasure) -> None:
        self._stores[self._shards.name_for_person(erasure.person)].note_erasure(erasure)

    def index_vectors(
        self, owner: Owner | None = None, *, is_dry: bool = False, drops: bool = False
    ) -> list[VectorIndex]:
        stores = self._stores.values() if owner is None else [self._stores[self._shards.name_for(owner)]]
        return [index for store in stores for index in store.index_vectors(owner, is_dry=is_dry, drops=drops)]

    def yield_to_foreground(self) -> None:
        for store in self._stores.values():
            store.yield_to_foreground()

    def share(self, bell: Bell) -> Bell:
        for store in self._stores.values():
            bell = store.share(bell) if isinstance(store, ReachesOthers) else bell
        return bell

    def describe(self, *, check: bool = False) -> dict[str, object]:
        found = {name: store.describe(check=check) for name, store in self._stores.items()}
        return {
            "place": " + ".join(str(described["place"]) for described in found.values()),
            "durability": _each_once(str(described["durability"]) for described in found.values()),
            "shards": found,
        }

    def close(self) -> None:
        with ExitStack() as closing:  # all are closed, also where one of them fails
            for store in self._stores.values():
                closing.callback(store.close)

    def _home(self, scope: Scope) -> Store:
        return self._stores[self._shards.name_for(scope.owner)]

    def _is_at_home(self, owner: Owner, name: str) -> bool:
        return self._shards.name_for(owner) == name

    def _due_in(self, name: str, now: datetime, limit: int) -> list[Owner]:
        """Return owners of one store, as many as are asked for however many there have moved away."""
        asked = limit
        while True:
            found = self._stores[name].due(now, limit=asked)
            own = [owner for owner in found if self._is_at_home(owner, name)]
            if len(own) >= limit or len(found) < asked:
                return own[:limit]
            asked *= 2


def _each_once(texts: Iterable[str]) -> str:
    """Return what stores say, what several say only once."""
    return "; ".join(dict.fromkeys(text for text in texts if text))
