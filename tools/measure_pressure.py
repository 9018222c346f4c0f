"""Measure what others notice of somebody who presses on a server: idle connections, event streams, wide queries.

``python tools/measure_pressure.py [--idle 1100] [--streams 800] [--seconds 10] [--files 1024]`` serves a new memory in
a process that may open so many files, asks it for facts from one caller all the while, and prints p50 and p95 of each
load beside those without any, the seconds until the stream of a revoked key ends, and the length of the log, as JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx

from yesteryear.api.keyring import KeyRing
from yesteryear.core.access.keys import Right
from yesteryear.providers.clock import SystemClock
from yesteryear.storage.sqlite.store import SQLiteStore

_USER = "ana"
_STREAMS_PER_KEY = 100
_QUERY = "{ " + "facts { id } " * 400 + "}"
_PRESSING = 4
"""Callers who send the wide query, one after another each."""


class Pressed:
    """A server that asks for keys, and the caller whose times count."""

    def __init__(self, folder: Path, files: int) -> None:
        self.ring = KeyRing(SQLiteStore(folder / "memory.db"), SystemClock())
        self._log = folder / "log"
        command = [
            sys.executable,
            "-c",
            "from yesteryear.cli import main; main()",
            "serve",
            "--store",
            str(folder / "memory.db"),
        ]
        env = {**os.environ, "YESTERYEAR_AUTH": "on", "YESTERYEAR_EMBEDDER": "hashing"}
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                ["sh", "-c", f'ulimit -n {files} && exec "$@"', "sh", *command, "--port", "0", "--json"],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=env,
                cwd=folder,
            )
        said = self.process.stdout.readline() if self.process.stdout else ""
        self.url = str(json.loads(said)["url"])
        self.port = int(self.url.rpartition(":")[2])

    def key(self, right: Right = Right.READ) -> tuple[dict[str, str], str]:
        """Make a key; return the headers that carry it, and its id."""
        token, key = self.ring.create("default", _USER, name="pressing", right=right)
        return {"authorization": f"Bearer {token.text}"}, key.id

    def times(self, seconds: float) -> dict[str, float]:
        """Ask for facts, on a new connection each tenth time; return p50 and p95 in milliseconds."""
        headers, _ = self.key()
        found, ends = [], time.monotonic() + seconds
        while time.monotonic() < ends:
            with httpx.Client(base_url=self.url, headers=headers, timeout=60) as client:
                for _ in range(10):
                    begun = time.perf_counter()
                    client.get("/v1/facts").raise_for_status()
                    found.append((time.perf_counter() - begun) * 1000)
                    time.sleep(0.01)
        found.sort()
        return {"p50_ms": round(found[len(found) // 2], 2), "p95_ms": round(found[int(len(found) * 0.95)], 2)}

    def connect(self, said: bytes = b"") -> socket.socket:
        """Open a connection and say something."""
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        connection.sendall(said)
        return connection

    def follow(self, headers: dict[str, str]) -> socket.socket:
        """Open a stream of events, and wait for its beginning."""
        named = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        connection = self.connect(f"GET /v1/events HTTP/1.1\r\nHost: localhost\r\n{named}\r\n".encode())
        if not connection.recv(4096).startswith(b"HTTP/1.1 200"):
            raise SystemExit("a stream was refused")
        return connection

    def busy_s(self) -> float:
        """Return the seconds of processor time that the server has taken."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def log_bytes(self) -> int:
        """Return the length of the log."""
        return self._log.stat().st_size


@contextmanager
def idle(server: Pressed, count: int) -> Iterator[None]:
    """Hold connections that say nothing."""
    with ExitStack() as stack:
        for _ in range(count):
            stack.enter_context(server.connect())
        yield


@contextmanager
def streams(server: Pressed, count: int) -> Iterator[None]:
    """Follow a memory many times over, with as many keys as that takes."""
    with ExitStack() as stack:
        for number in range(count):
            if number % _STREAMS_PER_KEY == 0:
                headers, _ = server.key()
            stack.enter_context(server.follow(headers))
        yield


@contextmanager
def queries(server: Pressed, count: int) -> Iterator[None]:
    """Send a query of four hundred fields without end."""
    headers, _ = server.key()
    is_over = threading.Event()

    def press() -> None:
        with httpx.Client(base_url=server.url, headers=headers, timeout=60) as client:
            while not is_over.wait(0.05):
                client.post("/graphql", json={"query": _QUERY})

    pressing = [threading.Thread(target=press) for _ in range(count)]
    for each in pressing:
        each.start()
    try:
        yield
    finally:
        is_over.set()
        for each in pressing:
            each.join()


def revoked_s(server: Pressed) -> float:
    """Return the seconds from the revocation of a key until its stream ends."""
    headers, key_id = server.key()
    with server.follow(headers) as connection:
        time.sleep(1)
        server.ring.revoke("default", key_id)
        begun = time.monotonic()
        while not connection.recv(4096).endswith(b"0\r\n\r\n"):  # the end of the stream; the connection may stay
            pass
        return round(time.monotonic() - begun, 2)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("idle", 1100), ("streams", 800), ("seconds", 10), ("files", 1024)):
        parser.add_argument(f"--{name}", type=int, default=default)
    asked = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    loads: dict[str, Callable[[Pressed], Any]] = {
        "idle_connections": lambda server: idle(server, asked.idle),
        "event_streams": lambda server: streams(server, asked.streams),
        "wide_queries": lambda server: queries(server, _PRESSING),
    }
    found: dict[str, Any] = {}
    for name, load in loads.items():
        # Streams are requests under way: they need places of their own among the files.
        files = asked.files if name != "event_streams" else max(asked.files, 2 * asked.streams)
        with tempfile.TemporaryDirectory() as folder:
            server = Pressed(Path(folder), files)
            server.times(1)
            alone = server.times(asked.seconds)
            with load(server):
                before, begun = server.busy_s(), time.monotonic()
                time.sleep(asked.seconds if name == "event_streams" else 0)
                resting = (server.busy_s() - before) / max(time.monotonic() - begun, 1e-9)
                pressed = server.times(asked.seconds)
            found[name] = {
                "alone": alone,
                "pressed": pressed,
                "times_p95": round(pressed["p95_ms"] / alone["p95_ms"], 2),
                "log_bytes": server.log_bytes(),
                **({"processors_while_silent": round(resting, 3)} if name == "event_streams" else {}),
            }
            if name == "idle_connections":
                found["revoked_stream_s"] = [revoked_s(server) for _ in range(5)]
            print(json.dumps({name: found[name]}), file=sys.stderr)
            server.process.terminate()
            server.process.wait()
            server.ring.store.close()
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
