"""Nights in a process of their own, one after the other, for the nights suite.

Run as ``python -m yesteryear_lab.bench.sleeper FILE EMBEDDER USER INSTANT``. It says "ready" after the first night, and
ends when its standard input does.
"""

from __future__ import annotations

import sys
import threading

import yesteryear


def main(path: str, embedder: str, user: str, at: str) -> None:
    """Run nights that do all their work and write nothing, until standard input ends."""
    ends = threading.Event()

    def listen() -> None:
        sys.stdin.read()
        ends.set()

    with yesteryear.open(path, worker="none", embedder=embedder) as engine:
        memory = engine.memory(user=user)
        memory.consolidate(at=at, dry_run=True)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        threading.Thread(target=listen, daemon=True).start()
        while not ends.is_set():
            memory.consolidate(at=at, dry_run=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
