"""Two editors of one thing: the second is told that it has changed since they looked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import yesteryear
from tests.script import GOAL, LISBON, open_play, say, statement
from tests.workshop import open_workshop, tell
from yesteryear.core.episode import Episode
from yesteryear.errors import InputError, Stale

pytestmark = pytest.mark.sampled

EDITS: dict[str, Callable[[yesteryear.Memory, str, int | None], object]] = {
    "confirm": lambda memory, name, version: memory.confirm(name, version=version),
    "refute": lambda memory, name, version: memory.refute(name, version=version),
    "correct": lambda memory, name, version: memory.correct(name, "Ana wants to run a marathon", version=version),
    "resolve": lambda memory, name, version: memory.resolve(name, version=version),
    "pin": lambda memory, name, version: memory.pin(name, version=version),
    "unpin": lambda memory, name, version: memory.unpin(name, version=version),
}


@pytest.mark.parametrize("verb", EDITS)
def test_the_second_of_two_editors_of_a_fact_is_told(place: Path | str, verb: str) -> None:
    """Both looked at the same version; one writes first, and nothing of the other's is done."""
    with open_play(place) as shop:
        memory = shop.memory()
        say(memory, GOAL, id="m-1")
        (seen,) = memory.facts()
        EDITS[verb](memory, seen.id, seen.version)
        before = memory.facts(status="all")
        for late in EDITS.values():
            with pytest.raises(Stale, match="look at it again"):
                late(memory, seen.id, seen.version)
        assert memory.facts(status="all") == before


def test_a_word_by_hand_always_makes_a_new_version(place: Path | str) -> None:
    """Even one that changes nothing but what speaks for the fact; what is returned can be edited on."""
    with open_play(place) as shop:
        memory = shop.memory()
        say(memory, LISBON, id="m-1")
        (seen,) = memory.facts()
        versions = [seen.version]
        for _ in range(3):
            seen = memory.confirm(seen.id, version=seen.version)
            versions.append(seen.version)
        assert sorted(set(versions)) == versions
        assert memory.facts() == [seen]


def test_a_look_at_the_past_has_no_version_to_edit(place: Path | str) -> None:
    """What was known then cannot be changed; it says the same in every store."""
    with open_play(place) as shop:
        memory = shop.memory()
        say(memory, LISBON, id="m-1")
        (past,) = memory.facts(known_at=shop.clock.now())
        assert (past.statement, past.version) == (statement(LISBON), 0)
        with pytest.raises(Stale):
            memory.confirm(past.id, version=past.version)


def test_the_second_of_two_editors_of_an_episode_is_told(place: Path | str) -> None:
    """Pinning, too, is only done to what was looked at."""
    with open_workshop(place) as shop:
        memory = shop.memory()
        tell(memory, 4)
        shop.work()
        (seen,) = memory.episodes()
        pinned = memory.pin(seen.id, version=seen.version)
        assert isinstance(pinned, Episode)
        assert pinned.version > seen.version
        for late in (memory.pin, memory.unpin, memory.restore):
            with pytest.raises(Stale):
                late(seen.id, version=seen.version)
        unpinned = memory.unpin("kitchen-0", version=pinned.version)
        assert isinstance(unpinned, Episode)
        assert not unpinned.pinned


@pytest.mark.parametrize("version", [True, "7", 7.0])
def test_a_version_is_a_whole_number(place: Path | str, version: object) -> None:
    """Nothing is taken for a number that is none."""
    with open_play(place) as shop:
        memory = shop.memory()
        say(memory, LISBON, id="m-1")
        with pytest.raises(InputError, match="version"):
            memory.confirm(memory.facts()[0].id, version=version)  # type: ignore[arg-type]
