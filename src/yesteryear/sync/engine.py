"""The engine without an event loop; its stub says what it has."""

from yesteryear.memory.calls import without_loop
from yesteryear.memory.engine import AsyncEngine
from yesteryear.sync.memory import Memory

Engine = without_loop(AsyncEngine, "Engine", __name__, _lends=Memory)
