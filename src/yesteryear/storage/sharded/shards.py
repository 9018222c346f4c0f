"""POLICY: which store holds whose rows.

The place follows from the names of the stores and from the person's hash, so that every process comes to the same
answer, and the file names nobody. Where a store is added, only those move who come to it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from yesteryear.core.scope import Owner, hash_person
from yesteryear.errors import ConfigError

_HASH_DIGITS = 64  # length of a person's hash, in hexadecimal digits
_SECTIONS = ("shards", "moved")


@dataclass(frozen=True, slots=True)
class ShardMap:
    """Stores by name, and who does not live where the hash says."""

    places: Mapping[str, str]
    """Where each store lies, by a name that never changes: people live where they do because of it."""
    moved: Mapping[str, str] = field(default_factory=dict)
    """The name of the store by the person's hash; see ``core.scope.hash_person``."""

    def __post_init__(self) -> None:
        if not self.places:
            raise ConfigError("a map of shards needs at least one store, under [shards]")
        for person, name in self.moved.items():
            if len(person) != _HASH_DIGITS:
                raise ConfigError(f"[moved] {person!r} is no person's hash; `yesteryear copy` tells it")
            if name not in self.places:
                raise ConfigError(f"[moved] there is no shard {name!r}; there are: {', '.join(self.places)}")

    def name_for(self, owner: Owner) -> str:
        """Return the name of the store that holds an owner's rows."""
        return self.name_for_person(hash_person(owner))

    def name_for_person(self, person: str) -> str:
        """Return the name of the store that holds a person's rows: of all names the one that goes with them best.

        weight(name) = SHA-256(name, person), the highest wins (rendezvous hashing). What follows the hash in
        ``person``, as in a note of what was forgotten, does not count.

        Source: Thaler and Ravishankar, "Using name-based mappings to increase hit rates", 1998.
        """
        person = person[:_HASH_DIGITS]
        return self.moved.get(person) or max(self.places, key=lambda name: _weight(name, person))


def parse_shards(text: str) -> ShardMap:
    """Return the map that a file holds, with the tables ``[shards]`` and ``[moved]``."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as exc:
        raise ConfigError(f"the map of shards cannot be read: {exc}") from exc
    unknown = sorted(tables.keys() - set(_SECTIONS))
    if unknown:
        raise ConfigError(f"the map of shards has no table [{unknown[0]}]; it has: {', '.join(_SECTIONS)}")
    shards, moved = (_texts(name, tables.get(name, {})) for name in _SECTIONS)
    return ShardMap(shards, moved)


def _texts(section: str, table: object) -> dict[str, str]:
    if not isinstance(table, dict) or not all(isinstance(value, str) and value for value in table.values()):
        raise ConfigError(f'[{section}] of the map of shards holds names and texts: east = "postgresql://…"')
    return table


def _weight(name: str, person: str) -> bytes:
    return sha256(f"{name}\0{person}".encode()).digest()
