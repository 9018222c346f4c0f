"""The stories are told over both stores."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(params=["in memory", "sqlite"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """Where the memory of this story lives."""
    return ":memory:" if request.param == "in memory" else tmp_path / "memory.db"
