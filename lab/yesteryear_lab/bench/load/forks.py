"""Processes in a role that are at work at once: forked from one that has worked before.

To start Python and to compile patterns takes seconds of a processor, in which nobody writes or works.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from contextlib import AbstractContextManager
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import Any

from yesteryear_lab.bench.load.processes import Spoken
from yesteryear_lab.bench.load.roles import ROLES

_PRELOADED = ["__main__", "yesteryear_lab.bench.load.warm"]


class Fork(Spoken, AbstractContextManager[Any]):
    """A process in a role; it ends with the block.

    Args:
        arguments: The role, and what it takes.
        out: File that it writes to instead of to us.
        is_quiet: Whether its complaints are nobody's business.
    """

    def __init__(self, *arguments: str, out: Path | None = None, is_quiet: bool = False) -> None:
        forks = multiprocessing.get_context("forkserver")
        forks.set_forkserver_preload(_PRELOADED)
        hears, to = forks.Pipe(duplex=False)
        heard, tells = forks.Pipe(duplex=False)
        self._process = forks.Process(target=_play, args=(arguments, hears, tells, out, is_quiet))
        with hears, tells, to, heard:
            self._process.start()
            super().__init__(arguments[0], os.fdopen(os.dup(to.fileno()), "w"), os.fdopen(os.dup(heard.fileno())))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let the process come to its end."""
        self.hang_up()
        self._process.join()

    @property
    def status(self) -> int | None:
        """How it has ended; None while it goes on."""
        return self._process.exitcode

    def kill(self) -> str:
        """Kill the process, and return what it had written and nobody has read."""
        self._process.kill()
        self._process.join()
        return self.hear_all()


def _play(arguments: tuple[str, ...], hears: Connection, tells: Connection, out: Path | None, is_quiet: bool) -> None:
    """Play a role, with its own standard input and output."""
    os.dup2(hears.fileno(), 0)
    os.dup2(tells.fileno() if out is None else os.open(out, os.O_WRONLY), 1)
    if is_quiet:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    hears.close()
    tells.close()
    sys.stdin = os.fdopen(0, closefd=False)
    role, *rest = arguments
    ROLES[role](*rest)
