"""Groups by density, where scikit-learn is installed."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from yesteryear.consolidate.night.cluster import cluster
from yesteryear.core.vectors import unit_rows
from yesteryear.errors import MissingExtra
from yesteryear.providers.density import build_density


@pytest.mark.heavy
def test_dense_groups_are_found_and_what_lies_alone_is_left_out() -> None:
    """Two subjects of six episodes, and one episode far from both."""
    chance = np.random.default_rng(0)
    subjects = [np.eye(8)[row] + 0.05 * chance.normal(size=(6, 8)) for row in (0, 1)]
    rows = unit_rows(np.concatenate([*subjects, np.eye(8)[7:]]))
    vectors = {f"e{row:02}": vector for row, vector in enumerate(rows)}
    groups = cluster(vectors, at_least=0.5, grouping=build_density())
    assert groups == [tuple(f"e{row:02}" for row in range(6)), tuple(f"e{row:02}" for row in range(6, 12))]


@pytest.mark.heavy
def test_too_few_to_group_are_no_trouble() -> None:
    """A new owner has one episode."""
    assert build_density()(unit_rows([[1, 0]])) == []


def test_what_to_install_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is an extra."""
    monkeypatch.setitem(sys.modules, "sklearn.cluster", None)
    with pytest.raises(MissingExtra, match=r"yesteryear\[clusters\]"):
        build_density()(unit_rows([[1, 0], [0, 1]]))
