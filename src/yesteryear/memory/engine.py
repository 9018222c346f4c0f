"""The engine: owns the ports, lends memories."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from functools import partial
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from yesteryear.consolidate.belief.queries import read_revs
from yesteryear.consolidate.belief.question_selector import QuestionSelector
from yesteryear.core.access.arguments import optional_instant
from yesteryear.core.scope import EVERYBODY, Owner, Scope
from yesteryear.core.time import EPOCH, FOREVER
from yesteryear.core.usage import UsageSum
from yesteryear.core.vectors import VectorIndex
from yesteryear.errors import InputError
from yesteryear.lifecycle.billing import read_usage
from yesteryear.lifecycle.opened import OpenMemory
from yesteryear.lifecycle.reread import Rereading, start_rereading
from yesteryear.memory.calls import AsyncCalls, ScopedVerbs
from yesteryear.memory.memory import AsyncMemory
from yesteryear.policies import Policies
from yesteryear.ports import Background, Ports
from yesteryear.recall.index_cache import IndexCache

Lent = TypeVar("Lent", bound=ScopedVerbs)


class BareEngine(Generic[Lent]):
    """What an engine holds, and how it lends memories of its kind."""

    _calls: AsyncCalls = AsyncCalls()
    _lends: type[Lent]

    def __init__(
        self,
        ports: Ports,
        policies: Policies,
        *,
        background: Background | None = None,
        index_cache: IndexCache | None = None,
        notes: tuple[str, ...] = (),
    ) -> None:
        self._ports = ports
        self._policies = policies
        self._background = background
        self._index_cache = index_cache or IndexCache(
            bytes_kept=policies.recall.index_bytes, contextual=ports.contextual
        )
        self._question_selector = QuestionSelector()
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
    ) -> Lent:
        """Return the memory of a scope.

        Args:
            scope: The scope, or else its parts:
            user: Name of the person remembered.
            tenant, project, agent: See ``Scope``.

        Raises:
            InputError: no user, or a name that cannot be used.
        """
        if scope is None:
            if user is None:
                raise InputError("whose memory? pass user='ana', or a Scope")
            scope = Scope(tenant=tenant, user=user, project=project, agent=agent)
        if not isinstance(scope, Scope):
            raise InputError(f"a scope is a yesteryear.Scope, not {scope!r}; for a person pass user={scope!r}")
        if scope.user == EVERYBODY:
            raise InputError(f"{EVERYBODY!r} stands for a whole tenant, which has no memory; name a person")
        return self._lends(OpenMemory(scope, self._ports, self._policies, self._index_cache, self._question_selector))

    def now(self) -> datetime:
        """Return the present instant (UTC) as this engine's clock tells it."""
        return self._ports.clock.now()

    def _close(self) -> None:
        self._ports.release()  # first, so that nobody waits for a model any more
        if self._background is not None:
            self._background.stop()
        self._ports.store.close()
        self._ports.embedder.close()


class AsyncEngine(BareEngine[AsyncMemory]):
    """A store with all that works on it. Open one per process and share it; it is safe to use from many tasks.

    Get one from ``yesteryear.open_async``; close it, or use it as a context manager.
    """

    _lends = AsyncMemory

    async def owners(self) -> list[Owner]:
        """Return everybody in the store; for operators."""
        return await self._calls.run(self._ports.store.owners)

    async def revs(self, owners: Collection[Owner], *, unless: str = "") -> tuple[str, dict[Owner, int]]:
        """Return the pulse of the store, and where each of these memories is; for those who follow many.

        Args:
            owners: Whose memories.
            unless: The pulse of the answer before: where it is the same, nothing was written, and nobody is looked at.
        """
        return await self._calls.run(read_revs, self._ports.store, owners, unless=unless)

    async def usage(
        self, *, since: datetime | str | None = None, until: datetime | str | None = None
    ) -> list[UsageSum]:
        """Return what calls of models have cost, for all people together, by day (UTC), purpose and model.

        Args:
            since, until: Only calls that were begun in [since, until).

        Raises:
            InputError: an argument cannot be used.
        """
        first, last = optional_instant(since) or EPOCH, optional_instant(until) or FOREVER
        scopes = [owner.scope for owner in await self._calls.run(self._ports.store.owners)]
        return await self._calls.run(read_usage, self._ports.store, scopes, since=first, until=last)

    async def describe(self, *, check: bool = False) -> dict[str, Any]:
        """Return what an operator wants to know of the store, the models in use and this process's indexes.

        Args:
            check: Also read all that is stored and tell whether it is whole, which takes time in a large store.
        """
        described = await self._calls.run(self._ports.store.describe, check=check)
        now = self._ports.clock.now()
        waiting = await self._calls.run(self._ports.store.waiting, now)
        profile = self._ports.embedder.profile
        sizes = self._index_cache.sizes().values()
        return {
            **described,
            "index_bytes": sum(sizes),
            "index_owners": len(sizes),
            "embedder": profile.model,
            "dimension": profile.dimension,
            "is_fallback_embedder": self._ports.is_fallback_embedder,
            "reader": self._ports.reads_by,
            "worker": "none" if self._background is None else "alive" if self._background.is_alive else "gone",
            "waiting_owners": waiting.owners,
            "waiting_s": 0.0 if waiting.since is None else (now - waiting.since).total_seconds(),
            "notes": list(self.notes),
        }

    async def reread(self, *, user: str | None = None, tenant: str = "default", dry_run: bool = False) -> Rereading:
        """Read old talk of somebody or of everybody again; see ``Memory.reread``. For operators.

        Args:
            user, tenant: Of whom alone; of everybody where no user is given.
            dry_run: Only tell how many episodes there are.

        Raises:
            ProviderUnavailable: what reads here only stands in for a model that is not installed.
        """
        if user is None:
            scopes = [owner.scope for owner in await self._calls.run(self._ports.store.owners)]
        else:
            scopes = [Scope(tenant=tenant, user=user)]
        begin = partial(start_rereading, self._ports, now=self.now(), is_dry=dry_run)
        found = [await self._calls.run_long(begin, scope) for scope in scopes]
        return Rereading(self._ports.reads_by, sum(one.episodes for one in found), dry_run)

    async def index_vectors(
        self, *, user: str | None = None, tenant: str = "default", dry_run: bool = False, drop: bool = False
    ) -> list[VectorIndex]:
        """Give people with very many vectors an index of their own on PostgreSQL, and drop those of all others.

        Up to ``exact_vectors`` a person's are all compared, which finds the nearest without fail. For operators; it may
        take minutes, in which everybody is served.

        Args:
            user, tenant: Of whom alone; of everybody where no user is given.
            dry_run: Only tell what would be done.
            drop: Drop all of them.

        Raises:
            SetUpNeeded: the role may not change the schema; the message says what to do.
        """
        owner = None if user is None else Scope(tenant=tenant, user=user).owner
        return await self._calls.run_long(self._ports.store.index_vectors, owner, is_dry=dry_run, drops=drop)

    async def aclose(self) -> None:
        """Stop the worker at the next row, commit what was handed over, release files and models."""
        await self._calls.run(self._close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._calls.run(self._close)
