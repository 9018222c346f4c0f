"""STEP: the indexes one process holds, brought up to date with the rows before each use."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from yesteryear.core.scope import Owner, Scope
from yesteryear.ports import ContextualModel, Store, Transaction
from yesteryear.recall.candidate_cache import SAMPLED, CandidateCache
from yesteryear.recall.index import OwnerIndex


@dataclass(slots=True)
class _Place:
    """One owner's place in the cache."""

    index: OwnerIndex
    lock: threading.Lock = field(default_factory=threading.Lock)
    nbytes: int = 0  # as it was when it was last given back


class IndexCache:
    """Lends indexes, one borrower an owner at a time. Thread-safe.

    When they take more than ``bytes_kept`` in all, the least recently used are given up; the last one never is.
    """

    def __init__(self, *, bytes_kept: int, contextual: ContextualModel | None = None) -> None:
        self._contextual = None if contextual is None else contextual.name
        self._lock = threading.Lock()
        self._places: OrderedDict[Owner, _Place] = OrderedDict()
        self._bytes_kept = bytes_kept

    @contextmanager
    def borrow(self, store: Store, scope: Scope, *, at_least: int | None = None) -> Iterator[OwnerIndex]:
        """Lend the index of the scope's owner, new enough for a ``rev``, to nobody else meanwhile."""
        place = self._find(scope.owner)
        with place.lock:
            if at_least is None or place.index.rev < at_least:
                with store.read(Scope(tenant=scope.tenant, user=scope.user)) as tx:
                    _refresh_whole(place.index, tx)
            try:
                yield place.index
            finally:
                place.nbytes = place.index.nbytes
        with self._lock:
            total = sum(place.nbytes for place in self._places.values())
            while total > self._bytes_kept and len(self._places) > 1:
                total -= self._places.popitem(last=False)[1].nbytes

    @contextmanager
    def borrow_as_of(self, tx: Transaction) -> Iterator[OwnerIndex]:
        """Lend the index of a transaction's owner, as the transaction sees the rows, or newer."""
        place = self._find(tx.scope.owner)
        with place.lock:
            _refresh_whole(place.index, tx)
            place.nbytes = place.index.nbytes
            yield place.index

    def forget(self, owner: Owner) -> None:
        """Give up an owner's index."""
        with self._lock:
            place = self._places.pop(owner, None)
        if place is not None:
            with place.lock:
                place.index.clear()

    def drop_erased(self, store: Store) -> None:
        """Give up the indexes of owners who were erased, perhaps by another process."""
        for owner in list(self.sizes()):
            with store.read(Scope(tenant=owner.tenant, user=owner.user)) as tx:
                generation = tx.owner().generation
            place = self._find(owner)
            if place.index.generation < generation:
                self.forget(owner)

    def sizes(self) -> dict[Owner, int]:
        """Return about how many bytes each owner's index takes, the least recently used first."""
        with self._lock:
            return {owner: place.nbytes for owner, place in self._places.items()}

    def _find(self, owner: Owner) -> _Place:
        with self._lock:
            place = self._places.setdefault(owner, _Place(OwnerIndex(contextual=self._contextual)))
            self._places.move_to_end(owner)
            return place


def _refresh_whole(index: OwnerIndex, tx: Transaction) -> None:
    """Refresh an index; an interrupt in the middle leaves an empty one behind rather than half of one."""
    with ExitStack() as undoing:
        undoing.callback(index.clear)
        refresh(index, tx)
        undoing.pop_all()


def load_vectors(index: OwnerIndex, tx: Transaction, model: str) -> None:
    """Load all vectors of an owner into their index, or a sample where the store finds the nearest of them itself."""
    if tx.vectors.has_index(model):
        index.candidate_cache = CandidateCache()
        index.candidate_cache.set_sample(index.numbered(tx.vectors.load(model, refs=index.some_refs(SAMPLED))))
    else:
        index.candidate_cache = None
        index.set_vectors(tx.vectors.load(model))
        _load_readings(index, tx)


def _load_readings(index: OwnerIndex, tx: Transaction, refs: Sequence[str] | None = None) -> None:
    """Load how messages were read, all or some, where there is a model that compares it with questions."""
    if index.contextual is not None and refs != []:
        index.set_readings(tx.vectors.load(index.contextual, refs=refs))


def refresh(index: OwnerIndex, tx: Transaction) -> None:
    """Bring an owner's index up to the rows as a transaction sees them; one that has seen newer rows stays as it is."""
    owner = tx.owner()
    if (owner.generation, owner.rev) < (index.generation, index.rev):
        return
    if owner.generation != index.generation or owner.model != index.model:
        index.clear()
        index.model = owner.model
    if owner.rev != index.rev:
        is_new = index.rev == 0
        changes = tx.changes(index.rev)
        touched = index.apply(changes)
        if owner.model is not None and is_new:
            load_vectors(index, tx, owner.model)
        elif owner.model is not None and index.candidate_cache is None:
            index.set_vectors(tx.vectors.load(owner.model, refs=touched))
            _load_readings(index, tx, [message.id for message in changes.messages if message.reason is not None])
    seen = [fact_id for fact_id, scope in index.wanted.items() if tx.scope.sees(scope.project, scope.agent)]
    if seen:
        index.set_sources(seen, tx.evidence.of(seen))
