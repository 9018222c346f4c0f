"""Names of workers, and whether one is still there."""

from __future__ import annotations

import os
import socket
import sys
import uuid
from pathlib import Path

_START_FIELD = 19
"""Where a process's start stands in what Linux tells of it, counted after the program's name."""


class ProcessWorkers:
    """Names workers by host, process, its start and a random part, so that a dead one on this host is known at once.

    The start tells a process from a later one with the same number, as in a container that was restarted.
    """

    def __init__(self) -> None:
        self._host = socket.gethostname()

    def name(self) -> str:
        """Return a fresh name for a worker in this process."""
        return f"{self._host}/{os.getpid()}/{_started(os.getpid())}/{uuid.uuid4().hex[:12]}"

    def is_gone(self, worker: str) -> bool:
        """Tell whether that worker's process has ended; False for other hosts and wherever it cannot be known."""
        host, _, rest = worker.partition("/")
        pid, _, rest = rest.partition("/")
        if host != self._host or not pid.isdecimal() or sys.platform == "win32":
            return False
        try:
            os.kill(int(pid), 0)
        except ProcessLookupError:
            return True
        except (OSError, OverflowError):
            return False  # alive, and somebody else's
        return rest.partition("/")[0] != _started(int(pid))


def _started(pid: int) -> str:
    """Return when a process began, in the kernel's count, or nothing where the system does not tell."""
    try:
        found = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""
    return found.rpartition(")")[2].split()[_START_FIELD]
