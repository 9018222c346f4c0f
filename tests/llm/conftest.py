"""A stage for each test; its loop is closed behind it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.llm.stage import Stage
from yesteryear.providers.llm.private_loop import PrivateLoop


@pytest.fixture
def stage() -> Iterator[Stage]:
    """Lend a stage."""
    loop = PrivateLoop()
    yield Stage(loop)
    loop.close()
