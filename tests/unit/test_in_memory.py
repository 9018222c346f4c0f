"""The store that is gone when it is closed."""

from __future__ import annotations

import gc
import os
import stat
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from tests.rows import add
from yesteryear.core.erasure import Scrubbed
from yesteryear.errors import EngineClosed, StorageUnavailable
from yesteryear.storage.sqlite.in_memory import InMemoryStore
from yesteryear.testing.builders import a_message

pytestmark = pytest.mark.usefixtures("new_files")

_FORKING = """
import os, sys
from yesteryear.storage.sqlite.in_memory import InMemoryStore
store = InMemoryStore()
print(store.path.parent, flush=True)
child = os.fork()
if child:
    os.waitpid(child, 0)
    print(store.path.exists(), store.owners(), flush=True)
sys.exit()
"""


def test_it_is_one_persons_and_tells_that_it_is_memory() -> None:
    """Nobody else on the machine reads it, and nothing says that a row would be safe."""
    with closing(InMemoryStore()) as store:
        add(store, a_message())
        assert stat.S_IMODE(store.path.parent.stat().st_mode) == 0o700
        assert {"place": "memory", "durability": "none"}.items() <= store.describe(check=True).items()
        assert store.scrub([b"I run in the morning"]) == Scrubbed()


def test_two_of_them_share_nothing() -> None:
    """Each is another memory."""
    with closing(InMemoryStore()) as one, closing(InMemoryStore()) as other:
        add(one, a_message())
        assert other.owners() == []


def test_closing_leaves_nothing() -> None:
    """Twice is harmless, and cleaning what is closed is refused."""
    store = InMemoryStore()
    store.close()
    store.close()
    assert not store.path.parent.exists()
    with pytest.raises(EngineClosed):
        store.scrub([])


@pytest.mark.filterwarnings("ignore:unclosed database")
def test_whoever_forgets_to_close_it_leaves_nothing_either() -> None:
    """When nobody holds it any more."""
    folder = InMemoryStore().path.parent
    gc.collect()
    assert not folder.exists()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_child_that_ends_leaves_its_parents_rows() -> None:
    """The end of the child is not the end of the store; the end of the parent is."""
    done = subprocess.run([sys.executable, "-c", _FORKING], capture_output=True, text=True, check=True)
    folder, *told = done.stdout.split("\n")
    assert told == ["True []", ""]
    assert not Path(folder).exists()


def test_where_memory_has_no_room_it_lies_among_the_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in most containers; where there is no such folder either, the error says what to set."""
    monkeypatch.setattr("yesteryear.storage.sqlite.in_memory._ROOM_BYTES", sys.maxsize)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with closing(InMemoryStore()) as store:
        assert store.path.parent.parent == tmp_path
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "not there"))
    with pytest.raises(StorageUnavailable, match="let TMPDIR name one"):
        InMemoryStore()
