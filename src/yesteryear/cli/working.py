"""Waiting for work: a flush with its progress, or a worker that runs until it is told to stop."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from yesteryear.cli.output import Output, count

if TYPE_CHECKING:
    from yesteryear.drain import Drained
    from yesteryear.sync.memory import Memory
    from yesteryear.worker.runner import Runner

_LOOK_S = 0.1
"""How often the main thread looks whether a signal came or the work is over, in seconds."""


def flush(memory: Memory, output: Output) -> Drained:
    """Work in everything that is due in a scope, and show how far it is."""
    before = memory.stats()
    messages = int(before["messages.open"]) + int(before["vectors.due"])
    with output.progress(f"working in {count(messages, 'message')}") as advance:
        return memory.flush(
            on_progress=lambda done: advance(
                done.vectors / max(messages + done.episodes, 1), count(done.episodes, "episode")
            )
        )


def say_drained(done: Drained) -> str:
    """Say what was worked in: ``3 episodes, 41 vectors, 7 facts``, and what faded, was erased or failed."""
    parts = [count(done.episodes, "episode"), count(done.vectors, "vector")]
    if done.facts:
        parts.append(count(done.facts, "fact"))
    if done.nights:
        parts.append(count(done.nights, "night"))
    if done.expired:
        parts.append(f"{count(done.expired, 'skipped text')} erased")
    if done.faded:
        parts.append(f"{count(done.faded, 'episode')} faded")
    if done.forgotten:
        parts.append(f"{count(done.forgotten, 'message')} forgotten as asked")
    if done.failures:
        parts.append(f"{count(done.failures, 'attempt')} failed")
    return ", ".join(parts)


def run_until_stopped(runner: Runner, *, until_idle: bool) -> tuple[Drained | None, signal.Signals | None]:
    """Run a worker until there is nothing to do, or SIGINT or SIGTERM comes; a row under way is finished first.

    A second SIGINT does not wait.

    Returns:
        What was done, and the signal that ended it, if one did.
    """
    results: list[Drained] = []
    thread = threading.Thread(
        target=lambda: results.append(runner.run(until_idle=until_idle)), name="yesteryear-worker", daemon=True
    )
    with _signals_noted() as received:
        thread.start()
        while thread.is_alive():
            thread.join(_LOOK_S)
            if received:
                runner.stop()
    return (results[0] if results else None), (received[0] if received else None)


@contextmanager
def _signals_noted() -> Iterator[list[signal.Signals]]:
    """Note SIGINT and SIGTERM instead of dying of them.

    The handler only takes them down: it runs between any two instructions, where no lock may be asked for.
    """
    received: list[signal.Signals] = []

    def note(number: int, _: FrameType | None) -> None:
        received.append(signal.Signals(number))
        signal.signal(signal.SIGINT, signal.default_int_handler)

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
