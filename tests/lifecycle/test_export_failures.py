"""An export or import that cannot end, or is disturbed: nothing is half done, and the error says what to do."""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.exports import (
    BEN,
    EVE,
    WatchedStore,
    contents_of,
    export_bytes,
    fill,
    fill_long,
    full_at,
    opened,
    take_in,
)
from tests.rows import ANA
from tests.workshop import SOUND, damage, open_workshop, tell
from yesteryear.core.rows.queries import MessageQuery
from yesteryear.core.scope import Scope
from yesteryear.errors import InputError, Stale, StorageUnavailable
from yesteryear.ports import Store, Transaction
from yesteryear.transfer.export import export_memory


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """An export of a short memory."""
    with open_workshop(":memory:") as shop:
        tell(shop.memory(), 9)
        shop.memory().flush()
        export_memory(shop.ports.store, ANA, tmp_path / "memory.zip")
    return tmp_path / "memory.zip"


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.heavy)])
def test_a_full_disk_leaves_nothing_of_an_import(place: Path | str, tmp_path: Path, every: int) -> None:
    """Whichever write fails, everything that was written before is taken out again, and what was there stays."""
    path = tmp_path / "memory.zip"
    with opened(place) as store:
        fill_long(store, ANA, 3, dimension=3)
        fill(store)
        export_memory(store, ANA, path)
        store.write(BEN, lambda tx: tx.overrides.save("taxes", {"episode_message_threshold": 9}))
        before = export_bytes(store, BEN, tmp_path)
        counting = WatchedStore(store)
        take_in(counting, path, EVE)
        assert counting.writes > 8
        for number in (*range(1, counting.writes, every), counting.writes):
            with pytest.raises(StorageUnavailable, match="the disk is full"):
                take_in(WatchedStore(store, before=full_at(number)), path)
            assert export_bytes(store, BEN, tmp_path) == before
            with store.read(BEN) as tx:
                assert tx.vectors.models() == {}
                assert tx.owner().model is None
        take_in(store, path)


def test_what_cannot_be_taken_out_again_is_told_and_can_be_finished(place: Path | str, tmp_path: Path) -> None:
    """The disk stays full: the error says so, and once there is room the same import takes in the rest."""
    path = tmp_path / "memory.zip"
    with opened(place) as store:
        fill_long(store, ANA, 3)
        export_memory(store, ANA, path)
        with pytest.raises(StorageUnavailable, match="the same import again takes in the rest"):
            take_in(WatchedStore(store, before=full_at(*range(5, 99))), path)
        with pytest.raises(StorageUnavailable, match="the same import again takes in the rest"):
            take_in(WatchedStore(store, before=full_at(4, *range(6, 99))), path)
        take_in(store, path)
        assert export_bytes(store, BEN, tmp_path) == path.read_bytes()


def test_indexes_forget_what_was_taken_out_again(export: Path, place: Path | str) -> None:
    """What recall saw of an import that failed is not found any more."""
    with open_workshop(place) as shop:
        memory = shop.memory("ben")
        found = []

        def look(number: int) -> None:
            found.extend(memory.recall("When do I run in the morning?"))
            full_at(3)(number)

        with pytest.raises(StorageUnavailable):
            take_in(WatchedStore(shop.ports.store, before=look), export)
        assert found
        assert memory.recall("When do I run in the morning?").hits == ()


KILLED = """
import os, signal, sys
from pathlib import Path
from tests.exports import WatchedStore, take_in
from yesteryear.storage.sqlite.store import SQLiteStore

path, place, number = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
die = lambda write: os.kill(os.getpid(), signal.SIGKILL) if write == abs(number) else None
take_in(WatchedStore(SQLiteStore(place), **{"before" if number < 0 else "after": die}), path)
"""


@pytest.mark.heavy
@pytest.mark.parametrize("number", [1, 2, -4, 6, 7])
def test_a_killed_import_is_finished_by_the_same_import(tmp_path: Path, number: int) -> None:
    """Nothing is doubled, nothing is missing, whether a worker went on with the half meanwhile or not."""
    path = tmp_path / "memory.zip"
    with opened(":memory:") as store:
        fill_long(store, ANA, 6)
        export_memory(store, ANA, path)
    for name, does_work in (("idle.db", False), ("busy.db", True)):
        place = tmp_path / name
        done = subprocess.run([sys.executable, "-c", KILLED, path, place, str(number)], check=False)
        assert done.returncode == -signal.SIGKILL
        with open_workshop(place) as shop:
            memory = shop.memory("ben")
            assert memory.episodes() == []
            if does_work:
                memory.flush()
            take_in(shop.ports.store, path)
            if not does_work:
                assert export_bytes(shop.ports.store, BEN, tmp_path) == path.read_bytes()
            memory.flush()
            assert len(memory.messages(limit=1000)) == 180
            assert damage(memory) == SOUND


def test_an_export_leaves_nothing_of_somebody_who_is_erased_meanwhile(place: Path | str, tmp_path: Path) -> None:
    """It ends with an error at the next page, and the half file is gone."""
    with opened(place) as store:
        for number in range(1, 9):
            store.write(ANA, lambda tx: tx.erase())
            fill(store)
            looks = _ErasingReader(store, at_read=number)
            with pytest.raises(Stale, match="erased while it was exported; nothing was written"):
                export_memory(looks, ANA, tmp_path / "memory.zip")  # type: ignore[arg-type]
            assert list(tmp_path.glob("memory.zip*")) == []


class _ErasingReader:
    """A store whose owner is erased right before one of the reads of an export, not counting its first."""

    def __init__(self, inner: Store, *, at_read: int) -> None:
        self._inner = inner
        self._left = at_read

    def read(self, scope: Scope) -> AbstractContextManager[Transaction]:
        """Read, after erasing when it is time."""
        if self._left == 0:
            self._inner.write(scope, lambda tx: tx.erase())
        self._left -= 1
        return self._inner.read(scope)


def test_an_import_brings_nothing_back_of_somebody_who_is_erased_meanwhile(export: Path, place: Path | str) -> None:
    """What was in is erased with the rest, and no more comes."""
    with opened(place) as store:

        def erase(number: int) -> None:
            if number == 3:
                store.write(BEN, lambda tx: tx.erase())

        with pytest.raises(Stale, match="was erased"):
            take_in(WatchedStore(store, before=erase), export)
        with store.read(BEN) as tx:
            assert tx.messages.page(MessageQuery()) == []
            assert tx.conversations.list() == []
            assert tx.vectors.models() == {}
            assert tx.owner().model is None


def test_an_export_writes_over_nothing_unasked(tmp_path: Path) -> None:
    """Only when told to; a folder never."""
    path = tmp_path / "memory.zip"
    path.write_text("my photos")
    with opened(":memory:") as store:
        with pytest.raises(InputError, match="is there already; choose another name, or overwrite it"):
            export_memory(store, ANA, path)
        assert path.read_text() == "my photos"
        with pytest.raises(InputError, match="is there already"):
            export_memory(store, ANA, tmp_path, overwrite=True)
        export_memory(store, ANA, path, overwrite=True)
        assert contents_of(path)["memory.md"] == b"# What is remembered\n"
        assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["nowhere/memory.zip", "file/memory.zip", "x" * 300, "a\0b"])
def test_a_place_where_no_file_can_be_is_told(tmp_path: Path, name: str) -> None:
    """A missing folder, a file in the place of one, a name that is too long."""
    (tmp_path / "file").write_text("")
    with opened(":memory:") as store, pytest.raises(InputError, match=r"cannot be written|can be the name of no file"):
        export_memory(store, ANA, tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_what_a_killed_export_has_left_is_replaced(tmp_path: Path) -> None:
    """Its half file stands beside the place, and the next export to it takes it away."""
    (tmp_path / "memory.zip.partial").write_text("half")
    with opened(":memory:") as store:
        export_memory(store, ANA, tmp_path / "memory.zip")
    assert [path.name for path in tmp_path.iterdir()] == ["memory.zip"]


def test_two_exports_to_one_place_do_not_mix(tmp_path: Path) -> None:
    """The one that began first gives up, the other is whole."""
    with opened(":memory:") as store:
        fill(store)
        whole = export_bytes(store, ANA, tmp_path)
        again = _ExportingStore(store, tmp_path / "memory.zip")
        with pytest.raises(InputError, match=r"another export to .* has begun meanwhile"):
            export_memory(again, ANA, tmp_path / "memory.zip", overwrite=True)  # type: ignore[arg-type]
        assert (tmp_path / "memory.zip").read_bytes() == whole
        assert [path.name for path in tmp_path.iterdir()] == ["memory.zip"]


class _ExportingStore:
    """A store from which another export to the same place is made in the midst of one."""

    def __init__(self, inner: Store, path: Path) -> None:
        self._inner = inner
        self._path = path
        self._reads = 0

    def read(self, scope: Scope) -> AbstractContextManager[Transaction]:
        """Read, and export at the third time."""
        self._reads += 1
        if self._reads == 3:
            export_memory(self._inner, scope, self._path)
        return self._inner.read(scope)


FULL = """
import resource, sys
from pathlib import Path
from tests.exports import take_in
from yesteryear.errors import StorageUnavailable
from yesteryear.transfer.export import export_memory
from yesteryear.storage.sqlite.store import SQLiteStore
from tests.rows import ANA

what, place, path, room = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4])
store = SQLiteStore(place)
resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
try:
    export_memory(store, ANA, path) if what == "export" else take_in(store, path)
except StorageUnavailable as exc:
    print(exc)
"""


@pytest.mark.heavy
def test_no_room_for_an_export_leaves_nothing_behind(tmp_path: Path) -> None:
    """The process may write files of 5 kB only; the error says what to do."""
    with opened(tmp_path / "memory.db") as store:
        fill_long(store, ANA, 5)
    command = [sys.executable, "-c", FULL, "export", tmp_path / "memory.db", tmp_path / "memory.zip", "5000"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "there is no room for memory.zip" in done.stdout
    assert "free some space and try again" in done.stdout
    assert list(tmp_path.glob("memory.zip*")) == []


@pytest.mark.heavy
def test_no_room_for_an_import_is_told_and_can_be_made(tmp_path: Path) -> None:
    """The database cannot grow: the error says what to do, and afterwards the same import is whole."""
    path = tmp_path / "memory.zip"
    with opened(":memory:") as store:
        fill_long(store, ANA, 5)
        export_memory(store, ANA, path)
    with opened(tmp_path / "memory.db"):
        pass
    command = [sys.executable, "-c", FULL, "import", tmp_path / "memory.db", path, "250000"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "full" in done.stdout or "disk" in done.stdout
    with opened(tmp_path / "memory.db") as store:
        take_in(store, path)
        assert export_bytes(store, BEN, tmp_path) == path.read_bytes()
