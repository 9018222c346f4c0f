"""Processes of our own: how they are started, spoken with and ended; and a client of those that serve.

Whoever plays a role is forked from a process that has worked before: to start Python and to compile patterns takes
seconds of a processor, in which nobody writes or works.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from http import HTTPStatus
from http.client import HTTPConnection, HTTPResponse
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO, Any, Self

from yesteryear.errors import YesteryearError
from yesteryear_lab.bench.load.roles import ROLES

HOST = "127.0.0.1"
CHAT = "/v1/chat/completions"
PIECES = 40  # events of a provider's reply
_STOP_S = 60.0  # longest time for a server to stop, in seconds
_PRELOADED = ["__main__", "yesteryear_lab.bench.load.warm"]


class Spoken:
    """A process with which we speak line by line; it ends with the block."""

    def __init__(self, role: str, to: IO[str], heard: IO[str]) -> None:
        self._role = role
        self._to = to
        self._heard = heard

    def __enter__(self) -> Self:
        """Go on at once; ``hear`` waits until the process is ready."""
        return self

    def say(self, *lines: str, is_all: bool = False) -> None:
        """Write lines to the process, and close its standard input where that ``is_all``."""
        self._to.writelines(f"{line}\n" for line in lines)
        self._to.flush()
        if is_all:
            self._to.close()

    def hear(self) -> str:
        """Return the next line that the process writes."""
        line = self._heard.readline()
        if not line:
            raise YesteryearError(f"the process of the {self._role} did not start or has ended; its messages are above")
        return line.rstrip("\n")

    def hear_all(self) -> str:
        """Return everything that the process writes until its end."""
        return self._heard.read()

    def hang_up(self) -> None:
        """Close what we speak and listen through."""
        self._to.close()
        self._heard.close()


class Fork(Spoken):
    """A process in a role.

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

    def __exit__(self, *_: object) -> None:
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


@contextmanager
def gather(role: str, arguments: Iterable[Sequence[str]]) -> Iterator[list[Fork]]:
    """Lend a process for each of some arguments, once all are ready."""
    with ExitStack() as ends:
        team = [ends.enter_context(Fork(role, *each)) for each in arguments]
        for member in team:
            member.hear()
        yield team


class Server(Spoken):
    """A server in a role, which is killed at the end of the block; see ``servers``."""

    def __init__(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "yesteryear_lab.bench.load.servers", *arguments]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # noqa: S603
        assert self._process.stdin is not None and self._process.stdout is not None  # noqa: S101, PT018 - they are pipes
        super().__init__(arguments[0], self._process.stdin, self._process.stdout)
        self.port = int(self.hear())

    def __exit__(self, *_: object) -> None:
        """Kill it, where it has not stopped."""
        self._process.kill()
        self.hang_up()
        self._process.wait()

    def resident_mb(self) -> float | None:
        """Return the memory it takes at present, in megabytes, or None where the system does not tell."""
        try:
            status = Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii")
        except OSError:
            return None
        lines = dict(line.split(":", 1) for line in status.splitlines())
        return round(int(lines["VmRSS"].split()[0]) / 1024, 1)

    def stop(self) -> None:
        """Tell it to stop, and wait until it has."""
        self._process.terminate()
        if self._process.wait(_STOP_S):
            raise YesteryearError(f"the server ended with {self._process.returncode}; its messages are above")


class Client:
    """Asks one thing after another on one connection; for nobody, where no user is named."""

    def __init__(self, port: int, user: str = "") -> None:
        self._connection = HTTPConnection(HOST, port)
        self._headers = {"Content-Type": "application/json"} | ({"X-Yesteryear-User": user} if user else {})

    def ask(self, path: str, said: Mapping[str, Any]) -> HTTPResponse:
        """Send an object and return the answer, of which nothing but the head was read."""
        self._connection.request("POST", path, json.dumps(said).encode(), self._headers)
        return self._connection.getresponse()

    def post(self, path: str, said: Mapping[str, Any]) -> bytes:
        """Send an object and return what comes back; an error where it was not taken."""
        reply = self.ask(path, said)
        body = reply.read()
        if reply.status >= HTTPStatus.BAD_REQUEST:
            raise YesteryearError(f"{path} was answered with {reply.status}: {body[:200]!r}")
        return body

    def close(self) -> None:
        """Hang up."""
        self._connection.close()
