"""A fresh process that meets some people of a store for the first time, and says what that has cost.

Run as ``python -m yesteryear_lab.bench.newcomer FILE EMBEDDER USER USER…``. The first of them is asked until the
process and the model are warm; what the others cost is printed as JSON, each figure the mean of them.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import yesteryear
from yesteryear_lab.bench.seeded import SeededEmbedder, open_seeded

_WARM_UP_QUESTIONS = 20
_PAGES_HELD = Path("/proc/self/statm")
"""Second in it is how many pages of memory this process holds; on Linux only."""


def main(path: str, embedder: str, known: str, *others: str) -> None:
    """Get warm with one person, then meet the others."""
    with open_seeded(Path(path), SeededEmbedder(embedder)) as engine:
        _ask(engine, known)
        index_before, held_before = engine.describe()["index_bytes"], _bytes_held()
        cpu_before, begun = time.process_time(), time.perf_counter()
        for user in others:
            engine.memory(user=user).context(_question(0))
        cpu, took = time.process_time() - cpu_before, time.perf_counter() - begun
        for user in others:
            _ask(engine, user)
        index, held = engine.describe()["index_bytes"] - index_before, _bytes_held()
    found = {
        "cold_cpu_s": cpu / len(others),
        "cold_s": took / len(others),
        "index_bytes": index // len(others),
        "resident_bytes": None if held is None or held_before is None else (held - held_before) // len(others),
    }
    sys.stdout.write(json.dumps(found))


def _ask(engine: yesteryear.Engine, user: str) -> None:
    memory = engine.memory(user=user)
    for number in range(_WARM_UP_QUESTIONS):
        memory.context(_question(number))


def _question(number: int) -> str:
    return f"What did I say about the garden and the letter on {number + 1} May?"


def _bytes_held() -> int | None:
    if not _PAGES_HELD.exists():
        return None
    return int(_PAGES_HELD.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    main(*sys.argv[1:])
