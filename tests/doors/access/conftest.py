"""A store with a clock, its keys, and an identity provider of our own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.doors.access.provider import Provider
from yesteryear.api.keyring import KeyRing
from yesteryear.providers.clock import ReplayClock
from yesteryear.storage.sqlite.store import SQLiteStore
from yesteryear.testing.builders import NOON


@pytest.fixture
def clock() -> ReplayClock:
    """Return a clock that stands at noon."""
    return ReplayClock(NOON)


@pytest.fixture
def ring(tmp_path: Path, clock: ReplayClock) -> Iterator[KeyRing]:
    """Return the keys of a new store in a file."""
    store = SQLiteStore(tmp_path / "memory.db")
    yield KeyRing(store, clock)
    store.close()


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    """Return an identity provider that publishes its keys on this machine."""
    with Provider() as made:
        yield made
