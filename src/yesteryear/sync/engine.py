"""The engine: owns the ports, lends memories. Made from ``engine.py`` by ``make sync``; do not edit."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from types import TracebackType
from typing import Any, Self

from yesteryear.billing import read_usage
from yesteryear.calls import Calls
from yesteryear.consolidate.asking import Asker
from yesteryear.consolidate.look import read_revs
from yesteryear.core.arguments import optional_instant
from yesteryear.core.scope import EVERYBODY, Owner, Scope
from yesteryear.core.time import EPOCH, FOREVER
from yesteryear.core.usage import UsageSum
from yesteryear.core.vectors import VectorIndex
from yesteryear.errors import InputError
from yesteryear.policies import Policies
from yesteryear.ports import Background, Ports
from yesteryear.recall.shelf import IndexShelf
from yesteryear.sync.memory import Memory


class Engine:
    """A store with all that works on it. Open one per process and share it; it is safe to use from many threads.

    Get one from ``yesteryear.open``; close it, or use it as a context manager.
    """

    def __init__(
        self,
        ports: Ports,
        policies: Policies,
        *,
        background: Background | None = None,
        shelf: IndexShelf | None = None,
        notes: tuple[str, ...] = (),
    ) -> None:
        self._ports = ports
        self._policies = policies
        self._background = background
        self._shelf = shelf or IndexShelf(bytes_kept=policies.recall.index_bytes)
        self._asker = Asker()
        self._calls = Calls()
        self.notes = notes
        """In which way this engine is less than it could be, and what to run."""
        if background is not None:
            background.start()

    def memory(
        self,
        scope: Scope | None = None,
        *,
        user: str | None = None,
        tenant: str = "default",
        project: str | None = None,
        agent: str | None = None,
    ) -> Memory:
        """Return the memory of a scope."""
        if scope is None:
            if user is None:
                raise InputError("whose memory? pass user='ana', or a Scope")
            scope = Scope(tenant=tenant, user=user, project=project, agent=agent)
        if scope.user == EVERYBODY:
            raise InputError(f"{EVERYBODY!r} stands for a whole tenant, which has no memory; name a person")
        return Memory(self._ports, self._policies, self._shelf, self._asker, scope)

    def now(self) -> datetime:
        """Return the present instant (UTC) as this engine's clock tells it."""
        return self._ports.clock.now()

    def owners(self) -> list[Owner]:
        """Return everybody in the store; for operators."""
        return self._calls.run(self._ports.store.owners)

    def revs(self, owners: Collection[Owner], *, unless: str = "") -> tuple[str, dict[Owner, int]]:
        """Return the pulse of the store, and where each of these memories is; for those who follow many."""
        return self._calls.run(read_revs, self._ports.store, owners, unless=unless)

    def usage(self, *, since: datetime | str | None = None, until: datetime | str | None = None) -> list[UsageSum]:
        """Return what calls of models have cost, for all people together, by day (UTC), purpose and model."""
        first, last = optional_instant(since) or EPOCH, optional_instant(until) or FOREVER
        scopes = [Scope(tenant=owner.tenant, user=owner.user) for owner in self.owners()]
        return self._calls.run(read_usage, self._ports.store, scopes, since=first, until=last)

    def describe(self, *, check: bool = False) -> dict[str, Any]:
        """Return what an operator wants to know of the store, the models in use and this process's indexes."""
        described = self._calls.run(self._ports.store.describe, check=check)
        now = self._ports.clock.now()
        waiting = self._calls.run(self._ports.store.waiting, now)
        profile = self._ports.embedder.profile
        sizes = self._shelf.sizes().values()
        return {
            **described,
            "index_bytes": sum(sizes),
            "index_owners": len(sizes),
            "embedder": profile.model,
            "dimension": profile.dimension,
            "is_fallback_embedder": self._ports.is_fallback_embedder,
            "worker": self._describe_worker(),
            "waiting_owners": waiting.owners,
            "waiting_s": 0.0 if waiting.since is None else (now - waiting.since).total_seconds(),
            "notes": list(self.notes),
        }

    def index_vectors(
        self, *, user: str | None = None, tenant: str = "default", dry_run: bool = False, drop: bool = False
    ) -> list[VectorIndex]:
        """Give people with very many vectors an index of their own on PostgreSQL, and drop those of all others."""
        owner = None if user is None else Scope(tenant=tenant, user=user).owner
        return self._calls.run_long(self._ports.store.index_vectors, owner, is_dry=dry_run, drops=drop)

    def close(self) -> None:
        """Stop the worker at the next row, commit what was handed over, release files and models."""
        self._calls.run(self._close)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _describe_worker(self) -> str:
        """Return whether a thread of this process works: "alive", "gone", or "none" where another process does."""
        if self._background is None:
            return "none"
        return "alive" if self._background.is_alive else "gone"

    def _close(self) -> None:
        self._ports.release()  # first, so that nobody waits for a model any more
        if self._background is not None:
            self._background.stop()
        self._ports.store.close()
        self._ports.embedder.close()
