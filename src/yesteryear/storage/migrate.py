"""Numbered migrations: which there are, which have run, and what forbids running them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable

from yesteryear.core.results import Plain
from yesteryear.errors import SchemaTooNew, StorageCorrupt

HISTORY = """
CREATE TABLE IF NOT EXISTS schema_migration (
    version  INTEGER PRIMARY KEY,
    name     TEXT NOT NULL,
    checksum TEXT NOT NULL
)
"""
"""Where a database remembers which migrations it has had."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered script."""

    version: int  # from 1, without gaps
    name: str
    sql: str

    @property
    def label(self) -> str:
        """Number and name, as the script's file is called."""
        return f"{self.version:04d}_{self.name}"

    @property
    def checksum(self) -> str:
        """SHA-256 of the script, in hexadecimal digits."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class SchemaState(Plain):
    """Which migrations a database has, and which it lacks."""

    applied: tuple[str, ...]
    """Those that have run, by label."""
    pending: tuple[str, ...]
    """Those still to run, in order."""
    partitions: int = 0
    """Into how many parts the big tables are divided; 0 where they are not."""


def read_migrations(folder: Traversable) -> list[Migration]:
    """Return the scripts called ``0001_name.sql`` of a folder, in order."""
    found = []
    for entry in sorted(folder.iterdir(), key=lambda item: item.name):
        if entry.name.endswith(".sql"):
            number, _, name = entry.name.removesuffix(".sql").partition("_")
            found.append(Migration(int(number), name, entry.read_text(encoding="utf-8")))
    return found


def pending(known: Sequence[Migration], applied: Mapping[int, str]) -> list[Migration]:
    """Return the ``known`` migrations that are still to run, given the checksums of those ``applied``, by version."""
    newest = known[-1].version if known else 0
    if applied and max(applied) > newest:
        raise SchemaTooNew(
            f"the database has schema {max(applied)}, this yesteryear knows {newest}: upgrade the package to open it"
        )
    for migration in known:
        if applied.get(migration.version, migration.checksum) != migration.checksum:
            raise StorageCorrupt(
                f"migration {migration.version} of the database differs from ours; "
                "it was written by another build: open it with that build and export it"
            )
    return [migration for migration in known if migration.version not in applied]


def schema_state(known: Sequence[Migration], applied: Mapping[int, str], *, partitions: int = 0) -> SchemaState:
    """Return what has run and what has not."""
    todo = pending(known, applied)
    done = tuple(migration.label for migration in known if migration.version in applied)
    return SchemaState(done, tuple(migration.label for migration in todo), partitions)
