"""STEP: the indexes one process holds, brought up to date with the rows before each use."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager

from yesteryear.core.scope import Owner, Scope
from yesteryear.ports import Store
from yesteryear.recall.index import OwnerIndex

OWNERS_KEPT = 64
"""How many owners' indexes one process keeps."""


class IndexShelf:
    """Lends indexes, one borrower an owner at a time; the least recently used are given up first. Thread-safe."""

    def __init__(self, *, owners_kept: int = OWNERS_KEPT) -> None:
        self._lock = threading.Lock()
        self._indexes: OrderedDict[Owner, tuple[threading.Lock, OwnerIndex]] = OrderedDict()
        self._owners_kept = owners_kept

    @contextmanager
    def borrow(self, store: Store, scope: Scope) -> Iterator[OwnerIndex]:
        """Lend the index of the scope's owner, as the rows are now. Nobody else has it meanwhile."""
        lock, index = self._find(scope.owner)
        with lock:
            is_whole = False
            try:
                refresh(index, store, scope)
                is_whole = True
            finally:
                if not is_whole:
                    index.clear()  # an interrupt in the middle must not leave half an index behind
            yield index

    def _find(self, owner: Owner) -> tuple[threading.Lock, OwnerIndex]:
        with self._lock:
            found = self._indexes.pop(owner, None) or (threading.Lock(), OwnerIndex())
            self._indexes[owner] = found
            while len(self._indexes) > self._owners_kept:
                self._indexes.popitem(last=False)
            return found


def refresh(index: OwnerIndex, store: Store, scope: Scope) -> None:
    """Bring an owner's index up to the rows as they are now."""
    with store.read(Scope(tenant=scope.tenant, user=scope.user)) as tx:
        owner = tx.owner()
        if owner.generation != index.generation or owner.model != index.model:
            index.clear()
            index.model = owner.model
        if owner.rev == index.rev:
            return
        is_new = index.rev == 0
        touched = index.apply(tx.changes(index.rev))
        if owner.model is not None:
            index.set_vectors(tx.vectors.load(owner.model, refs=None if is_new else touched))
