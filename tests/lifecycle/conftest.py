"""The stories are told on a file; those about locks, erasure and work that is shared on PostgreSQL too."""

from __future__ import annotations

from pathlib import Path

import pytest

ON_BOTH = {"test_erasing", "test_shards", "test_many_vectors_postgres", "test_versions", "test_export_copy"}
"""Stories in which it matters who holds a row; that the others end alike on every store is what parity tests hold."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave the other stories on PostgreSQL to the full matrix."""
    for item in items:
        if item.path.parent == Path(__file__).parent and isinstance(item, pytest.Function):
            store = item.callspec.params.get("place") if hasattr(item, "callspec") else None
            if store == "postgres" and item.path.stem not in ON_BOTH:
                item.add_marker(pytest.mark.matrix)


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """Where the memory of this story lives."""
    if request.param == "postgres":
        url: str = request.getfixturevalue("postgres_url")
        return url
    return tmp_path / "memory.db"
