"""The stories are told over every store."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(params=["in memory", "sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """Where the memory of this story lives."""
    if request.param == "postgres":
        url: str = request.getfixturevalue("postgres_url")
        return url
    return ":memory:" if request.param == "in memory" else tmp_path / "memory.db"
