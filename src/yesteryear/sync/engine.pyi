from collections.abc import Collection
from datetime import datetime
from types import TracebackType
from typing import Any, Self

from yesteryear.core.scope import Owner, Scope
from yesteryear.core.usage import UsageSum
from yesteryear.core.vectors import VectorIndex
from yesteryear.lifecycle.reread import Rereading
from yesteryear.policies import Policies
from yesteryear.ports import Background, Ports
from yesteryear.recall.index_cache import IndexCache
from yesteryear.sync.memory import Memory

class Engine:
    notes: tuple[str, ...]

    def __init__(
        self,
        ports: Ports,
        policies: Policies,
        *,
        background: Background | None = None,
        index_cache: IndexCache | None = None,
        notes: tuple[str, ...] = (),
    ) -> None: ...
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

    def now(self) -> datetime:
        """Return the present instant (UTC) as this engine's clock tells it."""

    def owners(self) -> list[Owner]:
        """Return everybody in the store; for operators."""

    def revs(self, owners: Collection[Owner], *, unless: str = "") -> tuple[str, dict[Owner, int]]:
        """Return the pulse of the store, and where each of these memories is; for those who follow many."""

    def usage(self, *, since: datetime | str | None = None, until: datetime | str | None = None) -> list[UsageSum]:
        """Return what calls of models have cost, for all people together, by day (UTC), purpose and model."""

    def describe(self, *, check: bool = False) -> dict[str, Any]:
        """Return what an operator wants to know of the store, the models in use and this process's indexes."""

    def reread(self, *, user: str | None = None, tenant: str = "default", dry_run: bool = False) -> Rereading:
        """Read old talk of somebody or of everybody again; see ``Memory.reread``. For operators."""

    def index_vectors(
        self, *, user: str | None = None, tenant: str = "default", dry_run: bool = False, drop: bool = False
    ) -> list[VectorIndex]:
        """Give people with very many vectors an index of their own on PostgreSQL, and drop those of all others."""

    def close(self) -> None:
        """Stop the worker at the next row, commit what was handed over, release files and models."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
