"""A REST door on a real socket, and somebody who knocks."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

import httpx
import pytest

from tests.conftest import emptied
from tests.doors.rest.house import House, open_house


@pytest.fixture(scope="module", params=["file", pytest.param("postgres", marks=pytest.mark.matrix)])
def standing(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Return a door to a memory in a file, or on PostgreSQL."""
    is_file = request.param == "file"
    folder = tmp_path_factory.mktemp("house")
    place = folder / "memory.db" if is_file else emptied(request.getfixturevalue("postgres_server"))
    with open_house(place) as found:
        yield found


@pytest.fixture
def house(standing: House, request: pytest.FixtureRequest) -> House:
    """Return the door as a tenant finds it for whom nothing was ever said."""
    standing.door.tenant = sha256(request.node.nodeid.encode()).hexdigest()
    return standing


@pytest.fixture(scope="module")
def some_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Return a door for tests that leave nothing behind."""
    with open_house(tmp_path_factory.mktemp("door") / "memory.db") as found:
        yield found


@pytest.fixture
def ana(house: House) -> httpx.Client:
    """Return a client that speaks for Ana."""
    return house.client("ana")
