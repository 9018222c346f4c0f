"""The reference adapter of the Store port: what every store has to do, said as plainly as possible.

Each owner's rows are one frozen value. A writing transaction makes new values out of it and puts the last one in its
place, so a call that fails leaves nothing behind and a reader keeps what it has seen. Nothing is on disk.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from yesteryear.core.attempt import Attempt
from yesteryear.core.erasure import Erasure, Scrubbed
from yesteryear.core.owner import OwnerState, Waiting, hash_person
from yesteryear.core.scope import EVERYBODY, Owner, Scope
from yesteryear.core.vectors import VectorIndex
from yesteryear.errors import EngineClosed
from yesteryear.ports import Transaction
from yesteryear.storage.inmemory.owned import Owned
from yesteryear.storage.inmemory.transaction import InMemoryTransaction

T = TypeVar("T")


class InMemoryStore:
    """Rows in this process's memory, gone when it ends. Thread-safe; see ``ports.Store``."""

    def __init__(self) -> None:
        self._owners: dict[Owner, Owned] = {}
        self._erasures: dict[str, Erasure] = {}
        """By the hash of a person, so that no name is left."""
        self._lock = threading.Lock()
        self._writes = 0
        self._is_closed = False

    def write(self, scope: Scope, work: Callable[[Transaction], T], *, urgent: bool = False) -> T:  # noqa: ARG002
        """Run ``work`` and keep what it has written, unless it fails."""
        with self._lock:
            self._check_open()
            before = self._owned(scope.owner)
            tx = InMemoryTransaction(before, scope)
            result = work(tx)
            self._writes += 1
            if tx.owned.erasure is not None and tx.owned.erasure is not before.erasure:
                self._erasures[tx.owned.erasure.person] = tx.owned.erasure
            if tx.owned.is_gone:
                self._owners.pop(scope.owner, None)
            elif tx.owned is not before:
                self._owners[scope.owner] = tx.owned
            return result

    def submit(self, scope: Scope, work: Callable[[Transaction], T], *, urgent: bool = False) -> Future[T]:
        """Do the same and return a future that is done."""
        self._check_open()
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()
        with Attempt() as attempt:
            future.set_result(self.write(scope, work, urgent=urgent))
        if attempt.error is not None:
            future.set_exception(attempt.error)
        return future

    @contextmanager
    def read(self, scope: Scope) -> Iterator[Transaction]:
        """Open a snapshot for reading."""
        self._check_open()
        yield InMemoryTransaction(self._owned(scope.owner), scope, is_snapshot=True)

    def due(self, now: datetime, *, limit: int) -> list[Owner]:
        """Return owners with due work and no live lease, most overdue first."""
        return [owner for _, owner in self._all_due(now)[:limit]]

    def waiting(self, now: datetime) -> Waiting:
        """Return how many owners are due, and since when the first is."""
        found = self._all_due(now)
        return Waiting(len(found), found[0][0]) if found else Waiting()

    def leases(self) -> list[tuple[Owner, str]]:
        """Return who holds a lease on which owner, expired or not."""
        self._check_open()
        owners = self._owners.copy()
        held = ((owner, owners[owner].state.lease_by) for owner in sorted(owners))
        return [(owner, worker) for owner, worker in held if worker is not None]

    def pulse(self) -> str:
        """Return how often something was written."""
        self._check_open()
        return str(self._writes)

    def owners(self) -> list[Owner]:
        """Return all people in the store, in order."""
        self._check_open()
        return sorted(owner for owner in self._owners.copy() if owner.user != EVERYBODY)

    def scrub(self, removed: Collection[bytes]) -> Scrubbed:  # noqa: ARG002 - nothing is on disk
        """Return that there are no files."""
        return Scrubbed()

    def erasures(self) -> list[Erasure]:
        """Return the receipts of erasures that wait."""
        return [erasure for _, erasure in sorted(self._erasures.items()) if erasure.is_pending]

    def note_erasure(self, erasure: Erasure) -> None:
        """Write the receipt of an erasure that waited, unless there is a later one of the same person."""
        with self._lock:
            known = self._erasures.get(erasure.person)
            if known is None or erasure.generation >= known.generation:
                self._erasures[erasure.person] = erasure

    def index_vectors(
        self,
        owner: Owner | None = None,  # noqa: ARG002 - see ports.Store
        *,
        is_dry: bool = False,  # noqa: ARG002
        drops: bool = False,  # noqa: ARG002
    ) -> list[VectorIndex]:
        """Return nothing: all vectors of an owner are compared here, however many they are."""
        return []

    def give_way(self) -> None:
        """Return at once: calls do not wait here."""

    def describe(self, *, check: bool = False) -> dict[str, object]:  # noqa: ARG002 - memory is whole
        """Return where the rows are and how many owners there are."""
        return {"place": "memory", "durability": "none", "owners": len(self.owners())}

    def close(self) -> None:
        """Refuse further use. Closing twice is harmless."""
        with self._lock:
            self._is_closed = True

    def _owned(self, owner: Owner) -> Owned:
        erasure = self._erasures.get(hash_person(owner))
        owned = self._owners.get(owner)
        if owned is None:
            return Owned() if erasure is None else Owned(OwnerState(generation=erasure.generation), erasure=erasure)
        return owned if owned.erasure is erasure else replace(owned, erasure=erasure)

    def _all_due(self, now: datetime) -> list[tuple[datetime, Owner]]:
        self._check_open()
        return sorted(
            (since, owner)
            for owner, owned in self._owners.copy().items()
            if (since := owned.due_since(now)) is not None
            and (owned.state.lease_until is None or owned.state.lease_until <= now)
        )

    def _check_open(self) -> None:
        if self._is_closed:
            raise EngineClosed
