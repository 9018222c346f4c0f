"""All stores do what every store has to do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlcipher3.dbapi2

from tests.contract.forgetting_conformance import ErasingConformance
from tests.contract.queue_conformance import QueueConformance
from tests.contract.store_conformance import ClosingConformance, StoreConformance, TransactionConformance
from tests.contract.visibility_conformance import VisibilityConformance
from yesteryear.bootstrap import open_store
from yesteryear.ports import Store
from yesteryear.storage.postgres.store import PostgresStore
from yesteryear.storage.sqlite.driver import Cipher
from yesteryear.storage.sqlite.store import SQLiteStore


class TestSQLiteStore(StoreConformance):
    """The file."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        """Return a store in a new file."""
        store = SQLiteStore(tmp_path / "memory.db")
        yield store
        store.close()


@pytest.mark.matrix
class TestEncryptedSQLiteStore(ErasingConformance, TransactionConformance, ClosingConformance):
    """The file, encrypted: another driver under the same statements, so what they answer is not asked again.

    With few rounds, since hardly a test would take longer than making its key.
    """

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        """Return a store in a new file."""
        store = SQLiteStore(tmp_path / "memory.db", cipher=Cipher(sqlcipher3.dbapi2, "a passphrase", kdf_rounds=10))
        yield store
        store.close()


class TestPostgresStore(StoreConformance):
    """The server."""

    @pytest.fixture
    def store(self, postgres_url: str) -> Iterator[Store]:
        """Return a store in a new database."""
        store = PostgresStore(postgres_url)
        yield store
        store.close()


@pytest.mark.matrix
class TestPartitionedPostgresStore(StoreConformance):
    """The server, with its big tables in parts."""

    @pytest.fixture
    def store(self, partitioned_url: str) -> Iterator[Store]:
        """Return a store in a partitioned database."""
        store = PostgresStore(partitioned_url)
        yield store
        store.close()


@pytest.mark.matrix
class TestShardedStore(
    ErasingConformance,
    VisibilityConformance,
    QueueConformance,
    TransactionConformance,
    ClosingConformance,
):
    """Two servers, each with half of the people: who is asked, and what is put together of several answers."""

    @pytest.fixture
    def store(self, shards_file: Path) -> Iterator[Store]:
        """Return a store over two databases on two servers."""
        store = open_store(shards_file)
        yield store
        store.close()
