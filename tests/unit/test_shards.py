"""Who lives in which store: the same answer everywhere, evenly spread, and few move when a store is added."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from yesteryear.core.scope import Owner, hash_person
from yesteryear.errors import ConfigError
from yesteryear.storage.sharded.shards import ShardMap, parse_shards

PEOPLE = [Owner("default", f"person {number}") for number in range(3000)]
ANA = Owner("default", "ana")


def a_map(*names: str) -> ShardMap:
    """Return a map of stores."""
    return ShardMap({name: f"{name}.db" for name in names})


def test_people_are_spread_evenly() -> None:
    """Each of three stores has a third, give or take a tenth of it."""
    counts = Counter(a_map("a", "b", "c").name_for(owner) for owner in PEOPLE)
    assert all(900 <= counts[name] <= 1100 for name in "abc")


def test_who_lives_where_is_settled_for_good() -> None:
    """Another answer in a later version would lose everybody."""
    assert "".join(a_map("a", "b", "c").name_for(owner) for owner in PEOPLE[:8]) == "acaacbbc"


@given(st.lists(st.text(min_size=1), min_size=1, max_size=6, unique=True), st.text(min_size=1), st.integers(0, 99))
def test_whoever_moves_moves_to_the_new_store(names: list[str], new: str, number: int) -> None:
    """Nobody moves between those that were there, whatever their order in the file."""
    before = a_map(*names).name_for(PEOPLE[number])
    assert a_map(*reversed([*names, new])).name_for(PEOPLE[number]) in (before, new)


@given(st.sampled_from("abc"))
def test_somebody_can_be_moved(name: str) -> None:
    """By their hash, which is also on receipts and notes about them; nobody else is."""
    person = hash_person(ANA)
    shards = ShardMap(a_map("a", "b", "c").places, {person: name})
    assert shards.name_for(ANA) == shards.name_for_person(f"{person}/forgotten") == name
    assert [shards.name_for(owner) for owner in PEOPLE[:50]] == [
        a_map("a", "b", "c").name_for(owner) for owner in PEOPLE[:50]
    ]


def test_a_file_is_read() -> None:
    """Stores and people who were moved."""
    text = f'[shards]\neast = "one.db"\nwest = "two.db"\n[moved]\n"{hash_person(ANA)}" = "west"\n'
    assert parse_shards(text) == ShardMap({"east": "one.db", "west": "two.db"}, {hash_person(ANA): "west"})


@each(
    ("text", "message"),
    [
        ("", "at least one store"),
        ("[shards", "cannot be read"),
        ('shards = "east"', "holds names and texts"),
        ("[shards]\neast = 1", "holds names and texts"),
        ('[shards]\neast = ""', "holds names and texts"),
        ('[shards]\neast = "a.db"\n[people]', "no table .people"),
        ('[shards]\neast = "a.db"\n[moved]\nana = "east"', "is no person's hash"),
        (f'[shards]\neast = "a.db"\n[moved]\n{hash_person(ANA)} = "west"', "there is no shard 'west'"),
    ],
)
def test_what_is_no_map_is_told(text: str, message: str) -> None:
    """With what it should hold."""
    with pytest.raises(ConfigError, match=message):
        parse_shards(text)
