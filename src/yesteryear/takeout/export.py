"""STEP: writing all that a scope sees into one file, from one moment, while others go on working.

The file is written beside its place and moved there when it is whole. If the person is erased meanwhile, nothing of
it is left.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from yesteryear.core.plain import Plain
from yesteryear.core.scope import Scope
from yesteryear.core.time import EPOCH
from yesteryear.errors import NO_HANDLES, InputError, Stale, StorageUnavailable, YesteryearError
from yesteryear.ports import Store
from yesteryear.takeout import kinds
from yesteryear.takeout.archive import READABLE, write_archive
from yesteryear.takeout.readable import TITLE, tell_conversation, tell_facts, tell_settings
from yesteryear.takeout.reader import StoreReader

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@dataclass(frozen=True, slots=True)
class Exported(Plain):
    """What was written."""

    path: str
    """Where the file is."""
    nbytes: int
    """Its size."""
    rows: Mapping[str, int] = field(default_factory=dict)
    """Numbers of rows by kind: messages, episodes, vectors, ..."""


def export_memory(store: Store, scope: Scope, path: Path, *, overwrite: bool = False) -> Exported:
    """Write all that a scope sees into one zip: JSON Lines, a page to read, and a manifest with hashes.

    The same memory gives the same bytes: nothing in the file tells when, where or from whose memory it was written.

    Args:
        store: Where the memory lives.
        scope: What is exported; without a project and an agent, all of the owner's.
        path: The file. Its folder must be there.
        overwrite: Whether a file that is there may be replaced.

    Raises:
        InputError: the file is there already, or cannot be made at that place.
        Stale: the memory was erased meanwhile; nothing was left behind.
        StorageUnavailable: the disk is full; nothing was left behind.
    """
    with store.read(scope) as tx:
        generation = tx.owner().generation

        def look() -> None:
            with store.read(scope) as now:
                if now.owner().generation != generation:
                    raise Stale("this memory was erased while it was exported; nothing was written")

        dump = StoreReader(tx, look=look)
        with _file_for(path, overwrite=overwrite) as file:
            contents = {kind.file: kind.lines(dump) for kind in kinds.KINDS} | {READABLE: _page(dump)}
            written = write_archive(file, contents, dump.models)
            nbytes = file.seek(0, os.SEEK_END)
            look()
    return Exported(str(path), nbytes, {kind.name: written[kind.file].rows for kind in kinds.KINDS})


def _page(dump: StoreReader) -> Iterator[bytes]:
    for line in _page_lines(dump):
        yield line.encode() + b"\n"


def _page_lines(dump: StoreReader) -> Iterator[str]:
    yield TITLE
    talks = [
        conversation for conversation in dump.rows(kinds.CONVERSATIONS) if conversation.zone and conversation.last_at
    ]
    last = max(talks, key=lambda conversation: conversation.last_at or EPOCH, default=None)
    yield from tell_facts(dump.rows(kinds.FACTS), zone=last.zone if last else None)
    for conversation in dump.rows(kinds.CONVERSATIONS):
        key = conversation.key
        yield from tell_conversation(conversation, dump.episodes_of(key), dump.messages_of(key))
    yield from tell_settings(dump.rows(kinds.SETTINGS))


@contextmanager
def _file_for(path: Path, *, overwrite: bool) -> Iterator[IO[bytes]]:
    """Open a file beside ``path`` that only its owner may read; at the end of the block it is on disk under that name.

    Whatever goes wrong, nothing of it is left.
    """
    partial = path.parent / f"{path.name}.partial"
    _check_free(path, overwrite=overwrite)
    try:
        partial.unlink(missing_ok=True)  # of an export that was killed
        opened = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    except OSError as exc:
        raise _told(exc, path) from exc
    except ValueError as exc:  # a name with a zero byte
        raise InputError(f"{str(path)!r} can be the name of no file") from exc
    ours = os.fstat(opened)
    try:
        with os.fdopen(opened, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if not _is_at(partial, ours):
                raise InputError(f"another export to {path} has begun meanwhile; let it end, or choose another name")
        partial.replace(path)
    except OSError as exc:
        raise _told(exc, path) from exc
    finally:
        if _is_at(partial, ours):
            partial.unlink()


def _check_free(path: Path, *, overwrite: bool) -> None:
    try:
        is_taken = path.is_dir() or (path.exists() and not overwrite)
    except OSError as exc:
        raise _told(exc, path) from exc
    if is_taken:
        raise InputError(f"{path} is there already; choose another name, or overwrite it")


def _is_at(path: Path, file: os.stat_result) -> bool:
    try:
        return os.path.samestat(path.stat(), file)
    except FileNotFoundError:
        return False


def _told(exc: OSError, path: Path) -> YesteryearError:
    if exc.errno in _NO_ROOM:
        return StorageUnavailable(f"there is no room for {path.name} in {path.parent}; free some space and try again")
    if exc.errno in (errno.EMFILE, errno.ENFILE):
        return StorageUnavailable(NO_HANDLES)
    return InputError(f"{path} cannot be written: {exc.strerror or exc}; choose a folder that is there and yours")
