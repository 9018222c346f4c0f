"""Servers for the tests of what carries the doors."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.doors.serve.stage import Running, rough_door


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Return a server that a module's tests share; none of them may hurt it."""
    with rough_door(tmp_path_factory.mktemp("serve") / "memory.db") as running:
        yield running
