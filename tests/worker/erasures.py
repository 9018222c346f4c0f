"""Erasures that die at a chosen statement, in processes of their own.

Run as ``python erasures.py`` it reads from each line a file, a person and a point, lets a child process erase there
until it dies, and answers with how that ended.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from yesteryear.core.scope import Scope
from yesteryear.forget.erase import erase
from yesteryear.storage.sqlite.store import SQLiteStore

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Death:
    """Right before the nth statement on the writing connection, or within it."""

    nth: int
    steps_into: int = 0
    """Steps of SQLite's machine after which to die within the statement; 0 for right before it."""


def erase_until(path: Path, person: str, die: Callable[[int, str, SQLiteStore], None]) -> list[str]:
    """Erase a person; ``die`` is asked before each statement. Return the statements, without what is bound to them."""
    store, statements = SQLiteStore(path), []

    def trace(sql: str) -> None:
        statements.append(" ".join(sql.split()[:3]))
        die(len(statements), sql, store)

    store._connection.set_trace_callback(trace)
    erase(store, Scope(user=person), now=NOW)
    store._connection.set_trace_callback(None)
    store.close()
    return statements


def erase_in_a_child(path: Path, person: str, death: Death) -> int:
    """Return how the child process ended that erased until it died: minus the number of the signal, or its status."""

    def die(number: int, _: str, store: SQLiteStore) -> None:
        if number != death.nth:
            return
        if not death.steps_into:
            os.kill(os.getpid(), signal.SIGKILL)
        store._connection.set_progress_handler(lambda: os.kill(os.getpid(), signal.SIGKILL), death.steps_into)

    child = os.fork()
    if child == 0:
        erase_until(path, person, die)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    for line in sys.stdin:
        place, name, nth, steps_into = line.rstrip("\n").split("\t")
        print(erase_in_a_child(Path(place), name, Death(int(nth), int(steps_into))), flush=True)
