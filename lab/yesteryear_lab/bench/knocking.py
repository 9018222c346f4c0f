"""Clients that keep their connection and do no more than they must: one that waits, and many in an event loop."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from yesteryear.errors import YesteryearError

_STOP_S = 60.0
"""Longest time for a server to stop, in seconds."""


class Server:
    """A server that runs in a process of its own."""

    def __init__(self, process: subprocess.Popen[str], port: int) -> None:
        self._process = process
        self.port = port

    def resident_mb(self) -> float | None:
        """Return the memory it takes at present, in megabytes, or None where the system does not tell."""
        try:
            status = Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii")
        except OSError:
            return None
        lines = dict(line.split(":", 1) for line in status.splitlines())
        return int(lines["VmRSS"].split()[0]) / 1024

    def stop(self) -> None:
        """Tell it to stop, and wait until it has.

        Raises:
            YesteryearError: it ended with an error.
        """
        self._process.terminate()
        if self._process.wait(_STOP_S):
            raise YesteryearError(f"the server ended with {self._process.returncode}; its messages are above")


@contextmanager
def a_server(*arguments: str) -> Iterator[Server]:
    """Run ``bench.door`` until the block ends.

    Raises:
        YesteryearError: it did not start.
    """
    command = [sys.executable, "-m", "yesteryear_lab.bench.door", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own module
        try:
            port = process.stdout.readline() if process.stdout else ""
            if not port:
                raise YesteryearError("the server did not start; its messages are above")
            yield Server(process, int(port))
        finally:
            process.kill()


class Client:
    """Asks one thing after another."""

    def __init__(self, port: int, user: str) -> None:
        self._connection = HTTPConnection("127.0.0.1", port)
        self._headers = {"Content-Type": "application/json", "X-Yesteryear-User": user}

    def post(self, path: str, said: Mapping[str, Any]) -> bytes:
        """Send an object and return what comes back.

        Raises:
            YesteryearError: it was not taken.
        """
        self._connection.request("POST", path, json.dumps(said).encode(), self._headers)
        reply = self._connection.getresponse()
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
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
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
