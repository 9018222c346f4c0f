"""What holds for one person, or for one of their projects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.workshop import open_workshop, tell
from yesteryear.errors import InputError


def test_a_person_may_want_longer_episodes(place: Path | str) -> None:
    """What Ana sets holds for her and not for Ben."""
    with open_workshop(place, threshold=4) as shop:
        ana, ben = shop.memory("ana"), shop.memory("ben")
        assert ana.configure(episode_message_threshold=8) == {"episode_message_threshold": 8}
        for memory in (ana, ben):
            tell(memory, 8)
        shop.work()
        assert (len(ana.episodes()), len(ben.episodes())) == (1, 2)


def test_a_project_may_differ_from_its_person(place: Path | str) -> None:
    """The project's setting comes on top of the person's, in that project only."""
    with open_workshop(place, threshold=4) as shop:
        ana, thesis, move = shop.memory(), shop.memory(project="thesis"), shop.memory(project="move")
        ana.configure(episode_message_threshold=8)
        thesis.configure(episode_message_threshold=2)
        for memory in (ana, thesis, move):
            tell(memory, 8, conversation=f"about {memory.scope.project}")
        shop.work()
        found = {
            memory.scope.project: len(memory.episodes(conversation=f"about {memory.scope.project}"))
            for memory in (ana, thesis, move)
        }
        assert found == {None: 1, "thesis": 4, "move": 1}


def test_a_setting_can_be_taken_back(place: Path | str) -> None:
    """None leaves the decision to what holds otherwise."""
    with open_workshop(place, threshold=4) as shop:
        memory = shop.memory()
        memory.configure(episode_message_threshold=8, journal_retention_days=1)
        assert memory.configure(episode_message_threshold=None) == {"journal_retention_days": 1}
        tell(memory, 8)
        shop.work()
        assert len(memory.episodes()) == 2


def test_settings_outlive_the_engine(tmp_path: Path) -> None:
    """They are kept with the person's rows."""
    path = tmp_path / "memory.db"
    with open_workshop(path) as shop:
        shop.memory().configure(project="thesis", max_episodes_retrieved=0)
    with open_workshop(path) as shop:
        assert shop.memory(project="thesis").configure() == {"max_episodes_retrieved": 0}
        assert shop.memory().configure() == {}


def test_a_context_shows_as_many_episodes_as_wanted(place: Path | str) -> None:
    """max_episodes_retrieved caps the history lane; 0 leaves it out."""
    with open_workshop(place) as shop:
        memory = shop.memory()
        tell(memory, 12)
        memory.flush()
        assert len(memory.context("my runs", budget=3000).lanes["history"]) == 3
        memory.configure(max_episodes_retrieved=1)
        assert len(memory.context("my runs", budget=3000).lanes["history"]) == 1
        memory.configure(max_episodes_retrieved=0)
        assert "history" not in memory.context("my runs", budget=3000).lanes


@pytest.mark.parametrize(
    "setting",
    [
        {"episode_message_treshold": 8},
        {"episode_message_threshold": 1},
        {"episode_message_threshold": "many"},
        {"keep_verbatim": 1},
        {"journal_retention_days": -1},
        {"journal_retention_days": float("nan")},
    ],
)
def test_settings_that_do_not_fit_are_refused(place: Path | str, setting: dict[str, Any]) -> None:
    """Nothing is changed, and the message says what would fit."""
    with open_workshop(place) as shop:
        with pytest.raises(InputError, match=next(iter(setting))):
            shop.memory().configure(**setting)
        assert shop.memory().configure() == {}
