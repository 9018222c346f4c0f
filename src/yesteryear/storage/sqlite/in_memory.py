"""The store of ``:memory:``: an SQLite file of this process alone, gone when it is closed."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Collection
from pathlib import Path

from yesteryear.core.erasure import Scrubbed
from yesteryear.errors import StorageUnavailable, YesteryearError
from yesteryear.storage.sqlite.connect import SQLitePolicy
from yesteryear.storage.sqlite.store import SQLiteStore

_MEMORY = Path("/dev/shm")  # noqa: S108 - the folder made in it is its owner's alone
"""Where Linux keeps files in memory."""
_ROOM_BYTES = 1 << 30  # room to be left there; containers have much less, and it ends with an error
_POLICY = SQLitePolicy(durability="normal", log_bytes=0)  # nothing waits for a disk: there is nothing to survive


class InMemoryStore(SQLiteStore):
    """Rows that end with this process. A file, since readers and a writer see what they should of files only (ADR 46).

    It lies in memory where the system has a folder for that, else among the temporary files, in a folder that only its
    owner can enter. Closing removes it, or the end of the process; a process that is killed leaves it behind.
    """

    def __init__(self) -> None:
        folder = _make_folder()
        self._remove = weakref.finalize(self, _remove, folder, os.getpid())
        try:
            super().__init__(folder / "memory.db", _POLICY)
        except YesteryearError:
            self._remove()
            raise

    def scrub(self, removed: Collection[bytes]) -> Scrubbed:  # noqa: ARG002 - see ports.Store
        self._check_usable()
        return Scrubbed()  # no file outlives the process

    def describe(self, *, check: bool = False) -> dict[str, object]:
        return {**super().describe(check=check), "place": "memory", "durability": "none"}

    def close(self) -> None:
        super().close()
        self._remove()


def _make_folder() -> Path:
    has_room = _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > _ROOM_BYTES
    try:
        return Path(tempfile.mkdtemp(prefix="yesteryear-", dir=_MEMORY if has_room else None))
    except OSError as exc:
        raise StorageUnavailable(
            f"a store in memory needs a folder for temporary files ({exc}); let TMPDIR name one that can be written to"
        ) from exc


def _remove(folder: Path, pid: int) -> None:
    if os.getpid() == pid:  # a child that was forked leaves its parent's alone
        shutil.rmtree(folder, ignore_errors=True)
