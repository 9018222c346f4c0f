"""Processes of our own: how they are started, spoken with and ended; and clients of those that serve."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from http import HTTPStatus
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from yesteryear.errors import YesteryearError

HOST = "127.0.0.1"
CHAT = "/v1/chat/completions"
PIECES = 40
"""Events of a provider's reply."""
_STOP_S = 60.0
"""Longest time for a server to stop, in seconds."""
_ROLES, _SERVERS = "yesteryear_lab.bench.load.roles", "yesteryear_lab.bench.load.servers"


class Spoken:
    """Somebody we speak with line by line."""

    def __init__(self, role: str, to: IO[str], heard: IO[str]) -> None:
        self._role = role
        self._to = to
        self._heard = heard

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


class Child(Spoken, AbstractContextManager[Any]):
    """A process in a role; it ends with the block.

    Args:
        arguments: The role, and what it takes.
        module: Where the role is.
    """

    def __init__(self, *arguments: str, module: str = _ROLES) -> None:
        command = [sys.executable, "-m", module, *arguments]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # noqa: S603
        assert self.process.stdin is not None and self.process.stdout is not None  # noqa: S101, PT018 - they are pipes
        super().__init__(arguments[0], self.process.stdin, self.process.stdout)

    def __enter__(self) -> Self:
        """Go on at once; ``hear`` waits until the process is ready."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let the process come to its end."""
        self.process.__exit__(kind, error, trace)


@contextmanager
def gather(
    role: str, arguments: Iterable[Sequence[str]], *, start: Callable[..., AbstractContextManager[Spoken]] = Child
) -> Iterator[list[Spoken]]:
    """Lend a process for each of some arguments, once all are ready."""
    with ExitStack() as ends:
        team = [ends.enter_context(start(role, *each)) for each in arguments]
        for child in team:
            child.hear()
        yield team


class Server(Child):
    """A server in a role, which is killed at the end of the block."""

    def __init__(self, *arguments: str) -> None:
        super().__init__(*arguments, module=_SERVERS)
        self.port = int(self.hear())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Kill it, where it has not stopped."""
        self.process.kill()
        super().__exit__(kind, error, trace)

    def resident_mb(self) -> float | None:
        """Return the memory it takes at present, in megabytes, or None where the system does not tell."""
        try:
            status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        except OSError:
            return None
        lines = dict(line.split(":", 1) for line in status.splitlines())
        return int(lines["VmRSS"].split()[0]) / 1024

    def stop(self) -> None:
        """Tell it to stop, and wait until it has."""
        self.process.terminate()
        if self.process.wait(_STOP_S):
            raise YesteryearError(f"the server ended with {self.process.returncode}; its messages are above")


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
        """Send an object and return what comes back.

        Raises:
            YesteryearError: it was not taken.
        """
        reply = self.ask(path, said)
        body = reply.read()
        if reply.status >= HTTPStatus.BAD_REQUEST:
            raise YesteryearError(f"{path} was answered with {reply.status}: {body[:200]!r}")
        return body

    def close(self) -> None:
        """Hang up."""
        self._connection.close()


class AsyncClient:
    """The same for an event loop; it knows as much of HTTP as our own server speaks."""

    def __init__(self, port: int, user: str) -> None:
        self._port = port
        self._user = user
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, path: str, said: Mapping[str, Any]) -> int:
        """Send an object, read what comes back and return the status.

        Raises:
            OSError, EOFError: the connection broke.
        """
        if self._streams is None:
            self._streams = await asyncio.open_connection(HOST, self._port)
        reader, writer = self._streams
        body = json.dumps(said).encode()
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nX-Yesteryear-User: {self._user}\r\n"
        writer.write(f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        first, *headers = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower().splitlines()
        told = dict(line.split(": ", 1) for line in headers if line)
        await reader.readexactly(int(told["content-length"]))
        return int(first.split()[1])

    def close(self) -> None:
        """Hang up."""
        if self._streams is not None:
            self._streams[1].close()
