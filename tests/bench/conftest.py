"""The suites are no part of what a user runs, and take long: their tests are left to the longer runs."""

from __future__ import annotations

from pathlib import Path

import pytest

QUICK = {
    "test_attempts_suite",
    "test_baselines",
    "test_changes",
    "test_evidence",
    "test_generated_lives",
    "test_told_suite",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark them."""
    for item in items:
        if item.path.parent == Path(__file__).parent and item.path.stem not in QUICK:
            item.add_marker(pytest.mark.heavy)
