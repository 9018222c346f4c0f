"""A model that several engines use is in memory once, and no longer than one of them has it."""

from __future__ import annotations

import gc
from pathlib import Path
from weakref import WeakValueDictionary

import pytest

from yesteryear.providers.minilm import weights
from yesteryear.providers.minilm.weights import share


class Model:
    """Stands for what takes long to load."""


def test_what_is_loaded_is_not_loaded_again(tmp_path: Path) -> None:
    """For the same file of the same folder; else one would answer for the other."""
    first = share(tmp_path, "model", Model)
    assert share(tmp_path, "model", Model) is first
    assert share(tmp_path, "reader", Model) is not first
    assert share(tmp_path / "other", "model", Model) is not first


def test_a_folder_that_changed_is_loaded_anew(tmp_path: Path) -> None:
    """An installation goes on while engines are open; who opens one then has what is installed."""
    before = share(tmp_path, "model", Model)
    (tmp_path / "model").write_bytes(b"one")
    between = share(tmp_path, "model", Model)
    (tmp_path / "new").write_bytes(b"two")
    (tmp_path / "new").replace(tmp_path / "model")
    after = share(tmp_path, "model", Model)
    assert len({before, between, after}) == 3


def test_what_nobody_holds_any_more_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Closing an engine gives back the hundred megabytes of its model; only the tests hold all that they loaded."""
    monkeypatch.setattr(weights, "LOADED", held := WeakValueDictionary[object, Model]())
    model = share(tmp_path, "model", Model)
    assert list(held.values()) == [model]
    del model
    gc.collect()
    assert not held
    assert share(tmp_path, "model", Model)


def test_what_cannot_be_loaded_is_tried_again(tmp_path: Path) -> None:
    """It may have been installed in between."""

    def fail() -> Model:
        raise OSError("cut off")

    with pytest.raises(OSError, match="cut off"):
        share(tmp_path, "model", fail)
    assert share(tmp_path, "model", Model)
