"""Workers in processes of their own. Run as ``python -m tests.worker.processes ROLE STORE``.

Each says "ready" once it has opened the store, begins when it is told a line, and tells in JSON what it did at the end.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

import yesteryear
from tests.analysts import SideBySide
from tests.worker.one_life import OtherEmbedder
from yesteryear.bootstrap import build_ports
from yesteryear.core.episode import Digest, Talk
from yesteryear.core.vectors import Matrix, Purpose
from yesteryear.policies import Policies
from yesteryear.ports import Analyst, Ports
from yesteryear.providers.local.analyst import LocalAnalyst
from yesteryear.worker import Runner
from yesteryear_lab.bench.load.talk import Sent


class PausingAnalyst(SideBySide):
    """Says that it has begun, and goes on when it is told."""

    def digest(self, talk: Talk, *, yield_to_foreground: Callable[[], None]) -> Digest:
        """Wait once, then digest."""
        tell("digesting")
        sys.stdin.readline()
        return LocalAnalyst().digest(talk, yield_to_foreground=yield_to_foreground)


def tell(line: str) -> None:
    """Write a line at once."""
    os.write(1, f"{line}\n".encode())


def worker_on(path: str, *, analyst: Analyst | None = None) -> tuple[Ports, Policies]:
    """Open a store for work."""
    ports, settings = build_ports(path, embedder="hashing", worker="none", episode_message_threshold=4, analyst=analyst)
    return ports, settings.policies()


def work(path: str) -> None:
    """Do what is due until nothing is."""
    ports, policies = worker_on(path)
    tell("ready")
    sys.stdin.readline()
    tell(json.dumps(asdict(Runner(ports, policies).run(until_idle=True))))
    ports.store.close()


def work_for_ever(path: str) -> None:
    """Do what is due until interrupted, as ``yesteryear worker`` does."""
    ports, policies = worker_on(path)
    tell("ready")
    Runner(ports, policies).run()


def hold(path: str) -> None:
    """Begin work, and stop in the middle of it until told to go on."""
    ports, policies = worker_on(path, analyst=PausingAnalyst())
    tell(json.dumps(asdict(Runner(ports, policies).run(until_idle=True))))
    ports.store.close()


class PausingEmbedder(OtherEmbedder):
    """Another model, which says half way that it has begun, and goes on when it is told."""

    calls = 0

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Matrix:
        """Wait before the third batch, then embed."""
        self.calls += 1
        if self.calls == 3:
            tell("half way")
            sys.stdin.readline()
        return super().embed(texts, purpose=purpose)


def reembed(path: str) -> None:
    """Make all vectors anew with another model, and stop once on the way until told to go on."""
    ports, policies = worker_on(path)
    tell(json.dumps(asdict(Runner(replace(ports, embedder=PausingEmbedder()), policies).run(until_idle=True))))
    ports.store.close()


def chat(path: str) -> None:
    """Observe message after message beside a worker thread, and name each that was acknowledged, until interrupted."""
    with yesteryear.open(path, worker="thread", embedder="hashing", episode_message_threshold=4) as engine:
        memory = engine.memory(user="ana")
        for number in range(1_000_000):
            sent = Sent("ana", "kitchen", f"{os.getpid()}-{number}")
            memory.observe(sent.content, conversation=sent.conversation, id=sent.id)
            tell("\t".join(sent))


@contextmanager
def started(role: str, path: Path | str) -> Iterator[subprocess.Popen[str]]:
    """Start a process in a role; end it at the end, if it is still there."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.worker.processes", role, str(path)],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as it:
        try:
            yield it
        finally:
            it.kill()


def say(process: subprocess.Popen[str], line: str = "go") -> None:
    """Tell a process a line."""
    assert process.stdin is not None
    process.stdin.write(line + "\n")
    process.stdin.flush()


def hear(process: subprocess.Popen[str]) -> str:
    """Return the next line of a process."""
    assert process.stdout is not None
    return process.stdout.readline().rstrip("\n")


if __name__ == "__main__":
    roles: dict[str, Callable[..., None]] = {
        "work": work,
        "work for ever": work_for_ever,
        "hold": hold,
        "reembed": reembed,
        "chat": chat,
    }
    roles[sys.argv[1]](sys.argv[2])
