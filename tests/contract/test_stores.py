"""Both stores do what every store has to do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from yesteryear.ports import Store
from yesteryear.storage.inmemory import InMemoryStore
from yesteryear.storage.sqlite.store import SQLiteStore
from yesteryear.testing.store_conformance import StoreConformance


class TestInMemoryStore(StoreConformance):
    """The reference."""

    @pytest.fixture
    def store(self) -> Iterator[Store]:
        """Return an empty store."""
        store = InMemoryStore()
        yield store
        store.close()


class TestSQLiteStore(StoreConformance):
    """The file."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        """Return a store in a new file."""
        store = SQLiteStore(tmp_path / "memory.db")
        yield store
        store.close()
