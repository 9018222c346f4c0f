"""A worker that begins when it is told to, in a process of its own, for the scale suite.

Run as ``python -m yesteryear_lab.bench.hand STORE EMBEDDER``. It says "ready" once it has everything it needs, works
from the first line of its standard input on, and ends when that does.
"""

from __future__ import annotations

import sys

import yesteryear


def main(store: str, embedder: str) -> None:
    """Get ready, and work when told to."""
    with yesteryear.open(store, worker="none", embedder=embedder) as engine:
        engine.owners()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    with yesteryear.open(store, worker="thread", embedder=embedder):
        sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:])
