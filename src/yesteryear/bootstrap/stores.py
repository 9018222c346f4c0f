"""Which store an address names, and the schemas of its databases."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from yesteryear.config.settings import Settings, hide_password
from yesteryear.errors import ConfigError, InputError, MissingExtra
from yesteryear.ports import Store
from yesteryear.storage.migrate import SchemaState

if TYPE_CHECKING:
    from yesteryear.storage.postgres.connect import PostgresPolicy
    from yesteryear.storage.sharded.shards import ShardMap
    from yesteryear.storage.sqlite.driver import Cipher

IN_MEMORY = ":memory:"  # the store that is gone when the engine closes
_SERVERS = ("postgresql://", "postgres://")  # how the address of a PostgreSQL begins
_SHARD_MAP = ".toml"  # how the name of a file ends that says which store holds whose rows


def build_store(settings: Settings) -> Store:
    """Return the store that ``settings`` name, opened; ConfigError, MissingExtra or StorageError say what it lacks."""
    place = settings.store
    if place == IN_MEMORY:
        from yesteryear.storage.sqlite.in_memory import InMemoryStore

        return InMemoryStore()
    if place.startswith(_SERVERS):
        policy = _postgres_policy(settings)
        from yesteryear.storage.postgres.store import PostgresStore

        return PostgresStore(place, policy)
    if _is_shard_map(place):
        return _build_sharded(settings)
    from yesteryear.storage.sqlite.connect import SQLitePolicy
    from yesteryear.storage.sqlite.store import SQLiteStore

    durable = replace(SQLitePolicy(), durability=settings.text("durability"))
    return SQLiteStore(_path_of(place), durable, cipher=_build_cipher(settings.secret("key")))


def _path_of(place: str) -> Path:
    scheme, is_url, _ = place.partition("://")
    if is_url:
        other = "pass a path for an SQLite file, or postgresql://…"
        raise ConfigError(f"{scheme}:// stores do not exist in this version; {other}")
    if not place.strip() or "\0" in place:
        raise InputError("the store needs a path, or ':memory:'")
    return Path(place).expanduser()


def _postgres_policy(settings: Settings) -> PostgresPolicy:
    if settings.secret("key"):
        raise ConfigError(
            f"a key encrypts files, not a PostgreSQL (key from: {settings.origins['key']}); unset it, and let the "
            "server's disk be encrypted"
        )
    try:
        from yesteryear.storage.postgres.connect import PostgresPolicy
    except ImportError as exc:
        raise MissingExtra(f"a PostgreSQL store needs: pip install 'yesteryear[postgres]' ({exc})") from exc
    return PostgresPolicy(
        durability=settings.text("durability"),
        connections=int(settings["connections"]),
        exact_vectors=int(settings["exact_vectors"]),
    )


def _build_sharded(settings: Settings) -> Store:
    from yesteryear.storage.sharded.store import ShardedStore

    shards = _read_shards(settings.store)
    with ExitStack() as opened:  # what is open already, where the next cannot be opened
        stores = {}
        for name, place in shards.places.items():
            stores[name] = build_store(_with_store(settings, place))
            opened.callback(stores[name].close)
        opened.pop_all()
    return ShardedStore(shards, stores)


def _with_store(settings: Settings, place: str) -> Settings:
    return replace(settings, store=place, values={**settings.values, "store": hide_password(place)})


def _read_shards(place: str) -> ShardMap:
    from yesteryear.storage.sharded.shards import parse_shards

    try:
        shards = parse_shards(Path(place).expanduser().read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as exc:
        raise ConfigError(f"the map of shards {place} cannot be read: {exc}") from exc
    for name, shard in shards.places.items():
        if shard == IN_MEMORY or _is_shard_map(shard):
            raise ConfigError(f"the shard {name!r} is to be a PostgreSQL or a file, not {shard!r}")
    return shards


def is_file(place: str) -> bool:
    """Tell whether a store is an SQLite file, which may be encrypted and deleted."""
    return "://" not in place and place != IN_MEMORY and not _is_shard_map(place)


def _is_shard_map(place: str) -> bool:
    return "://" not in place and place.endswith(_SHARD_MAP)


@dataclass(frozen=True, slots=True)
class Schema:
    """The tables of one database."""

    place: str  # which database, without a password
    look: Callable[[], SchemaState]  # tells which migrations it has and lacks; writes nothing
    migrate: Callable[[], None]  # runs those it lacks


def build_schemas(settings: Settings, *, partitions: int = 0) -> list[Schema]:
    """Return the schemas of the store that ``settings`` name, which has one for each of its databases.

    A new PostgreSQL divides its big tables into ``partitions``; 0 for whole ones.
    """
    place = settings.store
    if place == IN_MEMORY:
        raise InputError("a store in memory has no tables; name a file or a PostgreSQL")
    if _is_shard_map(place):
        each = (_with_store(settings, shard) for shard in _read_shards(place).places.values())
        return [schema for shard in each for schema in build_schemas(shard, partitions=partitions)]
    if place.startswith(_SERVERS):
        policy = _postgres_policy(settings)
        from yesteryear.storage.postgres.schema import look_at_database, migrate_database

        migrate = partial(migrate_database, place, policy, partitions)
        return [Schema(settings.text("store"), partial(look_at_database, place, policy), migrate)]
    if partitions:
        raise InputError("a file has no partitions; they are for a PostgreSQL of many people")
    from yesteryear.storage.sqlite.connect import SQLitePolicy
    from yesteryear.storage.sqlite.schema import look_at_schema

    look = partial(look_at_schema, _path_of(place), SQLitePolicy(), _build_cipher(settings.secret("key")))
    return [Schema(settings.text("store"), look, lambda: build_store(settings).close())]


def citus_script() -> str:
    """Return what distributes the tables of a PostgreSQL over a Citus cluster, as a script for psql."""
    return (files("yesteryear.storage.postgres") / "citus.sql").read_text(encoding="utf-8")


def _build_cipher(key: str) -> Cipher | None:
    if not key:
        return None
    from yesteryear.storage.sqlite.driver import Cipher

    try:
        import sqlcipher3.dbapi2
    except ImportError as exc:
        raise MissingExtra("an encrypted store needs: pip install 'yesteryear[encrypted]'") from exc
    return Cipher(sqlcipher3.dbapi2, key)
