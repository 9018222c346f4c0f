"""A worker in a process of its own, for the suites that need one.

Run as ``python -m yesteryear_lab.bench.drainer STORE EMBEDDER [MESSAGES]``, the latter how many make an episode. It
says "ready" once it works, and ends when its standard input does.
"""

from __future__ import annotations

import sys

import yesteryear


def main(store: str, embedder: str, messages: str | None = None) -> None:
    """Work until standard input ends."""
    threshold = None if messages is None else int(messages)
    with yesteryear.open(store, worker="thread", embedder=embedder, episode_message_threshold=threshold):
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:])
