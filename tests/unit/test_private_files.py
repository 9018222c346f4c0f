"""What we write is for nobody else to read, and a folder that is not there is not made."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import yesteryear
from yesteryear.errors import StorageUnavailable
from yesteryear.storage.sqlite.connect import begin_file
from yesteryear.storage.sqlite.store import SQLiteStore

pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="Windows has no modes"),
    pytest.mark.usefixtures("new_files"),
]


@pytest.fixture(params=[0o000, 0o022, 0o277], ids=oct)
def _umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    """Return the modes of all files in a folder."""
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}


@pytest.mark.usefixtures("_umask")
@pytest.mark.parametrize("key", ["", "sesame"])
def test_b10_a_new_store_is_for_its_owner_alone(tmp_path: Path, key: str) -> None:
    """The file, its log and the index of its log, whatever the umask, encrypted or not."""
    path = tmp_path / "memory.db"
    with yesteryear.open(path, worker="none", embedder="hashing", key=key) as engine:
        engine.memory(user="ana").observe("I moved to Porto.")
        assert modes(tmp_path) == dict.fromkeys(["memory.db", "memory.db-wal", "memory.db-shm"], 0o600)


def test_b10_a_copy_before_a_change_of_the_schema_is_too(tmp_path: Path) -> None:
    """Also beside a store of before, which others may read; that one keeps the mode its owner gave it."""
    from yesteryear.storage.sqlite.schema import SHIPPED

    path = tmp_path / "memory.db"
    SQLiteStore(path, migrations=SHIPPED[:3]).close()
    path.chmod(0o644)
    with closing(SQLiteStore(path)) as store:
        assert store.backup is not None
        assert modes(tmp_path)[store.backup.name] == 0o600
    assert modes(tmp_path)["memory.db"] == 0o644


def test_b10_a_link_to_where_nothing_is_yet_leads_to_a_private_file(tmp_path: Path) -> None:
    """SQLite follows links, so what it makes at their end must be made by us as well."""
    (tmp_path / "link.db").symlink_to(tmp_path / "there.db")
    SQLiteStore(tmp_path / "link.db").close()
    assert modes(tmp_path)["there.db"] == 0o600


def test_b10_what_is_there_is_left_as_it_is(tmp_path: Path) -> None:
    """Its owner may share it with a group on purpose."""
    path = tmp_path / "memory.db"
    path.write_bytes(b"mine")
    path.chmod(0o640)
    begin_file(path)
    assert (path.read_bytes(), modes(tmp_path)) == (b"mine", {"memory.db": 0o640})


def test_a04_a_mistyped_path_makes_no_folders(tmp_path: Path) -> None:
    """Else a memory lies where nobody looks for it; the error says how to make the folder that is meant."""
    with pytest.raises(StorageUnavailable, match=r"mkdir -p -m 700") as told:
        yesteryear.open(tmp_path / "memry" / "dir" / "x.db", worker="none", embedder="hashing")
    assert str(tmp_path / "memry" / "dir") in str(told.value)
    assert not list(tmp_path.iterdir())
