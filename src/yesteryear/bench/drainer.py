"""A worker in a process of its own, for the suites that need one.

Run as ``python -m yesteryear.bench.drainer STORE EMBEDDER``. It says "ready" once it works, and ends when its standard
input does.
"""

from __future__ import annotations

import sys

import yesteryear


def main(store: str, embedder: str) -> None:
    """Work until standard input ends."""
    with yesteryear.open(store, worker="thread", embedder=embedder):
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:])
