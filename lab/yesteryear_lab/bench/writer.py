"""A writer in a process of its own, for the scale suite.

Run as ``python -m yesteryear_lab.bench.writer STORE USER MESSAGES``. It says "ready", observes so many messages, one
after the other, once it reads a line, and says how much processor time that took, in seconds.
"""

from __future__ import annotations

import sys
import time

import yesteryear
from yesteryear_lab.bench.throughput import write

_WARM_UP_MESSAGES = 10


def main(store: str, user: str, messages: str) -> None:
    """Write when told to."""
    with yesteryear.open(store, worker="none", embedder="hashing") as engine:
        memory = engine.memory(user=user)
        write(memory, range(-_WARM_UP_MESSAGES, 0))
        _say("ready")
        sys.stdin.readline()
        begun = time.process_time()
        write(memory, range(int(messages)))
        _say(str(time.process_time() - begun))


def _say(what: str) -> None:
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
