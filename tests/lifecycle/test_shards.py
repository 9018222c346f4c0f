"""People over two servers: each lives in one, all are served through one door, and anybody can be moved."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

import yesteryear
from tests.conftest import write_shards
from tests.exports import export_bytes, fill, opened
from tests.workshop import SOUND, damage, open_workshop, tell
from yesteryear.bootstrap import open_store
from yesteryear.core.scope import Owner, OwnerState, Scope
from yesteryear.errors import ConfigError
from yesteryear.storage.sharded.shards import parse_shards
from yesteryear.testing.builders import NOON, a_message
from yesteryear.transfer.copy import copy_store

PEOPLE = [f"person {number}" for number in range(12)]


@pytest.fixture
def urls(shards_file: Path) -> dict[str, str]:
    """Return the two databases by name."""
    return dict(parse_shards(shards_file.read_text(encoding="utf-8")).places)


def people_in(url: str) -> set[str]:
    """Return who has rows in a database."""
    with opened(url) as store:
        return {owner.user for owner in store.owners()}


def other_than(name: str) -> str:
    """Return the other of the two shards."""
    return "west" if name == "east" else "east"


@pytest.mark.heavy
def test_each_lives_on_one_server_and_is_worked_for(shards_file: Path, urls: dict[str, str]) -> None:
    """Through one door: nobody is on both, a worker serves all, and each finds their own."""
    with open_workshop(shards_file) as shop:
        for person in PEOPLE:
            tell(shop.memory(person), 8)
        assert shop.work().episodes == 2 * len(PEOPLE)
        for person in PEOPLE:
            assert damage(shop.memory(person)) == SOUND
            assert len(shop.memory(person).recall("When do I run?", limit=3)) == 3
        assert shop.ports.store.owners() == sorted(Owner("default", person) for person in PEOPLE)
    east, west = (people_in(url) for url in urls.values())
    assert east | west == set(PEOPLE)
    assert not east & west
    assert east
    assert west


def test_no_server_keeps_the_other_waiting(shards_file: Path) -> None:
    """However much is due on one of them, the first owners to work for come from both."""
    shards = parse_shards(shards_file.read_text(encoding="utf-8"))
    with opened(shards_file) as store:
        for number in range(40):
            scope = Scope(f"person {number}")
            minutes = 100 if shards.name_for(scope.owner) == "west" else 0
            store.write(scope, lambda tx, due=minutes: tx.save_owner(due_at(tx.owner(), due)))  # type: ignore[misc]
        found = store.due(NOON + timedelta(days=1), limit=6)
        assert [shards.name_for(owner) for owner in found] == ["east", "west"] * 3


def due_at(state: OwnerState, minutes: int) -> OwnerState:
    """Return the state of an owner whose night is due some minutes after noon."""
    return replace(state, night_at=NOON + timedelta(minutes=minutes))


def test_somebody_is_moved_to_the_other_server(shards_file: Path, urls: dict[str, str], tmp_path: Path) -> None:
    """Copied, written into the map, erased where they were: the same bytes, and nobody notices."""
    ana = Scope("ana")
    shards = parse_shards(shards_file.read_text(encoding="utf-8"))
    home = shards.name_for(ana.owner)
    with opened(shards_file) as store:
        fill(store, ana)
        before = export_bytes(store, ana, tmp_path)
    with opened(urls[home]) as old, opened(urls[other_than(home)]) as new:
        [whole] = copy_store(old, new, only=[ana.owner]).people
    write_shards(shards_file, moved={whole.person: other_than(home)}, **urls)
    with opened(shards_file) as store:
        assert store.owners() == [ana.owner]
        assert export_bytes(store, ana, tmp_path) == before
        store.write(ana, lambda tx: tx.messages.insert(a_message("I moved", conversation="new")))
    with opened(urls[home]) as old:  # what is still there is not looked at any more
        assert export_bytes(old, ana, tmp_path) == before
        old.write(ana, lambda tx: tx.erase())
    with opened(shards_file) as store, store.read(ana) as tx:
        assert tx.erasure() is None
        assert "I moved" in [message.content for message in tx.messages.get(["new-1"])]
        assert store.erasures() == []


@pytest.mark.heavy
def test_people_are_spread_anew_when_a_server_is_added(shards_file: Path, urls: dict[str, str], tmp_path: Path) -> None:
    """A copy from the old map into the new one moves whoever has to, and compares the others."""
    alone = write_shards(tmp_path / "alone.toml", east=urls["east"])
    with opened(alone) as old, opened(shards_file) as new:
        for person in PEOPLE:
            fill(old, Scope(person))
        done = copy_store(old, new)
        assert done.owners == len(PEOPLE)
        moved = people_in(urls["west"])
        assert 0 < len(moved) < len(PEOPLE)
        assert done.rows["messages"] == 14 * len(moved)
        for person in PEOPLE:
            assert export_bytes(new, Scope(person), tmp_path) == export_bytes(old, Scope(person), tmp_path)


def test_those_who_moved_away_keep_nobody_waiting(shards_file: Path, urls: dict[str, str]) -> None:
    """Rows that a person left behind are due for ever; whoever lives there has their turn."""
    shards = parse_shards(shards_file.read_text(encoding="utf-8"))
    with opened(urls["east"]) as east, opened(shards_file) as store:
        for number in range(40):
            scope = Scope(f"person {number}")
            east.write(scope, lambda tx: tx.save_owner(due_at(tx.owner(), 0)))  # of half of them rows are left behind
        found = store.due(NOON + timedelta(days=1), limit=2)
        assert len(found) == 2
        assert {shards.name_for(owner) for owner in found} == {"east"}


def test_a_shard_that_cannot_be_opened_is_told(tmp_path: Path, postgres_url: str) -> None:
    """And what was open already is closed."""
    shards = write_shards(tmp_path / "shards.toml", east=postgres_url, west="mysql://somewhere")
    with pytest.raises(ConfigError, match="mysql:// stores do not exist"):
        open_store(shards)
    with pytest.raises(ConfigError, match="cannot be read"):
        open_store(tmp_path / "nowhere.toml")
    with pytest.raises(ConfigError, match="is to be a PostgreSQL or a file"):
        open_store(write_shards(tmp_path / "shards.toml", east=":memory:"))


def test_files_can_be_shards_too(tmp_path: Path) -> None:
    """Such as one for each customer's disk; the door is the same."""
    shards = write_shards(tmp_path / "shards.toml", east=str(tmp_path / "east.db"), west=str(tmp_path / "west.db"))
    with yesteryear.open(shards, worker="none", embedder="hashing") as engine:
        for person in PEOPLE:
            engine.memory(user=person).observe("I like walnuts", conversation="c")
        assert [owner.user for owner in engine.owners()] == sorted(PEOPLE)
        assert set(engine.describe()["shards"]) == {"east", "west"}
