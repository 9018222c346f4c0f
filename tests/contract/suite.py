"""What the suites of a store share: an owner's rows, where each call has a transaction or snapshot of its own."""

from __future__ import annotations

from operator import attrgetter
from typing import Any, Protocol, cast

import pytest

from tests.rows import ANA, Insertable, add
from yesteryear.core.scope import Scope
from yesteryear.ports import Store, Transaction

_CHANGING = frozenset(
    "add append drop erase forget insert prune put remove save save_erasure save_owner settle update withdraw".split()
)
"""What changes rows; a snapshot would refuse it."""


class Rows(Transaction, Protocol):
    """An owner's rows through one scope; what is called next may see what somebody else has written meanwhile."""

    def add(self, *rows: Insertable) -> None:
        """Insert rows, these in one transaction."""


def through(store: Store, scope: Scope = ANA) -> Rows:
    """Return an owner's rows as they are seen through a scope."""
    return cast("Rows", _Called(store, scope))


class _Called:
    """A transaction, or something of it by its name with dots, which is begun when it is called."""

    def __init__(self, store: Store, scope: Scope, name: str = "") -> None:
        self._store, self._scope, self._name = store, scope, name

    def __getattr__(self, name: str) -> _Called:
        return _Called(self._store, self._scope, f"{self._name}.{name}" if self._name else name)

    def __call__(self, *given: Any, **named: object) -> object:
        if self._name == "add":
            add(self._store, *given, scope=self._scope)
            return None
        if self._name.rpartition(".")[2] in _CHANGING:
            return self._store.write(self._scope, lambda tx: attrgetter(self._name)(tx)(*given, **named))
        with self._store.read(self._scope) as tx:
            return attrgetter(self._name)(tx)(*given, **named)


class StoreSuite:
    """The fixture beside ``store``, which the subclass gives."""

    @pytest.fixture
    def ana(self, store: Store) -> Rows:
        """Return all of Ana's rows."""
        return through(store)
