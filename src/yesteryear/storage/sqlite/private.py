"""Files that nobody but their owner reads, from their first moment on and whatever the umask."""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Iterable
from pathlib import Path

from yesteryear.errors import NO_HANDLES, StorageUnavailable

OWNER_ONLY = 0o600
"""Mode of every file that we begin; SQLite gives its log and its index of the log the mode of the file itself."""
_NO_HANDLES = (errno.EMFILE, errno.ENFILE)
_OTHERS = stat.S_IRWXG | stat.S_IRWXO

_beginning = threading.Lock()
"""Closing a file ends this process's locks on it, so nobody here may open one for SQLite while it is begun."""


def begin_file(path: Path) -> None:
    """Make an empty file for its owner alone, unless there is one, which keeps its mode.

    Raises:
        StorageUnavailable: its folder is not there, or it cannot be made.
    """
    if not path.parent.is_dir():
        raise StorageUnavailable(
            f"the folder {path.parent} is not there; check the path of the store, or make the folder first: "
            f"mkdir -p -m 700 '{path.parent}'"
        )
    target = os.path.realpath(path)  # a link may lead to where nothing is yet
    with _beginning:
        try:
            opened = os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
        except FileExistsError:
            return
        except OSError as exc:
            if exc.errno in _NO_HANDLES:
                raise StorageUnavailable(NO_HANDLES) from exc
            raise StorageUnavailable(
                f"{path} cannot be opened ({exc.strerror}); check that its folder is there and may be written to"
            ) from exc
        try:
            if os.name != "nt":
                os.fchmod(opened, OWNER_ONLY)  # an umask may have taken its owner's own rights
        finally:
            os.close(opened)


def open_to_others(files: Iterable[Path]) -> list[str]:
    """Return the names of files that other users of this machine may read or write; none where there are no modes."""
    if os.name == "nt":
        return []
    return [file.name for file in files if file.exists() and file.stat().st_mode & _OTHERS]
