"""What tests would wait for again and again, made once: a file with our tables, a process that looks through files."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import wraps
from pathlib import Path
from subprocess import PIPE
from types import SimpleNamespace
from typing import Any

import pytest

from yesteryear.storage.sqlite import leftovers
from yesteryear.storage.sqlite.connect import SQLitePolicy
from yesteryear.storage.sqlite.schema import SHIPPED
from yesteryear.storage.sqlite.store import SQLiteStore

_USUAL = SQLitePolicy()
_SHORT_LOG_BYTES = 100_000
"""How long the log of a file is made: writing the zeros of the usual one takes as long as all tables."""


class ReadyFiles:
    """Lets a store in a new file begin with a copy of one that has our tables, unless the file is encrypted."""

    def __init__(self, folder: Path) -> None:
        self._begin: Callable[..., None] = SQLiteStore.__init__
        self._place = folder / "ready.db"
        self.are_used = True

    def patch(self, patched: pytest.MonkeyPatch) -> None:
        """Use them from now on."""
        SQLiteStore(self._place).close()
        ready = self._place.read_bytes()

        @wraps(self._begin)
        def begin(store: SQLiteStore, path: Path, policy: SQLitePolicy | None = None, **given: Any) -> None:
            policy = policy or _USUAL
            if self.are_used and given.get("migrations", SHIPPED) is SHIPPED:
                if given.get("cipher") is None and not path.exists():
                    _put(ready, path)
                if policy.log_bytes == _USUAL.log_bytes:
                    policy = replace(policy, log_bytes=_SHORT_LOG_BYTES)
            self._begin(store, path, policy, **given)

        patched.setattr(SQLiteStore, "__init__", begin)

    @contextmanager
    def unused(self) -> Iterator[None]:
        """Make each file anew meanwhile."""
        self.are_used = False
        yield
        self.are_used = True


def _put(content: bytes, path: Path) -> None:
    """Make a whole file at once, unless somebody else has made it meanwhile, or it cannot be made."""
    with suppress(OSError):
        written, name = tempfile.mkstemp(dir=path.parent)
        try:
            os.write(written, content)
            os.close(written)  # before it has its name: closing a file ends the locks that a process has on it
            os.link(name, path)
        finally:
            Path(name).unlink()


LOOK = """
import io, runpy, sys
look = runpy.run_path(sys.argv[1])["_main"]
told = sys.stdout
for task in sys.stdin:
    sys.stdin, sys.stdout = io.StringIO(task), io.StringIO()
    look()
    print(sys.stdout.getvalue(), file=told, flush=True)
"""


class Looker:
    """A process that looks through files as the one does that a store starts each time, which first loads for long."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._turn = threading.Lock()

    def run(self, command: Sequence[str], *, input: str, **given: Any) -> Any:  # noqa: A002 - as of subprocess.run
        """Return what a process of its own would say; where it is another one, or fails, that is started."""
        if list(command) != [_PYTHON, "-P", leftovers.__file__]:
            return subprocess.run(command, input=input, **given)  # noqa: PLW1510 - as whoever asks wants it
        with self._turn:
            if self._process is None:
                self._process = subprocess.Popen(
                    [_PYTHON, "-P", "-c", LOOK, leftovers.__file__], stdin=PIPE, stdout=PIPE, text=True
                )
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            self._process.stdin.write(f"{input}\n")
            self._process.stdin.flush()
            if told := self._process.stdout.readline():
                return SimpleNamespace(stdout=told)
            self.close()
        return subprocess.run(command, input=input, **given)  # noqa: PLW1510 - as whoever asks wants it

    def close(self) -> None:
        """End it."""
        if self._process is not None:
            self._process.communicate()
            self._process = None


_PYTHON = sys.executable
