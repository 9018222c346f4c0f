"""Another process that takes messages down in the same store, for the context suite.

Run as ``python -m yesteryear_lab.bench.observer FILE USER CONVERSATION AT``. It observes each line of its standard
input as said at AT, and says "done" once it is on disk.
"""

from __future__ import annotations

import sys

import yesteryear


def main(path: str, user: str, conversation: str, at: str) -> None:
    """Observe until standard input ends."""
    with yesteryear.open(path, worker="none", embedder="hashing") as engine:
        memory = engine.memory(user=user)
        for line in sys.stdin:
            memory.observe(line.rstrip("\n"), conversation=conversation, at=at)
            sys.stdout.write("done\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
