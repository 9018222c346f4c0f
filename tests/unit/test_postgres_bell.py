"""A bell rings in every process on a database, and nobody waits for it in vain."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.conftest import administer
from tests.rows import ANA
from yesteryear.bootstrap import build_ports
from yesteryear.ports import Bell, Ports
from yesteryear.storage.postgres.connect import PostgresPolicy
from yesteryear.storage.postgres.store import PostgresStore
from yesteryear.worker import ThreadBell
from yesteryear_lab.postgres_server import PostgresServer

LONG_S = 30.0
"""Longer than any ring takes."""


@pytest.fixture
def two(postgres_url: str) -> Iterator[tuple[Ports, Ports]]:
    """Return what two processes have of one database."""
    one, other = (build_ports(postgres_url, embedder="hashing", worker="none")[0] for _ in range(2))
    yield one, other
    one.store.close()
    other.store.close()


def hears(bell: Bell, ringer: Bell) -> bool:
    """Tell whether one bell hears the other, which is rung until it does."""
    bell.wait(0)  # begins to listen
    deadline = time.monotonic() + LONG_S
    while time.monotonic() < deadline:
        ringer.ring()
        if bell.wait(0.2):
            return True
    return False


def test_a_ring_is_heard_in_another_process(two: tuple[Ports, Ports]) -> None:
    """In both directions."""
    one, other = two
    assert hears(one.bell, other.bell)
    assert hears(other.bell, one.bell)


def test_a_ring_wakes_its_own_process_once(two: tuple[Ports, Ports]) -> None:
    """What comes back from the server is not taken for somebody else's."""
    bell = two[0].bell
    bell.wait(0)
    bell.ring()
    assert bell.wait(LONG_S)
    assert not bell.wait(0.5)


def test_a_listener_whose_connection_breaks_listens_again(
    two: tuple[Ports, Ports], postgres_server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a while; rows are the queue meanwhile."""
    monkeypatch.setattr("yesteryear.storage.postgres.bell._AGAIN_S", 0.01)
    one, other = two
    assert hears(one.bell, other.bell)
    administer(postgres_server, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")
    assert hears(one.bell, other.bell)


def test_ringing_waits_for_nobody(postgres_url: str) -> None:
    """With all connections in use, or with the store closed, it rings here and that is all."""
    store = PostgresStore(postgres_url, PostgresPolicy(connections=2, wait_s=3600))
    bell = store.share(ThreadBell())
    with ExitStack() as readers:
        for _ in range(2):
            readers.enter_context(store.read(ANA))
        bell.ring()
        assert bell.wait(0)
    store.close()
    bell.ring()
    assert bell.wait(0)
