"""Servers as processes of their own, and what is said to them byte by byte."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

import yesteryear
import yesteryear_lab

SOURCES = os.pathsep.join(str(Path(str(one.__file__)).parents[1]) for one in (yesteryear, yesteryear_lab))
ROUGH = str(Path(__file__).with_name("rough_door.py"))
MAIN = "import sys; sys.argv[0] = 'yesteryear'; from yesteryear.cli import main; main()"
WAIT_S = 30
"""How long a test waits for what should come at once, before it fails."""


@dataclass
class Running:
    """A server that answers."""

    process: subprocess.Popen[str]
    port: int
    log: Path
    """Where its standard error goes."""

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    def connect(self) -> socket.socket:
        """Open a connection to it."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=WAIT_S)

    def is_alive(self) -> bool:
        """Tell whether it answers."""
        return httpx.get(f"{self.url}/health/live").json() == {"status": "ok"}

    def stop(self) -> int:
        """Ask it to stop, and return how it ended."""
        self.process.terminate()
        return self.process.wait(WAIT_S)

    def log_lines(self) -> list[dict[str, Any]]:
        """Return what is noted of requests."""
        lines = self.log.read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines if line.startswith("{")]

    def ask(self, sent: bytes) -> bytes:
        """Send bytes on a connection and return what comes until it is closed."""
        with self.connect() as connection:
            connection.sendall(sent)
            return read_all(connection)


def read_all(connection: socket.socket) -> bytes:
    """Return what comes until the other side closes."""
    found = b""
    while part := connection.recv(65536):
        found += part
    return found


@contextmanager
def started(
    command: list[str], folder: Path, *, files: int | None = None, **environ: str
) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """Run Python with our sources, its standard error in a file, until the block ends; it may open so many files."""
    log = folder / f"{len(list(folder.glob('*.log')))}.log"
    limited = [] if files is None else ["sh", "-c", f'ulimit -n {files} && exec "$@"', "sh"]
    weightless = {"YESTERYEAR_EMBEDDER": "hashing", "YESTERYEAR_READER": "words"}
    env = {**os.environ, "PYTHONPATH": SOURCES, **weightless, **environ}
    with (
        log.open("wb") as errors,
        subprocess.Popen(
            [*limited, sys.executable, *command],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=env,
            cwd=folder,
        ) as process,
    ):
        try:
            yield process, log
        finally:
            process.kill()


@contextmanager
def rough_door(store: Path) -> Iterator[Running]:
    """Run the server of ``rough_door.py``."""
    with started([ROUGH, str(store)], store.parent) as (process, log):
        assert process.stdout is not None
        port = process.stdout.readline()
        assert port, log.read_text()
        yield Running(process, int(port), log)


@contextmanager
def yesteryear_serve(
    store: str, folder: Path, *options: str, files: int | None = None, **environ: str
) -> Iterator[tuple[Running, dict[str, Any]]]:
    """Run ``yesteryear serve`` in a folder, at a free port; lends what it says of itself, too."""
    command = ["-c", MAIN, "serve", "--store", store, "--port", "0", "--json", *options]
    with started(command, folder, files=files, **environ) as (process, log):
        assert process.stdout is not None
        said = process.stdout.readline()
        assert said, log.read_text()
        document = json.loads(said)
        yield Running(process, int(document["url"].rpartition(":")[2]), log), document


def kept(store: Path, user: str = "ana") -> list[str]:
    """Return the callers' ids of a person's messages in a store."""
    with yesteryear.open(store, worker="none", embedder="hashing") as engine:
        return [message.name for message in all_messages(engine.memory(user=user))]


def all_messages(memory: yesteryear.Memory) -> list[yesteryear.Message]:
    """Return everything in a person's journal."""
    found: list[yesteryear.Message] = []
    while page := memory.messages(after=found[-1].id if found else "", limit=1000):
        found += page
    return found
