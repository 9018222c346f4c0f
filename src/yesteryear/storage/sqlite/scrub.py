"""Making the files hold nothing of what was deleted, and looking whether they do.

Deleted cells are zeros, yet copies stay in the log and in pages that were split or moved. So the log is cut, and where
anything is found all is written anew. Measured: cutting alone left words in 13 of 23 runs, writing anew in none of 10.
"""

from __future__ import annotations

import glob
import logging
import sqlite3
import subprocess
import time
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from yesteryear.core.erasure import STILL_READ, Scrubbed
from yesteryear.storage.sqlite.checkpoint import lay_out_log
from yesteryear.storage.sqlite.connect import SQLitePolicy, is_busy, translated
from yesteryear.storage.sqlite.leftovers import FoundPiece, can_be_found, look_for

log = logging.getLogger("yesteryear.storage")

_LOOK_S = 0.02  # pause between two attempts to cut the log, in seconds; commits go on in it


@dataclass(frozen=True, slots=True)
class FileScrubber:
    """Cleans the files of one database."""

    path: Path
    policy: SQLitePolicy
    paused: Callable[[], AbstractContextManager[sqlite3.Connection]]
    """Lends the writing connection while nothing is committed."""
    is_encrypted: bool = False  # then nothing can be found by looking, so all is written anew

    def scrub(self, removed: Collection[bytes]) -> Scrubbed:
        """Clean the files; see ``ports.Store``."""
        is_cut = self._cut_log()
        before = self._look(removed)
        is_blind = before is None or not removed or self.is_encrypted or not all(map(can_be_found, removed))
        is_rewritten = is_cut and (is_blind or _count(before) > 0)  # behind a reader the log would only grow
        if is_rewritten:
            self._is_done("VACUUM")
            is_cut = self._cut_log()
            for backup in _backups_of(self.path):
                if is_blind or before is None or before[backup].pieces:
                    log.warning("%s is deleted: it may hold text that was to be forgotten", backup.name)
                    backup.unlink(missing_ok=True)
        after = self._look(removed) if is_rewritten else before
        with self.paused() as connection:
            lay_out_log(connection, self.path, log_bytes=self.policy.log_bytes)
        return Scrubbed(
            files=tuple(file.name for file in after or ()),
            bytes_scanned=sum(found.size for found in (after or {}).values()),
            found_before=_count(before),
            found_after=_count(after),
            is_rewritten=is_rewritten,
            waits_for="" if is_cut else STILL_READ,
        )

    def _cut_log(self) -> bool:
        """Copy the log into the database and cut it to nothing; tell whether no reader stood in the way."""
        return self._is_done("PRAGMA wal_checkpoint(TRUNCATE)", gives_up=True)

    def _is_done(self, statement: str, *, gives_up: bool = False) -> bool:
        """Run a statement while nothing is committed, again where somebody is in its way, and give up or raise then."""
        deadline = time.monotonic() + self.policy.busy_s
        while True:
            is_last = time.monotonic() > deadline
            with self.paused() as connection, translated(self.path, connection.Error):
                try:
                    found = connection.execute(statement).fetchone()  # of a checkpoint: whether it was blocked
                    if found is None or not found[0]:
                        return True
                except connection.OperationalError as exc:
                    if not is_busy(exc) or (is_last and not gives_up):
                        raise
            if is_last:
                return False
            time.sleep(_LOOK_S)

    def _look(self, removed: Collection[bytes]) -> dict[Path, FoundPiece] | None:
        """Return what the files hold of what was removed; None where nobody could look."""
        try:
            return look_for(removed, files_of(self.path))
        except (OSError, subprocess.SubprocessError, ValueError) as exc:
            log.warning("the files could not be looked through, so all is written anew: %s", exc)
            return None


def files_of(path: Path) -> list[Path]:
    """Return a database's files that are there: itself, its logs, and the copies made before its schema changed."""
    beside = [path.with_name(path.name + ending) for ending in ("", "-wal", "-shm", "-journal")]
    return [file for file in beside if file.exists()] + _backups_of(path)


def _backups_of(path: Path) -> list[Path]:
    return sorted(path.parent.glob(f"{glob.escape(path.name)}.before-*"))


def _count(found: dict[Path, FoundPiece] | None) -> int:
    return len({piece for file in (found or {}).values() for piece in file.pieces})
