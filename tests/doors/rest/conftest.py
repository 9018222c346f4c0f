"""A REST door on a real socket, and somebody who knocks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.doors.rest.house import House, open_house


@pytest.fixture(params=["file", pytest.param("postgres", marks=pytest.mark.matrix)])
def house(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[House]:
    """Return a door to a memory in a file, or on PostgreSQL."""
    place = tmp_path / "memory.db" if request.param == "file" else request.getfixturevalue("postgres_url")
    with open_house(place) as found:
        yield found


@pytest.fixture(scope="module")
def some_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Return a door for tests that leave nothing behind."""
    with open_house(tmp_path_factory.mktemp("door") / "memory.db") as found:
        yield found


@pytest.fixture
def ana(house: House) -> httpx.Client:
    """Return a client that speaks for Ana."""
    return house.client("ana")
