"""The in-process bell."""

from __future__ import annotations

from queue import Empty, SimpleQueue


class ThreadBell:
    """Wakes the worker thread of this process. A ring that nobody waits for is remembered.

    A queue written in C, because an interrupt inside ``threading.Event`` can leave its lock taken for ever.
    """

    def __init__(self) -> None:
        self._rings: SimpleQueue[None] = SimpleQueue()

    def ring(self) -> None:
        """Wake whoever waits."""
        if self._rings.empty():
            self._rings.put(None)

    def wait(self, timeout_s: float) -> bool:
        """Wait for a ring, at most ``timeout_s`` seconds; tell whether there was one."""
        try:
            self._rings.get(timeout=timeout_s)
        except Empty:
            return False
        return True
