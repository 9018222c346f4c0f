"""What must not decide a test: somebody's settings, how wide their terminal is; and a PostgreSQL for those who ask."""

from __future__ import annotations

import gc
import hashlib
import os
import signal
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache, wraps
from inspect import unwrap
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import numpy as np
import psycopg
import pytest
from hypothesis import Phase, settings

from tests.ready import Looker, ReadyFiles
from yesteryear.core.language import quoting
from yesteryear.core.secrets import redact as secrets
from yesteryear.core.vectors import Matrix
from yesteryear.providers.minilm import weights
from yesteryear.storage.postgres.connect import PostgresPolicy
from yesteryear.storage.postgres.schema import migrate_database
from yesteryear.storage.postgres.store import PostgresStore
from yesteryear.storage.sql.statements import OWNED_TABLES
from yesteryear.storage.sqlite import driver, leftovers
from yesteryear_lab.postgres_server import PostgresServer

for name in [name for name in os.environ if name.startswith("YESTERYEAR_") or name in ("COLUMNS", "LINES")]:
    del os.environ[name]
os.environ["XDG_CONFIG_HOME"] = tempfile.mkdtemp(prefix="no-settings-")

# A time limit for each example would fail on a busy machine and nowhere else. `make test-all` looks for new examples,
# and for the smallest that fails; a build tries more of the steady ones than whoever waits for them.
settings.register_profile(
    "steady",
    deadline=None,
    derandomize=True,
    max_examples=50 if os.environ.get("CI") else 8,
    phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.target),
)
settings.register_profile("explore", deadline=None, max_examples=500)
settings.load_profile("steady")

# An engine that is closed lets go of its model, and the next test would check and load it anew: half a second each.
weights.LOADED = dict(weights.LOADED)


@pytest.fixture(scope="session", autouse=True)
def _models_answer_once() -> Iterator[None]:
    """Remember what the models made of which tokens: tests ask them the same of the same texts hundreds of times."""
    from yesteryear.providers.minilm.embedder import Encoder, Numbers

    ask = Encoder.run

    @lru_cache(maxsize=512)
    def answered(encoder: Encoder, asked: tuple[tuple[str, bytes], ...]) -> Matrix:
        found = ask(encoder, **{name: np.frombuffer(tokens, dtype=np.int64) for name, tokens in asked})
        found.flags.writeable = False
        return found

    @wraps(ask)
    def run(encoder: Encoder, **inputs: Numbers) -> Matrix:
        return answered(encoder, tuple((name, numbers.tobytes()) for name, numbers in inputs.items()))

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Encoder, "run", run)
        yield


@pytest.fixture(scope="session", autouse=True)
def _texts_are_read_once() -> Iterator[None]:
    """Remember what of a text is quoted, and what of it secret: thousands of tests say the same few."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(quoting, "_spans", lru_cache(maxsize=4096)(unwrap(quoting._spans)))
        patched.setattr(secrets, "_clean_window", lru_cache(maxsize=4096)(secrets._clean_window))
        yield


@pytest.fixture(scope="session", autouse=True)
def _keys_are_made_once() -> Iterator[None]:
    """Remember which key a passphrase and a salt make: a tenth of a second each time that a file is opened again."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(driver, "hashlib", SimpleNamespace(pbkdf2_hmac=lru_cache(maxsize=64)(hashlib.pbkdf2_hmac)))
        yield


@pytest.fixture(scope="session", autouse=True)
def ready_files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReadyFiles]:
    """Have our tables made once: every test would otherwise make them anew."""
    ready = ReadyFiles(tmp_path_factory.mktemp("ready"))
    with pytest.MonkeyPatch.context() as patched:
        ready.patch(patched)
        yield ready


@pytest.fixture
def new_files(ready_files: ReadyFiles) -> Iterator[None]:
    """Have the files of this test made as users have them made."""
    with ready_files.unused():
        yield


@pytest.fixture(scope="session", autouse=True)
def _one_process_looks_through_files() -> Iterator[None]:
    """Keep the process that looks for what was to be forgotten."""
    looker = Looker()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(leftovers, "subprocess", looker)
        yield
    looker.close()


def pytest_configure() -> None:
    """Let processes that tests start be stopped by ctrl-C: a shell's background has them ignore it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Iterator[None]:
    """Collect no garbage while tests are gathered, and none of what was there before the first test.

    A million objects that stay would be gone through again and again: it took longer than all the gathering.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000, 50, 50)  # so many tests make rubbish, and stay small: usual looks take a twentieth
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as heavy all but the first case of each test that is ``sampled``."""
    seen = set()
    for item in items:
        test, _, case = item.nodeid.partition("[")
        if case and item.get_closest_marker("sampled"):
            if test in seen:
                item.add_marker("heavy")
            seen.add(test)


ROLE = "app"
"""Who the tests are to PostgreSQL: no superuser, so that row-level security holds for them too."""
PARTS = 16
"""Into how many parts the big tables of a partitioned database are divided."""
_CLEAR = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid();
DO $$ DECLARE name TEXT; BEGIN
    FOR name IN SELECT relname FROM pg_class WHERE relkind = 'i' AND starts_with(relname, 'near_')
    LOOP EXECUTE format('DROP INDEX yesteryear.%I', name); END LOOP;
END $$;
""" + "".join(f"DELETE FROM yesteryear.{table};" for table in (*OWNED_TABLES, "erasure"))
"""Ends whatever a test has left open and empties the tables; a new database takes a hundred times as long."""


_KEPT: dict[tuple[Path, str], psycopg.Connection[Any]] = {}
"""The connections that empty databases, by server and database; a new one takes longer than all it is for."""


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """Return a server of this process's tests."""
    with running_server() as server:
        yield server


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> str:
    """Return the address of a database with our tables and no rows."""
    return emptied(postgres_server)


@pytest.fixture(scope="session")
def other_server() -> Iterator[PostgresServer]:
    """Return a second server."""
    with running_server() as server:
        yield server


@pytest.fixture
def shards_file(postgres_url: str, other_server: PostgresServer, tmp_path: Path) -> Path:
    """Return a map of two empty databases on two servers."""
    return write_shards(tmp_path / "shards.toml", east=postgres_url, west=emptied(other_server))


@pytest.fixture(scope="session")
def partitioned_database(postgres_server: PostgresServer) -> str:
    """Return the name of a database whose big tables are in parts."""
    migrate_database(add_database(postgres_server, "partitioned"), PostgresPolicy(), partitions=PARTS)
    return "partitioned"


@pytest.fixture
def partitioned_url(postgres_server: PostgresServer, partitioned_database: str) -> str:
    """Return the address of a database with our tables, the big ones in parts, and no rows."""
    return emptied(postgres_server, partitioned_database)


@pytest.fixture
def new_database(postgres_server: PostgresServer) -> Iterator[str]:
    """Return the name of a database with nothing in it, for tests of what the others take for granted."""
    name = f"test_{uuid4().hex}"
    administer(postgres_server, f"CREATE DATABASE {name} OWNER {ROLE}")
    yield name
    administer(postgres_server, f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def running_server() -> Iterator[PostgresServer]:
    """Run a server with a database that has our tables."""
    with PostgresServer() as server:
        administer(server, f"CREATE ROLE {ROLE} LOGIN")
        PostgresStore(add_database(server, "shared")).close()
        yield server
        for place in [place for place in _KEPT if place[0] == server.folder]:
            _KEPT.pop(place).close()


def emptied(server: PostgresServer, database: str = "shared") -> str:
    """Take all rows out of a database of ours and return its address."""
    place = server.folder, database
    if place not in _KEPT:
        _KEPT[place] = psycopg.connect(server.url(database), autocommit=True)
    _KEPT[place].execute(_CLEAR.encode())
    return server.url(database, role=ROLE)


def write_shards(path: Path, *, moved: Mapping[str, str] | None = None, **shards: str) -> Path:
    """Write a map of shards."""
    tables = {"shards": shards, "moved": moved or {}}
    lines = [
        line
        for name, table in tables.items()
        for line in (f"[{name}]", *(f'"{key}" = "{value}"' for key, value in table.items()))
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def add_database(server: PostgresServer, name: str) -> str:
    """Make a database that has pgvector and none of our tables, and return its address."""
    administer(server, f"CREATE DATABASE {name} OWNER {ROLE}")
    administer(server, "CREATE EXTENSION vector", database=name)
    return server.url(name, role=ROLE)


def administer(server: PostgresServer, *commands: str, database: str = "postgres") -> None:
    """Run commands as a superuser."""
    with psycopg.connect(server.url(database), autocommit=True) as connection:
        for command in commands:
            connection.execute(command.encode())
