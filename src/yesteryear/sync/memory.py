"""One scope's memory without an event loop; its stub says what it has."""

from __future__ import annotations

from yesteryear.memory.calls import without_loop
from yesteryear.memory.memory import AsyncMemory

Memory = without_loop(AsyncMemory, "Memory", __name__)
